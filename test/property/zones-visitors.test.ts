/**
 * Visitor ids around changes of the time zone: none is of two salt periods of the site's dates, so that the visitors of a range are the sum
 * of those of its periods. Events come over the wire, and zones change as their owner changes them.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_SETTINGS } from "../../src/runtime/sites/site-settings.ts";
import { addDays, firstDateOfPeriod, periodOf } from "../../src/storage/calendar.ts";
import type { LocalDate } from "../../src/storage/event.ts";
import { createInProcessTarget, type InProcessTarget } from "../support/in-process-target.ts";
import { getStats, record, wireEvent, type MainFigures } from "../support/requests.ts";
import { visitor } from "../support/stats-requests.ts";
import { siteId } from "../support/stored-event.ts";
import { PROPERTY_RUNS, PROPERTY_TIMEOUT_MS } from "./settings.ts";

const SITE = siteId("moving.test");
const HOUR_MS = 3_600_000;
const NEVER = new AbortController().signal;

/** Fewer, because each starts a service. */
const RUNS = Math.ceil(PROPERTY_RUNS / 5);

const MOVES = {
  west: ["UTC", "America/New_York"],
  "across the date line to the west": ["Pacific/Kiritimati", "Pacific/Pago_Pago"],
  east: ["UTC", "Asia/Kathmandu"],
  "across the date line to the east": ["Pacific/Pago_Pago", "Pacific/Kiritimati"],
  "west and back": ["UTC", "America/New_York", "UTC"],
  "east and back": ["UTC", "Asia/Tokyo", "UTC"],
} as const;

const SECRETS = { "a configured secret": { SVC_SECRET: "a secret of at least sixteen characters" }, "generated secrets": {} };

/** Hours that pass before an event of one visitor, and whether the next zone is set before it. */
const step = fc.record({ hours: fc.integer({ min: 1, max: 11 }), who: fc.integer({ min: 1, max: 2 }), isMove: fc.boolean() });

const history = fc.record({
  startHour: fc.integer({ min: 0, max: 71 }),
  rotationDays: fc.constantFrom(1, 1, 2, 3),
  steps: fc.array(step, { minLength: 4, maxLength: 16, size: "max" }),
});

type History = typeof history extends fc.Arbitrary<infer T> ? T : never;

const setZone = ({ services }: InProcessTarget, timeZone: string, hasEvents: boolean): Promise<void> =>
  services.sites.change(new Map([[SITE, { ...DEFAULT_SETTINGS, timeZone }]]), { hasEvents: () => hasEvents, signal: NEVER });

async function play(target: InProcessTarget, [first, ...others]: readonly string[], { steps }: History): Promise<void> {
  const zones = [...others];
  await setZone(target, first ?? "UTC", false);
  await record(target, wireEvent(SITE), visitor(1));
  for (const { hours, who, isMove } of steps) {
    await target.advance(hours * HOUR_MS);
    const next = isMove ? zones.shift() : undefined;
    if (next) await setZone(target, next, true);
    await record(target, wireEvent(SITE), visitor(who));
  }
}

const visitorsIn = async (target: InProcessTarget, firstDay: LocalDate, lastDay: LocalDate): Promise<number> =>
  (await getStats<MainFigures>(target, "main", { site_id: SITE, start_date: firstDay, end_date: lastDay })).unique_visitors;

/** Of the range as a whole, and of its salt periods together. */
async function visitorsOf(target: InProcessTarget, rotationDays: number) {
  const days = await target.services.daysOf(SITE);
  const periods = [...new Set(days.map((day) => periodOf(day, rotationDays)))];
  const bounds = periods.map((period) => firstDateOfPeriod(period, rotationDays));
  const lastOf = (first: LocalDate): LocalDate => addDays(first, rotationDays - 1);
  const [begin, end] = [bounds[0], bounds.at(-1)];
  if (!begin || !end) throw new Error("there are no events");
  let summed = 0;
  for (const first of bounds) summed += await visitorsIn(target, first, lastOf(first));
  return { whole: await visitorsIn(target, begin, lastOf(end)), summed };
}

describe.each(Object.entries(SECRETS))("visitor ids with %s", (_secret, secret) => {
  it.each(Object.entries(MOVES))(
    "each visitor id belongs to one salt period when the site moves %s",
    async (_move, zones) => {
      const holds = fc.asyncProperty(history, async (past) => {
        const environment = { ...secret, SVC_VISITOR_SALT_ROTATION_DAYS: String(past.rotationDays), SVC_TRUST_PROXY: "1" };
        const target = await createInProcessTarget(environment, { startMs: Date.parse("2026-03-08T00:00:30Z") + past.startHour * HOUR_MS });
        await play(target, zones, past);
        const { whole, summed } = await visitorsOf(target, past.rotationDays);
        await target.close();
        expect(whole).toBe(summed);
      });
      await fc.assert(holds, { numRuns: RUNS, endOnFailure: true });
    },
    PROPERTY_TIMEOUT_MS,
  );
});
