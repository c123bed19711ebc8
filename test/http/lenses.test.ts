/** Lenses in one process: rules in shadow, the limit of patterns, and the gaps of a site's tracking (docs/reports.md, "Lenses"). */
import { describe, expect, it } from "vitest";
import { QUERY_TESTS_MAX } from "../../src/runtime/duckdb/engine.ts";
import type { StoredEvent } from "../../src/storage/event.ts";
import { createInProcessTarget, type InProcessTarget } from "../support/in-process-target.ts";
import { expectError } from "../support/requests.ts";
import { anEvent } from "../support/stored-event.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const HISTORY_DAYS = 30;
const FIRST_MS = Date.parse("2026-01-01T00:00:00.000Z");
const OPEN_HOURS = [10, 11, 12, 13, 14];
const VISITS_PER_HOUR = 10;

/** The last two days have no visits of people at these hours; the last one has those of programs. */
const QUIET_HOURS = [11, 12, 13];

let visitors = 0n;
const visitAt = (timestampMs: number, evidence: string | null): StoredEvent =>
  anEvent({ timestampMs, visitorId: (visitors += 1n) * 0x9e37_79b9n, evidence });

function visitsOf(day: number): StoredEvent[] {
  const isQuiet = day >= HISTORY_DAYS - 2;
  return OPEN_HOURS.flatMap((hour) => {
    const startMs = FIRST_MS + day * DAY_MS + hour * HOUR_MS;
    const ofPrograms = day === HISTORY_DAYS - 1 ? [visitAt(startMs, "webdriver")] : [];
    const count = isQuiet && QUIET_HOURS.includes(hour) ? 0 : VISITS_PER_HOUR;
    return [...ofPrograms, ...Array.from({ length: count }, (_, i) => visitAt(startMs + i * 60_000, null))];
  });
}

it("changes finds the same gaps of tracking with strict as by default: a program that is counted shows that it worked", async () => {
  const target = await createInProcessTarget({}, { startMs: FIRST_MS + HISTORY_DAYS * DAY_MS });
  const events = Array.from({ length: HISTORY_DAYS }, (_, day) => visitsOf(day)).flat();
  await Promise.all(events.map((event) => target.services.eventStore.append(event)));
  const gapsOn = async (day: string, lens: string) => {
    const query = new URLSearchParams({ site_id: "site.test", start_date: day, end_date: day, lens, dimensions: "none" });
    const response = await target.fetch(`/api/stats/changes?${query.toString()}`);
    const { total, caveats } = (await response.json()) as {
      total: { after: number };
      caveats: readonly { code: string; from?: string; to?: string }[];
    };
    return { visits: total.after, gaps: caveats.filter(({ code }) => code === "tracking_gap") };
  };
  const gap = { code: "tracking_gap", from: "2026-01-29 11:00", to: "2026-01-29 14:00", sentence: expect.any(String) as string };
  expect(await gapsOn("2026-01-29", "default")).toEqual({ visits: 20, gaps: [gap] });
  expect(await gapsOn("2026-01-29", "strict")).toEqual({ visits: 20, gaps: [gap] });
  expect(await gapsOn("2026-01-30", "default")).toEqual({ visits: 25, gaps: [] });
  expect(await gapsOn("2026-01-30", "strict")).toEqual({ visits: 20, gaps: [] });
  await target.close();
});

describe("a rule in shadow", () => {
  const COUNTS_FROM_MS = Date.parse("2026-12-27T00:00:00.000Z");
  const DATES = { start_date: "2026-12-20", end_date: "2026-12-20" };

  /** Visits from a data centre: a bounce, one that reaches the goal, one that follows a link, and one with two views; and a person's bounce. */
  const VISITS: readonly (readonly Partial<StoredEvent>[])[] = [
    [{}],
    [{ pathname: "/thanks" }],
    [{}, { eventName: "Outbound Link: Click" }],
    [{}, { pathname: "/a" }],
  ];

  async function opened(): Promise<InProcessTarget> {
    const target = await createInProcessTarget({}, { startMs: COUNTS_FROM_MS - HOUR_MS });
    const at = (fields: Partial<StoredEvent>, i: number, visitorId: bigint) =>
      anEvent({ visitorId, timestampMs: Date.parse("2026-12-20T10:00:00.000Z") + i * 1000, ...fields });
    const events = VISITS.flatMap((visit, number) =>
      visit.map((fields, i) => at({ evidence: "data_centre", ...fields }, i, BigInt(number + 1))),
    );
    for (const event of [...events, at({}, 0, 99n)]) await target.services.eventStore.append(event);
    await target.flush();
    const { signal } = new AbortController();
    const goal = { name: "Thanks", goal: { page: "/thanks" }, hasRevenue: false, position: 1 };
    await target.services.goals.change(anEvent().siteId, () => new Map([[target.services.goals.newId(), goal]]), signal);
    return target;
  }

  async function visitsBy(target: InProcessTarget, lens: string): Promise<number> {
    const query = new URLSearchParams({ site_id: "site.test", ...DATES, lens });
    const { total_sessions } = (await (await target.fetch(`/api/stats/main?${query.toString()}`)).json()) as { total_sessions: number };
    return total_sessions;
  }

  async function builtIn(target: InProcessTarget) {
    const response = await target.fetch("/api/rules/built-in");
    return (await response.json()) as { lens: string; version: number; rules: readonly { id: string }[] };
  }

  it("is listed, and strict counts by it four weeks later, at midnight in UTC, also for what is cached", async () => {
    const target = await opened();
    expect(await builtIn(target)).toMatchObject({
      ...{ lens: "strict", version: 1 },
      rules: [
        { id: "machines", since: "2026-11-28", counts_from: "2026-11-28", is_in_shadow: false },
        { id: "contradictions", is_in_shadow: false },
        { id: "waves", is_in_shadow: false },
        { id: "data_centres", since: "2026-11-29", counts_from: "2026-12-27", is_in_shadow: true },
      ],
    });
    await target.advance(HOUR_MS - 1);
    expect([await visitsBy(target, "default"), await visitsBy(target, "strict"), await visitsBy(target, "strict")]).toEqual([5, 5, 5]);
    await target.advance(1);
    expect([await visitsBy(target, "default"), await visitsBy(target, "strict")]).toEqual([5, 4]);
    const after = await builtIn(target);
    expect(after).toMatchObject({ version: 2 });
    expect(after.rules.filter((rule) => "is_in_shadow" in rule && rule.is_in_shadow)).toEqual([]);
    await target.close();
  });

  it("takes no pattern from a request: as many are allowed with strict as by default", async () => {
    const target = await opened();
    await target.advance(DAY_MS);
    const steps = Array.from({ length: 32 }, (_, i) => `page:/step-${i}*`);
    const filters = ["goal=contains=Goal", ...Array.from({ length: 11 }, (_, i) => `pages=!contains=part-${i}`)];
    const goalsMax = QUERY_TESTS_MAX - steps.length - filters.length;
    const asked = { site_id: "site.test", ...DATES, steps: steps.join(","), filters: filters.join(";") };
    const ask = (lens: string) => target.fetch(`/api/stats/funnel?${new URLSearchParams({ ...asked, lens }).toString()}`);
    const addGoal = (i: number) => {
      const { goals } = target.services;
      const goal = { name: `Goal ${i}`, goal: { page: `/goal-${i}*` }, hasRevenue: false, position: i };
      return goals.change(anEvent().siteId, () => new Map([[goals.newId(), goal]]), new AbortController().signal);
    };
    for (let i = 1; i <= goalsMax; i++) await addGoal(i);
    expect([(await ask("default")).status, (await ask("strict")).status]).toEqual([200, 200]);
    await addGoal(goalsMax + 1);
    for (const lens of ["default", "strict"]) await expectError(await ask(lens), 400, `at most ${QUERY_TESTS_MAX} different patterns`);
    await target.close();
  });
});
