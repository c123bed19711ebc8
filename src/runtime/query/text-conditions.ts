/** Tests of columns and properties in SQL. DuckDB looks them up among texts that were tested before (see `EngineQuery`), ClickHouse runs them itself. */
import { mayHaveKey, tokenOfKey, valueOf, withPairs } from "./property-pairs.ts";
import { column, joinSql, perDialect, sql, textCode, type ColumnName, type PropertyTest, type SqlText } from "./sql.ts";
import { compiledTest, lowerCase, searchTest, type TextTest } from "./text-matching.ts";

/** How ClickHouse stores a text that was not recorded. In DuckDB it has the code 0, which is no text. */
export const UNRECORDED = "(unknown)";

/** In ClickHouse a pattern with `*` is a regular expression. */
const expressionOf = (pattern: string): string => `(?s)^${pattern.replaceAll(/[\\^$.|?+()[\]{}]/g, "\\$&").replaceAll("*", ".*")}$`;

/** As `lowerCase` has it. */
export const lowerCaseInClickhouse = (text: SqlText): SqlText => sql`replaceAll(lowerUTF8(${text}), ${textCode("ς")}, ${textCode("σ")})`;

/** Whether a text of ClickHouse, never NULL, passes a test with one value. By default, its `.` matches line breaks. */
function passesInClickhouse(text: SqlText, kind: TextTest["kind"], value: string): SqlText {
  if (kind === "is") return sql`${text} = ${textCode(value)}`;
  if (kind === "contains") return sql`position(${text}, ${textCode(value)}) > 0`;
  if (kind === "begins") return sql`startsWith(${text}, ${textCode(value)})`;
  if (kind === "search") return sql`position(${lowerCaseInClickhouse(text)}, ${textCode(lowerCase(value))}) > 0`;
  return sql`match(${text}, ${textCode(kind === "like" ? expressionOf(value) : `(?-s)${value}`)})`;
}

/** In ClickHouse, whether a text passes the test. */
export const textPasses = (text: SqlText, { kind, values }: TextTest): SqlText =>
  sql`(${joinSql(
    values.map((value) => passesInClickhouse(text, kind, value)),
    " OR ",
  )})`;

const isBitOf = (test: SqlText): SqlText => sql`(tests & CAST(${test} AS BIGINT)) <> 0`;

/** Whether the text of a column equals one of the values, of which one may be that it was not recorded. */
function equalsText(text: SqlText, values: readonly string[]): SqlText {
  const codes = values.map((value) => sql`${textCode(value)}`);
  return codes.length === 1 ? sql`${text} = ${joinSql(codes, ", ")}` : sql`${text} IN (${joinSql(codes, ", ")})`;
}

/**
 * Whether a column, or an expression over codes of texts, was recorded and passes the test. `(unknown)` is a text like any in
 * ClickHouse, so it is excluded there.
 */
function matchesText(text: SqlText, of: ColumnName | null, test: TextTest): SqlText {
  return perDialect(
    sql`${text} IN (SELECT code FROM matches WHERE ${isBitOf(sql`${{ test, ...(of && { of }) }}`)})`,
    sql`(${text} <> ${textCode(UNRECORDED)} AND ${textPasses(text, test)})`,
  );
}

/** Whether the text of a column matches the pattern, in which `*` matches any characters, or none. */
export const matchesPattern = (name: ColumnName, pattern: string): SqlText =>
  matchesText(column(name), name, { kind: "like", values: [pattern] });

/** In ClickHouse, the distinct `props` among these that have a value of the property, each with this `value`. */
const valuesOfKey = (key: string, props: SqlText): SqlText => sql`
  SELECT props, ${valueOf(sql`token`)} AS value
  FROM (
    SELECT props, ${tokenOfKey(key)} AS token
    FROM (${withPairs(sql`SELECT props FROM (${props}) AS carried WHERE props IS NOT NULL AND ${mayHaveKey(key)} GROUP BY props`)})
  ) AS tokens`;

/** In ClickHouse. Of tests of one value, as goals have them, all with the same key look into the same set, which a statement makes once. */
function isAmongProps({ key, test }: PropertyTest, props: SqlText): SqlText {
  const [value = "", ...others] = test.values;
  if (test.kind === "is" && others.length === 0) return sql`(props, ${textCode(value)}) IN (${valuesOfKey(key, props)})`;
  return sql`props IN (SELECT props FROM (${valuesOfKey(key, props)}) AS valued WHERE ${textPasses(sql`value`, test)})`;
}

/** Whether an event has a value of the property, and it passes the test. `props` is a SELECT of the column `props` of at least these events. */
export const propertyPasses = (propertyTest: PropertyTest, props: SqlText): SqlText =>
  perDialect(
    sql`props IN (SELECT props FROM matching_props WHERE ${isBitOf(sql`${{ propertyTest }}`)})`,
    sql`coalesce(${isAmongProps(propertyTest, props)}, false)`,
  );

/** Whether a value passes: a code in DuckDB, a text in ClickHouse, and as such never NULL. `of` is the column that it is from, if it is known. */
export const valuePasses = (value: SqlText, of: ColumnName | null, test: TextTest): SqlText =>
  test.kind === "is" ? equalsText(value, test.values) : matchesText(value, of, test);

interface Found {
  readonly of?: ColumnName | null | undefined;
  /** What the reader of a report is shown for a value that was not recorded. */
  readonly unknownLabel?: string | undefined;
}

/** Whether what a report shows for a value contains the text, ignoring case. */
export function isFound(value: SqlText, search: string, { of = null, unknownLabel = UNRECORDED }: Found = {}): SqlText {
  const test = searchTest(search);
  const found = valuePasses(value, of, test);
  return compiledTest(test)(unknownLabel) ? sql`(${found} OR ${equalsText(value, [UNRECORDED])})` : found;
}
