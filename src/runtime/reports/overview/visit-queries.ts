/** The queries of an overview. Few events answer them without the engine, which hundreds of small sites would keep busy. */
import type { Calendar } from "../../../storage/calendar.ts";
import type { Columns } from "../../../storage/columns.ts";
import type { EpochMs } from "../../../storage/event.ts";
import type { AggregateQuery } from "../../query/aggregate-query.ts";
import type { Visits } from "../../query/visits.ts";
import { DAY_BUCKET, HOUR_BUCKET, hourBucketIn } from "../../query/buckets.ts";
import type { DateRange } from "../../query/date-range.ts";
import type { Scope } from "../../query/scope.ts";
import { MINUTE_MS } from "../measures/recent-activity.ts";
import { firstVisits, lastVisits } from "../measures/visit-times.ts";
import { visitorCounts, visitorCountsBy } from "../measures/visitor-counts.ts";

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

const columnOf = <Item>(items: Iterable<Item>, valueOf: (item: Item) => number): Float64Array => Float64Array.from([...items], valueOf);

/** One row. */
export const visitCounts = (scope: Scope): AggregateQuery => ({
  ...visitorCounts(scope),
  ofVisits(visits) {
    const groups = [...groupsOf(visits, () => 0).values()];
    const { visitors, pageviews, events } = groups[0] ?? { visitors: { size: 0 }, pageviews: 0, events: 0 };
    return { visitors: Float64Array.of(visitors.size), pageviews: Float64Array.of(pageviews), events: Float64Array.of(events) };
  },
});

const visitsBy = (query: AggregateQuery, bucketIn: (range: DateRange, calendar: Calendar) => BucketOf): AggregateQuery => ({
  ...query,
  ofVisits(visits, range, calendar) {
    const groups = groupsOf(visits, bucketIn(range, calendar));
    return {
      bucket: columnOf(groups.keys(), (bucket) => bucket),
      visitors: columnOf(groups.values(), ({ visitors }) => visitors.size),
      pageviews: columnOf(groups.values(), ({ pageviews }) => pageviews),
    };
  },
});

export const visitsByDay = (scope: Scope): AggregateQuery => visitsBy(visitorCountsBy(scope, DAY_BUCKET), () => (day) => day);

export const visitsByHour = (scope: Scope): AggregateQuery => visitsBy(visitorCountsBy(scope, HOUR_BUCKET), hourBucketIn);

/** Visitors by the one of their values that is preferred to all others. */
function visitorsBy(values: Iterable<readonly [visitor: bigint, value: number]>, prefers: (a: number, b: number) => number): Columns {
  const ofVisitor = new Map<bigint, number>();
  for (const [visitor, value] of values) ofVisitor.set(visitor, prefers(ofVisitor.get(visitor) ?? value, value));
  const counts = new Map<number, number>();
  for (const value of ofVisitor.values()) counts.set(value, (counts.get(value) ?? 0) + 1);
  return { bucket: columnOf(counts.keys(), (bucket) => bucket), visitors: columnOf(counts.values(), (visitors) => visitors) };
}

function* timesIn(visits: readonly Visits[]): Generator<readonly [visitor: bigint, timestampMs: EpochMs], void> {
  for (const { timestampsMs, visitorIds } of visits) {
    for (const [i, timestampMs] of timestampsMs.entries()) yield [visitorIds[i] ?? 0n, timestampMs];
  }
}

/** See `firstVisits`. */
export const visitsByFirstMinute: AggregateQuery = {
  ...firstVisits,
  ofVisits: (visits) =>
    visitorsBy(
      Array.from(timesIn(visits), ([visitor, timestampMs]) => [visitor, Math.floor(timestampMs / MINUTE_MS)] as const),
      Math.min,
    ),
};

/** See `lastVisits`. */
export const visitsByLastInstant = (sinceMs: EpochMs): AggregateQuery => ({
  ...lastVisits(sinceMs),
  ofVisits: (visits) =>
    visitorsBy(
      [...timesIn(visits)].filter(([, timestampMs]) => timestampMs >= sinceMs),
      Math.max,
    ),
});
