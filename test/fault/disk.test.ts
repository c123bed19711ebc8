/** Disks that fill up or fail, and clocks that are set back: accepted events survive, failures are logged, and the service recovers. */
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createInProcessTarget } from "../support/in-process-target.ts";
import { memoryStores } from "../support/mortal-stores.ts";
import { getMain, post, wireEvent } from "../support/requests.ts";
import { createEngineShare } from "../support/shared-engine.ts";
import { spawnServer, startServer } from "../support/server-process.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { expectEachOnce } from "./each-once.ts";
import { EventLoad } from "./event-load.ts";
import { inProcess, Ledger, wrongIn } from "./ledger.ts";
import { readStoredEvents, readStores } from "./stored-events.ts";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

const newLoad = (): EventLoad => new EventLoad((count) => ({ siteId: "disk.test", pathname: `/e/${count}` }));

/** Posts until so many events are acknowledged, also after refusals. */
async function postThrough(load: EventLoad, origin: string, events: number): Promise<void> {
  const wanted = load.acknowledged.length + events;
  while (load.acknowledged.length < wanted) {
    const enough = load.acknowledgedMore(wanted - load.acknowledged.length);
    const posting = load.start(origin);
    await Promise.race([enough, posting.ended]);
    posting.stop();
    await posting.ended;
  }
}

describe("a disk that refuses writes", () => {
  it("a disk that refuses writes makes the service refuse the events whose writes fail, and all others are stored exactly once after a restart", async () => {
    const dataFolder = await tempFolder();
    const environment = { SVC_FLUSH_EVENT_COUNT: "100000", SVC_CACHE_TTL_SECS: "0" };
    // A segment of the journal holds about a hundred events then.
    const server = await startServer({ dataFolder, environment, fileBlocksMax: 64 });
    const load = newLoad();
    await postThrough(load, server.origin, 500);
    expect(load.refusals.length).toBeGreaterThan(2);
    expect(new Set(load.refusals)).toEqual(new Set([503]));
    await server.logged(/ ERROR events are refused because they cannot be stored .*EFBIG/);
    const response = await fetch(`${server.origin}/api/stats/main?site_id=disk.test`);
    expect(((await response.json()) as { total_events: number }).total_events).toBe(load.acknowledged.length);
    await server.kill9();
    const next = await startServer({ dataFolder, environment });
    expect(next.log()).not.toMatch(/ ERROR /);
    expect(await next.stop()).toBe(0);
    const { pages, inJournalOnly } = await readStoredEvents(dataFolder);
    expectEachOnce(pages, load, () => true);
    expect(inJournalOnly).toBe(0);
  });

  it("a disk that refuses writes leaves events in the journal and logs the failed flush, and the events are written once the disk accepts files", async () => {
    const dataFolder = await tempFolder();
    const events = join(dataFolder, "events");
    await writeFile(events, "in the folder's place");
    const server = await startServer({ dataFolder, environment: { SVC_FLUSH_EVENT_COUNT: "50", SVC_CACHE_TTL_SECS: "0" } });
    const load = newLoad();
    await postThrough(load, server.origin, 200);
    await server.logged(/ ERROR a flush failed/);
    expect(load.refusals).toEqual([]);
    await rm(events);
    expect(await server.stop()).toBe(0);
    const { pages, inJournalOnly } = await readStoredEvents(dataFolder);
    expectEachOnce(pages, load, () => true);
    expect(inJournalOnly).toBe(0);
  });

  it("a disk that refuses writes prevents the start with a message that names the folder", async () => {
    const server = spawnServer({ dataFolder: "/sys/sandpiper-test" });
    expect(await server.exited).toEqual({ code: 1, signal: null });
    expect(server.log()).toMatch(/sandpiper cannot start: .*\/sys\/sandpiper-test/);
  });
});

describe("an unreadable Parquet file", () => {
  it("an unreadable Parquet file fails only the queries that need it, and the log names it", async () => {
    const stores = memoryStores();
    let unreadable = "";
    const get = stores.objects.get;
    const objects: typeof stores.objects = {
      ...stores.objects,
      get: async (key) => {
        if (key === unreadable) throw new Error(`EIO: i/o error, read '${key}'`);
        return get(key);
      },
    };
    await inProcess({ ...stores, objects }, async (target) => {
      const ledger = new Ledger(target);
      await ledger.send("a.test", 2);
      await target.flush();
      unreadable = (await objects.list("events"))[0]?.key ?? "";
      await target.advance(DAY_MS);
      await ledger.send("a.test", 3);
      await ledger.send("b.test", 1);
      await target.flush();
      expect((await target.fetch("/api/stats/main?site_id=a.test&period=7d")).status).toBe(500);
      expect(target.log.lines.filter(({ level }) => level === "error").map(({ fields }) => fields["reason"])).toEqual([
        expect.stringContaining(unreadable),
      ]);
      expect((await getMain(target, "a.test", { period: "day" })).total_events).toBe(3);
      expect((await getMain(target, "b.test")).total_events).toBe(1);
      unreadable = "";
      expect((await getMain(target, "a.test", { period: "7d" })).total_events).toBe(5);
    });
  });
});

describe("a clock that is set back", () => {
  it("a clock that is set back delays neither flushes nor merges, and loses or duplicates no event", async () => {
    const stores = memoryStores();
    await inProcess(
      stores,
      async (target) => {
        const ledger = new Ledger(target);
        for (const step of [0, -2 * DAY_MS, MINUTE_MS, -3 * DAY_MS, DAY_MS, -MINUTE_MS]) {
          await target.advance(step);
          await ledger.send("a.test", 2);
          await target.advance(MINUTE_MS + 1);
          await target.services.flush.settled();
          expect(target.services.eventStore.unflushedEvents, `after a step of ${step} ms`).toBe(0);
        }
        await target.services.compaction.run();
        expect(wrongIn((await readStores(stores)).pages, ledger.sent)).toEqual([]);
        expect((await getMain(target, "a.test", { start_date: "2026-03-01", end_date: "2026-03-31" })).total_events).toBe(12);
      },
      { SVC_COMPACT_AFTER_FILES: "2" },
    );
  });

  it("a clock that is set back extends neither cached answers nor request timeouts, and decreases no sum in the metrics", async () => {
    const engine = await createEngineShare();
    let isHanging = false;
    const query: typeof engine.query = (asked, signal) => (isHanging ? new Promise(() => {}) : engine.query(asked, signal));
    const target = await createInProcessTarget(
      { SVC_CACHE_TTL_SECS: "60", SVC_REQUEST_TIMEOUT_SECS: "30" },
      { engine: { ...engine, query } },
    );
    const total = async () => (await getMain(target, "a.test", { start_date: "2026-03-01", end_date: "2026-03-31" })).total_events;
    await post(target, wireEvent("a.test"));
    expect(await total()).toBe(1);
    await post(target, wireEvent("a.test"));
    expect(await total()).toBe(1);
    await target.advance(-DAY_MS);
    await target.advance(59_999);
    expect(await total()).toBe(1);
    await target.advance(1);
    expect(await total()).toBe(2);

    isHanging = true;
    const before = target.fetch("/api/stats/goals?site_id=a.test");
    await target.advance(-DAY_MS);
    const after = target.fetch("/api/stats/revenue?site_id=a.test");
    await target.advance(29_999);
    await target.advance(1);
    expect([(await before).status, (await after).status]).toEqual([408, 408]);
    const sums = [...(await (await target.fetch("/metrics")).text()).matchAll(/^svc_http_request_duration_seconds_sum\S* (\S+)$/gm)].map(
      ([, sum]) => Number(sum),
    );
    expect(sums.length).toBeGreaterThan(2);
    expect(sums.filter((sum) => sum < 0)).toEqual([]);
    isHanging = false;
    await target.close();
  });

  it("a clock that is set back does not delay the retry of a failed flush", async () => {
    const stores = memoryStores();
    let isFull = true;
    const put: typeof stores.objects.put = async (key, bytes) => {
      if (isFull) throw new Error("ENOSPC: no space left on device");
      await stores.objects.put(key, bytes);
    };
    const target = await createInProcessTarget({}, { ...stores, objects: { ...stores.objects, put } });
    await post(target, wireEvent("a.test"));
    await target.advance(MINUTE_MS);
    await target.services.flush.settled();
    expect(target.services.counters.flushFailures).toBe(1);
    isFull = false;
    await target.advance(-DAY_MS);
    await target.advance(MINUTE_MS);
    await target.services.flush.settled();
    expect(target.services.eventStore.unflushedEvents).toBe(0);
    await target.close();
  });
});
