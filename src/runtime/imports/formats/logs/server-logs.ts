/** Formats of web server logs: each layout claims the files whose first lines it can read. */
import type { Format, ImportContext, Recognition, RecognizedFile, Refusal } from "../format.ts";
import type { Breathe, Opening } from "../../files/file.ts";
import type { Row } from "../../rows.ts";
import { openParquet, parquetColumnsOf } from "../../files/parquet.ts";
import { badRow, type Line, linesOf } from "../../files/text.ts";
import { COMBINED } from "./combined.ts";
import { CADDY, CLOUDFRONT_JSON, TRAEFIK_JSON } from "./json-lines.ts";
import type { Layout, LineReader } from "./layout.ts";
import { LOAD_BALANCER } from "./load-balancer.ts";
import { LTSV } from "./ltsv.ts";
import { nginxLayout } from "./nginx.ts";
import { createRequestReader, type LoggedRequest, type RequestReader } from "./request.ts";
import { CLOUDFRONT_LOG, cloudFrontAdviceOn, cloudFrontRequestFrom, IIS_LOG, isCloudFrontField, isCloudFrontRecord } from "./w3c.ts";

const LAYOUTS: readonly Layout[] = [CLOUDFRONT_LOG, IIS_LOG, CADDY, TRAEFIK_JSON, CLOUDFRONT_JSON, LTSV, LOAD_BALANCER, COMBINED];

/** Lines of each opening that decide. */
const LINES_TRIED_MAX = 200;

type Field = keyof LoggedRequest;

interface Trial {
  /** What the requests have. */
  readonly fields: ReadonlySet<Field>;
  readonly isOwn: boolean;
}

const fieldsOf = (request: LoggedRequest): Field[] => (Object.keys(request) as Field[]).filter((field) => request[field] !== undefined);

/** Tries the whole lines of the opening. A file with a header and no requests yet is one of the layout. */
function tryOn({ text, isWhole }: Opening, layout: Layout): Trial {
  const reader = layout.open(null);
  const lines = text.split("\n", LINES_TRIED_MAX + 1);
  const isCut = lines.length > LINES_TRIED_MAX || (!isWhole && lines.length > 1);
  const fields = new Set<Field>();
  let [good, bad] = [0, 0];
  for (const line of isCut ? lines.slice(0, -1) : lines) {
    const read = reader.read(line.endsWith("\r") ? line.slice(0, -1) : line);
    if (typeof read === "string") bad++;
    else if (read !== null) {
      good++;
      for (const field of fieldsOf(read)) fields.add(field);
    }
  }
  return { fields, isOwn: good > 0 ? good >= bad : reader.state !== null };
}

/** The row of a line; null where it is no request. */
export function rowOf({ line, text, isTooLong }: Line, reader: LineReader, readRequest: RequestReader): Row | null {
  if (isTooLong) return badRow(line, "line_too_long", text);
  const read = reader.read(text);
  if (read === null) return null;
  return typeof read === "string" ? badRow(line, read, text) : readRequest(read, line, text);
}

async function* rowsOf(opening: Opening, layout: Layout, context: ImportContext): AsyncGenerator<readonly Row[]> {
  const reader = layout.open(null);
  const readRequest = createRequestReader(context);
  for await (const lines of linesOf(opening)) {
    const rows = lines.map((line) => rowOf(line, reader, readRequest)).filter((row) => row !== null);
    if (rows.length > 0) yield rows;
  }
}

/** Traefik ends each line of the combined format with the number of the request, router, server and duration. */
const isOfTraefik = (line: string): boolean => /\dms\r?$/.test(line) && /" \d+ "/.test(line);

function generationOf(layout: Layout, fields: ReadonlySet<Field>, openings: readonly Opening[]): string | null {
  if (layout !== COMBINED) return null;
  if (openings.some(({ text }) => isOfTraefik(text.split("\n", 1)[0] ?? ""))) return "Traefik common log format";
  const kind = fields.has("userAgent") ? "combined" : "common";
  return fields.has("host") ? `${kind} log format with hosts` : `${kind} log format`;
}

/** What the requests of a log do not tell. */
function lostBy(fields: ReadonlySet<Field>, hostname: string | null): string[] {
  const lacks = (field: Field): boolean => !fields.has(field);
  const ofHost = hostname === null ? "Pages have no host name." : `The host name ${hostname} is assumed.`;
  return [
    "Server logs have no screen sizes, custom events, engaged time, and no page views that a browser or CDN answered from its cache.",
    ...(lacks("referrer") ? ["This log has no referrers: all visits are direct."] : []),
    ...(lacks("userAgent")
      ? ["This log has no User-Agents: browsers are unknown, visitors are told apart by address alone, and bots are counted as visitors."]
      : []),
    ...(lacks("host") ? [`This log has no host names. ${ofHost}`] : []),
  ];
}

const OWN_TIME_ZONE = { name: "UTC", reason: "Each line says its offset from UTC, or is in UTC." };

async function recognize(
  openings: readonly Opening[],
  layout: Layout,
  context: ImportContext,
  breathe: Breathe,
): Promise<(Recognition | Refusal)[]> {
  const own: (Trial & { readonly opening: Opening })[] = [];
  for (const opening of openings) {
    await breathe();
    const trial = tryOn(opening, layout);
    if (trial.isOwn) own.push({ opening, ...trial });
  }
  const { name: format, product, adviceOn } = layout;
  const refusals: Refusal[] = [];
  const files: RecognizedFile[] = [];
  const fields = new Set<Field>();
  for (const { opening, fields: found } of own) {
    const advice = adviceOn?.(opening.text) ?? null;
    const { path } = opening.file;
    if (advice !== null) refusals.push({ format, product, paths: [path], advice });
    else {
      files.push({ path, read: () => rowsOf(opening, layout, context) });
      for (const field of found) fields.add(field);
    }
  }
  if (files.length === 0) return refusals;
  const generation = generationOf(
    layout,
    fields,
    own.map(({ opening }) => opening),
  );
  const lost = lostBy(fields, context.hostname);
  return [...refusals, { format, product, generation, rows: "hits", files, ignored: [], timeZone: OWN_TIME_ZONE, lost }];
}

const formatOf = (layout: Layout): Format => ({
  name: layout.name,
  recognize: (openings, context, breathe) => recognize(openings, layout, context, breathe),
});

/** Rejects with invalid_input if the text that is given is not a `log_format`. */
const NGINX: Format = {
  name: "nginx-log",
  recognize: (openings, context, breathe) =>
    context.logFormat === null ? [] : recognize(openings, nginxLayout(context.logFormat), context, breathe),
};

/** Rows of a batch from Parquet, which may have tens of thousands. */
const BATCH_ROWS = 500;

async function* rowsOfParquet({ file }: Opening, context: ImportContext): AsyncGenerator<readonly Row[]> {
  const readRequest = createRequestReader(context);
  const { columns, read } = await openParquet(file);
  let line = 0;
  for await (const records of read(columns.filter(isCloudFrontField))) {
    for (let at = 0; at < records.length; at += BATCH_ROWS) {
      yield records.slice(at, at + BATCH_ROWS).map((record) => readRequest(cloudFrontRequestFrom(record), ++line, ""));
    }
  }
}

const CLOUDFRONT_PARQUET: Format = {
  name: "cloudfront-parquet-log",
  async recognize(openings, context) {
    const { name: format } = CLOUDFRONT_PARQUET;
    const product = "CloudFront log (Parquet)";
    const found: (Recognition | Refusal)[] = [];
    for (const opening of openings) {
      const columns = await parquetColumnsOf(opening);
      if (columns === null || !isCloudFrontRecord(columns)) continue;
      const { path } = opening.file;
      const advice = cloudFrontAdviceOn(columns);
      if (advice !== null) found.push({ format, product, paths: [path], advice });
      else {
        const files = [{ path, read: () => rowsOfParquet(opening, context) }];
        const lost = lostBy(
          new Set(fieldsOf(cloudFrontRequestFrom(Object.fromEntries(columns.map((name) => [name, ""]))))),
          context.hostname,
        );
        found.push({ format, product, generation: null, rows: "hits", files, ignored: [], timeZone: OWN_TIME_ZONE, lost });
      }
    }
    return found;
  },
};

/** All of them, in the order in which they claim files. */
export const SERVER_LOG_FORMATS: readonly Format[] = [NGINX, CLOUDFRONT_PARQUET, ...LAYOUTS.map(formatOf)];

/** The layout of this name, for a log that is followed. null if there is none. */
export function layoutNamed(name: string, logFormat: string | null): Layout | null {
  if (name === NGINX.name) return logFormat === null ? null : nginxLayout(logFormat);
  return LAYOUTS.find((layout) => layout.name === name) ?? null;
}
