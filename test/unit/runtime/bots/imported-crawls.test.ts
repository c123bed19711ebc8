/** Counts of crawlers that imports have, and counts on their way to another name, under kills. */
import { describe, expect, it } from "vitest";
import { COUNT_TURN_MS_MAX, IMPORT_COUNT_FILES_MAX } from "../../../../src/runtime/base/config/limits.ts";
import { LeftOutFiles } from "../../../../src/runtime/base/metrics/storage-faults.ts";
import { countFileOf, CRAWLS, DayCounts } from "../../../../src/storage/day-counts.ts";
import type { LocalDate } from "../../../../src/storage/event.ts";
import type { ObjectStore } from "../../../../src/storage/object-store.ts";
import { crawlCountsIn, crawledPaths } from "../../../support/crawl-counts.ts";
import { createMemoryObjectStore } from "../../../support/memory-object-store.ts";
import { memoryStores, mortalStores, type Stores } from "../../../support/mortal-stores.ts";
import { siteId } from "../../../support/stored-event.ts";

const [SITE, OTHER] = [siteId("a.test"), siteId("b.test")];
const DAY = "2026-03-15" as LocalDate;
const IMPORT = 7;

/** The rename of a site whose counts have not moved. */
const RENAMED = { moveTo: () => ({ from: SITE, part: 5 }), siteOf: () => OTHER };

function of(path: string, times = 1): DayCounts {
  const counts = new DayCounts();
  for (let i = 0; i < times; i++) counts.add(["GPTBot", "200"], path);
  return counts;
}

/** Plays a change for each of its steps, killed before and after it, and then again as the next process does. */
async function afterAnyKill(
  prepare: (stores: Stores) => Promise<void>,
  change: (stores: Stores) => Promise<void>,
  check: (stores: Stores) => Promise<void>,
): Promise<number> {
  for (let atChange = 1; ; atChange++) {
    for (const when of ["before", "after"] as const) {
      const backing = memoryStores();
      await prepare(backing);
      const mortal = mortalStores(backing, { atChange, when, deadly: true });
      await change(mortal).catch(() => {});
      await change(backing);
      await check(backing);
      if (!mortal.hasStruck()) return atChange - 1;
    }
  }
}

describe("counts of an import's rows", () => {
  it("count as soon as its record has the rows, and those that it has not are deleted alone", async () => {
    const objects = createMemoryObjectStore();
    let shown = 0;
    const counts = crawlCountsIn(objects, { rowsShownOf: (number) => (number === IMPORT ? shown : 0) });
    await counts.addImported(SITE, { importNumber: IMPORT, from: 0, to: 10 }, new Map([[DAY, of("/a", 2)]]));
    await counts.addImported(SITE, { importNumber: IMPORT, from: 10, to: 20 }, new Map([[DAY, of("/b")]]));
    expect(await crawledPaths(counts, SITE)).toEqual({});
    shown = 10;
    expect(await crawledPaths(counts, SITE)).toEqual({ "/a": 2 });
    await counts.removeImported(SITE, IMPORT, shown);
    shown = 20;
    expect(await crawledPaths(counts, SITE)).toEqual({ "/a": 2 });
    expect(await counts.daysWithout(SITE, () => false)).toEqual(new Set([DAY]));
    expect(await counts.daysWithout(SITE, (number) => number === IMPORT)).toEqual(new Set());
    await counts.removeImported(SITE, IMPORT);
    expect(await objects.list("crawls")).toEqual([]);
  });

  it("are joined when a day has many files, and count once if the service is killed at any change", async () => {
    let shown = 0;
    const open = ({ objects }: Pick<Stores, "objects">) => crawlCountsIn(objects, { rowsShownOf: () => shown });
    const add = (stores: Stores, row: number) =>
      open(stores).addImported(SITE, { importNumber: IMPORT, from: row, to: row + 1 }, new Map([[DAY, of(`/${row}`)]]));
    const steps = await afterAnyKill(
      async (stores) => {
        for (shown = 0; shown < IMPORT_COUNT_FILES_MAX; shown++) await add(stores, shown);
      },
      async (stores) => {
        const expected = Object.fromEntries(Array.from({ length: shown }, (_, row) => [`/${row}`, 1]));
        expect(await crawledPaths(open(stores), SITE)).toEqual(expected);
        await open(stores).removeImported(SITE, IMPORT, shown);
        await add(stores, shown);
      },
      async (stores) => {
        shown++;
        expect(Object.keys(await crawledPaths(open(stores), SITE))).toHaveLength(shown);
        shown--;
      },
    );
    expect(steps).toBeGreaterThan(IMPORT_COUNT_FILES_MAX);
    const stores = memoryStores();
    for (shown = 0; shown < 5 * IMPORT_COUNT_FILES_MAX; shown++) await add(stores, shown);
    expect((await stores.objects.list("crawls")).length).toBeLessThanOrEqual(IMPORT_COUNT_FILES_MAX);
    expect(Object.values(await crawledPaths(open(stores), SITE))).toEqual(Array.from({ length: shown }, () => 1));
  });

  it("become those of the site when the import is about to go, also if the service is killed at any change", async () => {
    const open = ({ objects }: Pick<Stores, "objects">) =>
      crawlCountsIn(objects, { rowsShownOf: (number) => (number === IMPORT ? 20 : 0) });
    const steps = await afterAnyKill(
      async (stores) => {
        const counts = open(stores);
        await counts.addBatches(SITE, DAY, new Map([["1", of("/own")]]));
        await counts.addImported(SITE, { importNumber: IMPORT, from: 0, to: 10 }, new Map([[DAY, of("/a")]]));
        await counts.addImported(SITE, { importNumber: IMPORT, from: 10, to: 20 }, new Map([[DAY, of("/b")]]));
        await counts.addImported(SITE, { importNumber: 8, from: 0, to: 10 }, new Map([[DAY, of("/hidden")]]));
      },
      async (stores) => {
        await open(stores).keepImported(SITE);
        await open(stores).move(SITE, OTHER, 5);
      },
      async (stores) => {
        const counts = crawlCountsIn(stores.objects);
        expect(await crawledPaths(counts, OTHER)).toEqual({ "/own": 1, "/a": 1, "/b": 1 });
        expect(await crawledPaths(counts, SITE)).toEqual({});
      },
    );
    expect(steps).toBe(7);
  });

  it("become those of the site once if the service is killed again, with files that a killed join has left", async () => {
    const open = ({ objects }: Pick<Stores, "objects">) => crawlCountsIn(objects, { rowsShownOf: () => 20 });
    await afterAnyKill(
      async (stores) => {
        // The second file is inside of the first.
        await open(stores).addImported(SITE, { importNumber: IMPORT, from: 0, to: 20 }, new Map([[DAY, of("/a", 2)]]));
        await open(stores).addImported(SITE, { importNumber: IMPORT, from: 10, to: 20 }, new Map([[DAY, of("/a")]]));
        expect(await crawledPaths(open(stores), SITE)).toEqual({ "/a": 2 });
      },
      (stores) => open(stores).keepImported(SITE),
      async (stores) => expect(await crawledPaths(crawlCountsIn(stores.objects), SITE)).toEqual({ "/a": 2 }),
    );
  });

  it("are joined with those that a rename moves meanwhile", async () => {
    const objects = createMemoryObjectStore();
    const counts = crawlCountsIn(objects, { ...RENAMED, rowsShownOf: () => IMPORT_COUNT_FILES_MAX + 1 });
    for (let row = 0; row < IMPORT_COUNT_FILES_MAX; row++)
      await crawlCountsIn(objects).addImported(SITE, { importNumber: IMPORT, from: row, to: row + 1 }, new Map([[DAY, of("/a")]]));
    const [from, to] = [IMPORT_COUNT_FILES_MAX, IMPORT_COUNT_FILES_MAX + 1];
    const adding = counts.addImported(OTHER, { importNumber: IMPORT, from, to }, new Map([[DAY, of("/a")]]));
    await Promise.all([adding, counts.move(SITE, OTHER, 5)]);
    expect(await crawledPaths(counts, OTHER)).toEqual({ "/a": IMPORT_COUNT_FILES_MAX + 1 });
  });

  it("forget the damage of a file that is gone", async () => {
    const objects = createMemoryObjectStore();
    const leftOutFiles = new LeftOutFiles();
    const counts = crawlCountsIn(objects, { leftOutFiles, rowsShownOf: () => IMPORT_COUNT_FILES_MAX + 1 });
    const damaged = countFileOf(CRAWLS, SITE, DAY, { importNumber: IMPORT, from: 0, to: 1 });
    for (let row = 0; row <= IMPORT_COUNT_FILES_MAX; row++) {
      await counts.addImported(SITE, { importNumber: IMPORT, from: row, to: row + 1 }, new Map([[DAY, of("/a")]]));
      if (row === 0) await objects.put(damaged.key, new Uint8Array(20));
      await crawledPaths(counts, SITE);
      expect(leftOutFiles.count).toBe(row < IMPORT_COUNT_FILES_MAX ? 1 : 0);
    }
  });
});

describe("counts that are moved for long", () => {
  it("let batches in after each second, and are read whole in between", async () => {
    let nowMs = 0;
    const memory = createMemoryObjectStore();
    const put: ObjectStore["put"] = async (key, bytes) => {
      nowMs += COUNT_TURN_MS_MAX;
      await memory.put(key, bytes);
    };
    const counts = crawlCountsIn({ ...memory, put }, { ...RENAMED, monotonicMs: () => nowMs });
    const days = [DAY, "2026-03-16", "2026-03-17"] as LocalDate[];
    for (const day of days) await crawlCountsIn(memory).addBatches(SITE, day, new Map([[day, of("/a")]]));
    const done: string[] = [];
    const moving = counts.move(SITE, OTHER, 5).then(() => done.push("moved"));
    // Its turn comes after the listing of the move, and the first file.
    await Promise.resolve();
    const adding = counts.addBatches(OTHER, DAY, new Map([["new", of("/a")]])).then(() => done.push("added"));
    await adding;
    expect(await crawledPaths(counts, OTHER)).toEqual({ "/a": 4 });
    await moving;
    expect(done).toEqual(["added", "moved"]);
    expect(await crawledPaths(crawlCountsIn(memory), OTHER)).toEqual({ "/a": 4 });
  });
});

describe("counts of a site that was renamed, before they have moved", () => {
  it("are counted under the new name, and batches of the earlier one are known, at any step of the move", async () => {
    const check = async (stores: Stores) => {
      const counts = crawlCountsIn(stores.objects, RENAMED);
      expect(await crawledPaths(counts, OTHER)).toEqual({ "/a": 1, "/b": 1 });
      expect(await counts.addBatches(SITE, DAY, new Map([["1", of("/a")]]))).toEqual(new Set());
      expect(await counts.storedDays(OTHER)).toEqual([DAY, "2026-03-16"]);
    };
    await afterAnyKill(
      async (stores) => {
        const counts = crawlCountsIn(stores.objects);
        await counts.addBatches(SITE, DAY, new Map([["1", of("/a")]]));
        await counts.addBatches(SITE, "2026-03-16" as LocalDate, new Map([["2", of("/b")]]));
      },
      async (stores) => {
        await check(stores);
        await crawlCountsIn(stores.objects).move(SITE, OTHER, 5);
      },
      check,
    );
  });

  it("are erased with their days", async () => {
    const objects = createMemoryObjectStore();
    await crawlCountsIn(objects).addBatches(SITE, DAY, new Map([["1", of("/a")]]));
    const counts = crawlCountsIn(objects, { moveTo: () => ({ from: SITE, part: 5 }) });
    await counts.erase(OTHER, DAY, DAY);
    expect(await objects.get(countFileOf(CRAWLS, SITE, DAY, 0).key)).toBeNull();
    expect(await crawledPaths(counts, OTHER)).toEqual({});
  });
});
