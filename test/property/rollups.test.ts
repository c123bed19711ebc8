/**
 * Every report has the same result with rollups, without them and by the plain model, whatever happens to events, rollups and program:
 * late events, erasures, merges, restarts with other settings, lost engines, and rollups that are missing, damaged or in a wrong place.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HUGE_CENTS, ENDPOINTS, rollupHistory, type Asked, type RollupHistory, type RollupRound } from "./rollup-histories.ts";
import { met } from "./rollup-program.ts";
import { RollupWorld } from "./rollup-world.ts";
import { SITES } from "./histories.ts";
import { foundIn, noNumbers, numbersByValue, pageOf, type AnyDimension } from "./breakdown-rows-model.ts";
import { timeseriesBy, type Interval } from "./interval-model.ts";
import {
  comparedScope,
  goalsOf,
  mainOf,
  propertiesOf,
  propertyValuesOf,
  revenueOf,
  timeseriesOf,
  type Comparison,
  type Events,
  type Scope,
} from "./model.ts";
import { scopeOf } from "./questions.ts";
import { PROPERTY_RUNS } from "./settings.ts";

/** Each run plays many steps to two programs. */
const RUNS = Math.ceil(PROPERTY_RUNS / 2.5);
const TEST_MS_MAX = 300_000 + RUNS * 60_000;

const MINUTE_MS = 60_000;

/** The rows of a breakdown without further columns. */
function rowsOf(events: Events, scope: Scope, dimension: AnyDimension, parameters: Asked["parameters"], gapMs: number): unknown {
  const {
    sort = "visitors:desc",
    search = null,
    unknown_label: unknownLabel = null,
    limit = "10",
    offset = "0",
    with_total,
    columns,
  } = parameters;
  const [column, direction] = sort.split(":") as ["visitors", "desc"];
  const page = { sort: { column, direction }, limit: +limit, offset: +offset };
  const asked = { dimension, columns: [], goal: "", currency: "", search, unknownLabel, ...page };
  const rowsIn = (of: Scope) => foundIn(numbersByValue(events, of, gapMs, asked), asked);
  const all = rowsIn(scope);
  const before = columns === undefined ? null : rowsIn(comparedScope(scope, "previous_period"));
  const rows = pageOf(all, asked).map((row) => ({ ...row, ...(before && { comparison: before.get(row.value) ?? noNumbers(asked) }) }));
  return with_total === undefined ? rows : { total: all.size, rows };
}

/** What the model says; undefined if it says nothing about that endpoint. */
function expectedOf({ events, nowMs, settings }: RollupWorld, { endpoint, parameters, about }: Asked): unknown {
  const scope = scopeOf(about, { nowMs, ...settings });
  const [report, dimension] = endpoint.split("/");
  if (report === "main")
    return mainOf(events, scope, settings.sessionWindowMinutes * MINUTE_MS, (parameters["compare"] ?? null) as Comparison | null);
  if (report === "timeseries") {
    const interval = parameters["interval"] as Interval | undefined;
    return interval ? timeseriesBy(interval, events, scope) : timeseriesOf(events, scope);
  }
  if (report === "goals") return goalsOf(events, scope);
  const { search = "" } = parameters;
  const isFound = (text: string) => text.toLowerCase().includes(search.toLowerCase());
  if (report === "properties") return propertiesOf(events, scope).filter(isFound);
  if (report === "property-values") {
    const { key, name, event } = parameters;
    return propertyValuesOf(events, scope, key ?? name ?? "", event ?? null).filter(({ value }) => isFound(value));
  }
  if (report === "breakdown")
    return rowsOf(events, scope, dimension as AnyDimension, parameters, settings.sessionWindowMinutes * MINUTE_MS);
  // The model adds up numbers.
  if (report === "revenue" && !events.some(({ revenueCents }) => Math.abs(revenueCents ?? 0) === HUGE_CENTS))
    return revenueOf(events, scope);
  return undefined;
}

async function check(world: RollupWorld, asked: Asked): Promise<void> {
  const body = await world.ask(asked);
  const expected = expectedOf(world, asked);
  if (expected !== undefined) expect({ asked, body }).toEqual({ asked, body: expected });
}

const isHarmless = ({ step: { kind } }: RollupRound): boolean =>
  ["flush", "compaction", "making", "engine loss", "tampering"].includes(kind);

/** Without a filter. */
const over = (dayCount: number, endDaysBack: number, [endpoint, parameters]: (typeof ENDPOINTS)[number]): Asked => ({
  endpoint,
  parameters,
  about: { siteId: SITES[0], days: { kind: "dates", endDaysBack, dayCount }, conditions: [] },
});

/** One report of each kind of rows, which is asked for after each step, over much and over little. */
const afterEachStep: readonly Asked[] = (
  [
    ["main", {}],
    ["breakdown/pages", { limit: "1000" }],
    ["property-values", { key: "plan" }],
    ["property-values", { key: "k39" }],
    ["revenue", {}],
  ] as const
).flatMap((one) => [over(366, 0, one), over(5, 1, one)]);

/** All reports over everything. */
const everything: readonly Asked[] = ENDPOINTS.map((one) => over(366, 1, one));

async function play(history: RollupHistory): Promise<void> {
  const world = new RollupWorld(history);
  await world.start();
  for (const round of history.rounds) {
    const meanwhile = round.isAskedMeanwhile && isHarmless(round) ? round.asked : [];
    await Promise.all([world.take(round.step), ...meanwhile.map((asked) => check(world, asked))]);
    await world.lookForStale();
    for (const asked of [...round.asked, ...afterEachStep]) await check(world, asked);
  }
  for (const asked of everything) await check(world, asked);
  await world.close();
}

describe("reports answered from rollups", () => {
  it(
    "reports answered from rollups equal the model and reports from events, whatever happened to events, rollups and the program",
    async () => {
      await fc.assert(fc.asyncProperty(rollupHistory, play), {
        numRuns: RUNS,
        interruptAfterTimeLimit: TEST_MS_MAX / 2,
      });
      // The histories are worth something.
      expect(met.rollupsMade).toBeGreaterThan(RUNS);
      expect(met.answersFromRollups).toBeGreaterThan(8 * RUNS);
      expect(met.staleDays).toBeGreaterThanOrEqual(Math.floor(RUNS / 2));
      expect(met.interruptions).toBeGreaterThanOrEqual(Math.floor(RUNS / 20));
    },
    TEST_MS_MAX,
  );
});
