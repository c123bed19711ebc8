/** GET /api/stats/breakdown/{dimension}: visitors, page views and events for each value of a dimension (docs/http-api.md, "Breakdowns"). */
import { PRODUCT_NAME } from "../base/config/names.ts";
import { BREAKDOWN_ROWS_MAX } from "../base/config/report-limits.ts";
import type { AggregateQuery } from "../query/aggregate-query.ts";
import { combinePlans, joinPlans, planOf, type Plan } from "../query/plan.ts";
import { comparedWindow, scopesOf } from "../query/comparison.ts";
import { DIMENSIONS, columnOf, isDimension } from "../query/dimensions.ts";
import { closed, count, list, text, type Described, type Schema } from "../query/json-schema.ts";
import { numberIn, textIn } from "../query/row-values.ts";
import { goalNamed } from "../sites/goal.ts";
import type { Scope } from "../query/scope.ts";
import type { SqlRow } from "../query/sql.ts";
import type { Top } from "../query/top.ts";
import { BREAKDOWN_PARAMETERS, checkBreakdown, comparisonOf, type BreakdownValues } from "./breakdown-parameters.ts";
import { csvFormat } from "./exports/csv-format.ts";
import { csvOfRows, type CsvColumn } from "./exports/csv-rows.ts";
import {
  FURTHER_COLUMNS,
  ROW_FIELDS,
  ROW_NUMBERS,
  numbersOf,
  orderKeyOf,
  queryOfRows,
  readsSessions,
  sumsByValue,
  type ValueRows,
} from "./measures/row-columns.ts";
import { sessionPages } from "./measures/session-pages.ts";
import { countsByValue } from "./measures/value-counts.ts";
import { report, type ReportRequest } from "./report.ts";

const ROWS = list(
  `Most visitors first, then by value, unless \`sort\` says otherwise. At most ${BREAKDOWN_ROWS_MAX}.`,
  closed(
    { value: text("The value; `(unknown)` if it was not recorded."), ...ROW_FIELDS, comparison: ROW_NUMBERS },
    { optional: [...FURTHER_COLUMNS, "comparison"] },
  ),
  { maxItems: BREAKDOWN_ROWS_MAX },
);

const PAGE = closed({ total: count("The number of rows without `limit` and `offset`."), rows: ROWS });

type Rows = Described<typeof ROWS>;

type Page = Described<typeof PAGE>;

/** None without rows. */
const ofValues = (query: AggregateQuery, rows: readonly SqlRow[]): AggregateQuery[] =>
  rows.length === 0 ? [] : [{ ...query, top: { values: rows.map((row) => textIn(row, "value")), rowsMax: rows.length } }];

/** Entry and exit pages are paths. */
function searchOf({ search, dimension, unknown_label: unknownLabel }: BreakdownValues): Pick<Top, "search" | "of" | "unknownLabel"> {
  const of = isDimension(dimension) ? columnOf(dimension) : "pathname";
  return { ...(search !== null && { search, of }), ...(unknownLabel !== null && { unknownLabel }) };
}

function topOf(values: BreakdownValues, query: AggregateQuery): Top {
  const { sort, limit, offset } = values;
  const page = { rowsMax: limit, ...(offset > 0 && { offset }), ...searchOf(values) };
  if (sort.column === "value") return { ...page, ...(!sort.isAscending && { isReversed: true }) };
  return { ...page, by: orderKeyOf(sort.column, query), ...(sort.isAscending && { isReversed: true }) };
}

/** The page of rows, each with the numbers of its value in the other scopes, of which the window consists; without scopes, none is compared. */
function rowsOf(
  scope: Scope,
  others: readonly Scope[],
  wanted: ValueRows,
  top: (query: AggregateQuery) => Top,
  sessionGapMs: number,
): Plan<Rows> {
  const query = queryOfRows(scope, wanted, sessionGapMs);
  const page = planOf(scope, [{ ...query, top: top(query) }], (found) => found);
  const parts = others.map((other) => planOf(other, [queryOfRows(other, wanted, sessionGapMs)], (...found) => found.flat()));
  const compared = combinePlans(parts, (found) => sumsByValue(found.flat()));
  const join = (found: readonly SqlRow[], before: ReadonlyMap<string, SqlRow>): Rows =>
    found.map((row) => {
      const value = textIn(row, "value");
      return {
        value,
        ...numbersOf(row, wanted.columns),
        ...(others.length > 0 && { comparison: numbersOf(before.get(value), wanted.columns) }),
      };
    });
  return joinPlans(page, compared, join, ofValues);
}

/** How many rows there are. Further columns have no influence on it. */
function totalOf(scope: Scope, values: BreakdownValues, sessionGapMs: number): Plan<number> {
  const { dimension } = values;
  const query = queryOfRows(scope, { dimension, columns: [], goal: null, currency: null }, sessionGapMs);
  const top = { rowsMax: BREAKDOWN_ROWS_MAX, ...searchOf(values) };
  return planOf(scope, [{ ...query, top, isCounted: true }], ([row]) => numberIn(row, "row_count"));
}

function csvColumns({ columns: { further, hasComparison } }: BreakdownValues): readonly CsvColumn[] {
  const numbers = ["visitors", "pageviews", "events", ...further];
  return ["value", ...numbers, ...(hasComparison ? numbers.map((name) => ["comparison", name] as const) : [])];
}

function fileOf({ scope, values }: ReportRequest<typeof BREAKDOWN_PARAMETERS>) {
  if (values.format === "json") return null;
  return {
    name: `${PRODUCT_NAME.toLowerCase()}-${values.dimension}-${scope.range.firstDay}.${csvFormat.extension}`,
    contentType: csvFormat.contentType,
    textOf: (result: Rows | Page) => csvOfRows(csvColumns(values), "rows" in result ? result.rows : result),
  };
}

export const breakdown = report({
  path: "/api/stats/breakdown/:dimension",
  operationId: "getBreakdown",
  summary: "Visitors, page views and events by value of a dimension",
  parameters: BREAKDOWN_PARAMETERS,
  check: checkBreakdown,
  readsGoals: true,
  result: { name: "Breakdown", schema: ROWS as Schema<Rows | Page>, forms: { BreakdownPage: PAGE } },
  file: fileOf,
  extension: ({ dimension, columns: { further } }) => (readsSessions({ dimension, columns: further }) ? "needed" : "unused"),
  rolled: (scope, { sessionGapMs, hasExtension }) => ({
    ...Object.fromEntries(DIMENSIONS.map((dimension) => [dimension, countsByValue(scope, columnOf(dimension))])),
    ...(hasExtension && {
      "entry-pages": sessionPages(scope, sessionGapMs, "first"),
      "exit-pages": sessionPages(scope, sessionGapMs, "last"),
    }),
  }),
  refusals: { extension_missing: "The dimension or a column needs the behavioral extension, which is not loaded." },
  plan({ scope, values, nowMs, calendar, goals }, { sessionGapMs, rotationDays }) {
    const { dimension, columns, currency } = values;
    const goal = values.goal === null ? null : goalNamed(goals, values.goal);
    const wanted = { dimension, columns: columns.further, goal, currency };
    const window = columns.hasComparison ? comparedWindow(comparisonOf(values), scope.range, nowMs, calendar) : null;
    const others = window ? scopesOf(scope, window, rotationDays) : [];
    const rows = rowsOf(scope, others, wanted, (query) => topOf(values, query), sessionGapMs);
    if (values.with_total === "false") return rows;
    return joinPlans(rows, totalOf(scope, values, sessionGapMs), (found, total) => ({ total, rows: found }));
  },
});
