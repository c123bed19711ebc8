/**
 * Imports of sums of days under failures: an import runs, is hidden and shown, loses a day to an erasure, and is deleted, once for each change
 * to storage. In each run another change fails, or the process dies there. The next process counts all days of the import or none.
 */
import { describe, expect, it } from "vitest";
import type { DayRow } from "../../src/runtime/imports/rows.ts";
import { visitorCounts } from "../../src/runtime/reports/measures/counts.ts";
import { rangeOfDays } from "../../src/runtime/query/date-range.ts";
import { ImportedDaysReader } from "../../src/runtime/query/imported-days.ts";
import { openRollup } from "../../src/storage/rollup-file.ts";
import type { LocalDate } from "../../src/storage/event.ts";
import { HIT_SOURCE, openHitImports, SITE } from "../support/hit-imports.ts";
import { memoryStores, mortalStores, type Stores, type Strike } from "../support/mortal-stores.ts";

type Opened = Awaited<ReturnType<typeof openHitImports>>;

const DAYS = ["2026-01-10", "2026-01-11", "2026-01-12"] as LocalDate[];
const [ERASED = "" as LocalDate] = DAYS;
const BROWSERS = ["Chrome", "Firefox", "Safari"];
const VISITORS_OF_DAY = 7;

const rows: DayRow[] = [
  ...DAYS.map((date): DayRow => ({
    kind: "day",
    line: 1,
    date,
    table: "totals",
    values: {},
    counts: { visitors: VISITORS_OF_DAY, pageviews: 9 },
  })),
  ...DAYS.flatMap((date) =>
    BROWSERS.map((browser): DayRow => ({
      kind: "day",
      line: 1,
      date,
      table: "browsers",
      values: { browser },
      counts: { visitors: 2, pageviews: 3 },
    })),
  ),
];

const SOURCE = {
  ...HIT_SOURCE,
  files: [
    {
      path: "days.csv",
      format: "csv",
      async *read() {
        for (const row of rows) yield await Promise.resolve([row]);
      },
    },
  ],
};

const scope = { siteId: SITE, range: rangeOfDays(DAYS[0] ?? ERASED, DAYS[2] ?? ERASED), conditions: [] };

/** Visitors that a report counts. */
async function countedIn({ objects }: Stores, { records }: Pick<Opened, "records">): Promise<number> {
  const reader = new ImportedDaysReader({ objects, log: { debug() {}, info() {}, error() {}, warn: (text) => expect.fail(text) } });
  const imported = records.daysOf(SITE);
  const found = await reader.rowsOf({ siteRange: { ...scope, imported }, queries: [visitorCounts(scope)] }, [], []);
  return (found?.parts[0] ?? []).reduce((sum, { visitors = [] }) => sum + Number(visitors[0] ?? 0), 0);
}

const erase = ({ eventStore }: Opened) => eventStore.deleteDays(SITE, ERASED, ERASED);

async function remove({ imports, records }: Pick<Opened, "imports" | "records">, number: number): Promise<void> {
  await imports.end(number);
  await records.remove(number);
}

/** Runs the import, which loses a day once it has read some batches of rows. */
async function runWithErasure(opened: Opened, number: number, batches: number): Promise<void> {
  let read = 0;
  await opened.imports.run(number, SOURCE, async () => {
    if (++read === batches) await erase(opened);
  });
}

/** The checkpoint of a file has been written, and the next one has begun. */
const BATCHES_BEFORE_ERASURE = 6;

async function play(opened: Opened, whileItRuns: boolean): Promise<void> {
  const { imports, add } = opened;
  const { number } = await add();
  if (whileItRuns) await runWithErasure(opened, number, BATCHES_BEFORE_ERASURE);
  else await imports.run(number, SOURCE);
  await imports.hide(number);
  await imports.show(number);
  await erase(opened);
  await remove(opened, number);
}

const WHOLE = VISITORS_OF_DAY * DAYS.length;
const LEFT = WHOLE - VISITORS_OF_DAY;

/** Brings what was left to an end: shown without the erased day. */
async function goOn(stores: Stores, opened: Opened): Promise<void> {
  const { imports, records, daySums, add } = opened;
  const [found] = records.all;
  if (found?.state === "deleting") await remove(opened, found.number);
  else if (found && found.state !== "running") await daySums.restore(found.number);
  const [left] = records.all;
  expect(left?.state === "shown" ? [WHOLE, LEFT] : [0]).toContain(await countedIn(stores, opened));
  const { number, state } = left ?? (await add());
  if (state === "running") await imports.run(number, SOURCE);
  if (state === "hidden") await imports.show(number);
  await erase(opened);
}

async function playAndRestart(
  strike: Strike | null,
  whileItRuns: boolean,
): Promise<{ readonly changes: number; readonly struck: boolean }> {
  const backing = memoryStores();
  const mortal = mortalStores(backing, strike);
  await openHitImports(mortal)
    .then((opened) => play(opened, whileItRuns))
    .catch((error: unknown) => {
      if (strike === null) throw error;
    });
  const next = await openHitImports(backing);
  await goOn(backing, next);
  expect(await countedIn(backing, next)).toBe(LEFT);
  for (const { key } of await backing.objects.list("imports")) {
    const bytes = await backing.objects.get(key);
    expect(bytes && openRollup(bytes).header.events.map(([day]) => day), "days of a file").not.toContain(ERASED);
  }
  for (const { number } of next.records.all) await remove(next, number);
  expect([await backing.objects.list("imports"), await next.secrets.names()]).toEqual([[], []]);
  return { changes: mortal.changes(), struck: mortal.hasStruck() };
}

describe("an import of sums of days", () => {
  for (const deadly of [true, false]) {
    for (const when of ["before", "after"] as const) {
      it(`counts whole or not at all after ${deadly ? "a kill" : "a failure"} ${when} any change`, async () => {
        for (const whileItRuns of [false, true]) {
          const { changes } = await playAndRestart(null, whileItRuns);
          expect(changes).toBeGreaterThan(15);
          for (let atChange = 1; atChange <= changes; atChange++) {
            const { struck } = await playAndRestart({ atChange, when, deadly }, whileItRuns).catch((error: unknown) => {
              throw new Error(`at change ${atChange}, erased ${whileItRuns ? "while" : "after"} it runs: ${String(error)}`, {
                cause: error,
              });
            });
            expect(struck, `change ${atChange}`).toBe(true);
          }
        }
      });
    }
  }

  it("has nothing of a day that is erased while it runs, and says what it left out", async () => {
    for (let batches = 1; batches <= rows.length; batches++) {
      const stores = memoryStores();
      const opened = await openHitImports(stores);
      const { number } = await opened.add();
      await runWithErasure(opened, number, batches);
      expect(await countedIn(stores, opened), `erased after ${batches} rows`).toBe(LEFT);
      for (const { key } of await stores.objects.list("imports")) {
        const bytes = await stores.objects.get(key);
        expect(bytes && openRollup(bytes).header.events.map(([day]) => day), `days of ${key}`).not.toContain(ERASED);
      }
      const { imported, leftOut } = opened.records.existing(number).outcome["2026-01"] ?? {};
      expect((imported?.visitors ?? 0) + (leftOut?.erased_day?.visitors ?? 0)).toBe(WHOLE);
    }
  });

  it("has an erased day of another import", async () => {
    const stores = memoryStores();
    const opened = await openHitImports(stores);
    const first = await opened.add();
    await runWithErasure(opened, first.number, 1);
    const second = await opened.add();
    await opened.imports.run(second.number, SOURCE);
    expect(opened.records.existing(second.number).days).toEqual([[DAYS[0], DAYS[2]]]);
  });
});
