/**
 * Erasure under failures: two days of events, flushes, queries and erasures run once for each change to the disk. In each run
 * another change fails, or the process dies there. The next process must find every acknowledged event exactly once unless
 * it was erased, and no event whose erasure was confirmed.
 */
import { describe, expect, it } from "vitest";
import { utcDayOf, type UtcDay } from "../../src/storage/event.ts";
import type { InProcessTarget } from "../support/in-process-target.ts";
import { memoryStores, mortalStores, type Strike } from "../support/mortal-stores.ts";
import { getSeries } from "../support/requests.ts";
import { siteId } from "../support/stored-event.ts";
import { inProcess, Ledger, wrongIn, type Sent } from "./ledger.ts";
import { isTurnOf } from "./turns.ts";
import { readStores, type StoredEvents } from "./stored-events.ts";

const DAY_MS = 86_400_000;

/** The second id has characters that file names must escape. */
const [A, B] = [siteId("erased.test"), siteId("Erased:Other.")];

const dayOf = (target: InProcessTarget, back: number): UtcDay => utcDayOf(target.nowMs() - back * DAY_MS);

/** Two days of a process, with everything that an erasure may meet. Whatever fails, it goes on. */
async function play(target: InProcessTarget, ledger: Ledger): Promise<void> {
  const { flush } = target.services;
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
  await Promise.all([ledger.erase(A, dayOf(target, 1), dayOf(target, 0)), ledger.send(A, 2), ask(), flush.run()]);
  await ledger.send(A, 2);
  await flush.run();
  await ledger.send(B, 1);
  await ledger.erase(B, dayOf(target, 0), dayOf(target, 0));
  await ledger.send(B, 1);
  await ledger.erase(A, dayOf(target, 1), dayOf(target, 1));
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
    await play(target, ledger);
    return ledger.sent;
  });
  expect(wrongIn((await readStores(backing)).pages, sent), "after the crash").toEqual([]);
  await inProcess(backing, async (target) => {
    await target.advance(DAY_MS);
    await target.flush();
    const { pages, inJournalOnly } = await readStores(backing);
    expect({ wrong: wrongIn(pages, sent), inJournalOnly }, "after the next flush").toEqual({ wrong: [], inJournalOnly: 0 });
    const found = pagesOf(pages, A).length;
    expect(await pageviewsOf(target, A)).toBe(found);
    const { events } = await target.services.erasure.erase(A, dayOf(target, 1), dayOf(target, 0));
    expect(events, "counted when it is repeated").toBe(found);
    expect(await pageviewsOf(target, A)).toBe(0);
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
