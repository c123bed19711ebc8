/**
 * Imports of hits under failures: an import runs, is hidden, shown and deleted, once for each change to storage. In each run another change
 * fails, or the process dies there. The next process finds all events of the import or none, goes on, and ends with each event once.
 */
import { describe, expect, it } from "vitest";
import { CRAWLS, HIT_SOURCE, HITS, openHitImports } from "../support/hit-imports.ts";
import { memoryStores, mortalStores, type Strike } from "../support/mortal-stores.ts";

type Opened = Awaited<ReturnType<typeof openHitImports>>;

/** Deletes an import in the order in which `Imports` does. */
async function remove({ imports, records }: Pick<Opened, "imports" | "records">, number: number): Promise<void> {
  await imports.end(number);
  await records.remove(number);
}

async function play({ imports, records, add }: Opened): Promise<void> {
  const { number } = await add();
  await imports.run(number, HIT_SOURCE);
  await imports.hide(number);
  await imports.show(number);
  await remove({ imports, records }, number);
}

/** Brings what was left to an end: shown again, or deleted. */
async function goOn({ imports, records, add, counted, crawled }: Opened, end: "shown" | "deleted"): Promise<void> {
  const [found] = records.all;
  if (found?.state === "deleting") await remove({ imports, records }, found.number);
  else if (found && found.state !== "running") await imports.repair(found.number);
  const [left] = records.all;
  const { number, state } = left ?? (await add());
  expect([await counted(), await crawled()]).toEqual(state === "shown" ? [HITS, CRAWLS] : [0, 0]);
  if (end === "deleted") return remove({ imports, records }, number);
  if (state === "running") await imports.run(number, HIT_SOURCE);
  if (state === "hidden") await imports.show(number);
}

async function playAndRestart(
  strike: Strike | null,
  end: "shown" | "deleted",
): Promise<{ readonly changes: number; readonly struck: boolean }> {
  const backing = memoryStores();
  const mortal = mortalStores(backing, strike);
  await openHitImports(mortal)
    .then(play)
    .catch((error: unknown) => {
      if (strike === null) throw error;
    });
  const next = await openHitImports(backing);
  await goOn(next, end);
  expect([await next.counted(), await next.crawled()], "at the end").toEqual(end === "shown" ? [HITS, CRAWLS] : [0, 0]);
  expect(await next.secrets.names(), "salts").toEqual([]);
  if (end === "shown") expect(next.records.all.map(({ crawls }) => crawls)).toEqual([CRAWLS]);
  for (const folder of end === "deleted" ? ["events", "crawls"] : []) expect(await backing.objects.list(folder), "files").toEqual([]);
  return { changes: mortal.changes(), struck: mortal.hasStruck() };
}

describe("an import of hits", () => {
  for (const end of ["shown", "deleted"] as const) {
    for (const deadly of [true, false]) {
      for (const when of ["before", "after"] as const) {
        it(`ends ${end} after ${deadly ? "a kill" : "a failure"} ${when} any change`, async () => {
          const { changes } = await playAndRestart(null, end);
          expect(changes).toBeGreaterThan(10);
          for (let atChange = 1; atChange <= changes; atChange++) {
            const { struck } = await playAndRestart({ atChange, when, deadly }, end);
            expect(struck, `change ${atChange}`).toBe(true);
          }
        });
      }
    }
  }
});
