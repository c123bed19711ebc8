/**
 * Merging files under failures: two days of events, flushes, merges and questions are played again and again, and each time
 * another one of the changes to disk fails, or is the last one that the process makes. The next process must find every
 * acknowledged event once.
 */
import { describe, expect, it } from "vitest";
import { createInProcessTarget, type InProcessTarget } from "../support/in-process-target.ts";
import { memoryStores, mortalStores, type Stores, type Strike } from "../support/mortal-stores.ts";
import { getSeries, post, wireEvent } from "../support/requests.ts";
import { createEngineShare } from "../support/shared-engine.ts";
import { readStores } from "./stored-events.ts";

const DAY_MS = 86_400_000;
const SITE = "merged.test";
const FILES_MAX = 2;

type Acknowledged = Set<string>;

async function send(target: InProcessTarget, acknowledged: Acknowledged, page: string): Promise<void> {
  const { status } = await post(target, wireEvent(SITE, { u: `https://page.test${page}` }));
  if (status === 202) acknowledged.add(`${SITE}${page}`);
}

const ask = (target: InProcessTarget) => target.fetch(`/api/stats/timeseries?site_id=${SITE}`).then((response) => response.text());

/** Whatever fails, it goes on. */
async function play(target: InProcessTarget): Promise<Acknowledged> {
  const { flusher, compaction } = target.services;
  const acknowledged: Acknowledged = new Set();
  let pages = 0;
  for (const day of [1, 2]) {
    for (let flush = 1; flush <= 4; flush++) {
      for (let i = 0; i < 2; i++) await send(target, acknowledged, `/${++pages}`);
      await flusher.flush(target.nowMs());
      if (day === 1 && flush === 2) await ask(target);
      await compaction.run(target.nowMs());
    }
    await Promise.all([compaction.run(target.nowMs()), send(target, acknowledged, `/${++pages}`), ask(target), flusher.flush(target.nowMs())]);
    await target.advance(DAY_MS);
    await compaction.run(target.nowMs());
  }
  return acknowledged;
}

async function inProcess<T>(stores: Stores, task: (target: InProcessTarget) => Promise<T>): Promise<T> {
  const engine = await createEngineShare();
  const target = await createInProcessTarget({ SVC_COMPACT_AFTER_FILES: String(FILES_MAX) }, { ...stores, engine });
  try {
    return await task(target);
  } finally {
    await target.services.compaction.stop();
    await engine.close();
  }
}

function expectEachOnce(pages: ReadonlyMap<string, number>, acknowledged: Acknowledged, when: string): void {
  const lost = [...acknowledged].filter((page) => !pages.has(page));
  const doubled = [...pages].filter(([, times]) => times > 1);
  expect({ lost, doubled }, when).toEqual({ lost: [], doubled: [] });
}

async function filesByDay({ objects }: Stores): Promise<number[]> {
  const days = new Map<string, number>();
  for (const { key } of await objects.list("events")) {
    const day = /date=([^/]+)/.exec(key)?.[1] ?? "";
    days.set(day, (days.get(day) ?? 0) + 1);
  }
  return [...days.values()];
}

async function playAndRestart(strike: Strike | null): Promise<{ struck: boolean; acknowledged: Acknowledged; files: number[] }> {
  const backing = memoryStores();
  const mortal = mortalStores(backing, strike);
  const acknowledged = await inProcess(mortal, play);
  expectEachOnce((await readStores(backing)).pages, acknowledged, "after the crash");
  await inProcess(backing, async (target) => {
    await target.advance(3 * DAY_MS);
    await target.flush();
    await target.services.compaction.run(target.nowMs());
    const { pages } = await readStores(backing);
    expectEachOnce(pages, acknowledged, "after the next merge");
    const counted = (await getSeries(target, SITE)).reduce((sum, { pageviews }) => sum + pageviews, 0);
    expect(counted).toBe(pages.size);
  });
  return { struck: mortal.hasStruck(), acknowledged, files: await filesByDay(backing) };
}

describe("files that are merged", () => {
  it("hold every event once, and are few", async () => {
    const { acknowledged, files } = await playAndRestart(null);
    expect(acknowledged.size).toBe(18);
    expect(files).toEqual([1, 1]);
  });

  it("leave out one that cannot be read, which stays where it was and is reported once", async () => {
    const backing = memoryStores();
    await inProcess(backing, async (target) => {
      const acknowledged: Acknowledged = new Set();
      for (let n = 1; n <= 6; n++) {
        await send(target, acknowledged, `/${n}`);
        await target.flush();
      }
      const keys = (await backing.objects.list("events")).map(({ key }) => key);
      const damaged = keys[2] ?? "";
      await backing.objects.put(damaged, new TextEncoder().encode("no Parquet"));
      await target.advance(DAY_MS);
      for (let look = 1; look <= 3; look++) await target.services.compaction.run(target.nowMs());
      const left = (await backing.objects.list("events")).map(({ key }) => key);
      expect(left).toContain(damaged);
      expect(left).toHaveLength(3);
      expect(target.log.lines.filter(({ level }) => level === "error")).toHaveLength(1);
      const counted = (await getSeries(target, SITE)).reduce((sum, { pageviews }) => sum + pageviews, 0);
      expect(counted).toBe(5);
    });
  });

  for (const deadly of [true, false]) {
    for (const when of ["before", "after"] as const) {
      it(`${deadly ? "when the process dies" : "when a change fails"} ${when} any change it makes`, async () => {
        // The first change is the journal's, without which there is no process.
        for (let atChange = 2; ; atChange++) {
          const { struck, files } = await playAndRestart({ atChange, when, deadly }).catch((error: unknown) => {
            throw new Error(`at change ${atChange}: ${String(error)}`, { cause: error });
          });
          expect(Math.max(...files), `files of a day, at change ${atChange}`).toBeLessThanOrEqual(FILES_MAX);
          if (!struck) {
            expect(atChange).toBeGreaterThan(30);
            return;
          }
        }
      });
    }
  }
});
