/** Arrow: columns on their way into DuckDB, and results on their way out. The only user of apache-arrow. */
import type { Columns } from "../../../storage/columns.ts";
import type { EventRows } from "../../query/behavioral/visitor-events.ts";
import type { SqlRow, SqlValue } from "../../query/sql.ts";
import type { PropertyRows } from "./properties.ts";
import { DataType, Int32, Int64, makeData, makeVector, Table, tableFromIPC, tableToIPC, Uint64, Utf8, type Vector } from "apache-arrow";

export interface Matches {
  readonly codes: Int32Array;
  /** A bit for each test that the string passes. */
  readonly tests: BigInt64Array;
}

const UTF8_BYTES_PER_UNIT_MAX = 3;

type Numbers = Int32Array | BigInt64Array | BigUint64Array;

/** Numbers of rows, of which `recorded` is 0 where there is none. */
export interface NullableNumbers {
  readonly numbers: Int32Array | BigInt64Array;
  readonly recorded: Uint8Array;
}

/** A column of a table of numbers: INTEGER, BIGINT or UBIGINT. */
export type NumberValues = Numbers | NullableNumbers;

const typeOf = (data: Numbers) => (data instanceof Int32Array ? new Int32() : data instanceof BigInt64Array ? new Int64() : new Uint64());

const numberVector = (data: Numbers): Vector =>
  makeVector(makeData({ type: typeOf(data), data, length: data.length, nullCount: 0 } as never));

/** Sets Arrow's validity bitmap: one bit per row, 1 if the row has a value. */
function nullableVector(data: NullableNumbers["numbers"], recorded: Uint8Array): Vector {
  const nullBitmap = new Uint8Array((data.length + 7) >> 3);
  let nullCount = 0;
  for (let row = 0; row < recorded.length; row++) {
    if (recorded[row] === 1) nullBitmap[row >> 3] = (nullBitmap[row >> 3] ?? 0) | (1 << (row & 7));
    else nullCount++;
  }
  return makeVector(makeData({ type: typeOf(data), data, length: data.length, nullCount, nullBitmap } as never));
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
export function countedFrom(first: number, count: number): Int32Array {
  const numbers = new Int32Array(count);
  for (let i = 0; i < count; i++) numbers[i] = first + i;
  return numbers;
}

const vectorOf = (values: NumberValues, begin: number, end: number): Vector =>
  "numbers" in values
    ? nullableVector(values.numbers.subarray(begin, end), values.recorded.subarray(begin, end))
    : numberVector(values.subarray(begin, end));

/** Values of one INSERT: more take longer than other work of the thread should wait. Five columns of 122,880 rows, DuckDB's row group. */
const INSERT_VALUES_MAX = 5 * 122_880;

/** The rows of a table in portions, each for an INSERT. No two columns may be the same array, which Arrow would join. */
export function* ipcsOf(columns: Readonly<Record<string, NumberValues>>, rows: number): Iterable<Uint8Array> {
  const entries = Object.entries(columns);
  const rowsMax = Math.floor(INSERT_VALUES_MAX / entries.length);
  for (let begin = 0; begin < rows; begin += rowsMax) {
    const end = Math.min(rows, begin + rowsMax);
    yield ipc(Object.fromEntries(entries.map(([name, values]) => [name, vectorOf(values, begin, end)])));
  }
}

/** Rows of the relation `texts` or `property_texts`: codes from `firstCode` on with their strings. */
export function ipcFromStrings(firstCode: number, values: readonly string[]): Uint8Array {
  return ipc({ code: numberVector(countedFrom(firstCode, values.length)), text: stringVector(values) });
}

/** Rows of the relation `matches` or `matching_props`, whose column of codes has that name. */
export const ipcFromMatches = (codeColumn: "code" | "props" | "arrival", { codes, tests }: Matches): Uint8Array =>
  ipc({ [codeColumn]: numberVector(codes), tests: numberVector(tests) });

export const ipcFromPropertyRows = ({ props, codes }: PropertyRows): Uint8Array =>
  ipc({ props: numberVector(props), code: numberVector(codes) });

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

type BigColumn = BigInt64Array | BigUint64Array;

function columnOf<Values extends BigColumn | Int32Array>(table: Table, name: string): Values {
  const values: unknown = table.getChild(name)?.toArray();
  if (ArrayBuffer.isView(values)) return values as Values;
  throw new TypeError(`the column ${name} must be an integer`);
}

/** The rows of a query with a visitor function (see `EngineQuery.perVisitor`). */
export function eventRowsFromIpc(chunks: readonly Uint8Array[]): EventRows {
  const table = tableFromIPC<Record<string, DataType>>(chunks);
  return { visitorIds: columnOf(table, "visitor_id"), timestampsMs: columnOf(table, "timestamp"), met: columnOf(table, "met") };
}

/** The columns `visitor_id`, `timestamp`, `page` and `sequence_number`. */
export function visitRowsFromIpc(chunks: readonly Uint8Array[]) {
  const table = tableFromIPC<Record<string, DataType>>(chunks);
  return {
    visitorIds: columnOf<BigUint64Array>(table, "visitor_id"),
    timestampsMs: columnOf<BigInt64Array>(table, "timestamp"),
    pages: columnOf<Int32Array>(table, "page"),
    sequenceNumbers: columnOf<Int32Array>(table, "sequence_number"),
  };
}
