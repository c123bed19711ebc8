/** Retention: days older than `retention_days` are erased at the start and once a day, and nothing waits for it. */
import { describe, expect, it, onTestFinished } from "vitest";
import { replaceJsonRecord } from "../../../../src/storage/record-store.ts";
import { RETENTION_RETRY_MS } from "../../../../src/runtime/base/config/limits.ts";
import { CLOCK_RECORD } from "../../../../src/runtime/upkeep/trusted-clock.ts";
import { utcDateOf } from "../../../../src/storage/event.ts";
import { START_MS, createInProcessTarget, type InProcessTarget } from "../../../support/in-process-target.ts";
import { memoryStores, type Stores } from "../../../support/mortal-stores.ts";
import { record, wireEvent } from "../../../support/requests.ts";
import { createEngineShare } from "../../../support/shared-engine.ts";
import { storeDay } from "../../../support/stored-days.ts";
import { siteId } from "../../../support/stored-event.ts";

const DAY_MS = 86_400_000;

const SITES = [siteId("a.test"), siteId("B:test")];

const dayBack = (days: number) => utcDateOf(START_MS - days * DAY_MS);

/** Stores on which a service ran at that time. */
async function storesSeenAt(seenMs: number): Promise<Stores> {
  const stores = memoryStores();
  await replaceJsonRecord(stores.records, CLOCK_RECORD, { seenAt: new Date(seenMs).toISOString(), distrustedSince: null });
  return stores;
}

/** Files of each site for each of the last days. */
async function storesWithDays(days: readonly number[]): Promise<Stores> {
  const stores = await storesSeenAt(START_MS);
  for (const site of SITES) {
    for (const back of days) await storeDay(stores.objects, site, START_MS - back * DAY_MS);
  }
  return stores;
}

async function createTarget(retentionDays: number, stores: Stores): Promise<InProcessTarget> {
  const engine = await createEngineShare();
  onTestFinished(() => engine.close());
  return createInProcessTarget({ SVC_RETENTION_DAYS: String(retentionDays) }, { ...stores, engine });
}

const daysIn = async ({ objects }: Stores): Promise<string[]> =>
  [...new Set((await objects.list("events")).map(({ key }) => /date=([^/]+)/.exec(key)?.[1] ?? ""))].sort();

/** Lets the time pass and the run that it may begin end. */
async function pass(target: InProcessTarget, ms: number): Promise<void> {
  await target.advance(ms);
  await target.services.retention.settled();
}

describe("retention", () => {
  it("retains today and `retention_days` days before it, of every site", async () => {
    const stores = await storesWithDays([0, 1, 2, 3, 4, 400]);
    const target = await createTarget(2, stores);
    await pass(target, 0);
    expect(await daysIn(stores)).toEqual([dayBack(2), dayBack(1), dayBack(0)]);
    expect(target.services.counters.eventsErased).toBe(SITES.length * 3 * 2);
    expect(target.log.lines.filter(({ level }) => level === "info").map(({ fields }) => fields)).toEqual([
      { upTo: dayBack(3), days: 6, events: 12 },
    ]);
  });

  it("erases again on each new date, and not before", async () => {
    const stores = await storesWithDays([0, 1, 2]);
    const target = await createTarget(2, stores);
    await pass(target, 0);
    await pass(target, DAY_MS / 2 - 1);
    expect(await daysIn(stores)).toEqual([dayBack(2), dayBack(1), dayBack(0)]);
    await pass(target, 1);
    expect(await daysIn(stores)).toEqual([dayBack(1), dayBack(0)]);
  });

  it("erases events that are still in the journal", async () => {
    const stores = memoryStores();
    const target = await createTarget(1, stores);
    await record(target, wireEvent("late.test"));
    target.setClockAhead(2 * DAY_MS);
    await target.services.retention.run();
    expect([target.services.eventStore.unflushedEvents, await daysIn(stores), target.services.counters.eventsErased]).toEqual([0, [], 1]);
  });

  it("erases nothing if it is 0", async () => {
    const stores = await storesWithDays([0, 400]);
    const target = await createTarget(0, stores);
    await pass(target, 0);
    await pass(target, 10 * DAY_MS);
    expect(await daysIn(stores)).toEqual([dayBack(400), dayBack(0)]);
  });

  it("stops after the current site and begins no other; the next start continues", async () => {
    const stores = await storesWithDays([5]);
    const target = await createTarget(2, stores);
    const run = target.services.retention.run();
    await target.services.retention.stop();
    await run;
    const filesLeft = (await stores.objects.list("events")).length;
    expect(filesLeft).toBeGreaterThan(0);
    await pass(target, DAY_MS);
    expect(await stores.objects.list("events")).toHaveLength(filesLeft);
    await pass(await createTarget(2, stores), 0);
    expect(await daysIn(stores)).toEqual([]);
  });

  it("continues with other sites if one fails, counts and logs the failure, and retries after a pause", async () => {
    const stores = await storesWithDays([5]);
    let broken = true;
    const objects: Stores["objects"] = {
      ...stores.objects,
      delete: (key) => (broken && key.includes("a.test") ? Promise.reject(new Error("told to fail")) : stores.objects.delete(key)),
    };
    const target = await createTarget(2, { ...stores, objects });
    await pass(target, 0);
    expect((await stores.objects.list("events")).map(({ key }) => key.includes("a.test"))).toEqual([true]);
    expect(target.services.counters.retentionFailures).toBe(1);
    expect(target.log.lines.filter(({ level }) => level === "error").map(({ fields }) => fields.reason)).toEqual([
      "1 of 2 sites: told to fail",
    ]);
    broken = false;
    await pass(target, RETENTION_RETRY_MS - 1);
    expect(await daysIn(stores)).toEqual([dayBack(5)]);
    await pass(target, 1);
    expect(await daysIn(stores)).toEqual([]);
  });
});

const HOUR_MS = 3_600_000;

describe("retention by a clock that jumps", () => {
  /** One that has seen to today. */
  async function runningTarget(): Promise<{ target: InProcessTarget; stores: Stores }> {
    const stores = await storesWithDays([0, 1, 2]);
    const target = await createTarget(2, stores);
    await pass(target, 0);
    return { target, stores };
  }

  const ALL = [dayBack(2), dayBack(1), dayBack(0)];

  it("erases nothing until the clock has stayed ahead for an hour, and logs that once", async () => {
    const { target, stores } = await runningTarget();
    target.setClockAhead(30 * DAY_MS);
    for (let minute = 0; minute < 59; minute++) await pass(target, 60_000);
    expect(await daysIn(stores)).toEqual(ALL);
    expect(target.log.lines.filter(({ level }) => level === "warn").map(({ fields }) => fields)).toEqual([
      { lastSeen: "2026-03-15T12:00:00.000Z", daysAhead: 30 },
    ]);
    await pass(target, 60_000);
    expect(await daysIn(stores)).toEqual([]);
  });

  it("erases nothing if the clock is corrected within the hour", async () => {
    const { target, stores } = await runningTarget();
    target.setClockAhead(30 * DAY_MS);
    await pass(target, HOUR_MS - 1);
    target.setClockAhead(-30 * DAY_MS);
    for (let hour = 0; hour < 3; hour++) await pass(target, HOUR_MS);
    expect(await daysIn(stores)).toEqual(ALL);
  });

  it("waits again when the clock jumps again, even after it was corrected", async () => {
    const { target, stores } = await runningTarget();
    target.setClockAhead(30 * DAY_MS);
    await pass(target, HOUR_MS - 1);
    target.setClockAhead(30 * DAY_MS);
    await pass(target, HOUR_MS - 1);
    target.setClockAhead(-60 * DAY_MS);
    await pass(target, 1);
    target.setClockAhead(30 * DAY_MS);
    await pass(target, HOUR_MS - 1);
    expect(await daysIn(stores)).toEqual(ALL);
    await pass(target, 1);
    expect(await daysIn(stores)).toEqual([]);
  });

  it("does not count a second jump of some hours as the hour that has to pass", async () => {
    const { target, stores } = await runningTarget();
    target.setClockAhead(30 * DAY_MS);
    target.setClockAhead(2 * HOUR_MS);
    await pass(target, 60_000);
    expect(await daysIn(stores)).toEqual(ALL);
  });

  it("trusts at once a clock that is at most a day ahead, and one that was not read for long", async () => {
    const { target, stores } = await runningTarget();
    target.setClockAhead(DAY_MS);
    await target.services.retention.settled();
    expect(await daysIn(stores)).toEqual(ALL.slice(1));
    await pass(target, 30 * DAY_MS);
    expect(await daysIn(stores)).toEqual([]);
  });

  it("waits after a start whose clock is more than a day ahead of the recorded time, and otherwise begins at once", async () => {
    const outcomes = [DAY_MS + 1, DAY_MS].map(async (aheadMs) => {
      const stores = await storesWithDays([0, 1, 2]);
      await replaceJsonRecord(stores.records, CLOCK_RECORD, { seenAt: new Date(START_MS - aheadMs).toISOString(), distrustedSince: null });
      const target = await createTarget(1, stores);
      const seen = [];
      for (const ms of [0, HOUR_MS - 1, 1]) {
        await pass(target, ms);
        seen.push((await daysIn(stores)).length);
      }
      return seen;
    });
    expect(await Promise.all(outcomes)).toEqual([
      [3, 3, 2],
      [2, 2, 2],
    ]);
  });

  it.each([
    ["none", null],
    ["a damaged one", "{"],
    ["one with another time", '{"seenAt":"2026","distrustedSince":null}'],
    ["one that says nothing", "{}"],
  ])("waits if the record of the time is %s, across restarts, but not for ever", async (_, text) => {
    const stores = await storesWithDays([0, 1, 2]);
    if (text === null) await stores.records.remove(CLOCK_RECORD);
    else await stores.records.write(CLOCK_RECORD, new TextEncoder().encode(text));
    const target = await createTarget(1, stores);
    for (let quarter = 0; quarter < 4; quarter++) {
      await pass(target, 0);
      expect(await daysIn(stores), `quarter ${quarter}`).toEqual(ALL);
      await target.restart();
      await pass(target, HOUR_MS / 4);
    }
    expect(await daysIn(stores)).toEqual(ALL.slice(1));
  });

  it("records the time every hour, so that a short stop costs no wait", async () => {
    const { target, stores } = await runningTarget();
    for (let hour = 0; hour < 48; hour++) await pass(target, HOUR_MS);
    const text = new TextDecoder().decode((await stores.records.read(CLOCK_RECORD)) ?? new Uint8Array());
    expect(JSON.parse(text)).toEqual({ seenAt: new Date(START_MS + 48 * HOUR_MS).toISOString(), distrustedSince: null });
  });
});
