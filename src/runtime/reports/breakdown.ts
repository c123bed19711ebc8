/** GET /api/stats/breakdown/{dimension}: the numbers of each value of a dimension (docs/http-api.md, "Breakdowns"). */
import { EVENT_NAME_CHARS_MAX } from "../base/config/limits.ts";
import { BREAKDOWN_ROWS_DEFAULT } from "../base/config/report-limits.ts";
import { invalidInput, refusedValue } from "../base/errors.ts";
import { type AggregateQuery, combinePlans, joinPlans, type OrderKey, type Plan, planOf, type Top } from "../query/plan.ts";
import { byDefaultPrevious, COMPARISON_PARAMETERS, comparedWindow, customRange, scopesOf } from "../query/comparison.ts";
import type { DateRange } from "../query/date-range.ts";
import type { Decimal } from "../base/decimal.ts";
import {
  BREAKDOWN_DIMENSIONS,
  type BreakdownDimension,
  columnOf,
  DIMENSIONS,
  isVisitDimension,
  parseDimension,
  SESSION_DIMENSIONS,
  VISIT_DIMENSIONS,
  visitValueOf,
  isSessionDimension,
} from "../query/filters.ts";
import { closed, count, fraction, list, number, text, type Described, type Schema } from "../base/json-schema.ts";
import {
  currencyOf,
  integer,
  oneOf,
  optional,
  parameter,
  readIf,
  rowLimit,
  searchFor,
  UNKNOWN_LABEL,
  type Parameter,
  type Values,
} from "../query/parameters.ts";
import { numberIn, ratio, type SqlRow, sumsBy, textIn } from "../query/sql.ts";
import type { Scope } from "../query/scope.ts";
import { goalNamed, type Goal } from "../sites/goal.ts";
import { BOM_PARAMETER, csvFormat, csvOfRows, type CsvColumn } from "./exports/formats.ts";
import { EVENTS, MONEY, PAGEVIEWS, VISITORS, moneyIn } from "./measures/fields.ts";
import { countsByValue, sessionPages, sessionsByValue } from "./measures/values.ts";
import { countsByVisit, RULES_VERSION } from "./measures/visits.ts";
import { ARRIVALS_VERSION } from "../arrivals/arrivals.ts";
import { report, type ReportRequest } from "./report.ts";
import { BOM } from "../../shared/csv.ts";
import { exceedsChars } from "../../shared/text.ts";
import { PRODUCT_NAME } from "../../shared/names.ts";
import { BREAKDOWN_OFFSET_MAX, BREAKDOWN_ROWS_MAX } from "../../shared/limits.ts";

const COUNTS = { visitors: VISITORS, pageviews: PAGEVIEWS, events: EVENTS };

const FURTHER = {
  sessions: count("Sessions with a matching event of this value, or that begin or end at this page."),
  bounce_rate: fraction("Share of these sessions with exactly one page view and no other interaction."),
  avg_visit_duration_secs: number("Mean time from the first event of these sessions to their last.", { minimum: 0 }),
  views_per_visit: number("Mean number of page views of these sessions, on all pages.", { minimum: 0 }),
  conversions: count("Distinct visitors of these sessions with an event that meets the goal."),
  conversion_rate: fraction("Conversions divided by visitors."),
  revenue: MONEY,
};

type FurtherColumn = keyof typeof FURTHER;
type CountColumn = keyof typeof COUNTS | FurtherColumn;

export const FURTHER_COLUMNS = Object.keys(FURTHER) as readonly FurtherColumn[];
const BASE_COLUMNS = Object.keys(COUNTS) as readonly (keyof typeof COUNTS)[];
const COUNT_COLUMNS: readonly CountColumn[] = [...BASE_COLUMNS, ...FURTHER_COLUMNS];

const ROW_FIELDS = { ...COUNTS, ...FURTHER };
const ROW_NUMBERS = closed(ROW_FIELDS, { optional: FURTHER_COLUMNS });

const ROWS = list(
  `Most visitors first, then by value, unless \`sort\` says otherwise. At most ${BREAKDOWN_ROWS_MAX}.`,
  closed(
    { value: text("The value; `(unknown)` if it was not recorded."), ...ROW_FIELDS, comparison: ROW_NUMBERS },
    { optional: [...FURTHER_COLUMNS, "comparison"] },
  ),
  { maxItems: BREAKDOWN_ROWS_MAX },
);

const PAGE = closed(
  { total: count("The number of rows without `limit` and `offset`."), rows: ROWS, rules_version: RULES_VERSION },
  { optional: ["rules_version"] },
);

type Rows = Described<typeof ROWS>;
type Page = Described<typeof PAGE>;

interface Columns {
  /** Ordered as in the request. */
  readonly further: readonly FurtherColumn[];
  readonly hasComparison: boolean;
}

const COLUMN_NAMES = [...FURTHER_COLUMNS, "comparison"];
const COLUMN_NAME = `(?:${COLUMN_NAMES.join("|")})`;

const COLUMNS: Parameter<Columns> = parameter(
  {
    description:
      "Further fields of each row, joined by commas. `conversions` and `conversion_rate` require `goal`, `revenue` requires `currency`; " +
      "`comparison` adds the numbers of the same value in another window. All but `revenue` and `comparison` need the behavioral extension.",
    schema: text("Names of fields.", { pattern: `^(?:${COLUMN_NAME}(?:,${COLUMN_NAME})*)?$` }),
    example: "bounce_rate,avg_visit_duration_secs",
  },
  (value, name) => {
    const words = new Set(value === null || value === "" ? [] : value.split(","));
    const unknown = [...words].find((word) => !COLUMN_NAMES.includes(word));
    if (unknown !== undefined) {
      throw invalidInput(`"${name}": unknown field "${unknown}". Use any of ${COLUMN_NAMES.join(", ")}, joined by commas`);
    }
    const hasComparison = words.delete("comparison");
    return { further: [...words] as FurtherColumn[], hasComparison };
  },
);

const SORT: Parameter<{ readonly column: "value" | CountColumn; readonly isAscending: boolean }> = parameter(
  {
    description: "The order of the rows: a field, and `asc` or `desc`. Rows with equal fields are in ascending order of their values.",
    schema: text("`value`, or a field of the rows that the request has.", {
      pattern: `^(?:value|${COUNT_COLUMNS.join("|")}):(?:asc|desc)$`,
      default: "visitors:desc",
    }),
    example: "visitors:desc",
  },
  (written, name) => {
    if (written === null) return { column: "visitors", isAscending: false };
    const [word, direction, ...others] = written.split(":");
    const column = (["value", ...COUNT_COLUMNS] as const).find((known) => known === word);
    if (column === undefined || (direction !== "asc" && direction !== "desc") || others.length > 0) {
      throw refusedValue(`"${name}"`, `one of value, ${COUNT_COLUMNS.join(", ")}, followed by :asc or :desc`, written);
    }
    return { column, isAscending: direction === "asc" };
  },
);

const goalColumnOf = ({ further }: Columns): FurtherColumn | undefined =>
  further.find((column) => column === "conversions" || column === "conversion_rate");

/** A parameter is read if `columns`, which is declared above, asks for it. */
const asks = (isNeeded: (columns: Columns) => boolean) => (values: { readonly columns: Columns }) => isNeeded(values.columns);

const PARAMETERS = {
  dimension: {
    in: "path",
    description: `The dimension of the breakdown. ${SESSION_DIMENSIONS.join(" and ")} need the behavioral extension.`,
    required: true,
    schema: text("A dimension.", { enum: BREAKDOWN_DIMENSIONS }),
    example: "pages",
    parse: (slug) => parseDimension(slug ?? ""),
  } satisfies Parameter<BreakdownDimension>,
  limit: rowLimit("Maximum number of rows.", BREAKDOWN_ROWS_MAX, BREAKDOWN_ROWS_DEFAULT),
  offset: integer(
    { description: "Rows that are left out before the first one.", meaning: "Values outside the bounds are refused.", example: 0 },
    { min: 0, max: BREAKDOWN_OFFSET_MAX, default: 0 },
  ),
  search: searchFor("rows with values"),
  unknown_label: UNKNOWN_LABEL,
  sort: SORT,
  columns: COLUMNS,
  ...readIf(
    asks((columns) => goalColumnOf(columns) !== undefined),
    {
      goal: optional(
        {
          description: "The goal of `conversions` and `conversion_rate`: one of the site's, or the events of that name if no goal has it.",
          schema: text("The name of a goal or of an event.", { minLength: 1, maxLength: EVENT_NAME_CHARS_MAX }),
          example: "signup",
        },
        (goal, name) => {
          if (goal === "" || exceedsChars(goal, EVENT_NAME_CHARS_MAX)) {
            throw invalidInput(`"${name}" must be a name of 1 to ${EVENT_NAME_CHARS_MAX} characters`);
          }
          return goal;
        },
      ),
    },
  ),
  ...readIf(
    asks(({ further }) => further.includes("revenue")),
    { currency: currencyOf("revenue") },
  ),
  with_total: oneOf("`true`: the response is an object with the rows and their number, and not just the rows.", ["false", "true"]),
  format: oneOf("`csv`: the same rows as a file.", ["json", "csv"]),
  bom: BOM_PARAMETER,
  ...readIf(
    asks(({ hasComparison }) => hasComparison),
    COMPARISON_PARAMETERS,
  ),
};

type BreakdownValues = Values<typeof PARAMETERS>;

/** 400 for a column without the parameter that it requires, and for an order by a field that the rows do not contain. */
function check(values: BreakdownValues, _range: DateRange, rangeDaysMax: number): void {
  const { columns, goal, currency, sort } = values;
  const goalColumn = goalColumnOf(columns);
  if (goalColumn !== undefined && goal === null) throw invalidInput(`"goal" is required when "columns" has ${goalColumn}`);
  if (columns.further.includes("revenue") && currency === null) throw invalidInput('"currency" is required when "columns" has revenue');
  const isFurther = (FURTHER_COLUMNS as readonly string[]).includes(sort.column);
  if (isFurther && !columns.further.some((column) => column === sort.column)) {
    throw invalidInput(`"sort" by ${sort.column} requires it in "columns"`);
  }
  if (columns.hasComparison) customRange(byDefaultPrevious(values), rangeDaysMax);
}

/** The rows that a request asks for, before order and limit. */
interface WantedRows {
  readonly dimension: BreakdownDimension;
  readonly columns: readonly FurtherColumn[];
  readonly goal: Goal | null;
  readonly currency: string | null;
}

const needsSessions = (columns: readonly FurtherColumn[]): boolean => columns.some((column) => column !== "revenue");

/** The cheapest query for the rows. Rollups store its rows if there are neither further columns nor a filter. */
function queryOf(scope: Scope, { dimension, columns, goal, currency }: WantedRows, sessionGapMs: number): AggregateQuery {
  const wantsRevenue = columns.includes("revenue") ? currency : null;
  if (needsSessions(columns) || (wantsRevenue !== null && isSessionDimension(dimension))) {
    return sessionsByValue(scope, { dimension, sessionGapMs, goal, currency: wantsRevenue });
  }
  if (isSessionDimension(dimension)) return sessionPages(scope, sessionGapMs, dimension === "entry-pages" ? "first" : "last");
  if (isVisitDimension(dimension)) return countsByVisit(scope, dimension, wantsRevenue);
  return countsByValue(scope, columnOf(dimension), wantsRevenue);
}

type Numbers = Readonly<Record<CountColumn, OrderKey>>;

/** Each number of a row is a sum in the query's row, or the ratio of two. */
const EVENT_NUMBERS: Numbers = {
  visitors: "visitors",
  pageviews: "pageviews",
  events: "events",
  sessions: "sessions",
  bounce_rate: { part: "bounces", whole: "sessions" },
  avg_visit_duration_secs: { part: "duration_ms", whole: "sessions" },
  views_per_visit: { part: "session_pageviews", whole: "sessions" },
  conversions: "conversions",
  conversion_rate: { part: "conversions", whole: "visitors" },
  revenue: "revenue",
};

/** `sessionPages`: each session counts as one page view and one event of the page where it begins or ends. */
const SESSION_NUMBERS: Numbers = { ...EVENT_NUMBERS, pageviews: "sessions", events: "sessions" };

function valueOf(column: CountColumn, row: SqlRow | undefined): number | Decimal {
  if (column === "revenue") return moneyIn(row, "revenue");
  const key = (row && !("events" in row) ? SESSION_NUMBERS : EVENT_NUMBERS)[column];
  if (typeof key === "string") return numberIn(row, key);
  return ratio(numberIn(row, key.part), numberIn(row, key.whole) * (column === "avg_visit_duration_secs" ? 1000 : 1));
}

/** The numbers of a row; zeros without one. */
const numbersOf = (row: SqlRow | undefined, columns: readonly FurtherColumn[]) =>
  Object.fromEntries([...BASE_COLUMNS, ...columns].map((column) => [column, valueOf(column, row)])) as Described<typeof ROW_NUMBERS>;

const searchOf = ({ search, unknown_label: unknownLabel }: BreakdownValues): Pick<Top, "search" | "unknownLabel"> => ({
  ...(search !== null && { search }),
  ...(unknownLabel !== null && { unknownLabel }),
});

function topOf(values: BreakdownValues, { counts }: AggregateQuery): Top {
  const { sort, limit, offset } = values;
  const page = { rowsMax: limit, ...(offset > 0 && { offset }), ...searchOf(values) };
  if (sort.column === "value") return { ...page, ...(!sort.isAscending && { isReversed: true }) };
  const numbers = counts.includes("events") ? EVENT_NUMBERS : SESSION_NUMBERS;
  return { ...page, by: numbers[sort.column], ...(sort.isAscending && { isReversed: true }) };
}

/** Restricts a query to the values of these rows. No rows need no query. */
const ofValues = (query: AggregateQuery, rows: readonly SqlRow[]): AggregateQuery[] =>
  rows.length === 0 ? [] : [{ ...query, top: { values: rows.map((row) => textIn(row, "value")), rowsMax: rows.length } }];

/** One page of rows. `compared` are the scopes that the compared window consists of; none without a comparison. */
function rowsOf(scope: Scope, compared: readonly Scope[], wanted: WantedRows, values: BreakdownValues, sessionGapMs: number): Plan<Rows> {
  const query = queryOf(scope, wanted, sessionGapMs);
  const page = planOf(scope, [{ ...query, top: topOf(values, query) }], (found) => found);
  const parts = compared.map((part) => planOf(part, [queryOf(part, wanted, sessionGapMs)], (...found) => found.flat()));
  // The parts of a window share no visitors.
  const columns = [...query.counts, ...(query.amounts ?? [])];
  const sums = combinePlans(parts, (found) => sumsBy((row) => textIn(row, "value"), found.flat(), columns));
  const join = (found: readonly SqlRow[], before: ReadonlyMap<string, SqlRow>): Rows =>
    found.map((row) => {
      const value = textIn(row, "value");
      const comparison = compared.length > 0 && { comparison: numbersOf(before.get(value), wanted.columns) };
      return { value, ...numbersOf(row, wanted.columns), ...comparison };
    });
  return joinPlans(page, sums, join, ofValues);
}

/** The number of all rows, which further columns do not change. */
function totalOf(scope: Scope, values: BreakdownValues, sessionGapMs: number): Plan<number> {
  const query = queryOf(scope, { dimension: values.dimension, columns: [], goal: null, currency: null }, sessionGapMs);
  const top = { rowsMax: BREAKDOWN_ROWS_MAX, ...searchOf(values) };
  return planOf(scope, [{ ...query, top, isCounted: true }], ([row]) => numberIn(row, "row_count"));
}

function csvColumns({ columns: { further, hasComparison } }: BreakdownValues): readonly CsvColumn[] {
  const numbers = [...BASE_COLUMNS, ...further];
  return ["value", ...numbers, ...(hasComparison ? numbers.map((name) => ["comparison", name] as const) : [])];
}

function fileOf({ scope, values }: ReportRequest<typeof PARAMETERS>) {
  if (values.format === "json") return null;
  return {
    name: `${PRODUCT_NAME.toLowerCase()}-${values.dimension}-${scope.range.firstDay}.${csvFormat.extension}`,
    contentType: csvFormat.contentType,
    textOf: (result: Rows | Page) =>
      (values.bom === "true" ? BOM : "") + csvOfRows(csvColumns(values), "rows" in result ? result.rows : result),
  };
}

export const breakdown = report({
  path: "/api/stats/breakdown/:dimension",
  operationId: "getBreakdown",
  summary: "Visitors, page views and events by value of a dimension",
  parameters: PARAMETERS,
  check,
  readsGoals: true,
  result: { name: "Breakdown", schema: ROWS as Schema<Rows | Page>, forms: { BreakdownPage: PAGE } },
  file: fileOf,
  extension: ({ dimension, columns: { further } }) => (isSessionDimension(dimension) || needsSessions(further) ? "needed" : "unused"),
  rolled: (scope, { sessionGapMs, hasExtension }) => ({
    ...Object.fromEntries(
      DIMENSIONS.map((dimension) => {
        const column = columnOf(dimension);
        return [dimension, { query: countsByValue(scope, column), over: "events", by: [column] }] as const;
      }),
    ),
    ...Object.fromEntries(
      VISIT_DIMENSIONS.map((dimension) => {
        const value = visitValueOf(dimension);
        const by = "column" in value ? (`visit_${value.column}` as const) : (`visit_${value.name}` as const);
        return [dimension, { query: countsByVisit(scope, dimension), over: "sessions", by: [by] }] as const;
      }),
    ),
    ...(hasExtension && {
      "entry-pages": { query: sessionPages(scope, sessionGapMs, "first"), over: "sessions", by: ["entry_page"] },
      "exit-pages": { query: sessionPages(scope, sessionGapMs, "last"), over: "sessions", by: ["exit_page"] },
    }),
  }),
  refusals: { extension_missing: "The dimension or a column needs the behavioral extension, which is not loaded." },
  plan({ scope, values, nowMs, calendar, goals }, { sessionGapMs, rotationDays }) {
    const { dimension, columns, currency } = values;
    const goal = values.goal === null ? null : goalNamed(goals, values.goal);
    const window = columns.hasComparison ? comparedWindow(byDefaultPrevious(values), scope.range, nowMs, calendar) : null;
    const compared = window ? scopesOf(scope, window, rotationDays) : [];
    const rows = rowsOf(scope, compared, { dimension, columns: columns.further, goal, currency }, values, sessionGapMs);
    if (values.with_total === "false") return rows;
    return joinPlans(rows, totalOf(scope, values, sessionGapMs), (found, total) => ({
      total,
      rows: found,
      ...(isVisitDimension(dimension) && "name" in visitValueOf(dimension) && { rules_version: ARRIVALS_VERSION }),
    }));
  },
});
