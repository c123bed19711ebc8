/**
 * Every report and export of a site in a time zone equals the plain model: around changes of the clock, midnights that are skipped or
 * come twice, and changes of the time zone, for visitor ids that live a day, a week or for good.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SiteId } from "../../src/storage/event.ts";
import type { InProcessTarget, MakeInProcessTarget } from "../support/in-process-target.ts";
import { setCalendar } from "../support/site-calendars.ts";
import { SITES } from "./histories.ts";
import type { Events, Scope } from "./model.ts";
import { filtersParameter } from "./questions.ts";
import { PROPERTY_TIMEOUT_MS } from "./settings.ts";
import { PLACES, historyIn, type Place, type ZonedHistory } from "./zoned-histories.ts";
import { datesOf, expectedOf, wideQuestion, zonedQuestion, type Expected } from "./zoned-questions.ts";

const [SITE] = SITES;

async function play({ history, record, calendar }: ZonedHistory, target: InProcessTarget, prepare: Prepare): Promise<Events> {
  setCalendar(target, SITE as string as SiteId, record);
  const { eventStore, sites } = target.services;
  for (const { events, afterwards } of history.steps) {
    for (const event of events) expect(sites.calendarOf(event.siteId).dateOf(event.timestampMs)).toBe(calendar.dateOf(event.timestampMs));
    for (const event of events) await eventStore.append(event);
    if (afterwards.startsWith("ask")) await target.fetch(`/api/stats/sessions?site_id=${SITE}&period=12mo`);
    if (afterwards.endsWith("flush")) await target.flush();
  }
  await prepare(target);
  return history.steps.flatMap(({ events }) => events);
}

async function compare(target: InProcessTarget, past: ZonedHistory, [endpoint, own, body, at]: Expected, scope: Scope): Promise<void> {
  const { firstDay, lastDay, conditions } = at ?? scope;
  const dates = endpoint === "realtime" ? {} : { start_date: firstDay, end_date: lastDay };
  const path = `/api/stats/${endpoint}?${new URLSearchParams({ site_id: SITE, ...dates, ...filtersParameter(conditions), ...own }).toString()}`;
  const response = await target.fetch(path);
  const text = await response.text();
  const zone = past.calendar.zoneAt(past.history.nowMs);
  expect({
    zone: past.name,
    path,
    status: response.status,
    header: response.headers.get("time-zone"),
    body: JSON.parse(text) as unknown,
  }).toEqual({
    zone: past.name,
    path,
    status: 200,
    header: zone === "UTC" ? null : zone,
    body,
  });
}

const titleOf = ({ zone, changes, around }: Place): string =>
  [zone, ...changes.map(([firstDate, next]) => `from ${firstDate} on ${next}`), `around ${around[0] ?? ""}`].join(", ");

/** Called when all events have come. */
export type Prepare = (target: InProcessTarget) => Promise<void>;

export interface ZonesOptions {
  /** Of each place. */
  readonly runs: number;
  readonly places?: readonly Place[];
  readonly prepare?: Prepare;
}

export function describeZones(name: string, makeTarget: MakeInProcessTarget, options: ZonesOptions): void {
  const { runs, places = PLACES, prepare = async () => {} } = options;
  describe(`reports by time zone, ${name},`, () => {
    it.each(places.map((place) => [titleOf(place), place] as const))(
      "reports equal the model in %s",
      async (_title, place) => {
        const holds = fc.asyncProperty(historyIn(place), fc.tuple(wideQuestion, zonedQuestion), async (past, questions) => {
          const { history, rotationDays } = past;
          const environment = {
            SVC_VISITOR_SALT_ROTATION_DAYS: String(rotationDays),
            SVC_SESSION_WINDOW_MINUTES: String(history.sessionWindowMinutes),
            SVC_REALTIME_WINDOW_MINUTES: String(history.realtimeWindowMinutes),
            SVC_MAX_CONCURRENT_QUERIES: "0",
          };
          const target = await makeTarget(environment, { startMs: history.nowMs });
          const events = await play(past, target, prepare);
          for (const question of questions) {
            const scope = { siteId: SITE, conditions: question.conditions, ...datesOf(question, past.calendar.dateOf(history.nowMs)) };
            for (const each of expectedOf(events, past, question)) await compare(target, past, each, scope);
          }
          await target.close();
        });
        await fc.assert(holds, { numRuns: runs, endOnFailure: true });
      },
      PROPERTY_TIMEOUT_MS,
    );
  });
}
