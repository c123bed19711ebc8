/**
 * The columns of event tables: which ones every query reads, which ones a statement names, and their values from decoded events.
 * Texts are codes, and no row becomes an object.
 */
import type { EventValue } from "../../query/sql.ts";
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
import { type BlockProps, type Combinations, NOT_RECORDED, type StringDictionary } from "./dictionaries.ts";

/** Columns that nearly every query reads, so that they are in one table: a join of tables by place applies no filter to them. */
const BASE_COLUMNS: readonly ColumnName[] = ["visitor_id", "event_name", "pathname"];

const isBase = (name: ColumnName): boolean => BASE_COLUMNS.includes(name);

/** What an arrival is made of, in the order of `Combinations`. */
export const ARRIVAL_COLUMNS = ["referrer", "utm_source", "utm_medium", "click_id"] as const satisfies readonly ColumnName[];

/** All others, each of which is loaded when a query first reads it. */
export const FURTHER_COLUMNS: readonly EventValue[] = [
  ...EVENT_COLUMNS.map(({ name }) => name).filter((name) => name !== SITE_COLUMN.name && !isBase(name)),
  "arrival",
];

/** Columns whose value of the first event `sessions` has, under the name `visit_<column>`. */
export const VISIT_COLUMNS = [
  "hostname",
  "utm_source",
  "utm_medium",
  "utm_campaign",
  "utm_content",
  "utm_term",
  "arrival",
  "country_code",
  "region",
  "city",
  "browser",
  "browser_version",
  "os",
  "os_version",
  "device_type",
  "screen_size",
] as const satisfies readonly EventValue[];
export type VisitColumn = (typeof VISIT_COLUMNS)[number];

export const visitColumnOf = (column: VisitColumn): string => `visit_${column}`;

/** Orders the events of one time. It comes with the column `timestamp`. */
export const SEQUENCE_NUMBER = "sequence_number";

const FURTHER_NAME = new RegExp(`\\b(?:${[...FURTHER_COLUMNS, SEQUENCE_NUMBER].join("|")})\\b`, "g");
const VISIT_NAME = new RegExp(`\\b(?:${VISIT_COLUMNS.map(visitColumnOf).join("|")})\\b`, "g");

export interface NamedColumns {
  /** The further columns to load. */
  readonly columns: ReadonlySet<EventValue>;
  /** The columns that `sessions` has of first events. */
  readonly ofVisits: readonly VisitColumn[];
}

/** The further columns that a statement may read: all that it names. No text of a client is part of a statement. */
export function columnsIn(statement: string): NamedColumns {
  const named = new Set(statement.match(VISIT_NAME));
  const ofVisits = VISIT_COLUMNS.filter((column) => named.has(visitColumnOf(column)));
  const ofEvents = (statement.match(FURTHER_NAME) ?? []).map((name) => (name === SEQUENCE_NUMBER ? "timestamp" : (name as EventValue)));
  return { columns: new Set([...ofEvents, ...ofVisits]), ofVisits };
}

/** The names of a column's values in a table. */
export const namesOf = (column: EventValue): readonly string[] => (column === "timestamp" ? [column, SEQUENCE_NUMBER] : [column]);

/** The names of the base, in the order of `sqlOfColumns`. */
export const BASE_NAMES: readonly string[] = ["day", "session", ...BASE_COLUMNS];

const sqlTypeOf = (name: string): string => {
  const column = EVENT_COLUMNS.find((known) => known.name === name);
  if (!column || isText(column)) return "INTEGER";
  return column.kind === "visitor" ? "UBIGINT" : "BIGINT";
};

/** Columns of a `CREATE TABLE`. */
export const sqlOfColumns = (names: readonly string[]): string => names.map((name) => `${name} ${sqlTypeOf(name)}`).join(", ");

const columnsNamed = (name: EventValue): EventColumn[] =>
  EVENT_COLUMNS.filter((column) =>
    name === "arrival" ? (ARRIVAL_COLUMNS as readonly string[]).includes(column.name) : column.name === name,
  );

/** Columns from which sessions are made, besides the base. */
const SESSION_COLUMNS: readonly ColumnName[] = ["timestamp", "interactive"];

/** What to decode of a file for the base and these columns. */
export const decodedFor = (columns: Iterable<EventValue>): EventColumn[] => decodedOf([...BASE_COLUMNS, ...SESSION_COLUMNS, ...columns]);

/** What to decode of a file for these columns alone. */
export const decodedOf = (columns: Iterable<EventValue>): EventColumn[] => [...new Set([...columns].flatMap(columnsNamed))];

export interface Dictionaries {
  readonly strings: StringDictionary;
  readonly arrivals: Combinations;
  /** Undefined if the block does not keep its properties: their codes are all `NOT_RECORDED`. */
  readonly props: BlockProps | undefined;
}

/** The codes of one column. Each distinct string of a file is looked up once, however many rows have it. */
function codesOf(
  column: TextEventColumn,
  parts: readonly DecodedEvents[],
  rows: number,
  { strings, props }: Pick<Dictionaries, "strings" | "props">,
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

function arrivalsOf(parts: readonly DecodedEvents[], rows: number, { strings, arrivals }: Dictionaries): Int32Array {
  const codes = new Int32Array(rows);
  columnsNamed("arrival")
    .filter(isText)
    .forEach((column, i) => arrivals.add(codes, i, codesOf(column, parts, rows, { strings, props: undefined })));
  return codes;
}

/** The values of a column, of all parts in their order. */
export function valuesOf(name: EventValue, parts: readonly DecodedEvents[], dictionaries: Dictionaries): NumberValues {
  const rows = rowsOf(parts);
  if (name === "arrival") return arrivalsOf(parts, rows, dictionaries);
  const [column] = columnsNamed(name);
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
