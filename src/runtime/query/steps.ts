/** Steps of funnels and sequences, and the SQL that finds them: a view of a page, or an event of a name (docs/http-api.md, "Funnel"). */
import { PAGEVIEW } from "../config/names.ts";
import { column, joinSql, matchesPattern, sql, textCode, type SqlText } from "./sql.ts";

export interface Step {
  readonly kind: "page" | "event";
  /** A path, in which `*` stands for any characters, or an event's name. */
  readonly value: string;
}

/** As it is written, commas aside. */
export const stepName = ({ kind, value }: Step): string => `${kind}:${value}`;

/** Whether an event is the step. */
export function stepSql({ kind, value }: Step): SqlText {
  if (kind === "event") return sql`${column("event_name")} = ${textCode(value)}`;
  const path = value.includes("*") ? matchesPattern("pathname", value) : sql`${column("pathname")} = ${textCode(value)}`;
  return sql`(${column("event_name")} = ${textCode(PAGEVIEW)} AND ${path})`;
}

/** A BIGINT with a bit for each step that an event is, the first the lowest. */
export const stepBitsSql = (steps: readonly Step[]): SqlText =>
  joinSql(
    steps.map((step, i) => sql`CASE WHEN ${stepSql(step)} THEN CAST(${2 ** i} AS BIGINT) ELSE 0 END`),
    " + ",
  );
