/** The raw export: one row per event, up to a million (docs/http-api.md, "Export"). */
import {
  type EpochMs,
  EVENT_COLUMNS,
  type EventColumn,
  MINUTE_MS,
  NUMBER_COLUMNS,
  type NumberEventColumn,
  type SiteId,
  TEXT_COLUMNS,
} from "../../../storage/event.ts";
import type { NumberColumns } from "../../../storage/columns.ts";
import { decimalFromCents } from "../../base/decimal.ts";
import type { ScanChunk, ScanQuery, ScanReader, TextsOf } from "../../query/plan.ts";
import { type DateRange, periodsIn } from "../../query/date-range.ts";
import { eventsIn, type Scope, within } from "../../query/scope.ts";
import { ByteWriter, ExportTexts, PackedNumbers, TimeWriter } from "./packed-columns.ts";
import type { ExportFormat } from "./formats.ts";
import type { ExportReservation } from "./export-memory.ts";
import { closed, count, list, orNull, text, type Schema } from "../../base/json-schema.ts";
import { MONEY } from "../measures/fields.ts";
import { eventsWithVisitColumns, type VisitColumn } from "../measures/visits.ts";
import { column, type ColumnName, fragment, joinSql, resultColumn, sql } from "../../query/sql.ts";
import { UNRECORDED } from "../../../shared/filters.ts";

type ExportedColumn = Pick<EventColumn, "kind" | "required"> & { readonly name: string };

/** Visitor ids are never exported. */
const COLUMNS: readonly EventColumn[] = EVENT_COLUMNS.filter(({ kind }) => kind !== "visitor");

function valueOf({ kind, required }: EventColumn): Schema {
  if (kind === "timestamp") return text("UTC.", { format: "date-time" });
  if (kind === "integer") return orNull(count("Null if it was not recorded."));
  if (kind === "cents") return { ...orNull(MONEY), description: `${MONEY.description} Null if it was not recorded.` };
  if (kind === "json")
    return { type: ["object", "null"], description: "As it was sent. Null if it was not recorded.", additionalProperties: true };
  return required ? text("The stored value.") : orNull(text("Null if it was not recorded."));
}

export const RAW_EXPORT = list(
  "`raw`: an object for each event, oldest first, without visitor ids.",
  closed(Object.fromEntries(COLUMNS.map((each) => [each.name, valueOf(each)]))),
);

/** A time interval that one query reads. No events are between consecutive portions. */
export interface Portion {
  readonly startMs: EpochMs;
  /** Exclusive. */
  readonly endMs: EpochMs;
  /** The days of its events, as days since 1970-01-01. */
  readonly firstDay: number;
  readonly lastDay: number;
}

/** Rows `minute_ms` (a minute's first millisecond), `events`, `first_day`, `last_day`: the minutes with events, oldest first. */
export const minutesQuery = (scope: Scope): ScanQuery => ({
  texts: [],
  numbers: ["minute_ms", "events", "first_day", "last_day"],
  sql: sql`
  SELECT timestamp - timestamp % ${MINUTE_MS} AS minute_ms, count(*) AS events, min(day) AS first_day, max(day) AS last_day
  FROM (${eventsIn(scope)}) AS scoped
  GROUP BY ALL
  ORDER BY minute_ms`,
});

/** A column of custom properties, without NULL. */
export const propsText = fragment((name: ColumnName) => column(name));

const TEXT_CODES = joinSql(
  TEXT_COLUMNS.map(({ name, kind }) => (kind === "json" ? propsText(name) : column(name))),
  ", ",
);

/** Orders events with equal timestamps. */
export const eventPlace = fragment(() => sql`sequence_number`);

/**
 * The result columns of a number: results have no NULL, so a number that was not recorded is 0, with 0 in `recorded`. Neither has the name
 * of the column: ClickHouse would read the alias in its place.
 */
const numberResult = ({ name }: Pick<NumberEventColumn, "name"> | ExportedColumn) => ({
  value: `${name}_value`,
  recorded: `${name}_recorded`,
});

const NUMBERS = joinSql(
  NUMBER_COLUMNS.flatMap((number) => {
    const [stored, { value, recorded }] = [column(number.name), numberResult(number)];
    return [
      sql`coalesce(${stored}, 0) AS ${resultColumn(value)}`,
      sql`CASE WHEN ${stored} IS NULL THEN 0 ELSE 1 END AS ${resultColumn(recorded)}`,
    ];
  }),
  ", ",
);

/** Whole salt periods, so that each visit is read from its beginning. */
function daysOf({ firstDay, lastDay }: Portion, { range, sessionRules }: Scope): DateRange {
  const { rotationDays = 1 } = sessionRules ?? {};
  return periodsIn(range, Math.floor(firstDay / rotationDays), Math.floor(lastDay / rotationDays), rotationDays);
}

/** The first events of a portion, oldest first: codes of texts, `timestamp`, and numbers (`numberResult`). */
export function eventsQuery(scope: Scope, portion: Portion, rowsMax: number, ofVisits: readonly VisitColumn[] = []): ScanQuery {
  const { startMs, endMs } = portion;
  const range = daysOf(portion, scope);
  const ofDays = within(scope, range);
  return {
    range,
    texts: [...TEXT_COLUMNS, ...ofVisits].map(({ name }) => name),
    numbers: ["timestamp", ...NUMBER_COLUMNS.map(numberResult).flatMap(({ value, recorded }) => [value, recorded])],
    sql: sql`
    SELECT ${joinSql([TEXT_CODES, ...ofVisits.map(({ name }) => resultColumn(name))], ", ")}, timestamp, ${NUMBERS}
    FROM (${eventsWithVisitColumns(ofDays, ofVisits)}) AS scoped
    WHERE timestamp >= ${startMs} AND timestamp < ${endMs}
    ORDER BY timestamp, ${eventPlace()}
    LIMIT ${rowsMax}`,
  };
}

/** Splits minutes (from `minutesQuery`) into portions of about `portionRows` events, up to `rowsMax` events. A minute is never split. */
export function portionsOf(minutes: NumberColumns, rowsMax: number, portionRows: number): Portion[] {
  const portions: Portion[] = [];
  const at = (name: string, row: number): number => Number(minutes[name]?.[row]);
  const minuteCount = minutes["minute_ms"]?.length ?? 0;
  let open = null as Portion | null;
  let total = 0;
  let rows = 0;
  for (let i = 0; i < minuteCount && total < rowsMax; i++) {
    const [minute, firstDay, lastDay] = [at("minute_ms", i), at("first_day", i), at("last_day", i)];
    open = {
      startMs: open?.startMs ?? minute,
      endMs: minute + MINUTE_MS,
      // A clock or a time zone that changes may bring an earlier day after a later one.
      firstDay: Math.min(open?.firstDay ?? firstDay, firstDay),
      lastDay: Math.max(open?.lastDay ?? lastDay, lastDay),
    };
    rows += at("events", i);
    total += at("events", i);
    const isLast = i + 1 === minuteCount || total >= rowsMax;
    if (rows < portionRows && !isLast) continue;
    portions.push(open);
    [open, rows] = [null, 0];
  }
  return portions;
}

/** Events per query: enough to amortize its cost, few enough to delay other queries only briefly. */
const ROWS_PER_PORTION = 25_000;

/** Bytes that are written without yielding: about a thousand rows, a few milliseconds of work. */
const CHUNK_BYTES = 256 * 1024;

export interface RawExportOptions {
  readonly scope: Scope;
  readonly rowsMax: number;
  readonly format: ExportFormat;
  /** Columns after all others. */
  readonly ofVisits: readonly VisitColumn[];
  /** False: the column `evidence` is empty. */
  readonly hasEvidence: boolean;
  /** Each attempt clears it. */
  readonly memory: ExportReservation;
}

/**
 * Reads the first events of the scope, oldest first. The whole export is then in memory as codes and their texts, a tenth of the file's
 * size. The file is formatted in chunks while the client reads it.
 */
export class RawExport implements ScanReader<Iterable<Uint8Array>> {
  readonly #options: RawExportOptions;
  readonly #columns: readonly ExportedColumn[];
  readonly #texts: ExportTexts;
  readonly #portions: PackedEvents[] = [];
  #left: number;

  constructor(options: RawExportOptions) {
    options.memory.clear();
    this.#options = options;
    this.#columns = [...COLUMNS, ...options.ofVisits.map(({ name }) => ({ name, kind: "text" as const, required: false }))];
    this.#texts = new ExportTexts(options.format.text, options.memory);
    this.#left = options.rowsMax;
  }

  reserve(bytes: number): void {
    this.#options.memory.add(bytes);
  }

  async readChunk(chunk: ScanChunk): Promise<boolean> {
    const { scope, format, memory, ofVisits, hasEvidence } = this.#options;
    const ofChunk = within(scope, chunk.range);
    const texts = { text: this.#texts, json: new ExportTexts(format.json, memory) };
    for (const portion of portionsOf(await chunk.columns(minutesQuery(ofChunk)), this.#left, ROWS_PER_PORTION)) {
      const { evidence, ...others } = await chunk.columns(eventsQuery(ofChunk, portion, this.#left, ofVisits));
      const events = hasEvidence && evidence ? { ...others, evidence } : others;
      for (const { name, kind } of this.#columns) {
        if (isCodes(events[name]) && (kind === "text" || kind === "json")) texts[kind].mark(events[name]);
      }
      const packed = pack(events, texts);
      memory.add(packed.bytes);
      this.#portions.push(packed);
      this.#left -= packed.rows;
    }
    await texts.json.fetch(chunk.propsTextsOf);
    return this.#left > 0;
  }

  async finish(textsOf: TextsOf): Promise<Iterable<Uint8Array>> {
    const { scope, format } = this.#options;
    await this.#texts.fetch(textsOf);
    return chunksOf(this.#portions, this.#columns, format, (events) =>
      this.#columns.map((each) => cellOf(each, events, { siteId: scope.siteId, format })),
    );
  }
}

const isCodes = (numbers: NumberColumns[string] | undefined): numbers is Int32Array => numbers instanceof Int32Array;

type PackedEvents = ReturnType<typeof pack>;

function pack(events: NumberColumns, texts: Texts) {
  const columns = new Map(Object.entries(events).map(([name, numbers]) => [name, new PackedNumbers(numbers)]));
  const bytes = [...columns.values()].reduce((sum, each) => sum + each.bytes, 0);
  return { rows: events.timestamp?.length ?? 0, texts, columns, bytes };
}

type Cell = (writer: ByteWriter, row: number) => void;

function* chunksOf(
  portions: PackedEvents[],
  columns: readonly ExportedColumn[],
  format: ExportFormat,
  cellsOf: (events: PackedEvents) => readonly Cell[],
): Iterable<Uint8Array> {
  const names = columns.map(({ name }) => name);
  const encoder = new TextEncoder();
  const frame = format.frame(names).map((chunk) => encoder.encode(chunk));
  const separator = encoder.encode(format.separator);
  const writer = new ByteWriter(CHUNK_BYTES * 2);
  const add = (bytes: Uint8Array | undefined) => bytes && writer.copy(bytes, 0, bytes.length);
  writer.text(format.opening(names));
  let isFirst = true;
  for (let events = portions.shift(); events; events = portions.shift()) {
    const cells = cellsOf(events);
    for (let row = 0; row < events.rows; row++) {
      if (!isFirst) add(separator);
      isFirst = false;
      add(frame[0]);
      for (let i = 0; i < cells.length; i++) {
        cells[i]?.(writer, row);
        add(frame[i + 1]);
      }
      if (writer.length >= CHUNK_BYTES) yield writer.take();
    }
  }
  writer.text(format.closing);
  yield writer.take();
}

type Texts = Readonly<Record<"text" | "json", ExportTexts>>;

function cellOf(
  exported: ExportedColumn,
  { columns, texts }: PackedEvents,
  { siteId, format }: { siteId: SiteId; format: ExportFormat },
): Cell {
  const { name, required } = exported;
  const constant = new TextEncoder().encode(name === "site_id" ? format.text(siteId) : format.unrecorded);
  const writeConstant = (writer: ByteWriter): void => writer.copy(constant, 0, constant.length);
  switch (exported.kind) {
    case "timestamp": {
      const timesMs = columns.get("timestamp")?.unpacked();
      const times = new TimeWriter(format.text);
      return (writer, row) => times.write(writer, timesMs?.[row] ?? 0);
    }
    case "integer":
    case "cents": {
      const result = numberResult(exported);
      const [numbers, recorded] = [columns.get(result.value)?.unpacked(), columns.get(result.recorded)?.unpacked()];
      const digits = exported.kind === "cents" ? (cents: number) => decimalFromCents(BigInt(cents)) : String;
      return (writer, row) => {
        if (recorded?.[row] === 1) writer.text(format.number(digits(numbers?.[row] ?? 0)));
        else writeConstant(writer);
      };
    }
    case "visitor":
      throw new Error("visitor ids are never exported");
    default: {
      const codes = columns.get(name)?.unpacked();
      if (!codes) return writeConstant;
      const columnTexts = texts[exported.kind];
      // In a required column, the code of "not recorded" stands for the literal text `(unknown)` (`StringDictionary`).
      const uncoded = required ? new TextEncoder().encode(format.text(UNRECORDED)) : constant;
      return (writer, row) => {
        if (!columnTexts.copyTo(writer, codes[row] ?? 0)) writer.copy(uncoded, 0, uncoded.length);
      };
    }
  }
}
