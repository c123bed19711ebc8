/** The store of rollups beside a real event store, in memory and in files: what is valid, what is made and what failures do. */
import { createMemoryObjectStore } from "../../../../support/memory-object-store.ts";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFileObjectStore } from "../../../../../adapters/node/files/file-stores.ts";
import type { ObjectStore } from "../../../../../src/storage/object-store.ts";
import { rollupFolder, ROLLUPS_FOLDER } from "../../../../../src/storage/rollup.ts";
import { jsonRollupBytes } from "../../../../support/json-rollups.ts";
import { at, openRollupSite, SITE } from "../../../../support/rollup-site.ts";
import { siteId } from "../../../../support/stored-event.ts";
import { tempFolder } from "../../../../support/temp-folder.ts";
import { ROLLUP_TOTAL_ROWS_MAX } from "../../../../../src/runtime/base/config/report-limits.ts";

/** Its folder has a folder above it, and characters that file names must escape. */
const LONG_SITE = siteId("X".repeat(256));

const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** Sixteen days with an event each, of which some are in a rollup. */
async function sixteenDays(parts: Parameters<typeof openRollupSite>[0] = {}) {
  const site = await openRollupSite(parts);
  await site.append(upTo(16));
  await site.flush();
  return site;
}

const STORES: readonly (readonly [string, () => Promise<ObjectStore>])[] = [
  ["in memory", async () => createMemoryObjectStore()],
  ["in files", async () => createFileObjectStore(await tempFolder(), { isOurs: true })],
];

describe.each(STORES)("rollups %s", (_name, openObjects) => {
  it("cover their days until an event arrives, and again only when they are made again", async () => {
    const site = await sixteenDays({ objects: await openObjects() });
    await site.store(0, 7);
    await site.store(8, 8);
    expect(await site.cover(0, 15)).toEqual({ rollups: ["0–7", "8–8"], rest: ["9–15"] });
    await site.append([3]);
    expect(await site.cover(0, 15)).toEqual({ rollups: ["8–8"], rest: ["0–7", "9–15"] });
    await site.flush();
    expect(await site.cover(0, 15)).toEqual({ rollups: ["8–8"], rest: ["0–7", "9–15"] });
    await site.store(0, 7);
    expect(await site.cover(0, 15)).toEqual({ rollups: ["0–7", "8–8"], rest: ["9–15"] });
    expect(await site.stored()).toEqual(["0–7", "8–8"]);
  });

  it("cover nothing if a measure has too many rows in them together", async () => {
    const site = await sixteenDays({ objects: await openObjects() });
    const half = ROLLUP_TOTAL_ROWS_MAX / 2;
    await site.store(0, 7, { measures: { main: half, pages: half } });
    await site.store(8, 15, { measures: { main: 1, pages: half + 1 } });
    expect(await site.cover(0, 15)).toEqual({ rollups: ["0–7", "8–15"], rest: [] });
    expect(await site.cover(0, 15, ["main", "pages"])).toEqual({ rollups: [], rest: ["0–15"] });
    expect(await site.cover(0, 7, ["main", "pages"])).toEqual({ rollups: ["0–7"], rest: [] });
  });

  it("are found by the next process, for sites of any name", async () => {
    const objects = await openObjects();
    const before = await openRollupSite({ objects });
    await before.append([0, 1], LONG_SITE);
    await before.append([0, 1]);
    await before.flush();
    await before.store(0, 1, {}, LONG_SITE);
    const after = await openRollupSite({ objects });
    expect(await after.cover(0, 1, ["main"], LONG_SITE)).toEqual({ rollups: ["0–1"], rest: [] });
    expect(await after.cover(0, 1)).toEqual({ rollups: [], rest: ["0–1"] });
  });

  it("stay valid when files are merged, before and after a restart", async () => {
    const objects = await openObjects();
    const site = await openRollupSite({ objects });
    for (let round = 0; round < 3; round++) {
      await site.append([0, 1]);
      await site.flush();
    }
    await site.store(0, 1);
    await site.merge(0);
    expect(await site.cover(0, 1)).toEqual({ rollups: ["0–1"], rest: [] });
    expect(await (await openRollupSite({ objects })).cover(0, 1)).toEqual({ rollups: ["0–1"], rest: [] });
    await site.append([0]);
    await site.flush();
    await site.merge(0);
    expect(await site.cover(0, 1)).toEqual({ rollups: [], rest: ["0–1"] });
  });

  it("are deleted before the events of any of their days, and others stay", async () => {
    const site = await sixteenDays({ objects: await openObjects() });
    for (const [first, last] of [
      [0, 0],
      [0, 1],
      [2, 3],
      [0, 3],
      [4, 7],
      [0, 7],
      [8, 15],
    ] as const)
      await site.store(first, last);
    await site.eventStore.deleteDays(SITE, at(2), at(4));
    expect((await site.stored()).sort()).toEqual(["0–0", "0–1", "8–15"]);
    expect(await site.cover(0, 15)).toEqual({ rollups: ["0–1", "8–15"], rest: ["5–7"] });
    await site.eventStore.deleteDays(SITE, at(-1000), at(1000));
    expect(await site.stored()).toEqual([]);
  });

  it("of an erased site are deleted by an erasure that finds no event", async () => {
    const objects = await openObjects();
    const site = await sixteenDays({ objects });
    await site.store(0, 7);
    await site.store(8, 15);
    for (const { key } of await objects.list("events")) await objects.delete(key);
    const later = await openRollupSite({ objects });
    expect(await later.eventStore.deleteDays(SITE, at(0), at(3))).toEqual({ events: 0, days: 0, unreadable: [] });
    expect(await later.stored()).toEqual(["8–15"]);
    expect(await later.rollups.deleteOutdated(SITE, [])).toBe(1);
    expect(await objects.list(ROLLUPS_FOLDER)).toEqual([]);
  });

  it("of an unknown format are ignored, and deleted with the days of their name; foreign files stay", async () => {
    const objects = await openObjects();
    const site = await sixteenDays({ objects });
    const unknown = ["_v2.parquet", "_00000000_00000000.parquet.bak", ""].map((rest) => `${at(4)}_${at(7)}${rest}`);
    for (const name of [...unknown, "notes.txt", "more/notes.txt"]) await objects.put(`${rollupFolder(SITE)}/${name}`, new Uint8Array([1]));
    expect(await site.cover(0, 15)).toEqual({ rollups: [], rest: ["0–15"] });
    expect(site.log.lines.filter(({ message }) => message.endsWith("is not a rollup; it is ignored"))).toHaveLength(5);
    expect(await site.rollups.deleteOutdated(SITE, await site.versions())).toBe(0);
    await site.eventStore.deleteDays(SITE, at(8), at(8));
    expect(await site.stored()).toHaveLength(5);
    await site.eventStore.deleteDays(SITE, at(7), at(8));
    expect(await site.stored()).toEqual(["more/notes.txt", "notes.txt"]);
  });

  it("are made again after a deletion by hand, once they are forgotten", async () => {
    const objects = await openObjects();
    const site = await sixteenDays({ objects });
    const days = await site.versions();
    const made = await site.rollups.nextToMake(SITE, at(100), days);
    if (!made) throw new Error("nothing is due");
    await site.rollups.put(made.origin, jsonRollupBytes(made.origin));
    expect(await site.rollups.nextToMake(SITE, at(100), days)).toBeNull();
    for (const { key } of await objects.list(ROLLUPS_FOLDER)) await objects.delete(key);
    expect(await site.cover(0, 15)).toEqual({ rollups: ["0–15"], rest: [] });
    await site.rollups.forget(SITE);
    expect(await site.cover(0, 15)).toEqual({ rollups: [], rest: ["0–15"] });
    expect(await site.rollups.nextToMake(SITE, at(100), days)).toEqual(made);
  });
});

describe("a rollup", () => {
  it.each([
    ["definitions", { definitions: "2" }],
    ["a session window", { sessionWindowMinutes: 31 }],
    ["a salt rotation", { saltRotationDays: 2 }],
  ])("with other %s is ignored without being read, counts as stale, and is replaced", async (_name, settings) => {
    const objects = createMemoryObjectStore();
    const before = await sixteenDays({ objects });
    await before.store(0, 15);
    const site = await openRollupSite({ objects, ...settings });
    expect(await site.cover(0, 15)).toEqual({ rollups: [], rest: ["0–15"] });
    expect(await site.rollups.dayCounts(SITE, at(100), await site.versions())).toEqual({ stored: 0, stale: 16, missing: 0 });
    expect(site.reads).toEqual([]);
    await site.store(0, 15);
    expect(await site.stored()).toEqual(["0–15"]);
    expect(await site.rollups.dayCounts(SITE, at(100), await site.versions())).toEqual({ stored: 16, stale: 0, missing: 0 });
  });

  it("is valid only if its header says so, whatever its name says", async () => {
    const site = await sixteenDays();
    for (const header of [
      { definitions: "2" },
      { sessionWindowMinutes: 1 },
      { saltRotationDays: 2 },
      { siteId: LONG_SITE },
      { lastDay: at(16) },
      { events: [] },
    ]) {
      await site.store(0, 15, header);
      expect(await site.cover(0, 15)).toEqual({ rollups: [], rest: ["0–15"] });
    }
    await site.store(0, 15);
    expect(await site.cover(0, 15)).toEqual({ rollups: ["0–15"], rest: [] });
  });

  it("answers only for its own measures; the parts of a sum may have more", async () => {
    const site = await sixteenDays();
    await site.store(0, 15, { measures: { main: 1 }, hasAllProperties: true });
    await site.store(0, 7, { measures: { main: 1, pages: 99 } });
    expect((await site.cover(0, 15, ["main"])).rollups).toEqual(["0–15"]);
    expect((await site.cover(0, 15, ["main", "property-values/plan"])).rollups).toEqual(["0–15"]);
    expect(await site.cover(0, 15, ["main", "pages"])).toEqual({ rollups: ["0–7"], rest: ["8–15"] });
    expect(await site.cover(0, 15, ["toString"])).toEqual({ rollups: [], rest: ["0–15"] });
  });

  it("is not stored after its events have changed: more, unflushed, or erased", async () => {
    const site = await sixteenDays();
    const origin = await site.originOfDays(0, 15);
    const bytes = jsonRollupBytes(origin);
    await site.append([3]);
    expect(await site.rollups.put(origin, bytes)).toBe(false);
    await site.flush();
    expect(await site.rollups.put(origin, bytes)).toBe(false);
    await site.eventStore.deleteDays(SITE, at(3), at(3));
    expect(await site.rollups.put(origin, bytes)).toBe(false);
    expect(await site.stored()).toEqual([]);
  });

  it("is not stored if files were merged meanwhile, because a merge may hide an added file", async () => {
    const site = await sixteenDays();
    await site.append([3]);
    await site.flush();
    const origin = await site.originOfDays(0, 15);
    await site.merge(3);
    expect(await site.rollups.put(origin, jsonRollupBytes(origin))).toBe(false);
    expect(await site.stored()).toEqual([]);
  });

  it("is deleted before a merge hides a file that was added between those of the rollup", async () => {
    const { objects } = await sixteenDays();
    const before = await openRollupSite({ objects, nowMs: 30 });
    await before.append([3]);
    await before.flush();
    await before.store(0, 3);
    await before.store(4, 7);
    // The journal is lost and the clock slow, so a file gets a number between those of the others.
    const after = await openRollupSite({ objects, nowMs: 20 });
    await after.append([3]);
    await after.flush();
    expect(await after.cover(0, 7)).toEqual({ rollups: ["4–7"], rest: ["0–3"] });
    await after.merge(3);
    expect(await after.cover(0, 7)).toEqual({ rollups: ["4–7"], rest: ["0–3"] });
    expect(await after.stored()).toEqual(["4–7"]);
  });

  it("is read once, and only if no larger one covers its days", async () => {
    const site = await sixteenDays();
    await site.store(0, 15);
    await site.store(0, 7);
    await site.cover(0, 15);
    await site.cover(0, 15);
    expect(site.reads.map((keys) => keys.length)).toEqual([1]);
    await site.cover(0, 14);
    expect(site.reads.map((keys) => keys.length)).toEqual([1, 1]);
  });
});

describe("the rollups of a site", () => {
  it("are counted without reading the parts of a valid one", async () => {
    const site = await sixteenDays();
    await site.store(0, 15);
    for (let first = 0; first < 16; first += 8) await site.store(first, first + 7);
    await site.store(8, 8);
    const counts = async () => site.rollups.dayCounts(SITE, at(100), await site.versions());
    expect(await counts()).toEqual({ stored: 16, stale: 0, missing: 0 });
    expect(site.reads.map((keys) => keys.length)).toEqual([1]);
    await site.append([9]);
    expect(await counts()).toEqual({ stored: 9, stale: 7, missing: 0 });
    expect(site.reads.map((keys) => keys.length)).toEqual([1, 1, 1]);
  });

  it("are made newest first until none is due, and are counted by days", async () => {
    const site = await openRollupSite();
    await site.append(upTo(50));
    await site.flush();
    const counts = async () => site.rollups.dayCounts(SITE, at(49), await site.versions());
    // The last two days are a group that is not over, and one of too few events.
    expect(await counts()).toEqual({ stored: 0, stale: 0, missing: 48 });
    const made: unknown[] = [];
    for (;;) {
      const next = await site.rollups.nextToMake(SITE, at(49), await site.versions());
      if (!next) break;
      made.push([next.origin.firstDay, next.origin.lastDay, next.rollups.length, next.events.map(({ dayCount }) => dayCount)]);
      expect(await site.rollups.put(next.origin, jsonRollupBytes(next.origin))).toBe(true);
    }
    expect(made).toEqual([
      [at(32), at(47), 0, [16]],
      [at(16), at(31), 0, [16]],
      [at(0), at(15), 0, [16]],
      [at(0), at(31), 2, []],
    ]);
    expect(await counts()).toEqual({ stored: 48, stale: 0, missing: 0 });
    expect(await site.cover(0, 49)).toEqual({ rollups: ["0–31", "32–47"], rest: ["48–49"] });
    await site.append([20]);
    expect(await counts()).toEqual({ stored: 32, stale: 16, missing: 0 });
    expect(await site.rollups.deleteOutdated(SITE, await site.versions())).toBe(2);
    expect(await counts()).toEqual({ stored: 32, stale: 0, missing: 0 });
    await site.flush();
    expect(await counts()).toEqual({ stored: 32, stale: 0, missing: 16 });
  });

  it("are harmless if they lie in the future of a clock that was set back", async () => {
    const site = await sixteenDays();
    await site.store(0, 15);
    expect(await site.rollups.nextToMake(SITE, at(5), await site.versions())).toBeNull();
    expect(await site.rollups.dayCounts(SITE, at(5), await site.versions())).toEqual({ stored: 5, stale: 0, missing: 0 });
    expect((await site.cover(0, 15)).rollups).toEqual(["0–15"]);
    await site.append([15]);
    expect(await site.cover(0, 15)).toEqual({ rollups: [], rest: ["0–15"] });
  });

  it("cover nothing while they cannot be listed, which is logged once and never fails a report", async () => {
    const objects = createMemoryObjectStore();
    const site = await sixteenDays({ objects });
    await site.store(0, 15);
    await site.rollups.forget(SITE);
    const { list } = objects;
    objects.list = async (folder) => (folder.startsWith(ROLLUPS_FOLDER) ? Promise.reject(new Error("no")) : list(folder));
    expect(await site.cover(0, 15)).toEqual({ rollups: [], rest: ["0–15"] });
    expect(await site.cover(0, 15)).toEqual({ rollups: [], rest: ["0–15"] });
    expect(site.log.lines.map(({ message }) => message)).toEqual(["rollups cannot be read; reports read the events instead"]);
    await expect(site.rollups.nextToMake(SITE, at(100), await site.versions())).rejects.toThrow("no");
    await site.append([3]);
    await site.flush();
    await expect(site.eventStore.deleteDays(SITE, at(0), at(0))).rejects.toThrow("no");
    expect((await site.versions()).length).toBe(16);
    objects.list = list;
    await site.eventStore.deleteDays(SITE, at(0), at(0));
    expect([await site.stored(), (await site.versions()).length]).toEqual([[], 15]);
  });

  it("stop an erasure before it deletes an event if they cannot be deleted", async () => {
    const objects = createMemoryObjectStore();
    const site = await sixteenDays({ objects });
    await site.store(0, 15);
    const { delete: deleteObject } = objects;
    objects.delete = async (key) => (key.startsWith(ROLLUPS_FOLDER) ? Promise.reject(new Error("no")) : deleteObject(key));
    await expect(site.eventStore.deleteDays(SITE, at(0), at(0))).rejects.toThrow("no");
    expect([(await site.versions()).length, await site.stored()]).toEqual([16, ["0–15"]]);
    objects.delete = deleteObject;
    expect((await site.eventStore.deleteDays(SITE, at(0), at(0))).events).toBe(1);
    expect(await site.stored()).toEqual([]);
  });

  it("cover nothing if they are damaged, are reported once, and are made again", async () => {
    const folder = await tempFolder();
    const site = await sixteenDays({ objects: createFileObjectStore(folder, { isOurs: true }) });
    await site.store(0, 15);
    const [file] = await site.objects.list(ROLLUPS_FOLDER);
    await writeFile(join(folder, file?.key ?? ""), "damaged");
    expect(await site.cover(0, 15)).toEqual({ rollups: [], rest: ["0–15"] });
    await site.rollups.forget(SITE);
    expect(await site.cover(0, 15)).toEqual({ rollups: [], rest: ["0–15"] });
    expect(site.log.lines.map(({ fields }) => fields)).toEqual([{ file: file?.key }]);
    expect((await site.rollups.nextToMake(SITE, at(100), await site.versions()))?.events).toHaveLength(1);
    await site.store(0, 15);
    expect(await site.cover(0, 15)).toEqual({ rollups: ["0–15"], rest: [] });
    await rm(join(folder, ROLLUPS_FOLDER), { recursive: true });
    await site.rollups.forget(SITE);
    expect(await site.cover(0, 15)).toEqual({ rollups: [], rest: ["0–15"] });
  });
});
