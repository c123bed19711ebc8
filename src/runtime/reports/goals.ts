/**
 * GET /api/stats/goals: all events except page views, with their conversion rates (docs/http-api.md, "Goals").
 * GET /api/stats/conversions: visitors who met each goal of the site, and the revenue of revenue goals (docs/http-api.md, "Conversions").
 */
import { PAGEVIEW } from "../base/config/names.ts";
import { GOAL_ROWS_MAX, REVENUE_ROWS_MAX } from "../base/config/report-limits.ts";
import { type AggregateQuery, combinePlans, joinPlans, mapPlan, type Plan, planOf } from "../query/plan.ts";
import { closed, type Described, fraction, list, text, count, orNull } from "../base/json-schema.ts";
import { checkIncluded, comparedScopes, INCLUDED_COMPARISON } from "../query/comparison.ts";
import {
  fragment,
  largestFirst,
  numberIn,
  ratio,
  sql,
  type SqlRow,
  type SqlText,
  sumOfRows,
  sumsBy,
  textCode,
  textIn,
} from "../query/sql.ts";
import { eventsOfDays } from "../query/day-sums.ts";
import { eventsIn, propsIn, type Scope, within } from "../query/scope.ts";
import { visitorCounts, revenueTotal } from "./measures/counts.ts";
import { EVENTS, VISITORS, rows, REVENUE_FIELDS, revenueOf } from "./measures/fields.ts";
import { report } from "./report.ts";
import { GOALS_MAX, GOALS_OF_QUERY_MAX } from "../base/config/admin-limits.ts";
import { bitsSql, goalSql } from "../query/conditions.ts";
import type { SiteGoal } from "../sites/goal.ts";
import { compareCodePoints } from "../../storage/code-point-order.ts";

const CONVERSION_RATE = fraction("Visitors divided by all visitors of the range and filters.");

/** Rows `value` (the name), `visitors`, `events`. */
const countsByEvent = (scope: Scope): AggregateQuery => ({
  keys: [],
  codes: ["value"],
  counts: ["visitors", "events"],
  ...eventsOfDays(scope),
  partial: (range) => sql`
    SELECT event_name AS value, count(DISTINCT visitor_id) AS visitors, count(*) AS events
    FROM (${eventsIn(within(scope, range))}) AS scoped
    WHERE event_name <> ${textCode(PAGEVIEW)}
    GROUP BY event_name`,
  top: { by: "visitors", rowsMax: GOAL_ROWS_MAX },
});

const ROW = { visitors: VISITORS, events: EVENTS, conversion_rate: CONVERSION_RATE };

const GOAL = closed({ name: text("The event's name."), ...ROW, comparison: closed(ROW) }, { optional: ["comparison"] });

type GoalRow = Described<typeof GOAL>;

interface Counted {
  /** All visitors of the scope. */
  readonly all: SqlRow | undefined;
  /** Keyed by the event's name. */
  readonly byName: ReadonlyMap<string, SqlRow>;
  /** No event is beyond the limit of rows. */
  readonly isComplete: boolean;
}

const byName = (found: readonly SqlRow[]): Counted["byName"] => new Map(found.map((row) => [textIn(row, "value"), row]));

/** The sets of rows after the first are those of the named events, if some are named, and of the most frequent ones. */
function countedEvents(scope: Scope): Plan<Counted> {
  const queries: readonly AggregateQuery[] = [visitorCounts(scope), countsByEvent(scope)];
  return planOf(scope, queries, (...[all, ...found]) => ({
    all: all?.[0],
    byName: byName(found.flat()),
    isComplete: (found.at(-1)?.length ?? 0) < GOAL_ROWS_MAX,
  }));
}

/** The compared numbers of the rows' events, wherever they stand in the other window, and its most frequent events. */
const andOfRows = (query: AggregateQuery, { byName: rowsByName }: Counted): readonly AggregateQuery[] =>
  query.top === undefined || rowsByName.size === 0
    ? [query]
    : [{ ...query, top: { values: [...rowsByName.keys()], rowsMax: rowsByName.size } }, query];

function addCounted(parts: readonly Counted[]): Counted {
  const rowsOfParts = parts.flatMap((part) => [...part.byName].map(([value, row]) => ({ ...row, value })));
  return {
    all: sumOfRows(parts.flatMap(({ all }): readonly SqlRow[] => (all ? [all] : []))),
    byName: sumsBy((row) => textIn(row, "value"), rowsOfParts, ["visitors", "events"]),
    isComplete: parts.every(({ isComplete }) => isComplete),
  };
}

const goalNumbers = (row: SqlRow | undefined, all: SqlRow | undefined) => ({
  visitors: numberIn(row, "visitors"),
  events: numberIn(row, "events"),
  conversion_rate: ratio(numberIn(row, "visitors"), numberIn(all, "visitors")),
});

function comparedGoals(now: Counted, before: Counted): readonly GoalRow[] {
  // A name is known to be missing from the range only if nothing is beyond the limit.
  const ended = now.isComplete && before.isComplete ? [...before.byName.keys()].filter((name) => !now.byName.has(name)) : [];
  return [...now.byName.keys(), ...ended.sort(compareCodePoints)].slice(0, GOAL_ROWS_MAX).map((name) => ({
    name,
    ...goalNumbers(now.byName.get(name), now.all),
    comparison: goalNumbers(before.byName.get(name), before.all),
  }));
}

export const goals = report({
  path: "/api/stats/goals",
  operationId: "getGoals",
  summary: "Goals: events other than page views, with conversion rates",
  parameters: INCLUDED_COMPARISON,
  check: checkIncluded,
  result: {
    name: "Goals",
    schema: list(`Most visitors first, then by name. At most ${GOAL_ROWS_MAX}.`, GOAL, { maxItems: GOAL_ROWS_MAX }),
  },
  rolled: (scope) => ({ goals: { query: countsByEvent(scope), over: "events", by: ["event_name"], where: "custom event" } }),
  plan(request, { rotationDays }): Plan<readonly GoalRow[]> {
    const counted = countedEvents(request.scope);
    const compared = comparedScopes(request, rotationDays);
    if (compared === null) {
      return mapPlan(counted, (now) => [...now.byName].map(([name, row]) => ({ name, ...goalNumbers(row, now.all) })));
    }
    return joinPlans(counted, combinePlans(compared.map(countedEvents), addCounted), comparedGoals, andOfRows);
  },
});

/** `marked` has a bit for each goal in `met`. */
export const perMetGoal = fragment(
  (marked: SqlText, listed: number) => sql`
    SELECT goal, visitor_id, currency, revenue_amount
    FROM ${marked}, (SELECT unnest(range(CAST(${listed} AS BIGINT))) AS goal) AS goals
    WHERE met <> 0 AND (met >> CAST(goal AS INTEGER)) & 1 = 1`,
);

/** A row for each goal that an event meets: `goal` (its place in the list, from 0), `visitor_id`, `currency`, `revenue_amount`. */
function eventsByGoal(scope: Scope, listed: readonly SiteGoal[]): SqlText {
  const met = bitsSql(listed.map(({ fields }) => goalSql(fields.goal, propsIn(scope))));
  const marked = sql`(${eventsIn(scope, sql`visitor_id, currency, revenue_amount, ${met} AS met`)}) AS marked`;
  return perMetGoal(marked, listed.length);
}

/** Rows `goal`, `visitors`, `events`. */
const countsByGoal = (scope: Scope, listed: readonly SiteGoal[]): AggregateQuery => ({
  keys: ["goal"],
  counts: ["visitors", "events"],
  partial: (range) => sql`
    SELECT CAST(goal AS BIGINT) AS goal, count(DISTINCT visitor_id) AS visitors, count(*) AS events
    FROM (${eventsByGoal(within(scope, range), listed)}) AS met_events
    GROUP BY goal`,
});

/** Rows `goal`, `currency`, `total` (hundredths), `transactions`. */
const revenueByGoal = (scope: Scope, listed: readonly SiteGoal[]): AggregateQuery => ({
  keys: ["goal"],
  codes: ["currency"],
  counts: ["transactions"],
  amounts: ["total"],
  partial: (range) => sql`
    SELECT CAST(goal AS BIGINT) AS goal, currency, ${revenueTotal()} AS total, count(*) AS transactions
    FROM (${eventsByGoal(within(scope, range), listed)}) AS met_events
    WHERE revenue_amount IS NOT NULL
    GROUP BY goal, currency`,
});

/** The currencies with the largest totals. */
const largestTotals = (found: readonly SqlRow[]) =>
  found.toSorted(largestFirst("total", "currency")).slice(0, REVENUE_ROWS_MAX).map(revenueOf);

/** Lists of as many goals as one query may ask for. */
export const goalsInQueries = (listed: readonly SiteGoal[]): SiteGoal[][] =>
  Array.from({ length: Math.ceil(listed.length / GOALS_OF_QUERY_MAX) }, (_, i) =>
    listed.slice(i * GOALS_OF_QUERY_MAX, (i + 1) * GOALS_OF_QUERY_MAX),
  );

const rowsByGoal = (lists: readonly SiteGoal[][], found: readonly (readonly SqlRow[])[]): ReadonlyMap<SiteGoal, readonly SqlRow[]> =>
  new Map(
    lists.flatMap((listed, i) =>
      listed.map((goal, number) => [goal, (found[i] ?? []).filter((row) => numberIn(row, "goal") === number)] as const),
    ),
  );

interface Met {
  readonly all: SqlRow | undefined;
  readonly counts: ReadonlyMap<SiteGoal, readonly SqlRow[]>;
  /** A row for each currency; only goals with revenue. */
  readonly revenue: ReadonlyMap<SiteGoal, readonly SqlRow[]>;
}

function metGoals(scope: Scope, siteGoals: readonly SiteGoal[]): Plan<Met> {
  const lists = goalsInQueries(siteGoals);
  const withRevenue = goalsInQueries(siteGoals.filter(({ fields }) => fields.hasRevenue));
  const queries = [
    visitorCounts(scope),
    ...lists.map((listed) => countsByGoal(scope, listed)),
    ...withRevenue.map((listed) => revenueByGoal(scope, listed)),
  ];
  return planOf(scope, queries, (...[all, ...found]) => ({
    all: all?.[0],
    counts: rowsByGoal(lists, found),
    revenue: rowsByGoal(withRevenue, found.slice(lists.length)),
  }));
}

/** The sums of scopes that share no salt period. */
function metNumbers(parts: readonly Met[], goal: SiteGoal) {
  const all = sumOfRows(parts.flatMap((part): readonly SqlRow[] => (part.all ? [part.all] : [])));
  const counted = sumOfRows(parts.flatMap(({ counts }) => counts.get(goal) ?? []));
  const paid = parts.flatMap(({ revenue }) => revenue.get(goal) ?? []);
  const totals = [...sumsBy((row) => textIn(row, "currency"), paid, ["total", "transactions"])];
  return {
    visitors: numberIn(counted, "visitors"),
    events: numberIn(counted, "events"),
    conversion_rate: ratio(numberIn(counted, "visitors"), numberIn(all, "visitors")),
    revenue: goal.fields.hasRevenue ? largestTotals(totals.map(([currency, row]) => ({ ...row, currency }))) : null,
  };
}

const MET = {
  visitors: VISITORS,
  events: count("Events that meet the goal."),
  conversion_rate: CONVERSION_RATE,
  revenue: orNull(
    rows("Only goals with revenue: largest total first, then by currency. Null for other goals.", REVENUE_ROWS_MAX, REVENUE_FIELDS),
  ),
};

const CONVERSION = closed(
  { id: text("The goal's id."), name: text("The goal's name."), ...MET, comparison: closed(MET) },
  { optional: ["comparison"] },
);

export const conversions = report({
  path: "/api/stats/conversions",
  operationId: "getConversions",
  summary: "The goals of the site, with visitors, events and conversion rates",
  description: "Goals also count events that are older than the goal.",
  parameters: INCLUDED_COMPARISON,
  check: checkIncluded,
  readsGoals: true,
  result: {
    name: "Conversions",
    schema: list(`The goals of the site in their order. At most ${GOALS_MAX}.`, CONVERSION, { maxItems: GOALS_MAX }),
  },
  plan(request, { rotationDays }) {
    const { scope, goals: siteGoals } = request;
    const compared = comparedScopes(request, rotationDays) ?? [];
    const plans = [scope, ...compared].map((part) => metGoals(part, siteGoals));
    return combinePlans(plans, ([now, ...before]) =>
      siteGoals.map((goal) => ({
        id: goal.id,
        name: goal.fields.name,
        ...metNumbers(now ? [now] : [], goal),
        ...(before.length > 0 && { comparison: metNumbers(before, goal) }),
      })),
    );
  },
});
