/** A wave of programs in ordinary browsers, beside people: `strict` leaves out what the model does, and hardly anybody else. */
import { describe, expect, it } from "vitest";
import { STRICT } from "../../src/runtime/query/lenses.ts";
import type { LocalDate, SiteId, StoredEvent } from "../../src/storage/event.ts";
import type { MakeInProcessTarget } from "../support/in-process-target.ts";
import { numbersFrom } from "../support/seeded-numbers.mjs";
import { anEvent } from "../support/stored-event.ts";
import { sessionsOf } from "./filter-model.ts";
import { leftOut } from "./left-out-model.ts";
import { playHistory } from "./played-history.ts";

const SITE = "waves.test" as string as SiteId;
const DAYS = ["2026-03-10", "2026-03-11", "2026-03-12"];
const NOW_MS = Date.parse("2026-03-15T12:00:00.000Z");
const PEOPLE_PER_DAY = 500;
const WAVE_PER_DAY = 150;
const GAP_MS = 30 * 60_000;
const DAY_MS = 86_400_000;

const COUNTRIES = ["DE", "US", "FR", "GB", null];
const BROWSERS = ["Chrome", "Safari", "Firefox", null];

let visitors = 0n;

function visit(date: string, sinceMidnightMs: number, views: number, countryCode: string | null, browser: string | null): StoredEvent[] {
  visitors += 1n;
  return Array.from({ length: views }, (_, i) =>
    anEvent({
      siteId: SITE,
      date: date as LocalDate,
      timestampMs: Date.parse(date) + sinceMidnightMs + i * 1000,
      visitorId: visitors * 0x9e37_79b9n,
      eventName: "pageview",
      pathname: `/${i}`,
      countryCode,
      browser,
    }),
  );
}

function population(seed: number) {
  const random = numbersFrom(seed);
  const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() ** 2 * values.length)] as Value;
  const at = () => Math.floor(random() * (DAY_MS - 10_000));
  const people = DAYS.flatMap((date) =>
    Array.from({ length: PEOPLE_PER_DAY }, () =>
      visit(date, at(), random() < 0.6 ? 1 : 3, random() < 0.02 ? "SG" : pick(COUNTRIES), pick(BROWSERS)),
    ),
  );
  const wave = DAYS.slice(1).flatMap((date) =>
    Array.from({ length: WAVE_PER_DAY }, () => visit(date, at(), random() < 0.99 ? 1 : 2, "SG", "Chrome")),
  );
  return { people, wave };
}

const countOf = (visits: readonly (readonly StoredEvent[])[]) => ({
  visits: visits.length,
  events: visits.reduce((sum, { length }) => sum + length, 0),
});

export function describeLenses(makeTarget: MakeInProcessTarget): void {
  describe("a wave", () => {
    it.each([1, 3650])("is left out by strict, as by the model, and hardly any people are: ids of %i days", async (rotationDays) => {
      const { people, wave } = population(rotationDays);
      const events = [...people, ...wave].flat().toSorted((a, b) => a.timestampMs - b.timestampMs);
      const visits = sessionsOf(events, GAP_MS);
      const left = leftOut(visits, STRICT);
      const waveIds = new Set(wave.map(([first]) => first?.visitorId));
      const ofWave = [...left].filter(([first]) => waveIds.has(first?.visitorId ?? 0n)).length;
      expect(ofWave / wave.length).toBeGreaterThanOrEqual(0.95);
      expect((left.size - ofWave) / people.length).toBeLessThanOrEqual(0.01);
      const history = {
        nowMs: NOW_MS,
        sessionWindowMinutes: 30,
        realtimeWindowMinutes: 5,
        steps: [{ events, afterwards: "flush" as const }],
      };
      const { target, close } = await playHistory(makeTarget, history, { SVC_VISITOR_SALT_ROTATION_DAYS: String(rotationDays) });
      const asked = async (lens: string) => {
        const path = `/api/stats/main?${new URLSearchParams({ site_id: SITE, period: "7d", lens }).toString()}`;
        const { total_sessions, total_events } = (await (await target.fetch(path)).json()) as {
          total_sessions: number;
          total_events: number;
        };
        return { visits: total_sessions, events: total_events };
      };
      expect(await asked("default")).toEqual(countOf(visits));
      expect(await asked("strict")).toEqual(countOf(visits.filter((each) => !left.has(each))));
      await close();
    });
  });
}
