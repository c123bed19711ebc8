/** Tests of texts and properties in ClickHouse, which runs them itself. */
import { lowerCase, type TextTest } from "../../query/text-matching.ts";
import { UNRECORDED } from "../../query/text-conditions.ts";
import { joinSql, sql, textCode, type PropertyTest, type SqlText } from "../../query/sql.ts";
import { mayHaveKey, tokenOfKey, valueOf, withPairs } from "./property-pairs.ts";

/** A pattern with `*` is a regular expression. */
const expressionOf = (pattern: string): string => `(?s)^${pattern.replaceAll(/[\\^$.|?+()[\]{}]/g, "\\$&").replaceAll("*", ".*")}$`;

/** Same case folding as `lowerCase()` in text-matching.ts. */
export const lowerCased = (text: SqlText): SqlText => sql`replaceAll(lowerUTF8(${text}), ${textCode("ς")}, ${textCode("σ")})`;

/** `text` is never NULL. By default, `.` of ClickHouse matches line breaks. */
function passesOne(text: SqlText, kind: TextTest["kind"], value: string): SqlText {
  if (kind === "is") return sql`${text} = ${textCode(value)}`;
  if (kind === "contains") return sql`position(${text}, ${textCode(value)}) > 0`;
  if (kind === "begins") return sql`startsWith(${text}, ${textCode(value)})`;
  if (kind === "search") return sql`position(${lowerCased(text)}, ${textCode(lowerCase(value))}) > 0`;
  return sql`match(${text}, ${textCode(kind === "like" ? expressionOf(value) : `(?-s)${value}`)})`;
}

export const textPasses = (text: SqlText, { kind, values }: TextTest): SqlText =>
  sql`(${joinSql(
    values.map((value) => passesOne(text, kind, value)),
    " OR ",
  )})`;

/** `(unknown)` is a text like any other, so it is excluded. */
export const textIsFound = (text: SqlText, _of: unknown, test: TextTest): SqlText =>
  sql`(${text} <> ${textCode(UNRECORDED)} AND ${textPasses(text, test)})`;

/** The distinct `props` among these that have a value of the property, each with this `value`. */
const valuesOfKey = (key: string, props: SqlText): SqlText => sql`
  SELECT props, ${valueOf(sql`token`)} AS value
  FROM (
    SELECT props, ${tokenOfKey(key)} AS token
    FROM (${withPairs(sql`SELECT props FROM (${props}) AS carried WHERE props IS NOT NULL AND ${mayHaveKey(key)} GROUP BY props`)})
  ) AS tokens`;

/** Tests of one value with the same key, as goals have them, look into one set, which a statement makes once. */
export function propertyIsFound({ key, test }: PropertyTest, props: SqlText): SqlText {
  const [value = "", ...others] = test.values;
  const isAmong =
    test.kind === "is" && others.length === 0
      ? sql`(props, ${textCode(value)}) IN (${valuesOfKey(key, props)})`
      : sql`props IN (SELECT props FROM (${valuesOfKey(key, props)}) AS valued WHERE ${textPasses(sql`value`, test)})`;
  return sql`coalesce(${isAmong}, false)`;
}
