/** Turns SQL with values into a ClickHouse statement with typed parameters (https://clickhouse.com/docs/sql-reference/syntax#defining-and-using-query-parameters). */
import { clickhouseDialect } from "./dialect.ts";
import type { SqlParameter, SqlText } from "../../query/sql.ts";
import type { ClickhouseStatement } from "../connection.ts";

interface Typed {
  readonly type: "Int64" | "UInt64" | "String";
  readonly value: string | number;
}

function typed(parameter: SqlParameter): Typed {
  if (typeof parameter === "number") return { type: "Int64", value: parameter };
  if (typeof parameter === "bigint") return { type: parameter < 0n ? "Int64" : "UInt64", value: String(parameter) };
  if ("text" in parameter) return { type: "String", value: parameter.text };
  throw new TypeError("tests are parameters of DuckDB only");
}

/** Equal values have one name, because the address of a request has each parameter. */
export function clickhouseStatement(statement: SqlText): ClickhouseStatement {
  const { strings, values } = statement.renderedIn(clickhouseDialect);
  const parameters: Record<string, string | number> = {};
  const placeholders = new Map<string, string>();
  const placeholderOf = ({ type, value }: Typed): string => {
    const name = `p${placeholders.size}`;
    parameters[name] = value;
    return `{${name}:${type}}`;
  };
  let text = strings[0] ?? "";
  values.forEach((parameter, i) => {
    const value = typed(parameter);
    const key = `${value.type} ${value.value}`;
    const placeholder = placeholders.get(key) ?? placeholderOf(value);
    placeholders.set(key, placeholder);
    text += placeholder + (strings[i + 1] ?? "");
  });
  return { sql: text, parameters };
}
