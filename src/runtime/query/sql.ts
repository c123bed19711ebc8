/** Injection-safe SQL: values in a template become parameters, and only other SQL fragments are spliced in. */
import { EVENT_COLUMNS } from "../../storage/event-columns.ts";

/**
 * A bound value. `text` is replaced by the engine's code of that text, and `pattern` by the bit of the pattern in the relation
 * `matches` (see `EngineQuery`), so no user text is ever part of the SQL.
 */
export type SqlParameter = number | bigint | { readonly text: string } | { readonly pattern: string };

/** A value in a row of a result. */
export type SqlValue = number | bigint | string | null;

export type SqlRow = Readonly<Record<string, SqlValue>>;

export class SqlText {
  readonly strings: readonly string[];
  readonly values: readonly SqlParameter[];

  constructor(strings: readonly string[], values: readonly SqlParameter[]) {
    this.strings = strings;
    this.values = values;
  }

  /** The text with `$1`, `$2`, … where the parameters go. */
  get text(): string {
    return this.strings.reduce((text, piece, i) => `${text}$${i}${piece}`);
  }
}

/** `sql\`… ${value} …\`` */
export function sql(pieces: TemplateStringsArray, ...values: readonly (SqlParameter | SqlText)[]): SqlText {
  const strings = [pieces[0] ?? ""];
  const parameters: SqlParameter[] = [];
  const addText = (text: string) => {
    strings[strings.length - 1] += text;
  };
  values.forEach((value, i) => {
    if (value instanceof SqlText) {
      addText(value.strings[0] ?? "");
      strings.push(...value.strings.slice(1));
      parameters.push(...value.values);
    } else {
      parameters.push(value);
      strings.push("");
    }
    addText(pieces[i + 1] ?? "");
  });
  return new SqlText(strings, parameters);
}

/** The code of a text in the engine (see `EngineQuery`). */
export const textCode = (text: string): SqlParameter => ({ text });

/** Whether the text of a column matches the pattern, in which `*` matches any characters, or none (see `EngineQuery`). */
export const matchesPattern = (name: ColumnName, pattern: string): SqlText =>
  sql`${column(name)} IN (SELECT code FROM matches WHERE (patterns & CAST(${{ pattern }} AS BIGINT)) <> 0)`;

export type ColumnName = (typeof EVENT_COLUMNS)[number]["name"];

/** A column of `events`: besides result columns, the only dynamic identifiers. */
export function column(name: ColumnName): SqlText {
  if (!EVENT_COLUMNS.some((known) => known.name === name)) throw new Error(`no such column: ${name}`);
  return new SqlText([name], []);
}

/** The name of a result column. */
export function resultColumn(text: string): SqlText {
  if (!/^[a-z][a-z_]*$/.test(text)) throw new Error(`no name of a column: ${text}`);
  return new SqlText([text], []);
}

/** Joins fragments with a separator. */
export function joinSql(fragments: readonly SqlText[], separator: " AND " | ", " | " + "): SqlText {
  const [first, ...rest] = fragments;
  if (!first) throw new Error("nothing to join");
  const between = new SqlText([separator], []);
  return rest.reduce((joined, fragment) => sql`${joined}${between}${fragment}`, first);
}
