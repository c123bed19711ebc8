/** The demo site (docs/http-api.md, "Demo site"). */
import { describe, expect, it, onTestFinished } from "vitest";
import { bodyOf, CLOSED, createKey, logIn, ofItsOwn, withKey } from "../support/auth-requests.ts";
import { deleteEvents } from "../support/erasure-requests.ts";
import { expectError, getPixel, post, record, wireEvent, type RequestHeaders } from "../support/requests.ts";
import { demoDay } from "../../src/runtime/installation/demo-events.ts";
import { DEMO_DAYS } from "../../src/runtime/base/config/limits.ts";
import { DEMO_SITE } from "../../src/runtime/base/config/names.ts";
import { addDays, dayNumberOf } from "../../src/storage/calendar.ts";
import { DAY_MS, MINUTE_MS, startOfDayMs, utcDateOf } from "../../src/storage/event.ts";
import { START_MS } from "../support/in-process-target.ts";
import { able, itNeeds, SHORT_DEMO, type Environment, type MakeTarget, type Target } from "../support/target.ts";

const DEMO = DEMO_SITE;

interface Answer {
  readonly status: "ready" | "removed";
  readonly site_id: string;
  readonly events_added?: number;
  readonly events_removed?: number;
}

const ask = (target: Target, method: "POST" | "DELETE", headers: RequestHeaders = {}): Promise<Response> =>
  target.fetch("/api/demo", { method, headers });

const make = async (target: Target, headers: RequestHeaders = {}): Promise<number> => {
  const answer = await bodyOf<Answer>(await ask(target, "POST", headers));
  expect(answer).toMatchObject({ status: "ready", site_id: DEMO });
  return answer.events_added ?? Number.NaN;
};

const remove = async (target: Target, headers: RequestHeaders = {}): Promise<number> => {
  const answer = await bodyOf<Answer>(await ask(target, "DELETE", headers));
  expect(answer).toMatchObject({ status: "removed", site_id: DEMO });
  return answer.events_removed ?? Number.NaN;
};

const sitesOf = async (target: Target): Promise<string[]> => (await bodyOf<{ sites: string[] }>(await target.fetch("/api/sites"))).sites;

const eventsOf = async (target: Target, siteId: string, period = "12mo"): Promise<number> =>
  (await bodyOf<{ total_events: number }>(await target.fetch(`/api/stats/main?site_id=${siteId}&period=${period}`))).total_events;

const targetsOf =
  (makeTarget: MakeTarget) =>
  async (environment: Environment = SHORT_DEMO): Promise<Target> => {
    const target = await makeTarget(ofItsOwn(environment));
    onTestFinished(() => target.close());
    return target;
  };

/** The made-up events between two times, whole minutes in UTC, which a demo has that was made on a day. */
function eventsSince(fromMs: number, toMs: number, madeMs: number = START_MS): number {
  const madeOn = dayNumberOf(utcDateOf(madeMs));
  let events = 0;
  for (let day = utcDateOf(fromMs); day <= utcDateOf(toMs); day = addDays(day, 1)) {
    const startMs = startOfDayMs(day);
    const index = DEMO_DAYS - 1 + dayNumberOf(day) - madeOn;
    const ofDay = demoDay({ siteId: DEMO_SITE, date: day, startMs, endMs: startMs + DAY_MS, index });
    events += ofDay.filter(({ timestampMs }) => fromMs <= timestampMs && timestampMs < toMs).length;
  }
  return events;
}

interface Made {
  readonly added: number;
  readonly atMs: number;
}

const madeNow = async (target: Target, headers: RequestHeaders = {}): Promise<Made> => {
  const atMs = target.nowMs();
  return { added: await make(target, headers), atMs };
};

/** The events that were added, and perhaps those of minutes that have ended since: the clock of some hosts goes on. */
function expectAdded(target: Target, events: number, { added, atMs }: Made): void {
  expect(events).toBeGreaterThanOrEqual(added);
  expect(events).toBeLessThanOrEqual(added + eventsSince(atMs - (atMs % MINUTE_MS), target.nowMs(), atMs));
}

/** More events than other cases store: a host may have too little memory or time for them. */
export function describeDemoYear(makeTarget: MakeTarget): void {
  describe("a demo site without a retention", () => {
    const aTarget = targetsOf(makeTarget);

    it("contains a year of events up to now, all of which reports count, and is gone after its removal", async () => {
      const target = await aTarget({});
      await record(target, wireEvent("own.test"));
      const made = await madeNow(target);
      expect(made.added).toBeGreaterThan(100_000);
      expect(made.added).toBeLessThan(150_000);
      expect(await sitesOf(target)).toEqual([DEMO, "own.test"]);
      expectAdded(target, await eventsOf(target, DEMO), made);
      expect(await eventsOf(target, "own.test")).toBe(1);
      const days = await bodyOf<{ date: string; pageviews: number }[]>(
        await target.fetch(`/api/stats/timeseries?site_id=${DEMO}&period=12mo`),
      );
      expect(days).toHaveLength(365);
      expect(days.slice(0, -1).filter(({ pageviews }) => pageviews < 50)).toEqual([]);

      expectAdded(target, await remove(target), made);
      expect(await sitesOf(target)).toEqual(["own.test"]);
      expect(await eventsOf(target, DEMO)).toBe(0);
      expect(await eventsOf(target, "own.test")).toBe(1);
    });

    itNeeds(
      makeTarget,
      "advance",
      "goes on by itself, also after a restart, counts each event once, and stops when it is removed",
      async () => {
        const target = await aTarget({});
        const first = await make(target);
        expect(await make(target)).toBe(0);
        // The engine has today's events from now on.
        const before = await eventsOf(target, DEMO, "day");
        await able(target, "advance")(20 * MINUTE_MS);
        // Waits for what the job adds, and would add what it left out.
        expect(await make(target)).toBe(0);
        const second = (await eventsOf(target, DEMO, "day")) - before;
        expect(second).toBeGreaterThan(0);
        await target.restart?.();
        // Until the sites are listed, it is not known that there is one.
        expect(await sitesOf(target)).toEqual([DEMO]);
        await able(target, "advance")(2 * DAY_MS);
        expect(await make(target)).toBe(0);
        const all = await eventsOf(target, DEMO, "all");
        expect(all).toBe(first + second + eventsSince(target.nowMs() - 2 * DAY_MS, target.nowMs()));
        expect(await remove(target)).toBe(all);
        await able(target, "advance")(20 * MINUTE_MS);
        expect(await sitesOf(target)).toEqual([]);
      },
    );
  });
}

export function describeDemoSite(makeTarget: MakeTarget): void {
  describe("the demo site", () => {
    const aTarget = targetsOf(makeTarget);

    it("is made once, however many callers there are, and contains the same events after it was removed and made again", async () => {
      const target = await aTarget();
      const [made, ...others] = await Promise.all([madeNow(target), make(target), make(target)]);
      expect(others).toEqual([made.added, made.added]);
      expectAdded(target, await eventsOf(target, DEMO), made);
      const before = await bodyOf<unknown>(await target.fetch(`/api/stats/breakdown/pages?site_id=${DEMO}&period=7d`));
      expectAdded(target, await remove(target), made);
      expect(await remove(target)).toBe(0);
      await make(target);
      const again = await bodyOf<{ value: string }[]>(await target.fetch(`/api/stats/breakdown/pages?site_id=${DEMO}&period=7d`));
      // A minute may have passed.
      expect(again.map(({ value }) => value).toSorted()).toEqual((before as typeof again).map(({ value }) => value).toSorted());
    });

    itNeeds(makeTarget, "restart", "is there after a restart, still refuses events, and can still be removed", async () => {
      const target = await aTarget();
      const made = await madeNow(target);
      await able(target, "restart")();
      expectAdded(target, await eventsOf(target, DEMO, "7d"), made);
      await expectError(await post(target, wireEvent(DEMO)), 403, "demo site");
      expectAdded(target, await remove(target), made);
      await able(target, "restart")();
      expect(await sitesOf(target)).toEqual([]);
    });

    itNeeds(makeTarget, "advance", "has current visitors half an hour after it was made", async () => {
      const target = await aTarget();
      await make(target);
      await able(target, "advance")(30 * MINUTE_MS);
      await make(target);
      const realtime = await bodyOf<{ pageviews: number; visitors: number }>(
        await target.fetch(`/api/stats/realtime?site_id=${DEMO}&minutes=30`),
      );
      expect(realtime.visitors).toBeGreaterThan(2);
      expect(realtime.pageviews).toBeGreaterThanOrEqual(realtime.visitors);
    });

    it("is in reports from its making until its removal, whatever was cached before", async () => {
      const target = await aTarget({ ...SHORT_DEMO, SVC_CACHE_TTL_SECS: "60" });
      expect(await eventsOf(target, DEMO, "7d")).toBe(0);
      const made = await madeNow(target);
      expectAdded(target, await eventsOf(target, DEMO, "7d"), made);
      await remove(target);
      expect(await eventsOf(target, DEMO, "7d")).toBe(0);
    });

    it("refuses the events of pages while it exists, and its name is like any other before and after", async () => {
      const target = await aTarget();
      const made = await madeNow(target);
      await expectError(await post(target, wireEvent(DEMO)), 403, "demo site");
      expect((await getPixel(target, { d: DEMO, u: "/" })).status).toBe(403);
      expectAdded(target, await eventsOf(target, DEMO, "7d"), made);
      await remove(target);
      await record(target, wireEvent(DEMO));
      expect(await eventsOf(target, DEMO, "7d")).toBe(1);
    });

    it("is not mixed with other events of its name, and its removal does not delete those", async () => {
      const target = await aTarget();
      await record(target, wireEvent(DEMO));
      await expectError(await ask(target, "POST"), 409, DEMO);
      await target.flush?.();
      await expectError(await ask(target, "POST"), 409, DEMO);
      expect(await remove(target)).toBe(0);
      expect(await eventsOf(target, DEMO, "7d")).toBe(1);
    });

    it("is neither prevented nor counted by site_ids and max_sites", async () => {
      const listed = await aTarget({ ...SHORT_DEMO, SVC_SITE_IDS: "mine.test" });
      await make(listed);
      expect(await sitesOf(listed)).toEqual([DEMO, "mine.test"]);
      const small = await aTarget({ ...SHORT_DEMO, SVC_MAX_SITES: "1" });
      await make(small);
      await record(small, wireEvent("one.test"));
      await expectError(await post(small, wireEvent("two.test")), 403, "max_sites");
    });

    it("is deleted by data deletion, after which its name is free", async () => {
      const target = await aTarget({ ...SHORT_DEMO, ...CLOSED });
      const session = await logIn(target);
      const made = await madeNow(target, session);
      const day = (agoMs: number) => new Date(target.nowMs() - agoMs).toISOString().slice(0, 10);
      const dates = { site_id: DEMO, start_date: day(10 * DAY_MS), end_date: day(0) };
      const { db_records_deleted: deleted } = await bodyOf<{ db_records_deleted: number }>(await deleteEvents(target, session, dates));
      expectAdded(target, deleted, made);
      await record(target, wireEvent(DEMO));
    });

    it("is open to everyone except foreign pages until a password is set, then to admins", async () => {
      const foreign = { origin: "https://foreign.test" };
      const open = await aTarget();
      for (const method of ["POST", "DELETE"] as const) await expectError(await ask(open, method, foreign), 403, "dashboard");
      await make(open);
      expect(await remove(open)).toBeGreaterThan(0);

      const closed = await aTarget({ ...SHORT_DEMO, ...CLOSED });
      const session = await logIn(closed);
      const [reader, admin] = [await createKey(closed, session, "ReadOnly"), await createKey(closed, session, "Admin")];
      for (const method of ["POST", "DELETE"] as const) {
        await expectError(await ask(closed, method), 401);
        await expectError(await ask(closed, method, withKey(reader.key)), 403, "ReadOnly");
        await expectError(await ask(closed, method, { ...session, ...foreign }), 403, "dashboard");
      }
      await make(closed, withKey(admin.key));
      expect(await remove(closed, session)).toBeGreaterThan(0);
    });
  });
}
