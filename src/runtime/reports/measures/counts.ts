/** Distinct visitors, page views, events and revenue of a scope (docs/reports.md, "Visitors, page views and events"). */
import { DAY_MS, type LocalDate, type SiteId, utcDateOf } from "../../../storage/event.ts";
import { PAGEVIEW } from "../../base/config/names.ts";
import { type AggregateQuery, type Plan, planOf } from "../../query/plan.ts";
import { DAY_BUCKET, type LocalSql, rangeOfDays } from "../../query/date-range.ts";
import { totalsOfDays, VISITOR_COLUMNS } from "../../query/day-sums.ts";
import { fragment, numberIn, sql, type SqlRow, type SqlText, textCode } from "../../query/sql.ts";
import { eventsIn, type Scope, within } from "../../query/scope.ts";

export const COUNT_PAGEVIEWS = sql`count(*) FILTER (WHERE event_name = ${textCode(PAGEVIEW)})`;

/** Revenue in hundredths, of events with an amount. May exceed 64 bits. */
export const revenueTotal = fragment(() => sql`sum(revenue_amount)`);

/** Revenue in hundredths of the events in one currency. */
export const revenueIn = (currency: string): SqlText =>
  sql`coalesce(${revenueTotal()} FILTER (WHERE currency = ${textCode(currency)} AND revenue_amount IS NOT NULL), 0)`;

/** One row: `visitors`, `pageviews`, `events`. */
export const visitorCounts = (scope: Scope): AggregateQuery => ({
  keys: [],
  counts: ["visitors", "pageviews", "events"],
  ...(scope.endsAtMs !== undefined && { isMomentary: true }),
  ...totalsOfDays(scope, VISITOR_COLUMNS),
  partial: (range) => sql`
    SELECT count(DISTINCT visitor_id) AS visitors, ${COUNT_PAGEVIEWS} AS pageviews, count(*) AS events
    FROM (${eventsIn(within(scope, range))}) AS scoped`,
});

/**
 * Rows `bucket`, `visitors`, `pageviews`, `events` of the buckets with events and, with a currency, `revenue` (hundredths). Rollups store
 * them by day and by hour without revenue.
 */
export const visitorCountsBy = (scope: Scope, bucket: LocalSql, currency: string | null = null): AggregateQuery => ({
  keys: ["bucket"],
  counts: ["visitors", "pageviews", "events"],
  ...(currency !== null && { amounts: ["revenue"] }),
  ...(bucket === DAY_BUCKET && currency === null && totalsOfDays(scope, VISITOR_COLUMNS)),
  partial(range, calendar) {
    const [columns, revenue] =
      currency === null ? [sql``, sql``] : [sql`, revenue_amount, currency`, sql`, ${revenueIn(currency)} AS revenue`];
    return sql`
    SELECT bucket, count(DISTINCT visitor_id) AS visitors, ${COUNT_PAGEVIEWS} AS pageviews, count(*) AS events${revenue}
    FROM (SELECT visitor_id, event_name${columns}, ${bucket(range, calendar)} AS bucket FROM (${eventsIn(within(scope, range))}) AS scoped) AS placed
    GROUP BY bucket`;
  },
});

const firstOf = (rows: readonly SqlRow[], column: string): LocalDate | null =>
  rows.length === 0 ? null : utcDateOf(Math.min(...rows.map((row) => numberIn(row, column))) * DAY_MS);

/** The first date with an event of the scope, where a guest's `period=all` begins; null without one. */
export const firstDayPlan = (scope: Scope): Plan<LocalDate | null> =>
  planOf(scope, [visitorCountsBy(scope, DAY_BUCKET)], (rows) => firstOf(rows, "bucket"));

/** A row `first_day` of each shard with events, whatever the range. */
const FIRST_DAY: AggregateQuery = {
  keys: ["first_day"],
  counts: [],
  partial: () => sql`SELECT min(day) AS first_day FROM events HAVING count(*) > 0`,
};

const EPOCH = utcDateOf(0);

/** The first date of a site with an event, from a backend that keeps no list of days; null without one. */
export const storedFirstDayPlan = (siteId: SiteId): Plan<LocalDate | null> =>
  planOf({ siteId, range: rangeOfDays(EPOCH, EPOCH) }, [FIRST_DAY], (rows) => firstOf(rows, "first_day"));
