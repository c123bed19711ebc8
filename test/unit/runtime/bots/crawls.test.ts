/** Batches of requests of AI crawlers on their way to files. */
import { describe, expect, it } from "vitest";
import { CRAWL_BATCHES_OF_SITE_MAX, CRAWL_REQUESTS_MAX } from "../../../../src/runtime/base/config/limits.ts";
import { createSha256 } from "../../../../src/runtime/base/bytes.ts";
import { VERIFIES_NONE } from "../../../../src/runtime/bots/crawler-addresses.ts";
import { crawlReport } from "../../../../src/runtime/bots/crawl-report.ts";
import { type CrawlBatch, type CrawlRequest, Crawls } from "../../../../src/runtime/bots/crawls.ts";
import { BATCHES_MAX, countFileOf, CRAWLS, DayCounts, decodeCounts, encodeCounts } from "../../../../src/storage/day-counts.ts";
import { type LocalDate, type SiteId, utcDateOf } from "../../../../src/storage/event.ts";
import { gzip } from "../../../../src/storage/gzip.ts";
import type { ObjectStore } from "../../../../src/storage/object-store.ts";
import { crawlCountsIn } from "../../../support/crawl-counts.ts";
import { createMemoryObjectStore } from "../../../support/memory-object-store.ts";
import { memoryStores, mortalStores, type Strike } from "../../../support/mortal-stores.ts";
import { siteId } from "../../../support/stored-event.ts";

const [SITE, OTHER] = [siteId("a.test"), siteId("b.test")];
const NOW_MS = Date.UTC(2026, 2, 15, 12);
const DAY_MS = 86_400_000;

const sha256 = await createSha256();

function open(objects: ObjectStore, siteOf: (siteId: SiteId) => SiteId = (same) => same, host = {}): Crawls {
  const counts = crawlCountsIn(objects, { siteOf });
  return new Crawls({
    ...{ monotonicMs: () => 0, wait: async () => {}, verifiesCrawler: VERIFIES_NONE },
    ...{ counts, sha256, pathOf: (_siteId: SiteId, path: string) => path, now: () => NOW_MS },
    dateOf: (_siteId, atMs) => utcDateOf(atMs),
    lastExpiredOf: (site) => (site === OTHER ? ("2026-03-13" as LocalDate) : null),
    ...host,
  });
}

const read = (path = "/", daysAgo = 0, userAgent = "GPTBot/1.2"): CrawlRequest => ({
  ...{ userAgent, path, status: 200, address: null },
  atMs: NOW_MS - daysAgo * DAY_MS,
});

const batchOf = (id: string | null, ...requests: CrawlRequest[]): CrawlBatch => ({ id, requests });

/** Reads by day. */
async function readsOf(crawls: Crawls, site = SITE): Promise<Readonly<Record<string, number>>> {
  const dates = ["2026-02-14", "2026-03-12", "2026-03-13", "2026-03-14", "2026-03-15"] as LocalDate[];
  const { days } = await crawlReport(crawls.counts, { siteId: site, dates, limit: 10, signal: new AbortController().signal });
  return Object.fromEntries(days.filter(({ reads }) => reads > 0).map(({ date, reads }) => [date, reads]));
}

const THREE_DAYS = batchOf("1", read("/a"), read("/b", 1), read("/c", 2), read("/d", 2));
const ALL = { "2026-03-13": 2, "2026-03-14": 1, "2026-03-15": 1 };

describe("batches of requests of AI crawlers", () => {
  it("count once if the service is killed at any change of its files, and they are sent again", async () => {
    const kill = (atChange: number, when: Strike["when"]): Strike => ({ atChange, when, deadly: true });
    let [strikes, hasStruck] = [0, true];
    for (let atChange = 1; hasStruck; atChange++) {
      for (const when of ["before", "after"] as const) {
        const stores = memoryStores();
        const { objects, hasStruck: struck } = mortalStores(stores, kill(atChange, when));
        await open(objects)
          .add(SITE, THREE_DAYS)
          .catch(() => null);
        hasStruck = struck();
        const crawls = open(stores.objects);
        const { counted, repeated } = await crawls.add(SITE, THREE_DAYS);
        expect(counted + repeated).toBe(4);
        expect(await readsOf(crawls)).toEqual(ALL);
        strikes++;
      }
    }
    // Three files, and a run that nothing interrupts.
    expect(strikes).toBe(8);
  });

  it("that come while another one is being written share the next write", async () => {
    const objects = createMemoryObjectStore();
    let puts = 0;
    const put: ObjectStore["put"] = (key, bytes) => {
      puts++;
      return objects.put(key, bytes);
    };
    const crawls = open({ ...objects, put });
    const batches = Array.from({ length: 10 }, (_, i) => batchOf(String(i % 8), read(`/${i}`)));
    const outcomes = await Promise.all(batches.map((batch) => crawls.add(SITE, batch)));
    expect(outcomes.map(({ counted }) => counted)).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 0, 0]);
    expect(puts).toBe(2);
    expect(await readsOf(crawls)).toEqual({ "2026-03-15": 8 });
  });

  it("are answered when they are written, and the next ones wait as long as that took", async () => {
    const pauses: { readonly ms: number; readonly end: () => void }[] = [];
    let nowMs = 0;
    const host = {
      monotonicMs: () => (nowMs += 40),
      wait: (ms: number) => new Promise<void>((end) => pauses.push({ ms, end })),
    };
    const crawls = open(createMemoryObjectStore(), undefined, host);
    expect(await crawls.add(SITE, batchOf("1", read()))).toMatchObject({ counted: 1 });
    const next = crawls.add(SITE, batchOf("2", read()));
    expect(await crawls.add(OTHER, batchOf("1", read()))).toMatchObject({ counted: 1 });
    expect(pauses.map(({ ms }) => ms)).toEqual([40, 40]);
    expect(await readsOf(crawls)).toEqual({ "2026-03-15": 1 });
    pauses[0]?.end();
    expect(await next).toMatchObject({ counted: 1 });
    expect(await readsOf(crawls)).toEqual({ "2026-03-15": 2 });
  });

  it("are refused when too many wait, and those that wait are written", async () => {
    const objects = createMemoryObjectStore();
    let begin = (): void => {};
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const crawls = open({ ...objects, put: (key, bytes) => begun.then(() => objects.put(key, bytes)) });
    const sent = Array.from({ length: CRAWL_BATCHES_OF_SITE_MAX + 2 }, (_, i) => crawls.add(SITE, batchOf(null, read(`/${i}`))));
    const outcomes = Promise.allSettled(sent);
    begin();
    expect((await outcomes).map(({ status }) => status).filter((status) => status === "rejected")).toHaveLength(1);
    await expect(sent.at(-1)).rejects.toMatchObject({ failure: { code: "too_many_requests", retryAfterSecs: 1 } });
    expect(await readsOf(crawls)).toEqual({ "2026-03-15": CRAWL_BATCHES_OF_SITE_MAX + 1 });
  });

  it("leave out what is too old, of the future, expired, or of no AI crawler", async () => {
    const crawls = open(createMemoryObjectStore());
    const batch = batchOf(null, read("/", 30), read("/", 30.1), read("/", -0.1), read("/", 2), read("/", 0, "Mozilla/5.0"));
    expect(await crawls.add(SITE, batch)).toEqual({ counted: 2, repeated: 0, unknown: 1, outOfRange: 2 });
    expect(await crawls.add(OTHER, batch)).toEqual({ counted: 0, repeated: 0, unknown: 1, outOfRange: 4 });
    expect(await readsOf(crawls)).toEqual({ "2026-03-13": 1 });
  });

  it("are known again after their site was renamed", async () => {
    const objects = createMemoryObjectStore();
    await open(objects).add(SITE, THREE_DAYS);
    const crawls = open(objects, () => OTHER);
    await crawls.counts.move(SITE, OTHER, 7);
    expect(await crawls.add(SITE, THREE_DAYS)).toMatchObject({ counted: 0, repeated: 4 });
    expect(await crawls.add(SITE, batchOf("2", read()))).toMatchObject({ counted: 1 });
    expect(await readsOf(crawls, OTHER)).toEqual({ ...ALL, "2026-03-15": 2 });
  });

  it("are known among the latest of their day, and a file of many is bounded", async () => {
    const day = "2026-03-15" as LocalDate;
    const counts = new DayCounts();
    for (let i = 0; i < BATCHES_MAX + 10; i++) counts.noteBatch(String(i));
    for (let i = 0; i < 5 * CRAWL_REQUESTS_MAX; i++) counts.add(["GPTBot", "200"], `/${i}`);
    counts.prune();
    const objects = createMemoryObjectStore();
    await objects.put(countFileOf(CRAWLS, SITE, day, 0).key, await encodeCounts(CRAWLS, day, counts));
    const crawls = open(objects);
    await crawls.add(SITE, batchOf("new", read()));
    const stored = await objects.get(countFileOf(CRAWLS, SITE, day, 0).key);
    const { batches, rowCount } = await decodeCounts(CRAWLS, stored ?? new Uint8Array());
    expect([batches.size, batches.has("11"), batches.has("10"), rowCount]).toEqual([BATCHES_MAX, true, false, 1001]);
    expect(await readsOf(crawls)).toEqual({ [day]: 5 * CRAWL_REQUESTS_MAX + 1 });
  });

  it("of a damaged list of ids are no file of counts", async () => {
    const bytes = await encodeCounts(CRAWLS, "2026-03-15" as LocalDate, new DayCounts());
    expect((await decodeCounts(CRAWLS, bytes)).batches.size).toBe(0);
    await expect(decodeCounts(CRAWLS, await gzip(new TextEncoder().encode('{"batches":[1]}\n')))).rejects.toThrow("its batches are none");
  });
});
