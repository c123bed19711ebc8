/** Tests of columns and properties in SQL. DuckDB looks them up among texts that were tested before (see `EngineQuery`). */
import { column, type ColumnName, fragment, joinSql, type PropertyTest, sql, type SqlText, textCode } from "./sql.ts";
import { compiledTest, searchTest, type TextTest } from "./text-matching.ts";
import { UNRECORDED } from "../../shared/filters.ts";

const isBitOf = (test: SqlText): SqlText => sql`(tests & CAST(${test} AS BIGINT)) <> 0`;

/** True if the text of a column equals one of the values, of which one may be that it was not recorded. */
function equalsText(text: SqlText, values: readonly string[]): SqlText {
  const codes = values.map((value) => sql`${textCode(value)}`);
  return codes.length === 1 ? sql`${text} = ${joinSql(codes, ", ")}` : sql`${text} IN (${joinSql(codes, ", ")})`;
}

/**
 * True if a column, or an expression over codes of texts, was recorded and passes the test. `of` is the column that it reads, if it is
 * known.
 */
export const matchesText = fragment(
  (text: SqlText, of: ColumnName | null, test: TextTest) =>
    sql`${text} IN (SELECT code FROM matches WHERE ${isBitOf(sql`${{ test, ...(of && { of }) }}`)})`,
);

/** True if the text of a column matches the pattern, in which `*` matches any characters, or none. */
export const matchesPattern = (name: ColumnName, pattern: string): SqlText =>
  matchesText(column(name), name, { kind: "like", values: [pattern] });

/**
 * True if an event has a value of the property, and it passes the test. `props` is a SELECT of the column `props` of at least these events.
 */
export const propertyPasses = fragment(
  (propertyTest: PropertyTest, _props: SqlText) =>
    sql`props IN (SELECT props FROM matching_props WHERE ${isBitOf(sql`${{ propertyTest }}`)})`,
);

/**
 * True if a value passes: a code in DuckDB, a text in ClickHouse, and as such never NULL. `of` is the column that it is from, if it is
 * known.
 */
export const valuePasses = (value: SqlText, of: ColumnName | null, test: TextTest): SqlText =>
  test.kind === "is" ? equalsText(value, test.values) : matchesText(value, of, test);

interface Found {
  readonly of?: ColumnName | null | undefined;
  /** The label that a reader sees for a value that was not recorded. */
  readonly unknownLabel?: string | undefined;
}

/** True if the displayed label of a value contains the text, ignoring case. */
export function isFound(value: SqlText, search: string, { of = null, unknownLabel = UNRECORDED }: Found = {}): SqlText {
  const test = searchTest(search);
  const found = valuePasses(value, of, test);
  return compiledTest(test)(unknownLabel) ? sql`(${found} OR ${equalsText(value, [UNRECORDED])})` : found;
}
