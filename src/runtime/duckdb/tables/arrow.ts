/** Arrow: events on their way into DuckDB, and results on their way out. The only user of apache-arrow. */
import type { Columns } from "../../../storage/columns.ts";
import { NUMBER_COLUMNS, type NumberEventColumn, TEXT_COLUMNS, type TextEventColumn } from "../../../storage/event.ts";
import type { NumberColumn } from "../../../storage/parquet-columns.ts";
import type { DecodedEvents } from "../../../storage/parquet-events.ts";
import type { EventRows } from "../../query/behavioral/visitor-events.ts";
import type { SqlRow, SqlValue } from "../../query/sql.ts";
import { type BlockProps, NOT_RECORDED, type StringDictionary } from "./dictionaries.ts";
import type { PropertyRows } from "./properties.ts";
import { DataType, Int32, Int64, makeData, makeVector, Table, tableFromIPC, tableToIPC, Uint64, Utf8, type Vector } from "apache-arrow";

export interface Matches {
  readonly codes: Int32Array;
  /** A bit for each test that the string passes. */
  readonly tests: BigInt64Array;
}

const UTF8_BYTES_PER_UNIT_MAX = 3;

type NumberType = Int32 | Int64 | Uint64;
type NumberArray = Int32Array | BigInt64Array | BigUint64Array;

const numberVector = (type: NumberType, data: NumberArray): Vector =>
  makeVector(makeData({ type, data, length: data.length, nullCount: 0 } as never));

/** Sets Arrow's validity bitmap: one bit per row, 1 if the row has a value. */
function nullableNumbers({ numbers: data, recorded }: NumberColumn): Vector {
  const nullBitmap = new Uint8Array((data.length + 7) >> 3);
  let nullCount = 0;
  for (let row = 0; row < recorded.length; row++) {
    if (recorded[row] === 1) nullBitmap[row >> 3] = (nullBitmap[row >> 3] ?? 0) | (1 << (row & 7));
    else nullCount++;
  }
  return makeVector(makeData({ type: new Int64(), data, length: data.length, nullCount, nullBitmap }));
}

/** Fills offsets and bytes directly: Arrow's own builder for strings is many times slower. */
function stringVector(values: readonly string[]): Vector {
  const bytesMax = values.reduce((sum, value) => sum + value.length * UTF8_BYTES_PER_UNIT_MAX, 0);
  const data = new Uint8Array(bytesMax);
  const valueOffsets = new Int32Array(values.length + 1);
  const encoder = new TextEncoder();
  let at = 0;
  values.forEach((value, row) => {
    at += encoder.encodeInto(value, data.subarray(at)).written;
    valueOffsets[row + 1] = at;
  });
  return makeVector(makeData({ type: new Utf8(), data: data.subarray(0, at), valueOffsets, length: values.length, nullCount: 0 }));
}

const ipc = (columns: Record<string, Vector>): Uint8Array => tableToIPC(new Table(columns), "stream");

/** Consecutive numbers. A loop, because `Int32Array.from` with a function takes ten times as long. */
function countedFrom(first: number, count: number): Int32Array {
  const numbers = new Int32Array(count);
  for (let i = 0; i < count; i++) numbers[i] = first + i;
  return numbers;
}

interface EventPlaces {
  readonly days: Int32Array;
  readonly sessions: Int32Array;
}

/** A batch of events. Sequence numbers count the rows of a block; the batch's begin with `firstSequenceNumber`. */
export function ipcFromEvents(batch: EventBatch, { days, sessions }: EventPlaces, firstSequenceNumber: number): Uint8Array {
  return ipc({
    ...Object.fromEntries(TEXT_COLUMNS.map(({ name }, i) => [name, numberVector(new Int32(), batch.codes[i] ?? new Int32Array())])),
    ...Object.fromEntries(batch.numbers.map((column, i) => [NUMBER_COLUMNS[i]?.name, nullableNumbers(column)])),
    visitor_id: numberVector(new Uint64(), batch.visitorIds),
    timestamp: numberVector(new Int64(), batch.timestampsMs),
    day: numberVector(new Int32(), days),
    sequence_number: numberVector(new Int32(), countedFrom(firstSequenceNumber, batch.rows)),
    session: numberVector(new Int32(), sessions),
  });
}

/** Rows of the relation `texts` or `property_texts`: codes from `firstCode` on with their strings. */
export function ipcFromStrings(firstCode: number, values: readonly string[]): Uint8Array {
  return ipc({ code: numberVector(new Int32(), countedFrom(firstCode, values.length)), text: stringVector(values) });
}

/** Rows of the relation `matches` or `matching_props`, whose column of codes has that name. */
export const ipcFromMatches = (codeColumn: "code" | "props", { codes, tests }: Matches): Uint8Array =>
  ipc({ [codeColumn]: numberVector(new Int32(), codes), tests: numberVector(new Int64(), tests) });

export const ipcFromPropertyRows = ({ props, codes }: PropertyRows): Uint8Array =>
  ipc({ props: numberVector(new Int32(), props), code: numberVector(new Int32(), codes) });

/** Integers become numbers if a number represents them exactly, else they stay bigints. */
function plainValue(value: unknown): SqlValue {
  if (typeof value === "bigint") {
    return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
  }
  if (value === null || typeof value === "number") return value;
  throw new TypeError(`a result of the engine must hold numbers and strings only, got ${typeof value}`);
}

/** Arrow's own decoder treats U+FEFF at the beginning of a string as a byte order mark, and drops it. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

const stringsOf = ({ data: chunks }: Vector<Utf8>): (string | null)[] =>
  chunks.flatMap((chunk) => {
    const { values, valueOffsets } = chunk;
    return Array.from({ length: chunk.length }, (_, row) =>
      chunk.getValid(row) ? decoder.decode(values.subarray(valueOffsets[row], valueOffsets[row + 1])) : null,
    );
  });

function valuesOf(column: Vector | null): SqlValue[] {
  if (column && DataType.isUtf8(column.type)) return stringsOf(column as Vector<Utf8>);
  return Array.from({ length: column?.length ?? 0 }, (_, row) => plainValue(column?.get(row) as unknown));
}

/** The rows of a result, given as the chunks of one IPC stream. */
export function rowsFromIpc(chunks: readonly Uint8Array[]): SqlRow[] {
  const table = tableFromIPC<Record<string, DataType>>(chunks);
  const columns = table.schema.fields.map(({ name }, i): [string, SqlValue[]] => [name, valuesOf(table.getChildAt(i))]);
  return Array.from({ length: table.numRows }, (_, row) =>
    Object.fromEntries(columns.map(([name, values]) => [name, values[row] ?? null])),
  );
}

/** The columns of a result that holds numbers and texts without NULL. */
export function columnsFromIpc(chunks: readonly Uint8Array[]): Columns {
  const table = tableFromIPC<Record<string, DataType>>(chunks);
  return Object.fromEntries(
    table.schema.fields.map(({ name }) => {
      const column = table.getChild(name);
      if (column?.nullCount === 0 && DataType.isUtf8(column.type)) return [name, stringsOf(column as Vector<Utf8>) as string[]];
      const values: unknown = column?.toArray();
      const isNumbers = values instanceof Int32Array || values instanceof BigInt64Array || values instanceof Float64Array;
      if ((column?.nullCount ?? 0) > 0 || !isNumbers) {
        throw new TypeError(`the column ${name} must hold numbers or texts without NULL`);
      }
      // Copied, because Arrow may return a view of the engine's memory.
      return [name, values.slice()];
    }),
  );
}

/** The rows of a query with a visitor function (see `EngineQuery.perVisitor`). */
export function eventRowsFromIpc(chunks: readonly Uint8Array[]): EventRows {
  const table = tableFromIPC<Record<string, DataType>>(chunks);
  const column = (name: string): BigInt64Array | BigUint64Array => {
    const values: unknown = table.getChild(name)?.toArray();
    if (values instanceof BigInt64Array || values instanceof BigUint64Array) return values;
    throw new TypeError(`the column ${name} must be a BIGINT`);
  };
  return { visitorIds: column("visitor_id"), timestampsMs: column("timestamp"), met: column("met") };
}

/** An INSERT of more rows takes longer than other work of the thread should wait. */
const INSERT_ROWS_MAX = 50_000;

/** Events of one day, in order of sequence number. */
export interface DayEvents {
  /** Days since the epoch, by the date of their partition. */
  readonly day: number;
  readonly events: DecodedEvents;
}

/**
 * Collects events until an INSERT is full. An INSERT takes some milliseconds however few rows it brings, so files of several days
 * share one. The events of a day stay next to each other, so that its sessions are numbered in one pass.
 */
export class PendingInsert {
  #days: DayEvents[] = [];
  #rows = 0;

  hasRoomFor({ day, events }: DayEvents): boolean {
    if (this.#days.length > 0 && this.#rows + events.rows > INSERT_ROWS_MAX) return false;
    return this.#days.at(-1)?.day === day || !this.#days.some((other) => other.day === day);
  }

  add(dayEvents: DayEvents): void {
    if (dayEvents.events.rows > 0) this.#days.push(dayEvents);
    this.#rows += dayEvents.events.rows;
  }

  takeAll(): readonly DayEvents[] {
    const days = this.#days;
    [this.#days, this.#rows] = [[], 0];
    return days;
  }
}

interface EventBatch {
  readonly rows: number;
  readonly codes: readonly Int32Array[];
  readonly timestampsMs: BigInt64Array;
  readonly visitorIds: BigUint64Array;
  /** Ordered like `NUMBER_COLUMNS`. */
  readonly numbers: readonly NumberColumn[];
}

interface BatchDictionaries {
  readonly strings: StringDictionary;
  /** Undefined if the block does not keep its properties: their codes are all `NOT_RECORDED`. */
  readonly props: BlockProps | undefined;
}

/** The codes of one column. Each distinct string of a file is looked up once, however many rows have it. */
function codesOf(
  column: TextEventColumn,
  parts: readonly DecodedEvents[],
  rows: number,
  { strings, props }: BatchDictionaries,
): Int32Array {
  const codes = new Int32Array(rows);
  if (column.kind === "json" && !props) return codes;
  let begin = 0;
  for (const part of parts) {
    const { texts: distinct, places } = part.text(column);
    // Shifted by one: index -1 of the file means "not recorded".
    const codeAt = new Int32Array(distinct.length + 1).fill(NOT_RECORDED, 0, 1);
    distinct.forEach((text, index) => {
      codeAt[index + 1] = column.kind === "json" && props ? props.codeOf(text) : strings.codeOf(text);
    });
    for (let row = 0; row < places.length; row++) codes[begin + row] = codeAt[(places[row] ?? -1) + 1] ?? 0;
    begin += part.rows;
  }
  return codes;
}

function numbersOf(column: NumberEventColumn, parts: readonly DecodedEvents[], rows: number): NumberColumn {
  const all = { numbers: new BigInt64Array(rows), recorded: new Uint8Array(rows) };
  let begin = 0;
  for (const part of parts) {
    const { numbers, recorded } = part.number(column);
    all.numbers.set(numbers, begin);
    all.recorded.set(recorded, begin);
    begin += part.rows;
  }
  return all;
}

/** One batch of the given events, in their order. Times and visitor ids stay in typed arrays; no row becomes an object. */
export function batchOf(parts: readonly DecodedEvents[], dictionaries: BatchDictionaries): EventBatch {
  const rows = parts.reduce((sum, part) => sum + part.rows, 0);
  const batch = {
    rows,
    codes: TEXT_COLUMNS.map((column) => codesOf(column, parts, rows, dictionaries)),
    timestampsMs: new BigInt64Array(rows),
    visitorIds: new BigUint64Array(rows),
    numbers: NUMBER_COLUMNS.map((column) => numbersOf(column, parts, rows)),
  };
  let begin = 0;
  for (const { rows: partRows, timestampsMs, visitorIds } of parts) {
    batch.timestampsMs.set(timestampsMs, begin);
    batch.visitorIds.set(visitorIds, begin);
    begin += partRows;
  }
  return batch;
}
