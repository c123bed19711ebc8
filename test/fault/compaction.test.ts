/**
 * Compaction under crashes: two days of events, flushes, merges and queries run once for each change to the disk, and each run
 * ends the process at another change. The next process must find every acknowledged event exactly once.
 */
import { describe, expect, it } from "vitest";
import type { InProcessTarget } from "../support/in-process-target.ts";
import { memoryStores, mortalStores, type Stores, type Strike } from "../support/mortal-stores.ts";
import { getSeries } from "../support/requests.ts";
import { inProcess, Ledger, wrongIn, type Sent } from "./ledger.ts";
import { isTurnOf } from "./turns.ts";
import { readStores } from "./stored-events.ts";

const DAY_MS = 86_400_000;
const SITE = "merged.test";
const FILES_MAX = 2;

const ask = (target: InProcessTarget) => target.fetch(`/api/stats/timeseries?site_id=${SITE}`).then((response) => response.text());

/** Whatever fails, it goes on. */
async function play(target: InProcessTarget): Promise<readonly Sent[]> {
  const { flush, compaction } = target.services;
  const ledger = new Ledger(target);
  for (const day of [1, 2]) {
    for (let flushes = 1; flushes <= 4; flushes++) {
      await ledger.send(SITE, 2);
      await flush.run();
      if (day === 1 && flushes === 2) await ask(target);
      await compaction.run();
    }
    await Promise.all([compaction.run(), ledger.send(SITE, 1), ask(target), flush.run()]);
    await target.advance(DAY_MS);
    await compaction.run();
  }
  return ledger.sent;
}

const MERGING = { SVC_COMPACT_AFTER_FILES: String(FILES_MAX) };

async function filesByDay({ objects }: Stores): Promise<number[]> {
  const days = new Map<string, number>();
  for (const { key } of await objects.list("events")) {
    const day = /date=([^/]+)/.exec(key)?.[1] ?? "";
    days.set(day, (days.get(day) ?? 0) + 1);
  }
  return [...days.values()];
}

async function playAndRestart(strike: Strike | null): Promise<{ struck: boolean; sent: readonly Sent[]; files: number[] }> {
  const backing = memoryStores();
  const mortal = mortalStores(backing, strike);
  const sent = await inProcess(mortal, play, MERGING);
  expect(wrongIn((await readStores(backing)).pages, sent), "after the crash").toEqual([]);
  await inProcess(
    backing,
    async (target) => {
      await target.advance(3 * DAY_MS);
      await target.flush();
      await target.services.compaction.run();
      const { pages } = await readStores(backing);
      expect(wrongIn(pages, sent), "after the next merge").toEqual([]);
      const counted = (await getSeries(target, SITE)).reduce((sum, { pageviews }) => sum + pageviews, 0);
      expect(counted).toBe(pages.size);
    },
    MERGING,
  );
  return { struck: mortal.hasStruck(), sent, files: await filesByDay(backing) };
}

describe("compaction", () => {
  it("compaction keeps every event exactly once and leaves one file per day", async () => {
    const { sent, files } = await playAndRestart(null);
    expect(sent.filter(({ acknowledged }) => acknowledged)).toHaveLength(18);
    expect(files).toEqual([1, 1]);
  });

  it("compaction skips an unreadable file, leaves it in place and logs it once", async () => {
    const backing = memoryStores();
    await inProcess(
      backing,
      async (target) => {
        const ledger = new Ledger(target);
        for (let n = 1; n <= 6; n++) {
          await ledger.send(SITE, 1);
          await target.flush();
        }
        const keys = (await backing.objects.list("events")).map(({ key }) => key);
        const damaged = keys[2] ?? "";
        await backing.objects.put(damaged, new TextEncoder().encode("no Parquet"));
        await target.advance(DAY_MS);
        for (let look = 1; look <= 3; look++) await target.services.compaction.run();
        const left = (await backing.objects.list("events")).map(({ key }) => key);
        expect(left).toContain(damaged);
        expect(left).toHaveLength(3);
        expect(target.log.lines.filter(({ level }) => level === "error")).toHaveLength(1);
        const counted = (await getSeries(target, SITE)).reduce((sum, { pageviews }) => sum + pageviews, 0);
        expect(counted).toBe(5);
      },
      MERGING,
    );
  });

  // Changes that fail and leave the process alive, merges among them, are in `history.test.ts`.
  it.each([
    ["before", 0],
    ["after", 1],
  ] as const)("compaction keeps every event exactly once when the process dies %s any change it makes", async (when, way) => {
    // The first change is the journal's, without which there is no process.
    for (let atChange = 2; ; atChange++) {
      if (!isTurnOf(way, 2, atChange)) continue;
      const { struck, files } = await playAndRestart({ atChange, when, deadly: true }).catch((error: unknown) => {
        throw new Error(`at change ${atChange}: ${String(error)}`, { cause: error });
      });
      expect(Math.max(...files), `files of a day, at change ${atChange}`).toBeLessThanOrEqual(FILES_MAX);
      if (!struck) {
        expect(atChange).toBeGreaterThan(30);
        return;
      }
    }
  });
});
