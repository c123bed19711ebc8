/** Compares the columns, order, pages and comparison of breakdowns with the model, over random histories, ranges and filters. */
import fc from "fast-check";
import { describe, it } from "vitest";
import { ARRIVALS_VERSION } from "../../src/runtime/arrivals/arrivals.ts";
import type { MakeInProcessTarget } from "../support/in-process-target.ts";
import { COLUMNS, foundIn, noNumbers, numbersByValue, pageOf, type AnyDimension, type RowsQuestion } from "./breakdown-rows-model.ts";
import { VISIT_DIMENSION_NAMES } from "./filter-model.ts";
import { TEXTS, history } from "./histories.ts";
import { comparedScope, dayPlus, type Events, type Scope } from "./model.ts";
import { playHistory } from "./played-history.ts";
import { dimension, parametersOf, question, scopeOf, type Question } from "./questions.ts";
import { PROPERTY_TIMEOUT_MS, runsOf, type Runs } from "./settings.ts";

const MINUTE_MS = 60_000;

const anyDimension: fc.Arbitrary<AnyDimension> = fc.oneof(
  { weight: 3, arbitrary: dimension },
  { weight: 1, arbitrary: fc.constantFrom("entry-pages" as const, "exit-pages" as const) },
  { weight: 2, arbitrary: fc.constantFrom(...VISIT_DIMENSION_NAMES) },
);

/** No site has goals, so that each name is that of events. */
const goal = TEXTS.events.filter((name) => name !== "");

const rowsQuestion: fc.Arbitrary<RowsQuestion> = fc.subarray([...COLUMNS]).chain((columns) =>
  fc.record({
    dimension: anyDimension,
    columns: fc.constant(columns),
    goal,
    currency: fc.constantFrom("EUR", "USD"),
    search: fc.constantFrom(null, null, "/", "A", "e", "UNK", "%", "never recorded"),
    unknownLabel: fc.constantFrom(null, "Never recorded / none"),
    sort: fc.record({
      column: fc.constantFrom("value", "visitors", "pageviews", "events", ...columns, ...columns),
      direction: fc.constantFrom("asc", "desc"),
    }),
    limit: fc.constantFrom(1, 2, 10, 1000),
    offset: fc.constantFrom(0, 0, 1, 3, 1_000_000),
  }),
);

type Window = "none" | "previous_period" | "year_over_year" | { readonly daysBefore: number; readonly dayCount: number };

const window: fc.Arbitrary<Window> = fc.oneof(
  fc.constantFrom<Window>("none", "previous_period", "year_over_year"),
  fc.record({ daysBefore: fc.integer({ min: -2, max: 5 }), dayCount: fc.integer({ min: 1, max: 40 }) }),
);

interface Asked {
  readonly about: Question;
  readonly rows: RowsQuestion;
  readonly window: Window;
  readonly withTotal: boolean;
}

const asked: fc.Arbitrary<Asked> = fc.record({ about: question, rows: rowsQuestion, window, withTotal: fc.boolean() });

/** The other window. */
function windowOf(scope: Scope, other: Exclude<Window, "none">): Scope {
  if (typeof other === "object") {
    const lastDay = dayPlus(scope.lastDay, -other.daysBefore);
    return { ...scope, firstDay: dayPlus(lastDay, 1 - other.dayCount), lastDay };
  }
  return comparedScope(scope, other);
}

function windowParameters(scope: Scope, other: Window): Record<string, string> {
  if (other === "none") return {};
  if (typeof other === "string") return { compare: other };
  const { firstDay, lastDay } = windowOf(scope, other);
  return { compare: "custom", compare_start_date: firstDay, compare_end_date: lastDay };
}

function parametersFor({ rows, window: other, withTotal }: Asked, scope: Scope): Record<string, string> {
  return {
    columns: [...rows.columns, ...(other === "none" ? [] : ["comparison"])].join(","),
    goal: rows.goal,
    currency: rows.currency,
    ...(rows.search !== null && { search: rows.search }),
    ...(rows.unknownLabel !== null && { unknown_label: rows.unknownLabel }),
    sort: `${rows.sort.column}:${rows.sort.direction}`,
    limit: String(rows.limit),
    ...(rows.offset > 0 && { offset: String(rows.offset) }),
    ...(withTotal && { with_total: "true" }),
    ...windowParameters(scope, other),
  };
}

function expectedFor({ rows, window: other, withTotal }: Asked, events: Events, scope: Scope, gapMs: number): unknown {
  const all = foundIn(numbersByValue(events, scope, gapMs, rows), rows);
  const before = other === "none" ? null : numbersByValue(events, windowOf(scope, other), gapMs, rows);
  const page = pageOf(all, rows).map((row) => ({
    ...row,
    ...(before && { comparison: before.get(row.value) ?? noNumbers(rows) }),
  }));
  const isNamed = ["visit-sources", "visit-channels", "visit-referrers"].includes(rows.dimension);
  return withTotal ? { total: all.size, rows: page, ...(isNamed && { rules_version: ARRIVALS_VERSION }) } : page;
}

/** Visitors of the histories are the same for ever. */
const ENVIRONMENT = { SVC_VISITOR_SALT_ROTATION_DAYS: "3650", SVC_CACHE_TTL_SECS: "0" };

export function describeBreakdownRows(makeTarget: MakeInProcessTarget, runs: Runs): void {
  describe("the rows of a breakdown", () => {
    it(
      "the rows of a breakdown equal the model in columns, order, pages and comparison, and a filter on a row's value gives its numbers",
      async () => {
        const holds = fc.asyncProperty(history, fc.array(asked, { minLength: 3, maxLength: 8 }), async (past, list) => {
          const { events, expectAnswer, close } = await playHistory(makeTarget, past, ENVIRONMENT);
          const gapMs = past.sessionWindowMinutes * MINUTE_MS;
          for (const one of list) {
            const scope = scopeOf(one.about, past);
            const parameters = { ...parametersOf(one.about, past.nowMs), ...parametersFor(one, scope) };
            await expectAnswer(`breakdown/${one.rows.dimension}`, parameters, expectedFor(one, events, scope, gapMs));
          }
          await close();
        });
        // Fewer, because each history gets several requests.
        await fc.assert(holds, runsOf(runs, 3));
      },
      PROPERTY_TIMEOUT_MS,
    );
  });
}
