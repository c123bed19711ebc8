/**
 * The queries of an overview. Those of small sites are answered without the engine (`ofVisits`), which hundreds of sites would keep busy,
 * unless rules leave out visits.
 */
import type { Calendar } from "../../../storage/calendar.ts";
import type { Columns } from "../../../storage/columns.ts";
import { type EpochMs, MINUTE_MS } from "../../../storage/event.ts";
import type { AggregateQuery, RowsOfVisits, Visits } from "../../query/plan.ts";
import { type DateRange, DAY_BUCKET, HOUR_BUCKET, hourBucketIn, type LocalSql } from "../../query/date-range.ts";
import { eventsIn, type Scope, within } from "../../query/scope.ts";
import { sql } from "../../query/sql.ts";
import { visitorCounts, visitorCountsBy } from "../measures/counts.ts";
import { MINUTE } from "../realtime.ts";

type BucketOf = (day: number, timestampMs: EpochMs) => number;

interface Group {
  readonly visitors: Set<bigint>;
  pageviews: number;
  events: number;
}

function groupsOf(visits: readonly Visits[], bucketOf: BucketOf): ReadonlyMap<number, Group> {
  const groups = new Map<number, Group>();
  for (const { day, timestampsMs, visitorIds, pageviews } of visits) {
    timestampsMs.forEach((timestampMs, i) => {
      const bucket = bucketOf(day, timestampMs);
      const group = groups.get(bucket) ?? { visitors: new Set(), pageviews: 0, events: 0 };
      groups.set(bucket, group);
      group.visitors.add(visitorIds[i] ?? 0n);
      group.pageviews += pageviews[i] ?? 0;
      group.events++;
    });
  }
  return groups;
}

/** The query, whose rows are `ofVisits` of all visits. */
const ofAllVisits = ({ conditions }: Scope, query: AggregateQuery, ofVisits: RowsOfVisits): AggregateQuery =>
  conditions.length === 0 ? { ...query, ofVisits } : query;

export const visitCounts = (scope: Scope): AggregateQuery =>
  ofAllVisits(scope, visitorCounts(scope), (visits) => {
    const [{ visitors, pageviews, events } = { visitors: { size: 0 }, pageviews: 0, events: 0 }] = groupsOf(visits, () => 0).values();
    return { visitors: Float64Array.of(visitors.size), pageviews: Float64Array.of(pageviews), events: Float64Array.of(events) };
  });

const visitsBy = (scope: Scope, bucket: LocalSql, bucketIn: (range: DateRange, calendar: Calendar) => BucketOf): AggregateQuery =>
  ofAllVisits(scope, visitorCountsBy(scope, bucket), (visits, range, calendar) => {
    const groups = groupsOf(visits, bucketIn(range, calendar));
    return {
      bucket: Float64Array.from(groups.keys()),
      visitors: Float64Array.from([...groups.values()], ({ visitors }) => visitors.size),
      pageviews: Float64Array.from([...groups.values()], ({ pageviews }) => pageviews),
      events: Float64Array.from([...groups.values()], ({ events }) => events),
    };
  });

export const visitsByDay = (scope: Scope): AggregateQuery => visitsBy(scope, DAY_BUCKET, () => (day) => day);

export const visitsByHour = (scope: Scope): AggregateQuery => visitsBy(scope, HOUR_BUCKET, hourBucketIn);

/** Counts visitors by the least or greatest value of their events. Events without a value do not count. */
function visitorsBy(
  visits: readonly Visits[],
  pick: (a: number, b: number) => number,
  valueOf: (timestampMs: EpochMs) => number | null,
): Columns {
  const ofVisitor = new Map<bigint, number>();
  for (const { timestampsMs, visitorIds } of visits) {
    timestampsMs.forEach((timestampMs, i) => {
      const [visitor, value] = [visitorIds[i] ?? 0n, valueOf(timestampMs)];
      if (value !== null) ofVisitor.set(visitor, pick(ofVisitor.get(visitor) ?? value, value));
    });
  }
  const counts = new Map<number, number>();
  for (const value of ofVisitor.values()) counts.set(value, (counts.get(value) ?? 0) + 1);
  return { bucket: Float64Array.from(counts.keys()), visitors: Float64Array.from(counts.values()) };
}

/**
 * Rows `bucket` (a minute since the epoch), `visitors`: visitors of a salt period by the minute of their first event in the range. They
 * answer every end of a window, so the next minute needs no further query.
 */
export const visitsByFirstMinute = (scope: Scope): AggregateQuery =>
  ofAllVisits(
    scope,
    {
      keys: ["bucket"],
      counts: ["visitors"],
      partial: (range) => sql`
    SELECT bucket, count(*) AS visitors
    FROM (SELECT min(${MINUTE}) AS bucket FROM (${eventsIn(within(scope, range))}) AS scoped GROUP BY visitor_id) AS first_visits
    GROUP BY bucket`,
    },
    (visits) => visitorsBy(visits, Math.min, (timestampMs) => Math.floor(timestampMs / MINUTE_MS)),
  );

/**
 * Rows `bucket` (an instant), `visitors`: visitors with an event since `sinceMs`, by the instant of their last one. They answer every
 * later start of a window.
 */
export const visitsByLastInstant = (scope: Scope, sinceMs: EpochMs): AggregateQuery =>
  ofAllVisits(
    scope,
    {
      keys: ["bucket"],
      counts: ["visitors"],
      partial: (range) => sql`
    SELECT bucket, count(*) AS visitors
    FROM (
      SELECT max(timestamp) AS bucket FROM (${eventsIn(within(scope, range))}) AS scoped WHERE timestamp >= ${sinceMs} GROUP BY visitor_id
    ) AS last_visits
    GROUP BY bucket`,
    },
    (visits) => visitorsBy(visits, Math.max, (timestampMs) => (timestampMs >= sinceMs ? timestampMs : null)),
  );
