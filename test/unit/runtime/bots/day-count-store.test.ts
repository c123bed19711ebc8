/** Counts on their way from memory to files. */
import { describe, expect, it } from "vitest";
import { COUNT_ROWS_PENDING_MAX, COUNT_WRITE_MS } from "../../../../src/runtime/base/config/limits.ts";
import { LeftOutFiles } from "../../../../src/runtime/base/metrics/storage-faults.ts";
import { DayCountStore } from "../../../../src/runtime/bots/day-count-store.ts";
import { countFileOf, type CountRow, DROPPED } from "../../../../src/storage/day-counts.ts";
import type { LocalDate, SiteId } from "../../../../src/storage/event.ts";
import type { ObjectStore } from "../../../../src/storage/object-store.ts";
import { createMemoryObjectStore } from "../../../support/memory-object-store.ts";
import { createRecordingLog } from "../../../support/recording-log.ts";
import { siteId } from "../../../support/stored-event.ts";

const [SITE, OTHER] = [siteId("a.test"), siteId("b.test")];
const [FIRST, SECOND] = ["2026-03-15", "2026-03-16"] as [LocalDate, LocalDate];
const MADE_UP = siteId("made-up.test");
const GPT = ["bot", "GPTBot"];

interface World {
  readonly objects: ObjectStore;
  readonly leftOutFiles: LeftOutFiles;
  readonly renamed: Map<SiteId, SiteId>;
  readonly merged: Map<SiteId, readonly SiteId[]>;
  /** Milliseconds of each pause. */
  readonly pauses: number[];
  advance(ms: number): void;
  open(objects?: ObjectStore): DayCountStore;
}

function world(): World {
  let monotonicMs = 0;
  const objects = createMemoryObjectStore();
  const leftOutFiles = new LeftOutFiles();
  const renamed = new Map<SiteId, SiteId>();
  const merged = new Map<SiteId, readonly SiteId[]>();
  const pauses: number[] = [];
  return {
    ...{ objects, leftOutFiles, renamed, merged, pauses },
    advance: (ms) => void (monotonicMs += ms),
    open: (used = objects) =>
      new DayCountStore({
        ...{ kind: DROPPED, objects: used, leftOutFiles, log: createRecordingLog(), monotonicMs: () => monotonicMs, onlySite: null },
        hasEvents: async (site) => site !== MADE_UP,
        siteOf: (site) => renamed.get(site) ?? site,
        mergedInto: (site) => merged.get(site) ?? [],
        moveTo: () => null,
        rowsShownOf: () => 0,
        wait: async (ms) => void pauses.push(ms),
      }),
  };
}

/** Rows by day, without what they miss. */
async function rowsOf(store: DayCountStore, site = SITE): Promise<[LocalDate, string | null, number][]> {
  const rows: [LocalDate, CountRow][] = [];
  for await (const [day, counts] of store.days(site, FIRST, SECOND)) for (const row of counts.rows()) rows.push([day, row]);
  return rows.map(([day, { path, count }]) => [day, path, count]);
}

const NEVER = new AbortController().signal;

const note = (store: DayCountStore, site = SITE, day = FIRST, path = "/a"): void => store.note(site, day, GPT, path);

describe("counts of dropped events", () => {
  it("are read from memory and files together, and written when their time has come", async () => {
    const { objects, advance, open } = world();
    const store = open();
    expect(store.msUntilDue()).toBe(Infinity);
    note(store);
    expect(await rowsOf(store)).toEqual([[FIRST, "/a", 1]]);
    expect(store.msUntilDue()).toBe(COUNT_WRITE_MS);
    advance(COUNT_WRITE_MS);
    store.tick();
    await store.settled();
    expect((await objects.list("dropped")).map(({ key }) => key)).toEqual([countFileOf(DROPPED, SITE, FIRST, 0).key]);
    note(store);
    note(store, SITE, SECOND, "/b");
    expect(await rowsOf(store)).toEqual([
      [FIRST, "/a", 2],
      [SECOND, "/b", 1],
    ]);
    await store.stop(NEVER);
    expect(await rowsOf(open())).toEqual([
      [FIRST, "/a", 2],
      [SECOND, "/b", 1],
    ]);
    expect(await store.sites()).toEqual([SITE]);
    expect(await store.storedDays(SITE)).toEqual([FIRST, SECOND]);
  });

  it("are written at the end, but no more of them once it is late", async () => {
    const { objects, open } = world();
    const late = new AbortController();
    const put: ObjectStore["put"] = async (key, bytes) => {
      late.abort();
      await objects.put(key, bytes);
    };
    const store = open({ ...objects, put });
    for (const day of [FIRST, SECOND]) note(store, SITE, day);
    await store.stop(late.signal);
    expect(await rowsOf(open())).toEqual([[FIRST, "/a", 1]]);
    const other = open();
    note(other, OTHER);
    await other.stop(AbortSignal.abort());
    expect(await rowsOf(open(), OTHER)).toEqual([]);
  });

  it("are not lost by a failed write, and not added twice by one that has succeeded in spite of its failure", async () => {
    for (const isWritten of [false, true]) {
      const { objects, open } = world();
      let isFailing = true;
      const put: ObjectStore["put"] = async (key, bytes) => {
        if (!isFailing || isWritten) await objects.put(key, bytes);
        if (isFailing) throw new Error("no confirmation");
      };
      const store = open({ ...objects, put });
      note(store);
      expect(await store.run()).toBe(isWritten);
      note(store);
      isFailing = false;
      expect(await store.run()).toBe(true);
      expect(await rowsOf(store)).toEqual([[FIRST, "/a", 2]]);
    }
  });

  it("are written with pauses as long as a file took, and without any at the end", async () => {
    const { objects, advance, open, pauses } = world();
    const slow: ObjectStore = {
      ...objects,
      put: async (key, bytes) => {
        advance(key.includes("a.test") ? 40 : 3000);
        await objects.put(key, bytes);
      },
    };
    const store = open(slow);
    const noteAll = () => [SITE, OTHER].forEach((site) => store.note(site, FIRST, GPT, "/"));
    noteAll();
    await store.run();
    expect(pauses).toEqual([40, 1000]);
    noteAll();
    await store.stop(new AbortController().signal);
    expect(pauses).toHaveLength(2);
    expect(await rowsOf(store)).toEqual([[FIRST, "/", 2]]);
  });

  it("of a site without events are not written", async () => {
    const { objects, open } = world();
    const store = open();
    note(store, MADE_UP);
    expect(await store.run()).toBe(true);
    expect(await rowsOf(store, MADE_UP)).toEqual([]);
    expect(await objects.list("dropped")).toEqual([]);
  });

  it("leave out a damaged file, and say so", async () => {
    const { objects, leftOutFiles, open } = world();
    await objects.put(countFileOf(DROPPED, SITE, FIRST, 0).key, new Uint8Array(40));
    const store = open();
    expect(await rowsOf(store)).toEqual([]);
    expect(leftOutFiles.count).toBe(1);
  });

  it("are erased in memory and files", async () => {
    const { objects, open } = world();
    const store = open();
    for (const day of [FIRST, SECOND]) note(store, SITE, day);
    await store.run();
    for (const day of [FIRST, SECOND]) note(store, SITE, day);
    note(store, OTHER);
    await store.erase(SITE, FIRST, FIRST);
    expect(await rowsOf(store)).toEqual([[SECOND, "/a", 2]]);
    await store.erase(SITE, FIRST, SECOND);
    expect(await rowsOf(store)).toEqual([]);
    expect(await objects.list("dropped")).toEqual([]);
    expect(await rowsOf(store, OTHER)).toEqual([[FIRST, "/a", 1]]);
  });

  it("follow a site that is renamed, however often that is tried", async () => {
    const { objects, renamed, open } = world();
    const store = open();
    note(store);
    await store.run();
    note(store);
    renamed.set(SITE, OTHER);
    note(store, OTHER);
    const [stored] = await objects.list("dropped");
    const bytes = stored && (await objects.get(stored.key));
    await store.move(SITE, OTHER, 7);
    // A kill between the copy and the deletion.
    if (stored && bytes) await objects.put(stored.key, bytes);
    await store.move(SITE, OTHER, 7);
    await store.run();
    expect(await rowsOf(store, OTHER)).toEqual([[FIRST, "/a", 3]]);
    expect(await rowsOf(store)).toEqual([]);
  });

  it("of a merged site are those of the other, too, until that is undone", async () => {
    const { merged, open } = world();
    const store = open();
    note(store);
    note(store, OTHER);
    await store.run();
    merged.set(OTHER, [SITE]);
    expect(await rowsOf(store, OTHER)).toEqual([[FIRST, "/a", 2]]);
    merged.clear();
    expect(await rowsOf(store, OTHER)).toEqual([[FIRST, "/a", 1]]);
  });

  it("take bounded memory: beyond it, paths are not told apart, and then sites are left out", async () => {
    const store = world().open();
    const sites = Math.ceil(COUNT_ROWS_PENDING_MAX / 1000);
    for (let site = 0; site < sites; site++) for (let i = 0; i < 1000; i++) note(store, siteId(`s${site}.test`), FIRST, `/${i}`);
    expect(store.msUntilDue()).toBe(0);
    note(store, siteId("s0.test"), FIRST, "/0");
    note(store, siteId("s0.test"), FIRST, "/new");
    note(store);
    expect(await rowsOf(store)).toEqual([[FIRST, null, 1]]);
    const rows = await rowsOf(store, siteId("s0.test"));
    expect(rows).toContainEqual([FIRST, "/0", 2]);
    expect(rows).toContainEqual([FIRST, null, 1]);
    for (let i = 0; i <= COUNT_ROWS_PENDING_MAX; i++) note(store, siteId(`many-${i}.test`));
    note(store, siteId("too-many.test"));
    expect(await rowsOf(store, siteId("too-many.test"))).toEqual([]);
  });
});
