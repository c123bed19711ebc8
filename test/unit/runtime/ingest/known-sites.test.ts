/** Sites that may come into being by events: what happens at the same moment, when storage fails, and beside a start. */
import { describe, expect, it, onTestFinished } from "vitest";
import { KnownSites } from "../../../../src/runtime/ingest/admission.ts";
import { createCounters } from "../../../../src/runtime/base/metrics/metrics.ts";
import type { SiteId } from "../../../../src/storage/event.ts";
import { createDeferred } from "../../../support/deferred.ts";
import { createFailingSegmentLog } from "../../../support/failing-segment-log.ts";
import { START_MS, createInProcessTarget, type InProcessParts, type InProcessTarget } from "../../../support/in-process-target.ts";
import { memoryStores, type Stores } from "../../../support/mortal-stores.ts";
import { createRecordingLog } from "../../../support/recording-log.ts";
import { expectAccepted, expectError, post, record, wireEvent } from "../../../support/requests.ts";
import { storeDay } from "../../../support/stored-days.ts";
import { siteId } from "../../../support/stored-event.ts";

async function createTarget(sitesMax: number, parts: InProcessParts = {}): Promise<InProcessTarget> {
  const target = await createInProcessTarget({ SVC_MAX_SITES: String(sitesMax) }, parts);
  onTestFinished(() => target.close());
  return target;
}

const statusOf = async (target: InProcessTarget, site: string): Promise<number> => (await post(target, wireEvent(site))).status;

async function storesWithSites(...sites: string[]): Promise<Stores> {
  const stores = memoryStores();
  for (const site of sites) await storeDay(stores.objects, siteId(site), START_MS);
  return stores;
}

describe("new sites", () => {
  it("are accepted up to max_sites, each with all of its events, even if they arrive at the same moment", async () => {
    const segmentLog = createFailingSegmentLog();
    const target = await createTarget(2, { segmentLog });
    const release = segmentLog.hold();
    const statuses = ["a.test", "b.test", "a.test", "c.test", "b.test", "d.test", "a.test"].map((site) => statusOf(target, site));
    release();
    expect(await Promise.all(statuses)).toEqual([202, 202, 202, 403, 202, 403, 202]);
    expect(target.services.knownSites.count).toBe(2);
  });

  it("do not count if their first event could not be stored, and count if one of the first two was", async () => {
    const segmentLog = createFailingSegmentLog();
    const target = await createTarget(1, { segmentLog });
    segmentLog.failAppendCleanly();
    expect(await statusOf(target, "a.test")).toBe(503);
    expect(target.services.knownSites.count).toBe(0);
    segmentLog.failAppendCleanly();
    expect(await statusOf(target, "b.test")).toBe(503);
    expect(await statusOf(target, "b.test")).toBe(202);
    expect(await statusOf(target, "a.test")).toBe(403);
  });

  it("are rejected when max_sites is exceeded, while existing sites stay accepted", async () => {
    const target = await createTarget(1, await storesWithSites("a.test", "b.test", "c.test"));
    expect(await statusOf(target, "d.test")).toBe(403);
    for (const site of ["a.test", "b.test", "c.test"]) expect(await statusOf(target, site)).toBe(202);
    expect(target.services.knownSites.count).toBe(3);
  });

  it("wait for the listing of sites, unless they have events in the journal", async () => {
    const stores = await storesWithSites("filed.test");
    await record(await createTarget(2, stores), wireEvent("journaled.test"));
    const listing = createDeferred<void>();
    const objects: Stores["objects"] = {
      ...stores.objects,
      folders: async (folder) => (await listing.promise, stores.objects.folders(folder)),
    };
    const target = await createTarget(2, { ...stores, objects });
    expect(await statusOf(target, "journaled.test")).toBe(202);
    const [filed, other] = [statusOf(target, "filed.test"), statusOf(target, "other.test")];
    listing.resolve();
    expect(await Promise.all([filed, other])).toEqual([202, 403]);
  });

  it("wait only a moment for a listing that hangs; they are accepted until it completes, and rejected afterwards", async () => {
    const stores = await storesWithSites("filed.test");
    const listing = createDeferred<void>();
    const objects: Stores["objects"] = {
      ...stores.objects,
      folders: async (folder) => (await listing.promise, stores.objects.folders(folder)),
    };
    const target = await createTarget(1, { ...stores, objects });
    await expectAccepted(await post(target, wireEvent("filed.test")));
    await expectAccepted(await post(target, wireEvent("other.test")));
    listing.resolve();
    await expect.poll(() => statusOf(target, "third.test")).toBe(403);
    for (const site of ["filed.test", "other.test"]) expect(await statusOf(target, site)).toBe(202);
  });

  it("are not forgotten if they are flushed while an older listing is still running", async () => {
    const listing = createDeferred<ReadonlySet<SiteId>>();
    const journaled = new Set([siteId("old.test"), siteId("new.test")]);
    const knownSites = new KnownSites({
      storedSites: () => listing.promise,
      listingMsMax: 1000,
      monotonicMs: () => 0,
      journaledSites: [siteId("old.test")],
      isJournaled: (site) => journaled.has(site),
      withSettings: { has: () => false, listed: () => [], count: 0 },
      sitesMax: 2,
      counters: createCounters(),
      log: createRecordingLog(),
      wait: () => new Promise(() => {}),
    });
    await knownSites.storing(siteId("new.test"), async () => {});
    journaled.clear();
    listing.resolve(new Set());
    expect([...(await knownSites.listed())].sort()).toEqual(["new.test", "old.test"]);
    expect(() => knownSites.check(siteId("third.test"))).toThrow("max_sites");
  });

  it("are accepted after a listing that fails, which is logged once and retried with the next new site", async () => {
    const stores = await storesWithSites("filed.test");
    let isBroken = true;
    const folders: Stores["objects"]["folders"] = (folder) =>
      isBroken ? Promise.reject(new Error("told to fail")) : stores.objects.folders(folder);
    const target = await createTarget(1, { ...stores, objects: { ...stores.objects, folders } });
    for (const site of ["filed.test", "other.test"]) expect(await statusOf(target, site)).toBe(202);
    isBroken = false;
    await expectError(await post(target, wireEvent("third.test")), 403, "max_sites");
    expect(target.log.lines.filter(({ level }) => level === "warn").map(({ message }) => message)).toEqual([
      "the sites could not be listed; max_sites is not enforced until they can",
      "events of a new site are refused: max_sites is reached",
    ]);
  });

  it("replace a site that retention left without events", async () => {
    const stores = memoryStores();
    await storeDay(stores.objects, siteId("old.test"), START_MS - 10 * 86_400_000);
    const target = await createInProcessTarget({ SVC_MAX_SITES: "1", SVC_RETENTION_DAYS: "2" }, stores);
    onTestFinished(() => target.close());
    expect(await statusOf(target, "new.test")).toBe(403);
    await target.services.retention.run();
    expect(await statusOf(target, "new.test")).toBe(202);
    expect(await statusOf(target, "old.test")).toBe(403);
  });

  it("are not forgotten if an event arrives while their site is being erased", async () => {
    const segmentLog = createFailingSegmentLog();
    const stores = { ...(await storesWithSites("a.test")), segmentLog };
    const target = await createTarget(1, stores);
    const day = new Date(START_MS).toISOString().slice(0, 10);
    expect(await statusOf(target, "b.test")).toBe(403);
    const release = segmentLog.hold();
    const status = statusOf(target, "a.test");
    await expect.poll(() => segmentLog.appends()).toBeGreaterThan(0);
    await target.services.erasure.erase(siteId("a.test"), day as never, day as never);
    release();
    expect(await status).toBe(202);
    expect(await statusOf(target, "a.test")).toBe(202);
    expect(await statusOf(target, "b.test")).toBe(403);
  });
});
