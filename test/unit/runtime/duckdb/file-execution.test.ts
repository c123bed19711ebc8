/** When events are read without the engine, with the real one. */
import { expect, it, onTestFinished } from "vitest";
import { FILE_EXECUTION } from "../../../../src/runtime/base/config/report-limits.ts";
import type { StoredEvent } from "../../../../src/storage/event.ts";
import { createMemoryObjectStore } from "../../../support/memory-object-store.ts";
import type { ObjectStore } from "../../../../src/storage/object-store.ts";
import { createInProcessTarget, START_MS } from "../../../support/in-process-target.ts";
import { createEngineShare } from "../../../support/shared-engine.ts";
import { storeDay } from "../../../support/stored-days.ts";
import { anEvent, siteId } from "../../../support/stored-event.ts";

const SITE = siteId("a.test");
const DAY_MS = 86_400_000;

/** A service over these files, and how often its engine has loaded events. */
async function serviceOf(objects: ObjectStore) {
  const engine = await createEngineShare();
  onTestFinished(() => engine.close());
  let loads = 0;
  const append: typeof engine.append = (...call) => {
    loads++;
    return engine.append(...call);
  };
  const environment = { SVC_CACHE_TTL_SECS: "0", SVC_COMPACT_AFTER_FILES: "0", SVC_ROLLUPS: "false" };
  const target = await createInProcessTarget(environment, { objects, engine: { ...engine, append } });
  onTestFinished(() => target.close());
  const visitors = async () => {
    const response = await target.fetch("/api/stats/overview?period=7d");
    const { sites } = (await response.json()) as { sites: readonly { visitors: number }[] };
    return sites.map((site) => site.visitors);
  };
  return { target, visitors, loads: () => loads };
}

const visitorsOf = (count: number): Partial<StoredEvent>[] =>
  Array.from({ length: count }, (_, i) => ({ visitorId: (BigInt(i) * 0x9e37_79b9_7f4a_7c15n) % 2n ** 64n, pathname: `/${i}` }));

it("an overview of few events loads nothing into the engine, from files or from the journal", async () => {
  const objects = createMemoryObjectStore();
  await storeDay(objects, SITE, START_MS - DAY_MS, visitorsOf(5));
  await storeDay(objects, SITE, START_MS - 8 * DAY_MS, visitorsOf(3));
  const { target, visitors, loads } = await serviceOf(objects);
  await target.services.eventStore.append(anEvent({ siteId: SITE, timestampMs: START_MS }));
  expect(await visitors()).toEqual([6]);
  expect(loads()).toBe(0);
});

it("the engine reads larger files, and many events of the journal", async () => {
  const objects = createMemoryObjectStore();
  const key = await storeDay(objects, SITE, START_MS - DAY_MS, visitorsOf(6_000));
  expect((await objects.get(key))?.length).toBeGreaterThan(FILE_EXECUTION.fileBytesMax);
  const { target, visitors, loads } = await serviceOf(objects);
  expect(await visitors()).toEqual([6_000]);
  const before = loads();
  expect(before).toBeGreaterThan(0);
  for (const fields of visitorsOf(FILE_EXECUTION.unflushedMax + 1)) {
    await target.services.eventStore.append(anEvent({ ...fields, siteId: SITE, timestampMs: START_MS }));
  }
  expect(await visitors()).toEqual([6_000 + FILE_EXECUTION.unflushedMax + 1]);
  expect(loads()).toBeGreaterThan(before);
});

it("a damaged file is left to the engine, which leaves out its events and reports it", async () => {
  const objects = createMemoryObjectStore();
  const key = await storeDay(objects, SITE, START_MS - DAY_MS, visitorsOf(5));
  await storeDay(objects, SITE, START_MS - 2 * DAY_MS, visitorsOf(3));
  const bytes = (await objects.get(key)) ?? new Uint8Array();
  await objects.put(key, bytes.slice(0, bytes.length / 2));
  const { visitors, loads } = await serviceOf(objects);
  expect(await visitors()).toEqual([3]);
  expect(loads()).toBeGreaterThan(0);
});
