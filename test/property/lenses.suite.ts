/** A wave of programs in ordinary browsers, beside people: `strict` leaves out what the model does, and hardly anybody else. */
import { describe, expect, it } from "vitest";
import type { LocalDate, SiteId, StoredEvent } from "../../src/storage/event.ts";
import { createShare, logIn, postSetup, withShare } from "../support/auth-requests.ts";
import type { InProcessTarget, MakeInProcessTarget } from "../support/in-process-target.ts";
import type { RequestHeaders } from "../support/requests.ts";
import { numbersFrom } from "../support/seeded-numbers.mjs";
import { anEvent } from "../support/stored-event.ts";
import { sessionsOf, type Condition } from "./filter-model.ts";
import { leftOut } from "./left-out-model.ts";
import { breakdownOf, customMainOf, mainOf, type Events, type Scope } from "./model.ts";
import { playHistory } from "./played-history.ts";
import { filtersParameter } from "./questions.ts";

const SITE = "waves.test" as string as SiteId;
const DAYS = ["2026-01-10", "2026-02-11", "2026-03-12", "2026-03-13"];
const NOW_MS = Date.parse("2026-03-14T12:00:00.000Z");
const PEOPLE_PER_DAY = 250;
const WAVE_PER_DAY = 80;
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

const RANGE: Scope = { siteId: SITE, firstDay: "2026-01-01", lastDay: "2026-03-14", conditions: [], isStrict: true, sessionGapMs: GAP_MS };

async function answer(
  target: InProcessTarget,
  endpoint: string,
  parameters: Readonly<Record<string, string>>,
  headers: RequestHeaders = {},
) {
  const { firstDay, lastDay } = RANGE;
  const query = new URLSearchParams({ site_id: SITE, start_date: firstDay, end_date: lastDay, lens: "strict", ...parameters });
  const response = await target.fetch(`/api/stats/${endpoint}?${query.toString()}`, { headers });
  return (await response.json()) as unknown;
}

/** Without the second page, some visits of the wave are bounces for the guest; with the first alone, all visits are. */
const SHARED: readonly Condition[] = [
  { dimension: "pages", operator: "in", isNegated: true, values: ["/1"] },
  { dimension: "pages", operator: "in", isNegated: false, values: ["/0"] },
];

async function checkGuest(target: InProcessTarget, events: Events, condition: Condition): Promise<void> {
  const { filters = "" } = filtersParameter([condition]);
  const { token } = await createShare(target, await logIn(target), { site_id: SITE, filters });
  expect(await answer(target, "main", {}, withShare(token))).toEqual(mainOf(events, { ...RANGE, shared: [condition] }, GAP_MS, null));
}

export function describeLenses(makeTarget: MakeInProcessTarget, periods: readonly number[] = [1, 3650]): void {
  describe("a wave", () => {
    it.each(periods)("is left out by strict, as by the model, and hardly any people are: ids of %i days", async (rotationDays) => {
      const { people, wave } = population(rotationDays);
      const events = [...people, ...wave].flat().toSorted((a, b) => a.timestampMs - b.timestampMs);
      const left = leftOut(sessionsOf(events, GAP_MS));
      const waveIds = new Set(wave.map(([first]) => first?.visitorId));
      const ofWave = [...left].filter(([first]) => waveIds.has(first?.visitorId ?? 0n)).length;
      expect(ofWave / wave.length).toBeGreaterThanOrEqual(0.95);
      expect((left.size - ofWave) / people.length).toBeLessThanOrEqual(0.01);

      const steps = [{ events, afterwards: "flush" as const }];
      const history = { nowMs: NOW_MS, sessionWindowMinutes: 30, realtimeWindowMinutes: 5, steps };
      const environment = { SVC_VISITOR_SALT_ROTATION_DAYS: String(rotationDays) };
      const { target, close } = await playHistory(makeTarget, history, environment);
      expect(await answer(target, "main", {})).toEqual(mainOf(events, RANGE, GAP_MS, null));
      expect(await answer(target, "breakdown/countries", {})).toEqual(breakdownOf(events, RANGE, "countries", 10));
      const cut = { firstDay: "2026-03-12", lastDay: "2026-03-13", isSameTime: true };
      const compared = { compare: "custom", compare_start_date: cut.firstDay, compare_end_date: cut.lastDay, compare_same_time: "true" };
      expect(await answer(target, "main", compared)).toEqual(customMainOf(events, RANGE, GAP_MS, cut, NOW_MS));
      await postSetup(target);
      for (const condition of SHARED) await checkGuest(target, events, condition);
      await close();
    });
  });
}
