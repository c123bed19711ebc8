/** Steps of funnels and sequences, and their SQL: a page view of a path, or an event of a name (docs/http-api.md, "Funnel"). */
import { PAGEVIEW } from "../base/config/names.ts";
import { column, joinSql, sql, textCode, type SqlText } from "./sql.ts";
import { matchesPattern } from "./text-conditions.ts";

export interface Step {
  readonly kind: "page" | "event";
  /** A path, where `*` matches any characters, or an event name. */
  readonly value: string;
}

/** The notation of a step, with commas unescaped. */
export const stepName = ({ kind, value }: Step): string => `${kind}:${value}`;

/** True if an event matches the step. */
export function stepSql({ kind, value }: Step): SqlText {
  if (kind === "event") return sql`${column("event_name")} = ${textCode(value)}`;
  const path = value.includes("*") ? matchesPattern("pathname", value) : sql`${column("pathname")} = ${textCode(value)}`;
  return sql`(${column("event_name")} = ${textCode(PAGEVIEW)} AND ${path})`;
}

/** A BIGINT with a bit for each test that an event passes; the first test is the lowest bit. */
export const bitsSql = (tests: readonly SqlText[]): SqlText =>
  joinSql(
    tests.map((test, i) => sql`CASE WHEN ${test} THEN CAST(${2 ** i} AS BIGINT) ELSE 0 END`),
    " + ",
  );

/** The bits of the steps that an event matches. */
export const stepBitsSql = (steps: readonly Step[]): SqlText => bitsSql(steps.map(stepSql));
