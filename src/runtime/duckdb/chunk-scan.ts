/** Scans events that the engine holds: in a single pass, or in chunks. */
import type { Columns, NumberColumns } from "../../storage/columns.ts";
import type { SiteId } from "../../storage/event.ts";
import type { Asker } from "../query/asker.ts";
import { numberIn, textIn } from "../query/row-values.ts";
import type { ScanChunk, ScanReader, TextsOf } from "../query/scan.ts";
import type { SiteRange } from "../query/scope.ts";
import { joinSql, sql, type SqlText } from "../query/sql.ts";
import type { PartitionCache } from "./cache/partition-cache.ts";
import type { ChunkLoader } from "./chunk-loader.ts";
import type { Chunk } from "./chunks.ts";
import type { Engine } from "./engine.ts";
import { askedBy, readableIn, statement } from "./readable-texts.ts";

export interface ScanContext {
  readonly engine: Engine;
  readonly partitionCache: PartitionCache;
  readonly asker: Asker;
}

function numbersIn(columns: Columns): NumberColumns {
  if (hasNoTexts(columns)) return columns;
  throw new TypeError("the columns of a scan must hold integers");
}

const hasNoTexts = (columns: Columns): columns is NumberColumns => Object.values(columns).every((column) => !Array.isArray(column));

function chunkOf(siteRange: SiteRange, blocks: readonly number[], { engine, asker }: ScanContext): ScanChunk {
  const { siteId, range } = siteRange;
  return {
    range,
    async columns({ sql: rows }) {
      const query = { siteId, blocks, ...statement(rows), ...readableIn(rows, siteRange, asker) };
      return numbersIn(await engine.queryColumns(query, asker.signal));
    },
    async propsTextsOf(codes) {
      const texts = await engine.propsTexts(siteId, codes);
      return new Map(codes.map((code, i) => [code, texts[i] ?? ""]));
    },
  };
}

/** Codes that one query lists, each as a parameter. */
const CODES_PER_LIST = 1024;

/** Density of wanted codes from which reading the whole range of codes is cheaper than listing them. */
const UNWANTED_PER_WANTED_MAX = 8;

/** The queries that read the texts of these codes, given in ascending order. */
function textQueries(codes: readonly number[]): SqlText[] {
  const between = (wanted: readonly number[]) =>
    sql`SELECT code, text FROM texts WHERE code >= ${wanted[0] ?? 0} AND code <= ${wanted.at(-1) ?? 0}`;
  if ((codes.at(-1) ?? 0) - (codes[0] ?? 0) < codes.length * UNWANTED_PER_WANTED_MAX) return [between(codes)];
  return Array.from({ length: Math.ceil(codes.length / CODES_PER_LIST) }, (_, i) => {
    const listed = codes.slice(i * CODES_PER_LIST, (i + 1) * CODES_PER_LIST);
    const values = listed.map((code) => sql`${code}`);
    return sql`${between(listed)} AND code IN (${joinSql(values, ", ")})`;
  });
}

/** Looks up texts in a site's dictionary. */
export const siteTexts =
  (engine: Engine, siteId: SiteId, asker: Asker): TextsOf =>
  async (codes) => {
    const found = new Map<number, string>();
    for (const { text, values } of textQueries(codes)) {
      const rows = await engine.query({ siteId, blocks: [], sql: text, parameters: values, ...askedBy(asker) }, asker.signal);
      for (const row of rows) found.set(numberIn(row, "code"), textIn(row, "text"));
    }
    return found;
  };

export async function scanSinglePass<Result>(
  siteRange: SiteRange,
  blocks: readonly number[],
  reader: ScanReader<Result>,
  context: ScanContext,
): Promise<Result> {
  await reader.readChunk(chunkOf(siteRange, blocks, context));
  return reader.finish(siteTexts(context.engine, siteRange.siteId, context.asker));
}

/** The dictionary is held until the end, so codes stay valid although chunks are loaded and dropped. */
export async function scanInChunks<Result>(
  siteRange: SiteRange,
  chunks: readonly Chunk[],
  loader: ChunkLoader,
  reader: ScanReader<Result>,
  context: ScanContext,
): Promise<Result> {
  const { siteId } = siteRange;
  const { partialAggregates } = context.partitionCache;
  const { asker } = context;
  const texts = await partialAggregates.holdTexts(siteId, asker.isGuest, asker.signal);
  try {
    for (const chunk of chunks) {
      const wantsMore = await loader.load(chunk, (blocks) =>
        reader.readChunk(chunkOf({ ...siteRange, range: chunk.range }, blocks, context)),
      );
      if (!wantsMore) break;
    }
    return await reader.finish(siteTexts(context.engine, siteId, asker));
  } finally {
    partialAggregates.release(texts);
  }
}
