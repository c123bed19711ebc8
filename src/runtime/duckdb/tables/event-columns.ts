/**
 * The columns of event tables: which ones every query reads, which ones a statement names, and their values from decoded events.
 * Texts are codes, and no row becomes an object.
 */
import {
  type ColumnName,
  EVENT_COLUMNS,
  type EventColumn,
  isNumber,
  isText,
  type NumberEventColumn,
  SITE_COLUMN,
  type TextEventColumn,
} from "../../../storage/event.ts";
import type { NumberColumn } from "../../../storage/parquet-columns.ts";
import type { DecodedEvents } from "../../../storage/parquet-events.ts";
import type { NumberValues } from "./arrow.ts";
import { type BlockProps, NOT_RECORDED, type StringDictionary } from "./dictionaries.ts";

/** Columns that nearly every query reads, so that they are in one table: a join of tables by place applies no filter to them. */
const BASE_COLUMNS: readonly ColumnName[] = ["visitor_id", "event_name", "pathname"];

const isBase = (name: ColumnName): boolean => BASE_COLUMNS.includes(name);

/** All others, each of which is loaded when a query first reads it. */
export const FURTHER_COLUMNS: readonly ColumnName[] = EVENT_COLUMNS.map(({ name }) => name).filter(
  (name) => name !== SITE_COLUMN.name && !isBase(name),
);

/** Orders the events of one time. It comes with the column `timestamp`. */
export const SEQUENCE_NUMBER = "sequence_number";

const FURTHER_NAME = new RegExp(`\\b(?:${[...FURTHER_COLUMNS, SEQUENCE_NUMBER].join("|")})\\b`, "g");

/** The further columns that a statement may read: all that it names. No text of a client is part of a statement. */
export function columnsIn(statement: string): ReadonlySet<ColumnName> {
  const names = statement.match(FURTHER_NAME) ?? [];
  return new Set(names.map((name) => (name === SEQUENCE_NUMBER ? "timestamp" : (name as ColumnName))));
}

/** The names of a column's values in a table. */
export const namesOf = (column: ColumnName): readonly string[] => (column === "timestamp" ? [column, SEQUENCE_NUMBER] : [column]);

/** The names of the base, in the order of `sqlOfColumns`. */
export const BASE_NAMES: readonly string[] = ["day", "session", ...BASE_COLUMNS];

const sqlTypeOf = (name: string): string => {
  const column = EVENT_COLUMNS.find((known) => known.name === name);
  if (!column || isText(column)) return "INTEGER";
  return column.kind === "visitor" ? "UBIGINT" : "BIGINT";
};

/** Columns of a `CREATE TABLE`. */
export const sqlOfColumns = (names: readonly string[]): string => names.map((name) => `${name} ${sqlTypeOf(name)}`).join(", ");

const columnNamed = (name: ColumnName) => EVENT_COLUMNS.filter((column) => column.name === name);

/** Columns from which sessions are made, besides the base. */
const SESSION_COLUMNS: readonly ColumnName[] = ["timestamp", "interactive"];

/** What to decode of a file for the base and these columns. */
export const decodedFor = (columns: Iterable<ColumnName>): EventColumn[] =>
  [...new Set<ColumnName>([...BASE_COLUMNS, ...SESSION_COLUMNS, ...columns])].flatMap(columnNamed);

/** What to decode of a file for these columns alone. */
export const decodedOf = (columns: Iterable<ColumnName>): EventColumn[] => [...columns].flatMap(columnNamed);

export interface Dictionaries {
  readonly strings: StringDictionary;
  /** Undefined if the block does not keep its properties: their codes are all `NOT_RECORDED`. */
  readonly props: BlockProps | undefined;
}

/** The codes of one column. Each distinct string of a file is looked up once, however many rows have it. */
function codesOf(column: TextEventColumn, parts: readonly DecodedEvents[], rows: number, { strings, props }: Dictionaries): Int32Array {
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

export function numbersOf(column: NumberEventColumn, parts: readonly DecodedEvents[], rows: number): NumberColumn {
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

/** The values of a column, of all parts in their order. */
export function valuesOf(name: ColumnName, parts: readonly DecodedEvents[], dictionaries: Dictionaries): NumberValues {
  const rows = rowsOf(parts);
  const [column] = columnNamed(name);
  if (!column) throw new Error(`no such column: ${name}`);
  if (isText(column)) return codesOf(column, parts, rows, dictionaries);
  if (isNumber(column)) return numbersOf(column, parts, rows);
  return column.kind === "visitor" ? visitorIdsOf(parts) : timestampsOf(parts);
}

const rowsOf = (parts: readonly DecodedEvents[]): number => parts.reduce((sum, { rows }) => sum + rows, 0);

/** Copies the parts one after the other into `all`. */
function joined<Values extends BigInt64Array | BigUint64Array>(all: Values, parts: readonly Values[]): Values {
  let begin = 0;
  for (const part of parts) {
    all.set(part as BigInt64Array & BigUint64Array, begin);
    begin += part.length;
  }
  return all;
}

export const visitorIdsOf = (parts: readonly DecodedEvents[]): BigUint64Array =>
  joined(
    new BigUint64Array(rowsOf(parts)),
    parts.map(({ visitorIds }) => visitorIds),
  );

export const timestampsOf = (parts: readonly DecodedEvents[]): BigInt64Array =>
  joined(
    new BigInt64Array(rowsOf(parts)),
    parts.map(({ timestampsMs }) => timestampsMs),
  );
