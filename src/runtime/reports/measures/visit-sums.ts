/**
 * Visits by what each of them has exactly one value of, so that they add up over all values, and over time (docs/reports.md, "Visit
 * dimensions").
 */
import type { Calendar } from "../../../storage/calendar.ts";
import { VISITS_BY_DAY } from "../../../storage/rollup.ts";
import { VALUES_PER_BUCKET_MAX } from "../../base/config/report-limits.ts";
import type { Grouped } from "../../duckdb/rollups/tallies.ts";
import { DAY_BUCKET, type DateRange, type LocalSql } from "../../query/date-range.ts";
import {
  type AdditiveDimension,
  type FirstValueDimension,
  firstValueOf,
  isAdditive,
  isSessionDimension,
  type SessionDimension,
} from "../../query/filters.ts";
import type { AggregateQuery, Together } from "../../query/plan.ts";
import { eventsIn, type Scope, valueColumn, visitsBy, visitsByEach, within } from "../../query/scope.ts";
import { fragment, joinSql, sql, type SqlText, textCode } from "../../query/sql.ts";
import type { Goal } from "../../sites/goal.ts";
import type { ReportSettings, Rollable } from "../report.ts";
import { revenueIn } from "./counts.ts";
import { notMaterialized, sessionSums, sessionSumsBy, SUM_COLUMNS, SUMS, VISITS_AND_BOUNCES, wholeSessions } from "./sessions.ts";
import { meetsGoal } from "./values.ts";

/** Dimensions whose visits rollups store, for the whole range and by day: those that changes list unless asked for others. */
export const ROLLED_DIMENSIONS = [
  "visit-utm-campaigns",
  "visit-sources",
  "entry-pages",
  "visit-utm-sources",
  "visit-utm-mediums",
  "countries",
  "browsers",
  "os",
  "devices",
  "visit-channels",
] as const satisfies readonly AdditiveDimension[];

export interface DescribedVisits {
  readonly sessionGapMs: number;
  /** Absent: all visits together. */
  readonly dimension?: AdditiveDimension | null;
  readonly goal?: Goal | null;
  readonly currency?: string | null;
}

interface VisitSums extends DescribedVisits {
  /** Rows with a value get `pageviews` and `duration_ms`, which rollups leave out: each would take as much room as the rest of a row. */
  readonly withViews?: boolean;
  /** `DAY_BUCKET` or `HOUR_BUCKET`. Absent: the range as a whole. */
  readonly bucket?: LocalSql | null;
}

/** A relation with one row for each of some sessions, by `whole`, and what it tells of them. */
interface Description {
  readonly relation: SqlText;
  readonly columns: SqlText;
  readonly join: SqlText;
}

const pageColumn = (dimension: SessionDimension): SqlText => (dimension === "entry-pages" ? sql`entry_page` : sql`exit_page`);

function valueOf(dimension: AdditiveDimension, scope: Scope): Description {
  const values = isSessionDimension(dimension)
    ? sql`SELECT whole, coalesce(${pageColumn(dimension)}, 0) AS value FROM matching_sessions`
    : sql`SELECT session AS whole, value FROM (${visitsBy(dimension, scope)}) AS first_values`;
  return {
    relation: sql`valued AS NOT MATERIALIZED (${values})`,
    columns: sql`valued.value AS value`,
    join: sql`JOIN valued ON valued.whole = matching_sessions.whole`,
  };
}

/** Events of sessions that the reader may see, whether they match or not. */
const eventsOfSessions = (scope: Scope): SqlText =>
  sql`(${eventsIn({ ...scope, conditions: [] })}) AS shown JOIN wholes ON wholes.session = shown.session`;

const conversionOf = (goal: Goal, scope: Scope): Description => ({
  relation: sql`converted AS (SELECT DISTINCT whole FROM ${eventsOfSessions(scope)} WHERE ${meetsGoal(goal, scope)})`,
  columns: sql`converted.whole IS NOT NULL AS is_converted`,
  join: sql`LEFT JOIN converted ON converted.whole = matching_sessions.whole`,
});

const revenueOf = (currency: string, scope: Scope): Description => ({
  relation: sql`paid AS (
    SELECT whole, ${revenueIn(currency)} AS revenue, count(*) AS payments
    FROM ${eventsOfSessions(scope)}
    WHERE currency = ${textCode(currency)} AND revenue_amount IS NOT NULL
    GROUP BY whole
  )`,
  columns: sql`coalesce(paid.payments, 0) AS payments, coalesce(paid.revenue, 0) AS revenue`,
  join: sql`LEFT JOIN paid ON paid.whole = matching_sessions.whole`,
});

/**
 * A `WITH` of `visits`: the start of each matching session (`day`, `first_ms`), `interactions`, `pageviews`, `duration_ms` and, if asked
 * for, `value`, `is_converted`, `payments` and `revenue`.
 */
export const withVisits = fragment((scope: Scope, calendar: Calendar, { sessionGapMs, dimension, goal, currency }: DescribedVisits) => {
  const described = [
    ...(dimension ? [valueOf(dimension, scope)] : []),
    ...(goal ? [conversionOf(goal, scope)] : []),
    ...(currency ? [revenueOf(currency, scope)] : []),
  ];
  const relations = [wholeSessions(scope, calendar, sessionGapMs), ...described.map(({ relation }) => relation)];
  const columns = [sql`day, first_ms, interactions, pageviews, duration_ms`, ...described.map((each) => each.columns)];
  const joined = described.reduce((from, { join }) => sql`${from} ${join}`, sql`matching_sessions`);
  return sql`
  WITH ${joinSql(relations, ", ")},
  visits AS NOT MATERIALIZED (SELECT ${joinSql(columns, ", ")} FROM ${joined})`;
});

const isFirstValue = (dimension: AdditiveDimension): dimension is FirstValueDimension => !isSessionDimension(dimension);

/** DuckDB: the relation `visits` with a column for each dimension, so that their events are read once for all of them. */
function withVisitsByEach(
  scope: Scope,
  calendar: Calendar,
  { sessionGapMs, goal, currency }: DescribedVisits,
  dimensions: readonly AdditiveDimension[],
): SqlText {
  const first = dimensions.filter(isFirstValue);
  const columns = first.map((dimension) => sql`valued.${valueColumn(dimension)} AS ${valueColumn(dimension)}`);
  const described: readonly Description[] = [
    ...(first.length > 0
      ? [
          {
            relation: sql`valued AS NOT MATERIALIZED (${visitsByEach(first, scope)})`,
            columns: joinSql(columns, ", "),
            join: sql`JOIN valued ON valued.session = matching_sessions.whole`,
          },
        ]
      : []),
    ...(goal ? [conversionOf(goal, scope)] : []),
    ...(currency ? [revenueOf(currency, scope)] : []),
  ];
  const pages = dimensions
    .filter(isSessionDimension)
    .map((dimension) => sql`coalesce(${pageColumn(dimension)}, 0) AS ${valueColumn(dimension)}`);
  const relations = [wholeSessions(scope, calendar, sessionGapMs), ...described.map(({ relation }) => relation)];
  const selected = [sql`day, first_ms, interactions, pageviews, duration_ms`, ...pages, ...described.map((each) => each.columns)];
  const joined = described.reduce((from, { join }) => sql`${from} ${join}`, sql`matching_sessions`);
  return sql`
  WITH ${joinSql(relations, ", ")},
  visits AS NOT MATERIALIZED (SELECT ${joinSql(selected, ", ")} FROM ${joined})`;
}

/**
 * Matching visits, and the sums behind their averages (see `sessionAverages`). Rows with
 * - `bucket`, if asked for: the day or hour in which the visit begins
 * - `value`, with a dimension: each visit has exactly one, `(unknown)` where nothing is recorded, so that rows add up to all visits
 * - `sessions`, `bounces` and, without a dimension or if asked for, `duration_ms`, `pageviews`
 * - `conversions`, with a goal: visits with an event that meets it
 * - `payments` and `revenue` (hundredths), with a currency: events with revenue in it, and their sum
 *
 * With a bucket and a dimension only the `VALUES_PER_BUCKET_MAX` values of each bucket with the most visits have rows, equal ones in order
 * of the value. Rollups store the rows without a filter, goal, currency and views: of `ROLLED_DIMENSIONS` for the whole range and by
 * day, and without a dimension by day and by hour.
 */
export function visitSums(scope: Scope, { bucket, withViews, ...visits }: VisitSums): AggregateQuery {
  const { sessionGapMs, dimension, goal, currency } = visits;
  if (!dimension && !goal && !currency) return bucket ? sessionSumsBy(scope, sessionGapMs, bucket) : sessionSums(scope, sessionGapMs);
  const isWhole = !dimension || withViews;
  const groups = [...(bucket ? [sql`bucket`] : []), ...(dimension ? [sql`value`] : [])];
  const sums = [
    isWhole ? SUMS : VISITS_AND_BOUNCES,
    ...(goal ? [sql`count(*) FILTER (WHERE is_converted) AS conversions`] : []),
    ...(currency ? [sql`CAST(coalesce(sum(payments), 0) AS BIGINT) AS payments, coalesce(sum(revenue), 0) AS revenue`] : []),
  ];
  const bucketIn = (range: DateRange, calendar: Calendar) => (bucket ? sql`, ${bucket(range, calendar, sql`first_ms`)} AS bucket` : sql``);
  const partial: AggregateQuery["partial"] = (range, calendar) => sql`
    ${withVisits(within(scope, range), calendar, visits)},
    begun AS ${notMaterialized()} (SELECT *${bucketIn(range, calendar)} FROM visits)
    SELECT ${joinSql([...groups, ...sums], ", ")}
    FROM begun
    ${groups.length > 0 ? sql`GROUP BY ${joinSql(groups, ", ")}` : sql``}`;
  const ofEach: Together["partial"] = (names, range, calendar) => {
    const dimensions = names.filter(isAdditive);
    const values = dimensions.map(valueColumn);
    // Exactly one of the values of a row is not NULL.
    const place = joinSql(
      values.map((value, i) => sql`CASE WHEN ${value} IS NULL THEN 0 ELSE ${i} END`),
      " + ",
    );
    const sets = values.map((value) => (bucket ? sql`(bucket, ${value})` : sql`(${value})`));
    return sql`
    ${withVisitsByEach(within(scope, range), calendar, visits, dimensions)},
    begun AS NOT MATERIALIZED (SELECT *${bucketIn(range, calendar)} FROM visits)
    SELECT ${bucket ? sql`bucket * ${dimensions.length} + ` : sql``}${place} AS place, coalesce(${joinSql(values, ", ")}) AS value, ${joinSql(sums, ", ")}
    FROM begun
    GROUP BY GROUPING SETS (${joinSql(sets, ", ")})`;
  };
  return {
    keys: bucket ? ["bucket"] : [],
    ...(dimension && { codes: ["value"] }),
    counts: [...(isWhole ? SUM_COLUMNS : ["sessions", "bounces"]), ...(goal ? ["conversions"] : []), ...(currency ? ["payments"] : [])],
    ...(currency && { amounts: ["revenue"] }),
    ...(scope.endsAtMs !== undefined && { isMomentary: true }),
    ...(bucket && dimension && { largestOfEach: { key: "bucket", by: "sessions", text: "value", rowsMax: VALUES_PER_BUCKET_MAX } }),
    ...(dimension && { together: { name: dimension, partial: ofEach } }),
    partial,
  };
}

/** What visits are grouped by where rollups are made. */
function groupedBy(dimension: AdditiveDimension): Grouped {
  if (isSessionDimension(dimension)) return dimension === "entry-pages" ? "visit_entry_page" : "visit_exit_page";
  const value = firstValueOf(dimension);
  return "column" in value ? `visit_${value.column}` : `visit_${value.name}`;
}

/** The measures of visits by value. */
export function rolledVisits(scope: Scope, { sessionGapMs, hasExtension }: Pick<ReportSettings, "sessionGapMs" | "hasExtension">) {
  if (!hasExtension) return {};
  const sums = ROLLED_DIMENSIONS.map((dimension) => {
    const query = visitSums(scope, { sessionGapMs, dimension });
    return [`visits-by/${dimension}`, { query, over: "sessions", by: [groupedBy(dimension)] }] as const;
  });
  const daily = ROLLED_DIMENSIONS.map((dimension) => {
    const query = visitSums(scope, { sessionGapMs, dimension, bucket: DAY_BUCKET });
    return [`${VISITS_BY_DAY}${dimension}`, { query, over: "sessions", by: ["day", groupedBy(dimension)] }] as const;
  });
  return Object.fromEntries<Rollable>([...sums, ...daily]);
}
