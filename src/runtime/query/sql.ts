/** Injection-safe SQL in the dialects of all backends: values in a template become parameters, and only other SQL fragments are spliced in. */
import { EVENT_COLUMNS } from "../../storage/event-columns.ts";
import type { TextTest } from "./text-matching.ts";

/** A test of the value of a custom property. None passes without a value. */
export interface PropertyTest {
  /** Keys of nested objects are joined by dots. */
  readonly key: string;
  readonly test: TextTest;
}

/**
 * A bound value. In DuckDB, `text` is replaced by the engine's code of that text, and a test by its bit in the relation `matches` or
 * `matching_props` (see `EngineQuery`). ClickHouse gets texts only. So no user text is ever part of the SQL.
 */
export type SqlParameter =
  | number
  | bigint
  | { readonly text: string }
  /** `of` is the column whose texts are tested. */
  | { readonly test: TextTest; readonly of?: ColumnName | null }
  | { readonly propertyTest: PropertyTest };

/** A value in a row of a result. */
export type SqlValue = number | bigint | string | null;

export type SqlRow = Readonly<Record<string, SqlValue>>;

/** A statement of one dialect: values are between the strings. */
export interface SqlParts {
  readonly strings: readonly string[];
  readonly values: readonly SqlParameter[];
}

export class SqlText {
  readonly duckdb: SqlParts;
  readonly clickhouse: SqlParts;

  constructor(duckdb: SqlParts, clickhouse: SqlParts = duckdb) {
    this.duckdb = duckdb;
    this.clickhouse = clickhouse;
  }

  /** DuckDB's text, with `$1`, `$2`, … where the parameters go. */
  get text(): string {
    return this.duckdb.strings.reduce((text, piece, i) => `${text}$${i}${piece}`);
  }

  /** DuckDB's parameters. */
  get values(): readonly SqlParameter[] {
    return this.duckdb.values;
  }
}

function spliced(pieces: readonly string[], values: readonly (SqlParameter | SqlParts)[]): SqlParts {
  const strings = [pieces[0] ?? ""];
  const parameters: SqlParameter[] = [];
  const addText = (text: string) => {
    strings[strings.length - 1] += text;
  };
  values.forEach((value, i) => {
    if (typeof value === "object" && "strings" in value) {
      addText(value.strings[0] ?? "");
      for (const text of value.strings.slice(1)) strings.push(text);
      for (const parameter of value.values) parameters.push(parameter);
    } else {
      parameters.push(value);
      strings.push("");
    }
    addText(pieces[i + 1] ?? "");
  });
  return { strings, values: parameters };
}

/** `sql\`… ${value} …\`` */
export function sql(pieces: TemplateStringsArray, ...values: readonly (SqlParameter | SqlText)[]): SqlText {
  const inDialect = (dialect: "duckdb" | "clickhouse") =>
    spliced(
      pieces,
      values.map((value) => (value instanceof SqlText ? value[dialect] : value)),
    );
  const isShared = values.every((value) => !(value instanceof SqlText) || value.clickhouse === value.duckdb);
  return isShared ? new SqlText(inDialect("duckdb")) : new SqlText(inDialect("duckdb"), inDialect("clickhouse"));
}

/** A fragment that the dialects write in different ways. */
export const perDialect = (duckdb: SqlText, clickhouse: SqlText): SqlText => new SqlText(duckdb.duckdb, clickhouse.clickhouse);

/** A text as columns hold it. */
export const textCode = (text: string): SqlParameter => ({ text });

/** SQL without parameters. */
const word = (text: string): SqlText => new SqlText({ strings: [text], values: [] });

export type ColumnName = (typeof EVENT_COLUMNS)[number]["name"];

/** A column of `events`: besides result columns, the only dynamic identifiers. */
export function column(name: ColumnName): SqlText {
  if (!EVENT_COLUMNS.some((known) => known.name === name)) throw new Error(`no such column: ${name}`);
  return word(name);
}

/** The name of a result column. */
export function resultColumn(text: string): SqlText {
  if (!/^[a-z][a-z_]*$/.test(text)) throw new Error(`no name of a column: ${text}`);
  return word(text);
}

/** Joins fragments with a separator. */
export function joinSql(fragments: readonly SqlText[], separator: " AND " | " OR " | ", " | " + "): SqlText {
  if (fragments.length === 0) throw new Error("nothing to join");
  const pieces = ["", ...fragments.slice(1).map(() => separator), ""];
  const joined = (dialect: "duckdb" | "clickhouse") =>
    spliced(
      pieces,
      fragments.map((fragment) => fragment[dialect]),
    );
  const isShared = fragments.every(({ duckdb, clickhouse }) => clickhouse === duckdb);
  return isShared ? new SqlText(joined("duckdb")) : new SqlText(joined("duckdb"), joined("clickhouse"));
}
