/** Compares visits by value, by day and by hour with a plain model, over random histories, filters, shared parts and cuts. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DAY_BUCKET, HOUR_BUCKET, rangeOfDays } from "../../src/runtime/query/date-range.ts";
import {
  ADDITIVE_DIMENSIONS,
  type AdditiveDimension,
  type Condition as ParsedCondition,
  conditionsOn,
  isSessionDimension,
  parseSegmentFilter,
} from "../../src/runtime/query/filters.ts";
import { type AggregateQuery, planOf } from "../../src/runtime/query/plan.ts";
import type { Scope as QueryScope } from "../../src/runtime/query/scope.ts";
import type { SqlRow } from "../../src/runtime/query/sql.ts";
import { visitSums } from "../../src/runtime/reports/measures/visit-sums.ts";
import type { LocalDate, SiteId, StoredEvent } from "../../src/storage/event.ts";
import type { MakeInProcessTarget } from "../support/in-process-target.ts";
import { filterText } from "./conditions.ts";
import { isVisitDimension, type Condition, UNKNOWN, valueOf, visitValueOf } from "./filter-model.ts";
import { DAY_MS, history, TEXTS, withPeriods } from "./histories.ts";
import { isPageview, keptSessions, type Dimension, type Events, type Scope } from "./model.ts";
import { playHistory } from "./played-history.ts";
import { filterConditions, question, scopeOf, type Question } from "./questions.ts";
import { PROPERTY_TIMEOUT_MS, runsOf, type Runs } from "./settings.ts";

const [MINUTE_MS, HOUR_MS] = [60_000, 3_600_000];

const BUCKETS = { day: DAY_BUCKET, hour: HOUR_BUCKET } as const;
const BUCKET_MS = { day: DAY_MS, hour: HOUR_MS } as const;

interface Asked {
  readonly about: Question;
  readonly shared: readonly Condition[] | null;
  /** Events after this time before now are left out. */
  readonly endsBeforeNowMs: number | null;
  readonly dimension: AdditiveDimension | null;
  /** Others that are asked for in the same step, so that one statement has the rows of all. */
  readonly beside: readonly AdditiveDimension[];
  readonly bucket: keyof typeof BUCKETS | null;
  /** The name of events. */
  readonly goal: string | null;
  readonly currency: string | null;
  readonly withViews: boolean;
  /** In place of the program's limit, which no history reaches. */
  readonly rowsMax: number;
}

const asked: fc.Arbitrary<Asked> = fc.record({
  about: question,
  shared: fc.option(filterConditions, { freq: 2, nil: null }),
  endsBeforeNowMs: fc.oneof(
    { weight: 4, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constantFrom(0, HOUR_MS, DAY_MS, 2 * DAY_MS) },
  ),
  dimension: fc.option(fc.constantFrom(...ADDITIVE_DIMENSIONS), { freq: 8, nil: null }),
  beside: fc.uniqueArray(fc.constantFrom(...ADDITIVE_DIMENSIONS), { maxLength: 4 }),
  bucket: fc.constantFrom(null, "day", "hour"),
  goal: fc.option(
    TEXTS.events.filter((name) => name !== ""),
    { freq: 1, nil: null },
  ),
  currency: fc.constantFrom(null, null, "EUR", "USD"),
  withViews: fc.boolean(),
  rowsMax: fc.constantFrom(1, 2, 200),
});

type Row = Readonly<Record<string, string | number>>;

const compareTexts = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

function valueOfVisit(visit: Events, dimension: AdditiveDimension): string {
  const [first] = visit as readonly [StoredEvent];
  if (isVisitDimension(dimension)) return visitValueOf(first, dimension);
  if (!isSessionDimension(dimension)) return valueOf(first, dimension as Dimension);
  return visit.filter(isPageview).at(dimension === "entry-pages" ? 0 : -1)?.pathname ?? UNKNOWN;
}

/** The histories are in UTC. */
function groupOf(visit: Events, { dimension, bucket }: Asked): Row {
  const [first] = visit as readonly [StoredEvent];
  return {
    ...(bucket && { bucket: Math.floor(first.timestampMs / BUCKET_MS[bucket]) }),
    ...(dimension && { value: valueOfVisit(visit, dimension) }),
  };
}

function rowOf(visits: readonly Events[], { dimension, goal, currency, withViews }: Asked): Row {
  const views = visits.map((visit) => visit.filter(isPageview).length);
  const bounces = visits.filter(
    (visit, i) => views[i] === 1 && visit.filter((event) => isPageview(event) || event.interactive === null).length === 1,
  );
  const payments = visits.flat().filter((event) => event.revenueCents !== null && event.currency === currency);
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
  return {
    sessions: visits.length,
    bounces: bounces.length,
    ...((dimension === null || withViews) && {
      duration_ms: sum(visits.map((visit) => (visit.at(-1)?.timestampMs ?? 0) - (visit[0]?.timestampMs ?? 0))),
      pageviews: sum(views),
    }),
    ...(goal !== null && { conversions: visits.filter((visit) => visit.some(({ eventName }) => eventName === goal)).length }),
    ...(currency !== null && { payments: payments.length, revenue: String(sum(payments.map(({ revenueCents }) => revenueCents ?? 0))) }),
  };
}

function expectedOf(events: Events, scope: Scope, gapMs: number, one: Asked): Row[] {
  const groups = new Map<string, Events[]>();
  for (const visit of keptSessions(events, scope, gapMs)) {
    const group = JSON.stringify(groupOf(visit, one));
    groups.set(group, [...(groups.get(group) ?? []), visit]);
  }
  if (one.bucket === null && one.dimension === null && groups.size === 0 && events.some(({ siteId }) => siteId === scope.siteId))
    groups.set("{}", []);
  const rows = Array.from(groups, ([group, visits]) => ({ ...(JSON.parse(group) as Row), ...rowOf(visits, one) }) as Row);
  if (one.bucket === null || one.dimension === null) return rows;
  const inOrder = rows.toSorted(
    (a, b) => Number(b["sessions"]) - Number(a["sessions"]) || compareTexts(String(a["value"]), String(b["value"])),
  );
  const taken = new Map<unknown, number>();
  return inOrder.filter(({ bucket }) => {
    const before = taken.get(bucket) ?? 0;
    taken.set(bucket, before + 1);
    return before < one.rowsMax;
  });
}

/** Rows have no order. Those without a visit are no difference: a range without events has none. */
const comparable = (rows: readonly (Row | SqlRow)[]): string[] =>
  rows
    .filter(({ sessions }) => Number(sessions) > 0)
    .map((row) =>
      JSON.stringify(
        Object.entries(row)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, value]) => [name, String(value)]),
      ),
    )
    .sort();

const parsed = (conditions: readonly Condition[]): readonly ParsedCondition[] =>
  conditionsOn(parseSegmentFilter(filterText(conditions)), () => []);

function queryScopeOf(
  { siteId, firstDay, lastDay, conditions, shared }: Scope,
  gapMs: number,
  rotationDays: number,
  endsAtMs: number | null,
): QueryScope {
  const [own, hiding] = [parsed(conditions), shared && parsed(shared)];
  return {
    siteId: siteId as SiteId,
    range: rangeOfDays(firstDay as LocalDate, lastDay as LocalDate),
    conditions: [...own, ...(hiding ?? [])],
    ...(hiding && { shared: { conditions: hiding, range: null } }),
    sessionRules: { sessionGapMs: gapMs, rotationDays },
    ...(endsAtMs !== null && { endsAtMs }),
  };
}

function queryOf(
  scope: QueryScope,
  sessionGapMs: number,
  { dimension, bucket, goal, currency, withViews, rowsMax }: Asked,
): AggregateQuery {
  const query = visitSums(scope, {
    ...{ sessionGapMs, dimension, currency, withViews },
    bucket: bucket && BUCKETS[bucket],
    goal: goal === null ? null : { event: goal, property: null },
  });
  return { ...query, ...(query.largestOfEach && { largestOfEach: { ...query.largestOfEach, rowsMax } }) };
}

export function describeVisitSums(makeTarget: MakeInProcessTarget, runs: Runs): void {
  describe("sums of visits", () => {
    it(
      "sums of visits by value, day and hour equal the model, for any filter and shared part, and add up to all visits",
      async () => {
        const played = fc.record({
          past: history,
          rotationDays: fc.constantFrom(1, 1, 7, 3650),
          list: fc.array(asked, { minLength: 8, maxLength: 16 }),
        });
        const holds = fc.asyncProperty(played, async ({ past, rotationDays, list }) => {
          const environment = { SVC_VISITOR_SALT_ROTATION_DAYS: String(rotationDays) };
          const { target, events, close } = await playHistory(makeTarget, withPeriods(past, rotationDays), environment);
          const gapMs = past.sessionWindowMinutes * MINUTE_MS;
          for (const one of list) {
            const scope = { ...scopeOf(one.about, past), ...(one.shared && { shared: one.shared }) };
            const endsAtMs = one.endsBeforeNowMs === null ? null : past.nowMs - one.endsBeforeNowMs;
            const early = endsAtMs === null ? events : events.filter(({ timestampMs }) => timestampMs < endsAtMs);
            const queryScope = queryScopeOf(scope, gapMs, rotationDays, endsAtMs);
            const all = [one, ...one.beside.map((dimension) => ({ ...one, dimension }))];
            const queries = all.map((each) => queryOf(queryScope, gapMs, each));
            const rows = await target.run(planOf(queryScope, queries, (...found: (readonly SqlRow[])[]) => found));
            for (const [i, each] of all.entries()) {
              expect({ each, rows: comparable(rows[i] ?? []) }).toEqual({ each, rows: comparable(expectedOf(early, scope, gapMs, each)) });
            }
          }
          await close();
        });
        await fc.assert(holds, { ...runsOf(runs), endOnFailure: true });
      },
      PROPERTY_TIMEOUT_MS,
    );
  });
}
