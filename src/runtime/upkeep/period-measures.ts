/** Computes the measures and visitors of salt periods from event files, in an engine that nothing else uses. */
import { type Columns, rowCountOf } from "../../storage/columns.ts";
import { type LocalDate, MINUTE_MS } from "../../storage/event.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import { type PartitionFile, sizeGroups } from "../../storage/partitions.ts";
import { type Measures, propertyKeyOf, propertyMeasure } from "../../storage/rollup.ts";
import { LOAD_BYTES_MAX } from "../base/config/limits.ts";
import { ROLLUP_MEASURE_ROWS_MAX, ROLLUP_PROPERTIES_MAX } from "../base/config/report-limits.ts";
import { EngineFullError, type Block, type BlockFile, type Engine } from "../duckdb/engine.ts";
import { EngineMemory } from "../duckdb/cache/engine-memory.ts";
import type { RolledMeasures } from "../duckdb/rollups/rollup-execution.ts";
import { rowsQuery, statement } from "../duckdb/event-rows.ts";
import type { AggregateQuery } from "../query/plan.ts";
import type { SiteRange } from "../query/scope.ts";
import { sql } from "../query/sql.ts";
import type { CalendarOf } from "../sites/sites.ts";

/** Some events of the days cannot be read until the files of these days change. */
export class IncompleteDaysError extends Error {
  override readonly name = "IncompleteDaysError";
}

const NEVER = new AbortController().signal;

/** The measure with the keys of custom properties: rows `value`. */
export const KEYS_MEASURE = "properties";

/** Reads all rows of a query, or one more than a rollup may have of a measure: it is left out then. */
type ReadRows = (query: AggregateQuery) => Promise<Columns>;

async function measuresOf(rolled: RolledMeasures, withProperties: boolean, readRows: ReadRows): Promise<Map<string, Columns>> {
  const measures = new Map<string, Columns>();
  for (const { name, query } of rolled.measures) {
    if (withProperties || query.property === undefined) measures.set(name, await readRows(query));
  }
  const keys = Array.from(measures.get(KEYS_MEASURE)?.["value"] ?? [], String);
  for (const key of keys.slice(0, ROLLUP_PROPERTIES_MAX)) measures.set(propertyMeasure(key), await readRows(rolled.ofProperty(key)));
  return measures;
}

export interface PeriodMeasuresOptions {
  readonly openEngine: () => Engine | Promise<Engine>;
  readonly calendarOf: CalendarOf;
  readonly budgetBytes: number;
  readonly objects: Pick<ObjectStore, "get">;
}

export interface PeriodQuery extends SiteRange {
  /** All files of the range's days, oldest first. */
  readonly files: ReadonlyMap<LocalDate, readonly PartitionFile[]>;
  readonly rolled: RolledMeasures;
  readonly sessionWindowMinutes: number;
  /** The measures of custom properties are computed. */
  readonly withProperties: boolean;
  /** Properties whose measures are computed even if there are too many. */
  readonly properties: ReadonlySet<string>;
}

export class PeriodMeasures {
  readonly #options: PeriodMeasuresOptions;
  readonly #memory: EngineMemory;
  #engine: Promise<Engine> | null = null;
  #blocksCreated = 0;

  constructor(options: PeriodMeasuresOptions) {
    this.#options = options;
    this.#memory = new EngineMemory(options);
  }

  /** All measures of the periods. Null if a file has vanished; rejects as `#withEvents` does. */
  measures(query: PeriodQuery): Promise<Measures | null> {
    const { rolled, properties } = query;
    const { propertyTextBytesMax } = this.#memory;
    return this.#withEvents(query, async (engine, blocks) => {
      const calendar = this.#options.calendarOf(query.siteId);
      const { siteId, range } = query;
      const read = { siteId, range, blocks, isGuest: false, propertyTextBytesMax, rowsMax: ROLLUP_MEASURE_ROWS_MAX + 1 };
      const readRows: ReadRows = (measure) => engine.queryColumns(rowsQuery(measure, measure.partial(range, calendar), read), NEVER);
      const measures = await measuresOf(rolled, query.withProperties, readRows);
      for (const name of properties) {
        if (measures.has(name)) continue;
        const rows = await readRows(rolled.ofProperty(propertyKeyOf(name)));
        if (rowCountOf(rows) > 0) measures.set(name, rows);
      }
      return measures;
    });
  }

  /** The ids of all visitors of the periods. Null if a file has vanished; rejects as `#withEvents` does. */
  visitors({ siteId, ...query }: PeriodQuery): Promise<readonly string[] | null> {
    const visitorsSql = sql`SELECT DISTINCT CAST(visitor_id AS VARCHAR) AS visitor_id FROM events`;
    return this.#withEvents({ siteId, ...query }, async (engine, blocks) => {
      const { visitor_id: ids } = await engine.queryColumns({ siteId, blocks, ...statement(visitorsSql) }, NEVER);
      return Array.from(ids ?? [], String);
    });
  }

  /**
   * Rejects with `IncompleteDaysError` if a file cannot be read, with `EngineFullError` if the events exceed the memory, and with
   * `EngineLostError` if the engine failed.
   */
  async #withEvents<T>(query: PeriodQuery, task: (engine: Engine, blocks: readonly number[]) => Promise<T>): Promise<T | null> {
    const { siteId, sessionWindowMinutes } = query;
    const engine = await (this.#engine ??= Promise.resolve(this.#options.openEngine()));
    const { propsBytesMax } = this.#memory;
    const block = { id: ++this.#blocksCreated, siteId, sessionGapMs: sessionWindowMinutes * MINUTE_MS, propsBytesMax, grows: true };
    try {
      return (await this.#load(engine, block, query)) ? await task(engine, [block.id]) : null;
    } finally {
      await engine.drop([block.id]);
    }
  }

  /** Loads in steps, so that the files of a large period are not all in memory at once. Returns false if one has vanished. */
  async #load(engine: Engine, block: Block, { files, withProperties }: PeriodQuery): Promise<boolean> {
    for (const step of sizeGroups([...files.values()].flat(), ({ sizeBytes }) => sizeBytes, LOAD_BYTES_MAX)) {
      const read = await this.#read(step);
      if (!read) return false;
      const { unreadable, propsBytes, memoryBytes } = await engine.append(block, { files: read });
      if (unreadable.length > 0) throw new IncompleteDaysError("a file of its events cannot be read");
      const isFull = memoryBytes > this.#memory.budgetBytes || (withProperties && propsBytes === null);
      if (isFull) throw new EngineFullError("the events of a salt period do not fit into the memory of engine_memory_mb");
    }
    return true;
  }

  async #read(files: readonly PartitionFile[]): Promise<BlockFile[] | null> {
    const found: BlockFile[] = [];
    for (const { key, day } of files) {
      const bytes = await this.#options.objects.get(key);
      if (!bytes) return null;
      found.push({ key, date: day, bytes });
    }
    return found;
  }

  async close(): Promise<void> {
    await (await this.#engine?.catch(() => null))?.close();
  }
}
