/** Cache warming: the default range of dashboards is loaded before any query needs it, and no query waits for the rest. */
import { randomBytes } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Engine } from "../../../../../src/runtime/duckdb/engine.ts";
import { WARM_DAYS } from "../../../../../src/runtime/base/config/limits.ts";
import { createMemoryObjectStore } from "../../../../support/memory-object-store.ts";
import type { ObjectStore } from "../../../../../src/storage/object-store.ts";
import { createControlledEngine } from "../../../../support/controlled-engine.ts";
import { createInProcessTarget, START_MS } from "../../../../support/in-process-target.ts";
import { storeDay } from "../../../../support/stored-days.ts";
import { record, wireEvent } from "../../../../support/requests.ts";
import { siteId } from "../../../../support/stored-event.ts";

const DAY_MS = 86_400_000;

const A = siteId("a.test");
const B = siteId("b.test");

const daysBack = (days: number): number => START_MS - days * DAY_MS;

/** More than half of what is loaded at a time, so that no two such days go together. */
const LARGE = Array.from({ length: 400 }, () => ({ props: JSON.stringify({ text: randomBytes(1500).toString("hex") }) }));

/** A service that has just started, and the files that its engine was given. */
async function createStarted(objects: ObjectStore, engineMemoryMb?: number) {
  const controlled = await createControlledEngine();
  onTestFinished(() => controlled.engine.close());
  const loaded: string[] = [];
  let onLoad = () => {};
  const engine: Engine = {
    ...controlled.engine,
    append(block, source) {
      if ("files" in source) loaded.push(...source.files.map(({ key }) => key));
      onLoad();
      return controlled.engine.append(block, source);
    },
  };
  const target = await createInProcessTarget({}, { objects, engine, ...(engineMemoryMb !== undefined && { engineMemoryMb }) });
  const { cacheWarmer, queryEngine } = target.services;
  return {
    target,
    controlled,
    loaded,
    state: () => queryEngine.state,
    cacheWarmer,
    run: () => cacheWarmer.run(),
    whenLoading(task: () => void) {
      onLoad = task;
    },
  };
}

describe("cache warming", () => {
  it("loads the days before today that a dashboard shows and compares, the largest site first, and no others", async () => {
    const objects = createMemoryObjectStore();
    await storeDay(objects, A, daysBack(0));
    const small = [await storeDay(objects, A, daysBack(1)), await storeDay(objects, A, daysBack(WARM_DAYS))];
    await storeDay(objects, A, daysBack(WARM_DAYS + 1));
    const large = await storeDay(objects, B, daysBack(1), LARGE);
    const { run, loaded, target, state } = await createStarted(objects);
    await run();
    expect(loaded).toEqual([large, ...small.reverse()]);
    expect(state().cachedDays).toBe(3);
    const answer = await target.fetch("/api/stats/main?site_id=a.test&period=90d");
    expect(await answer.json()).toMatchObject({ total_events: 8 });
    expect(loaded).toHaveLength(5);
  });

  it("the cache is warmed once after a start", async () => {
    const objects = createMemoryObjectStore();
    await storeDay(objects, A, daysBack(1));
    const { run, loaded } = await createStarted(objects);
    await run();
    await storeDay(objects, B, daysBack(1));
    await run();
    expect(loaded).toHaveLength(1);
  });

  it("waits while a query runs, and continues with the older days afterwards", async () => {
    const objects = createMemoryObjectStore();
    const keys = [];
    for (const back of [1, 2, 3]) keys.push(await storeDay(objects, A, daysBack(back), LARGE));
    const { run, loaded, controlled, target, whenLoading } = await createStarted(objects);
    await record(target, wireEvent("b.test"));
    let asked: Promise<Response> | undefined;
    controlled.hold();
    whenLoading(() => {
      asked ??= target.fetch("/api/stats/realtime?site_id=b.test");
    });
    await run();
    expect(loaded).toEqual(keys.slice(0, 1));
    await run();
    expect(loaded).toHaveLength(1);
    controlled.release();
    expect((await asked)?.status).toBe(200);
    await run();
    expect(loaded).toEqual(keys);
  });

  it("waits while rollups are due", async () => {
    const objects = createMemoryObjectStore();
    for (const back of [1, 2]) await storeDay(objects, A, daysBack(back), LARGE);
    const { cacheWarmer, loaded, target } = await createStarted(objects);
    const { rollups, compaction } = target.services;
    await compaction.run();
    rollups.tick();
    expect(rollups.isBusy).toBe(true);
    cacheWarmer.tick();
    await cacheWarmer.settled();
    expect(loaded).toEqual([]);
    await rollups.settled();
    while (rollups.isBusy) {
      rollups.tick();
      await rollups.settled();
    }
    expect(target.services.queryEngine.state.cachedDays).toBe(0);
    cacheWarmer.tick();
    await cacheWarmer.settled();
    expect(target.services.queryEngine.state.cachedDays).toBe(2);
  });

  it("uses a share of the engine's memory and evicts nothing to exceed it", async () => {
    const objects = createMemoryObjectStore();
    for (let back = 1; back <= 20; back++) await storeDay(objects, A, daysBack(back), LARGE);
    const { run, loaded, state } = await createStarted(objects, 24);
    await run();
    expect(state().memoryBytes).toBeGreaterThan(6 * 1024 * 1024);
    expect(state().memoryBytes).toBeLessThan(12 * 1024 * 1024);
    expect(state().cachedDays).toBe(loaded.length);
  });

  it("stops after the current step when the service stops", async () => {
    const objects = createMemoryObjectStore();
    for (const back of [1, 2, 3]) await storeDay(objects, A, daysBack(back), LARGE);
    const { run, loaded, cacheWarmer, whenLoading } = await createStarted(objects);
    let stopped: Promise<void> | undefined;
    whenLoading(() => {
      stopped ??= cacheWarmer.stop();
    });
    await run();
    await stopped;
    await run();
    expect(loaded).toHaveLength(1);
  });

  it("logs that the storage cannot be read, and leaves loading to queries", async () => {
    const objects = createMemoryObjectStore();
    await storeDay(objects, A, daysBack(1));
    let isBroken = true;
    const folders: ObjectStore["folders"] = (folder) => (isBroken ? Promise.reject(new Error("told to fail")) : objects.folders(folder));
    const { run, target, loaded } = await createStarted({ ...objects, folders });
    await run();
    const said = target.log.lines.filter(({ message }) => message.startsWith("cache warming failed"));
    expect(said.map(({ message, fields }) => [message, fields])).toEqual([
      ["cache warming failed; partitions are loaded by the first query that needs them", { reason: "told to fail" }],
    ]);
    isBroken = false;
    const answer = await target.fetch("/api/stats/main?site_id=a.test&period=7d");
    expect(await answer.json()).toMatchObject({ total_events: 2 });
    expect(loaded).toHaveLength(1);
  });
});
