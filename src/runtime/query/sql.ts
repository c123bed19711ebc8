/** Injection-safe SQL in the dialects of all backends: values in a template become parameters, and only other SQL fragments are spliced in. */
import { compareCodePoints } from "../../storage/code-point-order.ts";
import { type ColumnName, EVENT_COLUMNS } from "../../storage/event.ts";
import type { ArrivalName } from "../arrivals/arrival-names.ts";
import type { ArrivalRules } from "../arrivals/arrivals.ts";
import type { TextTest } from "./text-matching.ts";

/** A test of the value of a custom property. None passes without a value. */
export interface PropertyTest {
  /** Keys of nested objects are joined by dots. */
  readonly key: string;
  readonly test: TextTest;
}

/** A column of `events`: one that is stored, or `arrival`, what a source or channel is named by (`ArrivalRules`). */
export type EventValue = ColumnName | "arrival";

/** A test of a name of arrivals. `(unknown)` passes if it is one of the values. */
export interface ArrivalTest {
  readonly name: ArrivalName;
  readonly rules: ArrivalRules;
  readonly test: TextTest;
}

/**
 * A bound value. In DuckDB, `text` is replaced by the engine's code of that text, a test by its bit in the relation `matches`,
 * `matching_props` or `matching_arrivals`, and rules by their number in `arrival_names` (see `EngineQuery`). ClickHouse gets texts as
 * parameters, and the names that rules make of arrivals as hexadecimal digits. So no user text is ever read as SQL.
 */
export type SqlParameter =
  | number
  | bigint
  | { readonly text: string }
  /** `of` is the column whose texts are tested. */
  | { readonly test: TextTest; readonly of?: EventValue | null }
  | { readonly propertyTest: PropertyTest }
  | { readonly arrivalTest: ArrivalTest }
  /** ClickHouse: with the name that is asked for. */
  | { readonly arrivalRules: ArrivalRules; readonly name?: ArrivalName };

export type SqlValue = number | bigint | string | null;

export type SqlRow = Readonly<Record<string, SqlValue>>;

/** A statement of one dialect: values are between the strings. */
interface SqlParts {
  readonly strings: readonly string[];
  readonly values: readonly SqlParameter[];
}

/** SQL that dialects write in different ways. DuckDB's is in place; a dialect that differs has a table of its own. */
export interface Fragment<Args extends readonly unknown[]> {
  (...args: Args): SqlText;
  readonly duckdb: (...args: Args) => SqlText;
}

/** Writes a fragment. Called while a statement is rendered, so only the dialect that runs is ever written. */
export type Dialect = <Args extends readonly unknown[]>(called: Fragment<Args>, args: Args) => SqlText;

const duckdbDialect: Dialect = (called, args) => called.duckdb(...args);

interface FragmentCall {
  readonly writtenIn: (dialect: Dialect) => SqlText;
}

/** Strings, and what is between them. */
export class SqlText {
  readonly #strings: readonly string[];
  readonly #parts: readonly (SqlParameter | SqlText | FragmentCall)[];
  #duckdb: SqlParts | null = null;

  constructor(strings: readonly string[], parts: readonly (SqlParameter | SqlText | FragmentCall)[] = []) {
    this.#strings = strings;
    this.#parts = parts;
  }

  renderedIn(dialect: Dialect): SqlParts {
    const rendered = { strings: [""], values: [] as SqlParameter[] };
    this.#renderInto(rendered, dialect);
    return rendered;
  }

  #renderInto(rendered: { strings: string[]; values: SqlParameter[] }, dialect: Dialect): void {
    const { strings, values } = rendered;
    this.#strings.forEach((text, i) => {
      strings[strings.length - 1] += text;
      const part = this.#parts[i];
      if (part === undefined) return;
      if (part instanceof SqlText) part.#renderInto(rendered, dialect);
      else if (typeof part === "object" && "writtenIn" in part) part.writtenIn(dialect).#renderInto(rendered, dialect);
      else {
        values.push(part);
        strings.push("");
      }
    });
  }

  get #inDuckdb(): SqlParts {
    return (this.#duckdb ??= this.renderedIn(duckdbDialect));
  }

  /** DuckDB's text, with `$1`, `$2`, … where the parameters go. */
  get text(): string {
    return this.#inDuckdb.strings.reduce((text, piece, i) => `${text}$${i}${piece}`);
  }

  get values(): readonly SqlParameter[] {
    return this.#inDuckdb.values;
  }
}

/** `sql\`… ${value} …\`` */
export const sql = (strings: TemplateStringsArray, ...values: readonly (SqlParameter | SqlText)[]): SqlText => new SqlText(strings, values);

export function fragment<Args extends readonly unknown[]>(duckdb: (...args: Args) => SqlText): Fragment<Args> {
  const called: Fragment<Args> = Object.assign(
    (...args: Args) => new SqlText(["", ""], [{ writtenIn: (dialect) => dialect(called, args) }]),
    { duckdb },
  );
  return called;
}

/** A text as columns hold it. */
export const textCode = (text: string): SqlParameter => ({ text });

const word = (text: string): SqlText => new SqlText([text]);

export type { ColumnName };

/** A column of `events`: besides result columns, the only dynamic identifiers. */
export function column(name: EventValue): SqlText {
  if (name !== "arrival" && !EVENT_COLUMNS.some((known) => known.name === name)) throw new Error(`no such column: ${name}`);
  return word(name);
}

export function resultColumn(text: string): SqlText {
  if (!/^[a-z][a-z_]*$/.test(text)) throw new Error(`no name of a column: ${text}`);
  return word(text);
}

/** A column of `arrival_names`. */
export const arrivalNameColumn = (name: ArrivalName): SqlText => word(`${name}_name`);

export function joinSql(parts: readonly SqlText[], separator: " AND " | " OR " | ", " | " + " | " UNION ALL "): SqlText {
  if (parts.length === 0) throw new Error("nothing to join");
  return new SqlText(["", ...parts.slice(1).map(() => separator), ""], parts);
}

/** A count; 0 without a row. */
export const numberIn = (row: SqlRow | undefined, name: string): number => Number(row?.[name] ?? 0);

/** Adds up columns of rows by key. Texts are integers beyond 64 bits. */
export function sumsBy<Key>(keyOf: (row: SqlRow) => Key, rows: readonly SqlRow[], columns: readonly string[]): ReadonlyMap<Key, SqlRow> {
  const sums = new Map<Key, Record<string, SqlValue>>();
  for (const row of rows) {
    const key = keyOf(row);
    const sum = sums.get(key) ?? {};
    sums.set(key, sum);
    for (const name of columns) {
      const added = row[name];
      sum[name] = typeof added === "string" ? String(BigInt(sum[name] ?? 0) + BigInt(added)) : numberIn(sum, name) + numberIn(row, name);
    }
  }
  return sums;
}

export const sumOfRows = (rows: readonly SqlRow[]): SqlRow => {
  const sums: Record<string, number> = {};
  for (const row of rows) for (const name of Object.keys(row)) sums[name] = (sums[name] ?? 0) + numberIn(row, name);
  return sums;
};

export const textIn = (row: SqlRow, name: string): string => String(row[name]);

/** Orders rows by an integer, which is a text if it may exceed 64 bits, and then by the code points of a text. */
export const largestFirst =
  (by: string, text: string) =>
  (a: SqlRow, b: SqlRow): number => {
    const [left, right] = [BigInt(a[by] ?? 0), BigInt(b[by] ?? 0)];
    return left === right ? compareCodePoints(textIn(a, text), textIn(b, text)) : left > right ? -1 : 1;
  };

/** Rates and averages over nothing are 0 (docs/http-api.md, "Numbers"). */
export const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

export const rowsBy = (name: string, rows: readonly SqlRow[]): ReadonlyMap<number, SqlRow> =>
  new Map(rows.map((row) => [numberIn(row, name), row]));
