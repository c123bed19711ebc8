/**
 * The overview of sites in different time zones equals the plain model, for visitor ids that live a day or three, with and without
 * rollups; and its queries have the same rows whether the engine or the files answer them.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AggregateQuery, planOf } from "../../src/runtime/query/plan.ts";
import { ROLLUP_CACHE } from "../../src/runtime/base/config/report-limits.ts";
import { rangeOfDays } from "../../src/runtime/query/date-range.ts";
import {
  visitCounts,
  visitsByDay,
  visitsByFirstMinute,
  visitsByHour,
  visitsByLastInstant,
} from "../../src/runtime/reports/overview/visit-queries.ts";
import { createInlineRollupCalculator } from "../../src/runtime/duckdb/rollups/rollup-calculator.ts";
import type { LocalDate, SiteId } from "../../src/storage/event.ts";
import { createMemoryObjectStore } from "../support/memory-object-store.ts";
import { makeDueRollups } from "../support/due-rollups.ts";
import { createInProcessTarget, type InProcessTarget, type MakeInProcessTarget } from "../support/in-process-target.ts";
import { setCalendar } from "../support/site-calendars.ts";
import { SITES, withPeriods } from "./histories.ts";
import { dayPlus, daysIn, hourOf, hoursIn, inRange, visitorsIn, type Events } from "./model.ts";
import { sinceMidnight, type PlainCalendar } from "./plain-calendar.ts";
import { PROPERTY_RUNS, PROPERTY_TIMEOUT_MS } from "./settings.ts";
import { PLACES, historyIn, type ZonedHistory } from "./zoned-histories.ts";
import { datesOf, type ZonedQuestion } from "./zoned-questions.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Most events are then in the range, between it and the window before, or at the end of that. */
const LATER_DAYS = [0, 0, 7, 28, 35];

/** Fewer, because each has a service of its own. */
const RUNS = Math.ceil(PROPERTY_RUNS / 6);

/** Those around the same time. */
const SPRING = PLACES.filter(({ around }) => around.every((moment) => moment.startsWith("2026-03")));

/** Of all histories: without rollups, the test would say less. */
let totalsFromRollups = 0;

interface Installation {
  readonly sites: readonly ZonedHistory[];
  readonly nowMs: number;
  readonly rotationDays: number;
  readonly realtimeWindowMinutes: number;
}

const siteAt = (i: number): SiteId => SITES[i] as string as SiteId;

const installation: fc.Arbitrary<Installation> = fc
  .tuple(fc.tuple(...SITES.map(() => fc.constantFrom(...SPRING).chain(historyIn))), fc.constantFrom(1, 3), fc.constantFrom(...LATER_DAYS))
  .map(([sites, rotationDays, laterDays]) => {
    const { nowMs: lastMs = 0, realtimeWindowMinutes = 5 } = sites[0]?.history ?? {};
    const nowMs = lastMs + laterDays * DAY_MS;
    return {
      ...{ nowMs, realtimeWindowMinutes, rotationDays },
      sites: sites.map((site, i) => {
        const { steps, ...history } = withPeriods(site.history, rotationDays);
        const ofSite = steps.map((step) => ({
          ...step,
          events: step.events.filter(({ timestampMs }) => timestampMs <= nowMs).map((event) => ({ ...event, siteId: siteAt(i) })),
        }));
        return { ...site, history: { ...history, steps: ofSite } };
      }),
    };
  });

type Question = Pick<ZonedQuestion, "endDaysBack" | "dayCount">;

const question: fc.Arbitrary<Question> = fc.record({
  endDaysBack: fc.constantFrom(-1, 0, 0, 0, 1, 2, 30),
  dayCount: fc.constantFrom(1, 1, 2, 3, 7, 30, 366),
});

interface Dates {
  readonly firstDay: string;
  readonly lastDay: string;
}

/** The figures of a site, from all its events. */
function figuresOf(events: Events, siteId: SiteId, { firstDay, lastDay }: Dates, calendar: PlainCalendar, installed: Installation) {
  const { nowMs, realtimeWindowMinutes } = installed;
  const scope = { siteId, firstDay, lastDay, conditions: [] };
  const days = daysIn(scope).length;
  const today = calendar.dateOf(nowMs);
  const isCut = firstDay <= today && today <= lastDay;
  const weeksBefore = (day: string) => dayPlus(day, -7 * Math.ceil(days / 7));
  const cutDay = weeksBefore(today);
  const previous = inRange(events, { ...scope, firstDay: weeksBefore(firstDay), lastDay: isCut ? cutDay : weeksBefore(lastDay) });
  const cutMs = isCut ? calendar.whenClockShows(cutDay, sinceMidnight(nowMs, calendar)) : Number.POSITIVE_INFINITY;
  const endMs = isCut ? Math.floor(cutMs / MINUTE_MS) * MINUTE_MS : cutMs;
  const isBefore = (event: Events[number]) => event.date < cutDay || event.timestampMs < endMs;
  const inWindow = inRange(events, scope);
  const labels = days === 1 ? hoursIn(scope, calendar) : daysIn(scope);
  const labelOf = (event: Events[number]) => (days === 1 ? hourOf(event, calendar) : event.date);
  const ofSite = events.filter((event) => event.siteId === siteId);
  return {
    ...{ site_id: siteId, time_zone: calendar.zoneAt(nowMs), start_date: firstDay, end_date: lastDay },
    current_visitors: visitorsIn(ofSite.filter(({ timestampMs }) => timestampMs >= nowMs - realtimeWindowMinutes * MINUTE_MS)),
    visitors: visitorsIn(inWindow),
    previous_visitors: visitorsIn(isCut ? previous.filter(isBefore) : previous),
    series: labels.map((label) => visitorsIn(inWindow.filter((event) => labelOf(event) === label))),
  };
}

async function play({ sites }: Installation, target: InProcessTarget): Promise<Events> {
  const played: Events[number][] = [];
  for (const [i, { record }] of sites.entries()) setCalendar(target, siteAt(i), record);
  for (const { history } of sites) {
    for (const { events, afterwards } of history.steps) {
      for (const event of events) await target.services.eventStore.append(event);
      played.push(...events);
      if (afterwards.startsWith("ask")) await target.fetch("/api/stats/overview");
      if (afterwards.endsWith("flush")) await target.flush();
    }
  }
  return played;
}

const byNumbers = (rows: readonly unknown[]) =>
  rows.map((row) => JSON.stringify(row, (_, value: unknown) => (typeof value === "bigint" ? Number(value) : value))).sort();

/** Asks the files first, then the engine. */
async function expectSameRows(query: AggregateQuery, siteId: SiteId, { firstDay, lastDay }: Dates, target: InProcessTarget): Promise<void> {
  const { ofVisits, ...ofEngine } = query;
  expect(ofVisits).toBeDefined();
  const range = rangeOfDays(firstDay as LocalDate, lastDay as LocalDate);
  const rowsOf = (asked: AggregateQuery) => target.run(planOf({ siteId, range }, [asked], (rows) => rows));
  expect(byNumbers(await rowsOf(query))).toEqual(byNumbers(await rowsOf(ofEngine)));
}

async function compare(installed: Installation, events: Events, target: InProcessTarget, asked: Question): Promise<void> {
  const { sites, nowMs } = installed;
  const dates = datesOf(asked, sites[0]?.calendar.dateOf(nowMs) ?? "");
  const response = await target.fetch(`/api/stats/overview?start_date=${dates.firstDay}&end_date=${dates.lastDay}`);
  const body = (await response.json()) as { sites: readonly { site_id: string }[] };
  const expected = sites
    .map((site, i) => ({ site, siteId: siteAt(i) }))
    .filter(({ siteId }) => events.some((event) => event.siteId === siteId))
    .map(({ site, siteId }) => ({ name: null, ...figuresOf(events, siteId, dates, site.calendar, installed) }))
    .sort((a, b) => (a.site_id < b.site_id ? -1 : 1));
  expect(body.sites).toEqual(expected);
}

describe("the overview of sites in different time zones", () => {
  const withRollups: MakeInProcessTarget = (environment, parts) => {
    const objects = createMemoryObjectStore();
    const calculator = createInlineRollupCalculator(objects, ROLLUP_CACHE);
    const rows: typeof calculator.rows = (measure, rollups) => {
      if (rollups.length > 0) totalsFromRollups++;
      return calculator.rows(measure, rollups);
    };
    return createInProcessTarget(environment, { ...parts, objects, rollupCalculator: { ...calculator, rows }, rollupWeightBytesMin: 0 });
  };
  // Rollups take a while to make.
  const ways: readonly (readonly [string, MakeInProcessTarget, boolean, number])[] = [
    ["without rollups", createInProcessTarget, false, RUNS],
    ["with rollups", withRollups, true, Math.ceil(RUNS / 3)],
  ];

  it.each(ways)(
    "the overview equals the model %s, for visitor ids that live one day or three",
    async (_name, makeTarget, isRolled, numRuns) => {
      const holds = fc.asyncProperty(installation, fc.tuple(question, question, question), async (installed, questions) => {
        const environment = {
          SVC_VISITOR_SALT_ROTATION_DAYS: String(installed.rotationDays),
          SVC_REALTIME_WINDOW_MINUTES: String(installed.realtimeWindowMinutes),
          SVC_MAX_CONCURRENT_QUERIES: "0",
        };
        const target = await makeTarget(environment, { startMs: installed.nowMs });
        const events = await play(installed, target);
        if (isRolled) await target.flush();
        if (isRolled) await makeDueRollups(target);
        for (const asked of questions) await compare(installed, events, target, asked);
        await target.close();
      });
      await fc.assert(holds, { numRuns, endOnFailure: true });
      if (isRolled) expect(totalsFromRollups).toBeGreaterThan(0);
    },
    PROPERTY_TIMEOUT_MS,
  );

  it(
    "the overview runs queries whose rows are the same from files and from the engine",
    async () => {
      const holds = fc.asyncProperty(installation, question, async (installed, asked) => {
        const environment = { SVC_VISITOR_SALT_ROTATION_DAYS: "3", SVC_MAX_CONCURRENT_QUERIES: "0", SVC_ROLLUPS: "false" };
        const target = await createInProcessTarget(environment, { startMs: installed.nowMs });
        await play(installed, target);
        for (const [i, { calendar }] of installed.sites.entries()) {
          const dates = datesOf(asked, calendar.dateOf(installed.nowMs));
          const scope = { siteId: siteAt(i), range: rangeOfDays(dates.firstDay as LocalDate, dates.lastDay as LocalDate), conditions: [] };
          const queries = [
            ...[visitCounts(scope), visitsByDay(scope), visitsByHour(scope), visitsByFirstMinute(scope)],
            visitsByLastInstant(scope, installed.nowMs - installed.realtimeWindowMinutes * MINUTE_MS),
          ];
          for (const query of queries) await expectSameRows(query, siteAt(i), dates, target);
        }
        await target.close();
      });
      await fc.assert(holds, { numRuns: RUNS, endOnFailure: true });
    },
    PROPERTY_TIMEOUT_MS,
  );
});
