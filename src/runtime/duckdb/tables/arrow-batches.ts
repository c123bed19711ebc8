/** Converts rows to and results from Arrow IPC, the format in which DuckDB-WASM exchanges data. Owner of apache-arrow. */
import { DataType, Int32, Int64, Table, Uint64, Utf8, makeData, makeVector, tableFromIPC, tableToIPC, type Vector } from "apache-arrow";
import type { Columns } from "../../../storage/columns.ts";
import { NUMBER_COLUMNS, TEXT_COLUMNS } from "../../../storage/event.ts";
import type { NumberColumn } from "../../../storage/parquet-columns.ts";
import type { EventRows } from "../../query/behavioral/visitor-events.ts";
import type { SqlRow, SqlValue } from "../../query/sql.ts";
import type { EventBatch } from "./event-batch.ts";
import type { PropertyRows } from "./properties.ts";

/** Rows of the relations `matches` and `matching_props`. */
export interface Matches {
  readonly codes: Int32Array;
  /** A bit for each test that the string passes. */
  readonly tests: BigInt64Array;
}

/** The longest UTF-8 encoding of one UTF-16 code unit. */
const UTF8_BYTES_PER_UNIT_MAX = 3;

type NumberType = Int32 | Int64 | Uint64;
type NumberArray = Int32Array | BigInt64Array | BigUint64Array;

const numbers = (type: NumberType, data: NumberArray): Vector =>
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
function strings(values: readonly string[]): Vector {
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

/** Values of each event of a batch. */
export interface EventPlaces {
  readonly days: Int32Array;
  readonly sessions: Int32Array;
}

/** A batch of events. Sequence numbers count the rows of a block; the batch's begin with `firstSequenceNumber`. */
export function ipcFromEvents(batch: EventBatch, { days, sessions }: EventPlaces, firstSequenceNumber: number): Uint8Array {
  const sequenceNumbers = Int32Array.from({ length: batch.rows }, (_, row) => firstSequenceNumber + row);
  return ipc({
    ...Object.fromEntries(TEXT_COLUMNS.map(({ name }, i) => [name, numbers(new Int32(), batch.codes[i] ?? new Int32Array())])),
    ...Object.fromEntries(batch.numbers.map((column, i) => [NUMBER_COLUMNS[i]?.name, nullableNumbers(column)])),
    visitor_id: numbers(new Uint64(), batch.visitorIds),
    timestamp: numbers(new Int64(), batch.timestampsMs),
    day: numbers(new Int32(), days),
    sequence_number: numbers(new Int32(), sequenceNumbers),
    session: numbers(new Int32(), sessions),
  });
}

/** Rows of the relation `texts` or `property_texts`: codes from `firstCode` on with their strings. */
export function ipcFromStrings(firstCode: number, values: readonly string[]): Uint8Array {
  const codes = Int32Array.from({ length: values.length }, (_, i) => firstCode + i);
  return ipc({ code: numbers(new Int32(), codes), text: strings(values) });
}

/** Rows of the relation `matches` or `matching_props`, whose column of codes has that name. */
export const ipcFromMatches = (codeColumn: "code" | "props", { codes, tests }: Matches): Uint8Array =>
  ipc({ [codeColumn]: numbers(new Int32(), codes), tests: numbers(new Int64(), tests) });

/** Rows of the relation `properties`. */
export const ipcFromPropertyRows = ({ props, codes }: PropertyRows): Uint8Array =>
  ipc({ props: numbers(new Int32(), props), code: numbers(new Int32(), codes) });

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

/** The columns of a result that holds integers and texts without NULL. */
export function columnsFromIpc(chunks: readonly Uint8Array[]): Columns {
  const table = tableFromIPC<Record<string, DataType>>(chunks);
  return Object.fromEntries(
    table.schema.fields.map(({ name }) => {
      const column = table.getChild(name);
      if (column?.nullCount === 0 && DataType.isUtf8(column.type)) return [name, stringsOf(column as Vector<Utf8>) as string[]];
      const values: unknown = column?.toArray();
      if ((column?.nullCount ?? 0) > 0 || !(values instanceof Int32Array || values instanceof BigInt64Array)) {
        throw new TypeError(`the column ${name} must hold integers or texts without NULL`);
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
