/** What each metric of changes counts: its dimensions, its queries, and the tallies in their rows. */
import { CHANGE_VALUES_MAX, VALUES_PER_BUCKET_MAX } from "../../base/config/report-limits.ts";
import { DAY_BUCKET, HOUR_BUCKET } from "../../query/date-range.ts";
import {
  ADDITIVE_DIMENSIONS,
  type BreakdownDimension,
  columnOf,
  DIMENSIONS,
  type Dimension,
  isAdditive,
  isDimension,
  isVisitDimension,
  VISIT_DIMENSIONS,
  type VisitDimension,
} from "../../query/filters.ts";
import type { AggregateQuery } from "../../query/plan.ts";
import { eventsIn, type Scope, within } from "../../query/scope.ts";
import { column, numberIn, sql, type SqlRow, textCode, textIn } from "../../query/sql.ts";
import type { Goal } from "../../sites/goal.ts";
import { COUNT_PAGEVIEWS, visitorCounts, visitorCountsBy } from "../measures/counts.ts";
import { centsIn } from "../measures/fields.ts";
import { countsByValue } from "../measures/values.ts";
import { ROLLED_DIMENSIONS, visitSums } from "../measures/visit-sums.ts";
import { countsByVisit, eventsWithVisit } from "../measures/visits.ts";
import type { ChangeMetric, DayTally, DayValueTally, Tally, ValueTally } from "./input.ts";

/** Visitors have one value of these as long as they keep their id, which has to be a day: then they add up. */
const VISITOR_DIMENSIONS = ["countries", "browsers", "os", "devices"] as const;

type EventCount = "visitors" | "pageviews" | "events";

const isEventCount = (metric: ChangeMetric): metric is EventCount => metric === "visitors" || metric === "pageviews" || metric === "events";

const sumsOver = (metric: ChangeMetric, rotationDays: number): readonly BreakdownDimension[] => {
  if (metric === "visitors") return rotationDays === 1 ? VISITOR_DIMENSIONS : [];
  return isEventCount(metric) ? [...VISIT_DIMENSIONS, ...DIMENSIONS] : ADDITIVE_DIMENSIONS;
};

/** The dimensions over whose values a metric adds up to its total. */
export const addsUpOver = (metric: ChangeMetric, dimension: BreakdownDimension, rotationDays: number): boolean =>
  sumsOver(metric, rotationDays).includes(dimension);

/** What is listed unless a request names dimensions. */
export function dimensionsByDefault(metric: ChangeMetric, rotationDays: number): readonly BreakdownDimension[] {
  const listed: readonly BreakdownDimension[] = ROLLED_DIMENSIONS.filter((dimension) => addsUpOver(metric, dimension, rotationDays));
  if (metric === "pageviews") return [...listed, "pages"];
  return metric === "events" ? [...listed, "pages", "events"] : listed;
}

/** Rows `bucket` (a day), `value`, `visitors`, `pageviews`, `events`, of the values with most events on each day. */
const eventCountsByDay = (scope: Scope, dimension: Dimension | VisitDimension): AggregateQuery => ({
  keys: ["bucket"],
  codes: ["value"],
  counts: ["visitors", "pageviews", "events"],
  largestOfEach: { key: "bucket", by: "events", text: "value", rowsMax: VALUES_PER_BUCKET_MAX },
  partial(range) {
    const part = within(scope, range);
    const [events, value] = isVisitDimension(dimension)
      ? [eventsWithVisit(part, dimension, ["day", "visitor_id", "event_name"]), sql`visit_value`]
      : [eventsIn(part), column(columnOf(dimension))];
    return sql`
    SELECT day AS bucket, ${value} AS value, count(DISTINCT visitor_id) AS visitors, ${COUNT_PAGEVIEWS} AS pageviews, count(*) AS events
    FROM (${events}) AS counted
    GROUP BY day, ${value}`;
  },
});

/** Rows `bucket` (a day), `largest`: the largest payment, in hundredths. A day is of one salt period, so no two rows are added. */
export const largestPayments = (scope: Scope, currency: string): AggregateQuery => ({
  keys: ["bucket"],
  counts: ["largest"],
  partial: (range) => sql`
    SELECT day AS bucket, max(revenue_amount) AS largest
    FROM (${eventsIn(within(scope, range))}) AS paid
    WHERE currency = ${textCode(currency)} AND revenue_amount IS NOT NULL
    GROUP BY day`,
});

export interface Counted {
  readonly metric: ChangeMetric;
  readonly sessionGapMs: number;
  /** Only for `conversions` and `conversion_rate`. */
  readonly goal: Goal | null;
  /** Only for `revenue`. */
  readonly currency: string | null;
}

const visitsOf = ({ metric, sessionGapMs, goal, currency }: Counted) => ({
  ...{ sessionGapMs, goal, currency },
  withViews: metric === "views_per_visit" || metric === "duration",
});

export function totalQuery(scope: Scope, counted: Counted): AggregateQuery {
  return isEventCount(counted.metric) ? visitorCounts(scope) : visitSums(scope, visitsOf(counted));
}

/** Rows with a `bucket` of a day or an hour. */
export function seriesQuery(scope: Scope, counted: Counted, length: "day" | "hour"): AggregateQuery {
  const bucket = length === "day" ? DAY_BUCKET : HOUR_BUCKET;
  return isEventCount(counted.metric) ? visitorCountsBy(scope, bucket) : visitSums(scope, { ...visitsOf(counted), bucket });
}

/** Rows with a `value`: the largest ones, because a site may have a million of paths. */
export function valuesQuery(scope: Scope, counted: Counted, dimension: BreakdownDimension): AggregateQuery {
  return { ...allValues(scope, counted, dimension), top: { by: countColumn(counted.metric), rowsMax: CHANGE_VALUES_MAX } };
}

function allValues(scope: Scope, counted: Counted, dimension: BreakdownDimension): AggregateQuery {
  if (isAdditive(dimension) && !isEventCount(counted.metric)) return visitSums(scope, { ...visitsOf(counted), dimension });
  if (isVisitDimension(dimension)) return countsByVisit(scope, dimension);
  if (isDimension(dimension)) return countsByValue(scope, columnOf(dimension));
  throw new Error(`${counted.metric} do not add up over ${dimension}`);
}

/** Rows with a `bucket` of a day and a `value`. */
export function dailyValuesQuery(scope: Scope, counted: Counted, dimension: BreakdownDimension): AggregateQuery {
  if (isAdditive(dimension) && !isEventCount(counted.metric)) {
    return visitSums(scope, { ...visitsOf(counted), dimension, bucket: DAY_BUCKET });
  }
  if (isVisitDimension(dimension) || isDimension(dimension)) return eventCountsByDay(scope, dimension);
  throw new Error(`${counted.metric} do not add up over ${dimension}`);
}

const PARTS = {
  visits: "bounces",
  bounce_rate: "bounces",
  conversion_rate: "conversions",
  views_per_visit: "pageviews",
  duration: "duration_ms",
} as const;

function countColumn(metric: ChangeMetric) {
  if (metric === "revenue") return "payments";
  return isEventCount(metric) || metric === "conversions" ? metric : "sessions";
}

export function tallyOf(metric: ChangeMetric, row: SqlRow | undefined): Tally {
  const count = numberIn(row, countColumn(metric));
  if (metric === "revenue") return { count, cents: row ? centsIn(row, "revenue") : 0n };
  if (isEventCount(metric) || metric === "conversions") return { count };
  const part = numberIn(row, PARTS[metric]);
  return { count, part: metric === "duration" ? part / 1000 : part };
}

export const valueTally = (metric: ChangeMetric, row: SqlRow): ValueTally => ({ value: textIn(row, "value"), ...tallyOf(metric, row) });

export const dayTally = (metric: ChangeMetric, row: SqlRow): DayTally => ({ day: numberIn(row, "bucket"), ...tallyOf(metric, row) });

export const dayValueTally = (metric: ChangeMetric, row: SqlRow): DayValueTally => ({
  ...valueTally(metric, row),
  day: numberIn(row, "bucket"),
});
