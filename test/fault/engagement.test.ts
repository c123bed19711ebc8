/**
 * Engaged time that clients of Plausible send apart from page views: it is added to their events when the day is over, once, wherever
 * the process ends meanwhile; and it never is an event.
 */
import { describe, expect, it } from "vitest";
import type { InProcessTarget } from "../support/in-process-target.ts";
import { createMemorySegmentLog } from "../support/memory-segment-log.ts";
import { memoryStores, mortalStores, type Stores, type Strike } from "../support/mortal-stores.ts";
import { getMain, post, wireEvent } from "../support/requests.ts";
import { siteId } from "../support/stored-event.ts";
import { inProcess } from "./ledger.ts";
import { readStores } from "./stored-events.ts";

const DAY_MS = 86_400_000;
const SITE = siteId("read.test");

const view = (target: InProcessTarget, path: string) => post(target, wireEvent(SITE, { u: `https://page.test${path}` }));

const ping = (target: InProcessTarget, path: string, ms: number) =>
  post(target, { d: SITE, n: "engagement", u: `https://page.test${path}`, sd: 50, e: ms });

const newStores = (): Stores => ({ ...memoryStores(), pingLog: createMemorySegmentLog() });

/** Engaged seconds by path, of the raw export. */
async function exported(target: InProcessTarget): Promise<string[]> {
  const response = await target.fetch(`/api/stats/export?site_id=${SITE}&kind=raw&period=7d`);
  const [header = "", ...lines] = (await response.text()).trim().split("\n");
  const [path, seconds] = ["pathname", "engaged_seconds"].map((name) => header.trim().split(",").indexOf(name));
  return lines
    .map((line) => line.trim().replaceAll('"', "").split(","))
    .map((cells) => `${cells[path ?? -1]} ${cells[seconds ?? -1]}`)
    .sort();
}

async function playDay(target: InProcessTarget): Promise<void> {
  const { flush, compaction, engagement } = target.services;
  for (const path of ["/a", "/b"]) await view(target, path);
  await ping(target, "/a", 3_400);
  await flush.run();
  await target.advance(3_000);
  await view(target, "/c");
  await Promise.all([ping(target, "/a", 4_200), ping(target, "/c", 1_000), ping(target, "/none", 9_000)]);
  await flush.run();
  await target.advance(DAY_MS);
  await Promise.all([view(target, "/d"), engagement?.run(), compaction.run()]);
  await engagement?.run();
}

const ofDay = ["/a 8", "/b ", "/c 1"];

async function playAndRestart(strike: Strike | null): Promise<boolean> {
  const backing = newStores();
  const mortal = mortalStores(backing, strike);
  await inProcess(mortal, playDay).catch(() => {
    // The process died at its start.
  });
  const before = [...(await readStores(backing)).pages].sort();
  expect(before.every(([, times]) => times === 1)).toBe(true);
  await inProcess(backing, async (target) => {
    await target.advance(2 * DAY_MS);
    await target.services.flush.run();
    for (let run = 1; run <= 2; run++) await target.services.engagement?.run();
    expect([...(await readStores(backing)).pages].sort()).toEqual(before);
    const lines = await exported(target);
    expect(lines.map((line) => `${SITE}${line.split(" ")[0]}`)).toEqual(before.map(([page]) => page));
    // A ping that was not acknowledged may be missing.
    for (const line of lines) expect(["/a ", "/a 3", "/a 4", "/a 8", "/b ", "/c ", "/c 1", "/d "]).toContain(line);
    if (!mortal.hasStruck()) expect(lines).toEqual([...ofDay, "/d "]);
  });
  return mortal.hasStruck();
}

describe("engaged time apart from its page view", () => {
  it("is in raw exports once the day is over, and changes no total", async () => {
    const stores = newStores();
    await inProcess(stores, async (target) => {
      const total = async () => (await getMain(target, SITE, { period: "7d" })).total_events;
      await playDay(target);
      expect(await exported(target)).toEqual([...ofDay, "/d "]);
      expect(await total()).toBe(4);
      expect(await stores.pingLog?.list()).toHaveLength(1);
      expect(target.services.pings?.days()).toEqual([]);
      expect(target.log.lines.filter(({ level }) => level === "error" || level === "warn")).toEqual([]);
    });
  });

  it("goes with its day when that is erased", async () => {
    const stores = newStores();
    await inProcess(stores, async (target) => {
      await view(target, "/a");
      await ping(target, "/a", 5_000);
      await post(target, wireEvent("other.test"));
      await post(target, { d: "other.test", n: "engagement", u: "https://page.test/", sd: 1, e: 1_000 });
      const [[, day] = []] = target.services.pings?.days() ?? [];
      if (!day) throw new Error("no ping was kept");
      await target.services.erasure.erase(SITE, day, day);
      expect(target.services.pings?.days()).toEqual([["other.test", day]]);
      const numbers = (await stores.pingLog?.list()) ?? [];
      expect(numbers).not.toEqual([]);
      for (const number of numbers) expect(new TextDecoder().decode(await stores.pingLog?.read(number))).not.toContain(SITE);
    });
  });

  it.each(["before", "after"] as const)(
    "is added once, and no event is lost, when the process dies %s any change it makes",
    async (when) => {
      for (let atChange = 2; ; atChange++) {
        const struck = await playAndRestart({ atChange, when, deadly: true }).catch((error: unknown) => {
          throw new Error(`at change ${atChange}: ${String(error)}`, { cause: error });
        });
        if (struck) continue;
        expect(atChange).toBeGreaterThan(10);
        return;
      }
    },
  );
});
