/**
 * Selects a query's result from its rows on the server, as `RowSum` does for rows that are here: a million rows as JSON would be more than
 * 100 MB, and take the thread that takes events more than a second.
 */
import { UNRECORDED } from "../../shared/filters.ts";
import { matchesText } from "../query/conditions.ts";
import type { AggregateQuery, LargestOfEach, OrderKey, Top } from "../query/plan.ts";
import { joinSql, resultColumn, sql, type SqlText, textCode } from "../query/sql.ts";
import { compiledTest, searchTest } from "../query/text-matching.ts";

const commas = (columns: readonly SqlText[]): SqlText => joinSql(columns, ", ");

/** The SELECT of the result from the relation `totals`, the rows of the range. */
export function resultSql({ keys, codes = [], names = [], counts, amounts = [], largestOfEach, top, isCounted }: AggregateQuery): SqlText {
  const texts = [...codes, ...names];
  const totals = largestOfEach ? sql`(${largestSql(largestOfEach)}) AS totals` : sql`totals`;
  const wanted = sql`${totals}${wantedSql(texts, top)}`;
  if (isCounted) return sql`SELECT count(*) AS row_count FROM ${wanted}`;
  const digits = amounts.map((amount) => sql`CAST(${resultColumn(amount)} AS VARCHAR) AS ${resultColumn(amount)}`);
  const columns = commas([...[...texts, ...keys, ...counts].map(resultColumn), ...digits]);
  return sql`SELECT ${columns} FROM (SELECT * FROM ${wanted}) AS named ${top ? orderSql(texts, top) : sql``}`;
}

const largestSql = ({ key, by, text, rowsMax }: LargestOfEach): SqlText =>
  sql`SELECT * FROM totals ORDER BY ${resultColumn(by)} DESC, ${resultColumn(text)} ASC LIMIT ${rowsMax} BY ${resultColumn(key)}`;

function wantedSql([name]: readonly string[], { values, search, unknownLabel }: Partial<Top> = {}): SqlText {
  if (name === undefined) return sql``;
  const value = sql`totals.${resultColumn(name)}`;
  const conditions: SqlText[] = [];
  if (values)
    conditions.push(values.length === 0 ? sql`false` : sql`${value} IN (${commas(values.map((text) => sql`${textCode(text)}`))})`);
  if (search !== undefined) conditions.push(isFound(value, search, unknownLabel));
  return conditions.length === 0 ? sql`` : sql` WHERE ${joinSql(conditions, " AND ")}`;
}

/** True if the displayed label of a text contains the search, ignoring case. */
function isFound(text: SqlText, search: string, unknownLabel = UNRECORDED): SqlText {
  const test = searchTest(search);
  const found = matchesText(text, null, test);
  return compiledTest(test)(unknownLabel) ? sql`(${found} OR ${text} = ${textCode(UNRECORDED)})` : found;
}

/** Qualified, because the result has a column of the same name for an amount. */
const ordered = (column: string): SqlText => sql`named.${resultColumn(column)}`;

const keySql = (by: OrderKey): SqlText => (typeof by === "string" ? ordered(by) : sql`${ordered(by.part)} / ${ordered(by.whole)}`);

function orderSql(texts: readonly string[], { by, isReversed = false, rowsMax, offset = 0 }: Top): SqlText {
  const first = by === undefined ? [] : [isReversed ? sql`${keySql(by)} ASC` : sql`${keySql(by)} DESC`];
  const byText = texts.map((text) => (by === undefined && isReversed ? sql`${ordered(text)} DESC` : sql`${ordered(text)} ASC`));
  const page = offset === 0 ? sql`LIMIT ${rowsMax}` : sql`LIMIT ${rowsMax} OFFSET ${offset}`;
  return sql`ORDER BY ${commas([...first, ...byText])} ${page}`;
}
