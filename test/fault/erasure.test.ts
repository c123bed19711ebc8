/**
 * Erasure under failures: two days of events, flushes, queries and erasures run once for each change to the disk. In each run
 * another change fails, or the process dies there. The next process must find every acknowledged event exactly once unless
 * it was erased, and no event whose erasure was confirmed, nor a rollup that has it.
 */
import { describe, expect, it } from "vitest";
import { type LocalDate, type SiteId, utcDateOf } from "../../src/storage/event.ts";
import type { ObjectStore } from "../../src/storage/object-store.ts";
import { ROLLUPS_FOLDER } from "../../src/storage/rollup.ts";
import type { InProcessTarget } from "../support/in-process-target.ts";
import { readJsonRollup } from "../support/json-rollups.ts";
import { memoryStores, mortalStores, type Strike } from "../support/mortal-stores.ts";
import { getSeries } from "../support/requests.ts";
import { rollupsBeside } from "../support/rollups-beside.ts";
import { siteId } from "../support/stored-event.ts";
import { inProcess, Ledger, wrongIn, type Sent } from "./ledger.ts";
import { isTurnOf } from "./turns.ts";
import { readStores, type StoredEvents } from "./stored-events.ts";

const DAY_MS = 86_400_000;

/** The second id has characters that file names must escape. */
const [A, B] = [siteId("erased.test"), siteId("Erased:Other.")];

const dayOf = (target: InProcessTarget, back: number): LocalDate => utcDateOf(target.nowMs() - back * DAY_MS);

/** Two days of a process, with everything that an erasure may meet. Whatever fails, it goes on. */
async function play(target: InProcessTarget, ledger: Ledger, rollups: Rollups): Promise<void> {
  const { flush } = target.services;
  const store = (site: SiteId, back: number) => rollups.store(site, dayOf(target, back), dayOf(target, 0)).catch(() => false);
  const ask = () => target.fetch(`/api/stats/timeseries?site_id=${A}`).then((response) => response.text());
  await ledger.send(A, 3);
  await ledger.send(B, 2);
  await flush.run();
  await ledger.send(A, 2);
  await ask();
  await flush.run();
  await target.advance(DAY_MS);
  await ledger.send(A, 3);
  await ledger.send(B, 2);
  await Promise.all([store(A, 1), store(B, 1)]);
  await Promise.all([ledger.erase(A, dayOf(target, 1), dayOf(target, 0)), store(A, 1), ledger.send(A, 2), ask(), flush.run()]);
  await ledger.send(A, 2);
  await flush.run();
  await Promise.all([store(A, 0), store(A, 1), store(B, 0)]);
  await ledger.send(B, 1);
  await ledger.erase(B, dayOf(target, 0), dayOf(target, 0));
  await ledger.send(B, 1);
  await ledger.erase(A, dayOf(target, 1), dayOf(target, 1));
}

type Rollups = ReturnType<typeof rollupsBeside>;

/** The pages of all rollups. */
async function pagesInRollups(objects: ObjectStore): Promise<Set<string>> {
  const rollups = await Promise.all((await objects.list(ROLLUPS_FOLDER)).map(({ key }) => readJsonRollup(objects, key)));
  return new Set(rollups.flatMap((rollup) => rollup?.content ?? []));
}

async function erasedInRollups(objects: ObjectStore, sent: readonly Sent[]): Promise<string[]> {
  const pages = await pagesInRollups(objects);
  return sent.flatMap(({ pathname, erased }) => (erased === "yes" && pages.has(pathname) ? [pathname] : []));
}

const pagesOf = (pages: StoredEvents["pages"], site: string): string[] => [...pages.keys()].filter((page) => page.startsWith(`${site}/`));

const pageviewsOf = async (target: InProcessTarget, site: string): Promise<number> =>
  (await getSeries(target, site)).reduce((sum, { pageviews }) => sum + pageviews, 0);

interface Played {
  readonly changes: number;
  readonly struck: boolean;
  readonly sent: readonly Sent[];
}

/** Plays with the strike, then lets another process follow that repeats an erasure. */
async function playAndRestart(strike: Strike | null): Promise<Played> {
  const backing = memoryStores();
  const mortal = mortalStores(backing, strike);
  const sent = await inProcess(mortal, async (target) => {
    const ledger = new Ledger(target);
    await play(target, ledger, rollupsBeside(target.services.eventStore, mortal.objects));
    return ledger.sent;
  });
  expect(await erasedInRollups(backing.objects, sent), "in rollups after the crash").toEqual([]);
  expect(wrongIn((await readStores(backing)).pages, sent), "after the crash").toEqual([]);
  await inProcess(backing, async (target) => {
    await target.advance(DAY_MS);
    await target.flush();
    const { pages, inJournalOnly } = await readStores(backing);
    expect({ wrong: wrongIn(pages, sent), inJournalOnly }, "after the next flush").toEqual({ wrong: [], inJournalOnly: 0 });
    const found = pagesOf(pages, A).length;
    expect(await pageviewsOf(target, A)).toBe(found);
    const rollups = rollupsBeside(target.services.eventStore, backing.objects);
    await rollups.store(A, dayOf(target, 1), dayOf(target, 0));
    const { events } = await target.services.erasure.erase(A, dayOf(target, 1), dayOf(target, 0));
    expect(events, "counted when it is repeated").toBe(found);
    expect(await pageviewsOf(target, A)).toBe(0);
    const ofA = sent.filter(({ site }) => site === A).map(({ pathname }) => pathname);
    const inRollups = await pagesInRollups(backing.objects);
    expect(
      ofA.filter((pathname) => inRollups.has(pathname)),
      "in rollups after it is repeated",
    ).toEqual([]);
    const left = (await readStores(backing)).pages;
    expect({ ofA: pagesOf(left, A), ofB: pagesOf(left, B) }, "after it is repeated").toEqual({ ofA: [], ofB: pagesOf(pages, B) });
  });
  return { changes: mortal.changes(), struck: mortal.hasStruck(), sent };
}

describe("erasure", () => {
  it("a restart brings back no erased event and loses no other", async () => {
    const { sent, changes } = await playAndRestart(null);
    expect(changes).toBeGreaterThan(30);
    expect(sent.filter(({ erased }) => erased === "yes")).toHaveLength(11);
    expect(sent.every(({ acknowledged }) => acknowledged)).toBe(true);
  });

  for (const [way, deadly] of [true, false].entries()) {
    for (const [part, when] of (["before", "halfway", "after"] as const).entries()) {
      it(`a restart brings back no erased event and loses no other ${deadly ? "when the process dies" : "when a failure occurs"} ${when} any change to the disk`, async () => {
        // The first change is the journal's, without which there is no process.
        for (let atChange = when === "halfway" ? 1 : 2; ; atChange++) {
          if (!isTurnOf(way * 3 + part, 6, atChange)) continue;
          const { struck } = await playAndRestart({ atChange, when, deadly }).catch((error: unknown) => {
            throw new Error(`at change ${atChange}: ${String(error)}`, { cause: error });
          });
          if (!struck) {
            expect(atChange).toBeGreaterThan(10);
            return;
          }
        }
      });
    }
  }
});
