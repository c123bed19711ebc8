/** Retention: what is older than `retention_days` goes, at the start and once a day, and nothing waits for it. */
import { describe, expect, it, onTestFinished } from "vitest";
import { RETENTION_RETRY_MS } from "../../src/runtime/limits.ts";
import { utcDayOf } from "../../src/storage/event.ts";
import { START_MS, createInProcessTarget, type InProcessTarget } from "../support/in-process-target.ts";
import { memoryStores, type Stores } from "../support/mortal-stores.ts";
import { record, wireEvent } from "../support/requests.ts";
import { createEngineShare } from "../support/shared-engine.ts";
import { storeDay } from "../support/stored-days.ts";
import { siteId } from "../support/stored-event.ts";

const DAY_MS = 86_400_000;

const SITES = [siteId("a.test"), siteId("B:test")];

const dayBack = (days: number) => utcDayOf(START_MS - days * DAY_MS);

/** Files of each site for each of the last days. */
async function storesWithDays(days: readonly number[]): Promise<Stores> {
  const stores = memoryStores();
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
  it("keeps today and so many days before, of every site", async () => {
    const stores = await storesWithDays([0, 1, 2, 3, 4, 400]);
    const target = await createTarget(2, stores);
    await pass(target, 0);
    expect(await daysIn(stores)).toEqual([dayBack(2), dayBack(1), dayBack(0)]);
    expect(target.services.counters.eventsErased).toBe(SITES.length * 3 * 2);
    expect(target.log.lines.filter(({ level }) => level === "info").map(({ fields }) => fields)).toEqual([
      { upTo: dayBack(3), days: 6, events: 12 },
    ]);
  });

  it("goes on with each new date, and not before", async () => {
    const stores = await storesWithDays([0, 1, 2]);
    const target = await createTarget(2, stores);
    await pass(target, 0);
    await pass(target, DAY_MS / 2 - 1);
    expect(await daysIn(stores)).toEqual([dayBack(2), dayBack(1), dayBack(0)]);
    await pass(target, 1);
    expect(await daysIn(stores)).toEqual([dayBack(1), dayBack(0)]);
  });

  it("erases what still lies in the journal", async () => {
    const stores = memoryStores();
    const target = await createTarget(1, stores);
    await record(target, wireEvent("late.test"));
    await target.services.retention.run(START_MS + 2 * DAY_MS);
    expect([target.services.journal.size, await daysIn(stores), target.services.counters.eventsErased]).toEqual([0, [], 1]);
  });

  it("keeps everything with 0", async () => {
    const stores = await storesWithDays([0, 400]);
    const target = await createTarget(0, stores);
    await pass(target, 0);
    await pass(target, 10 * DAY_MS);
    expect(await daysIn(stores)).toEqual([dayBack(400), dayBack(0)]);
  });

  it("goes on with other sites when one fails, is counted and logged then, and is tried again after a pause", async () => {
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
    expect(target.log.lines.filter(({ level }) => level === "error").map(({ fields }) => fields.reason)).toEqual(["1 of 2 sites: told to fail"]);
    broken = false;
    await pass(target, RETENTION_RETRY_MS - 1);
    expect(await daysIn(stores)).toEqual([dayBack(5)]);
    await pass(target, 1);
    expect(await daysIn(stores)).toEqual([]);
  });
});
