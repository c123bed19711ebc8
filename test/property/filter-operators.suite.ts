/**
 * Every operator on every dimension, of an event, of its properties and of its session: each report keeps what the model keeps, also for
 * viewers from whom some events are hidden, and whether visitor ids live for a day or for good.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LocalDate, SiteId } from "../../src/storage/event.ts";
import { createShare, logIn, postSetup, withShare } from "../support/auth-requests.ts";
import type { InProcessTarget, MakeInProcessTarget } from "../support/in-process-target.ts";
import type { RequestHeaders } from "../support/requests.ts";
import { retentionFiguresOf } from "./behavioral-figures-model.ts";
import { FILTER_DIMENSIONS, OPERATORS, condition, conditionOn, filterText } from "./conditions.ts";
import { VISIT_DIMENSION_NAMES, type Condition, type PlainGoal } from "./filter-model.ts";
import type { PlainRule } from "./left-out-model.ts";
import { SITES, history, withPeriods, type History } from "./histories.ts";
import {
  breakdownOf,
  customMainOf,
  dayOf,
  dayPlus,
  mainOf,
  realtimeOf,
  sessionTimeseriesOf,
  timeseriesOf,
  type CustomWindow,
  type Events,
  type Scope,
} from "./model.ts";
import { PLAIN_REPORTS } from "./plain-reports.ts";
import { playHistory } from "./played-history.ts";
import { filtersParameter, parametersOf, scopeOf, type Question } from "./questions.ts";
import { PROPERTY_TIMEOUT_MS, runsOf, type Runs } from "./settings.ts";

const MINUTE_MS = 60_000;
const [SITE] = SITES;

/** What is asked of a history. */
interface Asked {
  readonly events: Events;
  readonly past: History;
  readonly scope: Scope;
  readonly gapMs: number;
}

type Parameters = Readonly<Record<string, string>>;

/** A report, its own parameters, and the response's JSON by the model. */
type Report = readonly [endpoint: string, own: Parameters | ((nowMs: number) => Parameters), bodyOf: (asked: Asked) => unknown];

/** Some days, the last of which ends at the time of day that it is now. */
const cutWindow = (nowMs: number): CustomWindow => ({
  firstDay: dayPlus(dayOf(nowMs), -3),
  lastDay: dayPlus(dayOf(nowMs), -1),
  isSameTime: true,
});

const REPORTS: readonly Report[] = [
  ["main", {}, ({ events, scope, gapMs }) => mainOf(events, scope, gapMs, null)],
  ["main", { compare: "previous_period" }, ({ events, scope, gapMs }) => mainOf(events, scope, gapMs, "previous_period")],
  [
    "main",
    (nowMs) => {
      const { firstDay, lastDay } = cutWindow(nowMs);
      return { compare: "custom", compare_start_date: firstDay, compare_end_date: lastDay, compare_same_time: "true" };
    },
    ({ events, scope, gapMs, past: { nowMs } }) => customMainOf(events, scope, gapMs, cutWindow(nowMs), nowMs),
  ],
  ["timeseries", {}, ({ events, scope }) => timeseriesOf(events, scope)],
  ["session-timeseries", {}, ({ events, scope, gapMs }) => sessionTimeseriesOf(events, scope, gapMs)],
  ["breakdown/pages", {}, ({ events, scope }) => breakdownOf(events, scope, "pages", 10)],
  ["breakdown/events", {}, ({ events, scope }) => breakdownOf(events, scope, "events", 10)],
  ...VISIT_DIMENSION_NAMES.map((dimension): Report => [
    `breakdown/${dimension}`,
    {},
    ({ events, scope }) => breakdownOf(events, scope, dimension, 10),
  ]),
  ...PLAIN_REPORTS,
  ["retention", { weeks: "4" }, ({ events, scope }) => expect.objectContaining({ cohorts: retentionFiguresOf(events, scope, 4) })],
  [
    "realtime",
    { minutes: "60" },
    ({ events, scope, past: { nowMs, realtimeWindowMinutes: windowMinutes }, gapMs }) =>
      realtimeOf(events, { ...scope, sessionGapMs: gapMs, nowMs, windowMinutes, minutes: 60 }),
  ],
];

/** Some reports of the filter, of days that many of a history's events are in. */
const askedWith = (conditions: fc.Arbitrary<readonly Condition[]>) =>
  fc.record({
    about: fc.record({
      siteId: fc.constant(SITE as string),
      days: fc.constantFrom("12mo", "12mo", "30d", "7d", "day").map((period) => ({ kind: "period" as const, period })),
      conditions,
    }),
    reports: fc.subarray([...REPORTS], { minLength: 1, maxLength: 2 }),
  });

type AskedReports = typeof askedWith extends (...drawn: never[]) => fc.Arbitrary<infer Drawn> ? Drawn : never;

interface View {
  readonly headers?: RequestHeaders;
  readonly shared?: readonly Condition[];
  readonly goals?: readonly PlainGoal[];
  readonly rules?: readonly PlainRule<Condition>[];
}

function parametersFor(endpoint: string, about: Question, nowMs: number): Parameters {
  return endpoint === "realtime" ? { site_id: SITE, ...filtersParameter(about.conditions) } : parametersOf(about, nowMs);
}

/** Drawn from what is drawn anyway. */
const isAskedStrictly = ({ conditions }: Question): boolean => filterText(conditions).length % 3 === 0;

async function check(target: InProcessTarget, past: History, { about, reports }: AskedReports, view: View = {}): Promise<void> {
  const events = past.steps.flatMap((step) => step.events);
  const { headers = {}, ...seen } = view;
  const isStrict = isAskedStrictly(about);
  const scope: Scope = { ...scopeOf(about, past), ...seen, isStrict, sessionGapMs: past.sessionWindowMinutes * MINUTE_MS };
  for (const [endpoint, own, bodyOf] of reports) {
    const parameters = {
      ...parametersFor(endpoint, about, past.nowMs),
      ...(typeof own === "function" ? own(past.nowMs) : own),
      ...(isStrict && { lens: "strict" }),
    };
    const path = `/api/stats/${endpoint}?${new URLSearchParams(parameters).toString()}`;
    const response = await target.fetch(path, { headers });
    const body = bodyOf({ events, past, scope, gapMs: past.sessionWindowMinutes * MINUTE_MS });
    const text = await response.text();
    expect({ path, parameters, seen, status: response.status, body: JSON.parse(text) as unknown }).toEqual({
      path,
      parameters,
      seen,
      status: 200,
      body,
    });
  }
}

const EVENTS_MIN = 15;

const eventsOf = ({ steps }: History): number =>
  steps.reduce((sum, { events }) => sum + events.filter(({ siteId }) => siteId === SITE).length, 0);

/** With events enough that sessions have several, and visitor ids that live that long. */
const pastFor = fc
  .tuple(
    fc.noBias(history).filter((past) => eventsOf(past) >= EVENTS_MIN),
    fc.constantFrom(1, 3, 3650),
  )
  .map(([past, rotationDays]) => ({ past: withPeriods(past, rotationDays), rotationDays }));

const environmentFor = (rotationDays: number) => ({
  SVC_VISITOR_SALT_ROTATION_DAYS: String(rotationDays),
  SVC_MAX_CONCURRENT_QUERIES: "0",
});

const ofEachDimension = (operator: Condition["operator"]) =>
  fc.tuple(...FILTER_DIMENSIONS.map((dimension) => askedWith(conditionOn(dimension, operator).map((only) => [only]))));

const path = fc.constantFrom("/", "/a", "/a*", "/*b", "*", "/nowhere");
const eventName = fc.constantFrom("Signup", "Purchase", "Pageview", "pageview");
const goalName = fc.constantFrom("Signup", "Purchase", "A page", "(unknown)", "pageview", "never reached");

/** Some have the name of an event, of which they need not be. */
const goals: fc.Arbitrary<readonly PlainGoal[]> = fc.uniqueArray(
  fc.oneof(
    fc.record({ name: goalName, page: path }),
    fc.record({ name: goalName, event: eventName }),
    fc.record({ name: goalName, event: eventName, property: fc.constantFrom(["plan", "pro"] as const, ["a.b", "1"] as const) }),
  ),
  { selector: ({ name }) => name, minLength: 1, maxLength: 4 },
);

/** The headers of a viewer for whom nothing exists but events that meet these conditions. */
async function viewerOf(target: InProcessTarget, shared: readonly Condition[]): Promise<RequestHeaders> {
  await postSetup(target);
  const { filters = "" } = filtersParameter(shared);
  const { token } = await createShare(target, await logIn(target), { site_id: SITE, filters });
  return withShare(token);
}

async function addGoals(target: InProcessTarget, defined: readonly PlainGoal[]): Promise<void> {
  const { signal } = new AbortController();
  for (const [position, goal] of defined.entries()) {
    const property = "property" in goal ? { key: goal.property[0], value: goal.property[1] } : null;
    const definition = "page" in goal ? { page: goal.page } : { event: goal.event, property };
    const fields = { name: goal.name, goal: definition, hasRevenue: false, position };
    const { goals: stored } = target.services;
    await stored.change(SITE as string as SiteId, () => new Map([[stored.newId(), fields]]), signal);
  }
}

async function applyRules(target: InProcessTarget, rules: readonly PlainRule<Condition>[]): Promise<void> {
  const { signal } = new AbortController();
  const { rules: stored } = target.services;
  const fields = rules.map(({ conditions, firstDate, lastDate, ...rule }) => ({
    ...{ name: "a rule", filters: filterText(conditions), isApplied: true, ...rule },
    ...{ firstDate: firstDate as LocalDate | null, lastDate: lastDate as LocalDate | null },
  }));
  await stored.change(SITE as string as SiteId, () => new Map(fields.map((each) => [stored.newId(), each])), signal);
}

const RULED_DIMENSIONS = FILTER_DIMENSIONS.filter((dimension) => dimension !== "goal" && !dimension.startsWith("props:"));

const ruled = fc
  .tuple(fc.constantFrom(...RULED_DIMENSIONS), fc.constantFrom(...OPERATORS.filter((operator) => operator !== "matches")))
  .chain(([dimension, operator]) => conditionOn(dimension, operator));

const ruledDate = ({ nowMs }: History) => fc.option(fc.constantFrom(0, -1, -2, -6, -20).map((days) => dayPlus(dayOf(nowMs), days)));

/** Few visits have all of several random values. */
const ruleFor = (past: History): fc.Arbitrary<PlainRule<Condition>> => {
  const date = ruledDate(past);
  return fc
    .record({ conditions: fc.array(ruled, { minLength: 1, maxLength: 2 }), firstDate: date, lastDate: date, sparesPeople: fc.boolean() })
    .map((rule) =>
      rule.firstDate !== null && rule.lastDate !== null && rule.firstDate > rule.lastDate ? { ...rule, lastDate: null } : rule,
    );
};

/** Met by every event, in a question for `default`. */
const EVERY_EVENT: Condition = { dimension: "pages", operator: "in", isNegated: true, values: ["/never"] };

/** A rule that names every visit, so that proof of a person alone decides which stay. */
const ruleOnAllFor = (past: History): fc.Arbitrary<PlainRule<Condition>> =>
  ruledDate(past).map((firstDate) => ({ conditions: [EVERY_EVENT], firstDate, lastDate: null, sparesPeople: true }));

const onGoals = fc
  .constantFrom(...OPERATORS)
  .chain((operator) => conditionOn("goal", operator))
  .map((only) => [only]);

/** Hides some events of many sessions. */
const hiding: fc.Arbitrary<Condition> = fc.oneof(
  fc
    .record({
      dimension: fc.constant("pages" as const),
      isNegated: fc.boolean(),
      values: fc.subarray(["/", "/a", "/b", "/a/b"], { minLength: 1 }),
    })
    .map((pages) => ({ ...pages, operator: "in" as const })),
  fc
    .record({
      dimension: fc.constant("events" as const),
      isNegated: fc.boolean(),
      values: fc.constantFrom(["pageview"], ["Signup"], ["Purchase", "Signup"]),
    })
    .map((events) => ({ ...events, operator: "in" as const })),
  condition,
);

/** On a session, most often. */
const ownConditions = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom("entry-page", "exit-page", "goal", ...VISIT_DIMENSION_NAMES), fc.constantFrom(...OPERATORS))
      .chain(([dimension, operator]) => conditionOn(dimension, operator))
      .map((only) => [only]),
  },
  { weight: 1, arbitrary: fc.array(condition, { minLength: 1, maxLength: 2 }) },
);

/** What ClickHouse has no room for is refused there. */
const isOnArrival = ({ dimension }: Condition): boolean => ["visit-channels", "visit-sources", "visit-referrers"].includes(dimension);

export function describeRulesOfSite(makeTarget: MakeInProcessTarget, runs: Runs, withArrivals: boolean): void {
  it(
    "rules of a site leave out the visits that the model leaves out, even for a guest",
    async () => {
      const drawn = pastFor.chain(({ past, rotationDays }) =>
        fc.record({
          past: fc.constant({ past, rotationDays }),
          defined: goals,
          hidden: fc.option(hiding, { freq: 2 }),
          rules: fc.tuple(ruleOnAllFor(past), fc.array(ruleFor(past), { maxLength: 3 })).map(([onAll, others]) => [onAll, ...others]),
          questions: fc
            .tuple(
              fc.array(askedWith(fc.constant([EVERY_EVENT])), { minLength: 2, maxLength: 2 }),
              fc.array(askedWith(fc.array(condition, { maxLength: 1 })), { minLength: 2, maxLength: 4 }),
            )
            .map((asked) => asked.flat()),
        }),
      );
      const holds = fc.asyncProperty(drawn, async ({ past: { past, rotationDays }, defined, hidden, rules, questions }) => {
        const { target, close } = await playHistory(makeTarget, past, environmentFor(rotationDays));
        const applied = withArrivals ? rules : rules.filter(({ conditions }) => !conditions.some(isOnArrival));
        await addGoals(target, defined);
        await applyRules(target, applied);
        const shared = hidden === null ? [] : [hidden];
        const headers = hidden === null ? {} : await viewerOf(target, shared);
        for (const asked of questions) await check(target, past, asked, { headers, shared, goals: defined, rules: applied });
        await close();
      });
      await fc.assert(holds, runsOf(runs, 8));
    },
    PROPERTY_TIMEOUT_MS,
  );
}

export function describeFilterOperators(makeTarget: MakeInProcessTarget, runs: Runs, operators = OPERATORS): void {
  describe("a filter", () => {
    it.each(operators)(
      "a filter by the operator %s keeps the same events as the model, for each dimension",
      async (operator) => {
        const holds = fc.asyncProperty(pastFor, ofEachDimension(operator), async ({ past, rotationDays }, questions) => {
          const { target, close } = await playHistory(makeTarget, past, environmentFor(rotationDays));
          for (const asked of questions) await check(target, past, asked);
          await close();
        });
        // Fewer, because each history gets a question for every dimension.
        await fc.assert(holds, runsOf(runs, 20));
      },
      PROPERTY_TIMEOUT_MS,
    );

    it(
      "a filter by goals of the site keeps the sessions that meet them, even for a guest",
      async () => {
        const drawn = fc.tuple(pastFor, goals, fc.option(hiding), fc.array(askedWith(onGoals), { minLength: 4, maxLength: 8 }));
        const holds = fc.asyncProperty(drawn, async ([{ past, rotationDays }, defined, hidden, questions]) => {
          const { target, close } = await playHistory(makeTarget, past, environmentFor(rotationDays));
          await addGoals(target, defined);
          const shared = hidden === null ? [] : [hidden];
          const headers = hidden === null ? {} : await viewerOf(target, shared);
          for (const asked of questions) await check(target, past, asked, { headers, shared, goals: defined });
          await close();
        });
        await fc.assert(holds, runsOf(runs, 8));
      },
      PROPERTY_TIMEOUT_MS,
    );

    it(
      "a filter of a guest judges events and sessions by what is shared",
      async () => {
        const drawn = fc.tuple(
          pastFor,
          fc.array(hiding, { minLength: 1, maxLength: 2 }),
          fc.array(askedWith(ownConditions), { minLength: 8, maxLength: 16 }),
        );
        const holds = fc.asyncProperty(drawn, async ([{ past, rotationDays }, shared, questions]) => {
          const { target, close } = await playHistory(makeTarget, past, environmentFor(rotationDays));
          const headers = await viewerOf(target, shared);
          for (const asked of questions) await check(target, past, asked, { headers, shared });
          await close();
        });
        await fc.assert(holds, runsOf(runs, 8));
      },
      PROPERTY_TIMEOUT_MS,
    );
  });
}
