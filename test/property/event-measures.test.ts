/**
 * The measures that one pass over the files of random events computes are exactly the rows of the measures' SQL in the real engine, as
 * `sandpiper verify` computes them: with several files a day in any order of time, in several time zones, for salt periods of a day and more.
 */
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { computeMeasures } from "../../src/runtime/duckdb/rollups/event-measures.ts";
import { rolledMeasures } from "../../src/runtime/reports/registry.ts";
import { calendarFrom } from "../../src/runtime/sites/site-calendar.ts";
import { PeriodMeasures } from "../../src/runtime/upkeep/period-measures.ts";
import { UTC_RECORD } from "../../src/storage/calendar.ts";
import type { Columns } from "../../src/storage/columns.ts";
import type { StoredEvent } from "../../src/storage/event.ts";
import { createEngineShare } from "../support/shared-engine.ts";
import { periodsOf, rollupOfFiles, storeFiles } from "../support/events-in-files.ts";
import { createMemoryObjectStore } from "../support/memory-object-store.ts";
import { anyEvent } from "../support/stored-event.ts";
import { type History, history, SITES, withPeriods } from "./histories.ts";
import { PROPERTY_RUNS, PROPERTY_SEED, PROPERTY_TIMEOUT_MS } from "./settings.ts";
import { historyIn, PLACES, type ZonedHistory } from "./zoned-histories.ts";

const MIB = 1024 * 1024;
const SITE = SITES[0] as string as StoredEvent["siteId"];

type Case = Pick<ZonedHistory, "record" | "rotationDays"> & {
  readonly sessionWindowMinutes: number;
  readonly lists: readonly (readonly StoredEvent[])[];
};

const ofSite = (event: StoredEvent): StoredEvent => ({ ...event, siteId: SITE });

/** Sums of these are beyond 64 bits. */
const withHuge = fc.array(fc.constantFrom(2 ** 62, -(2 ** 62), 2 ** 62, Number.MAX_SAFE_INTEGER), { maxLength: 8 });

/** A case takes its time for its statements, however many events it has. */
const SEVERAL = { minLength: 1, maxLength: 8, size: "max" } as const;

/** The first history with the steps of all others of the same session window. */
const joined = (histories: readonly History[]): History => ({
  ...(histories[0] as History),
  steps: histories
    .filter(({ sessionWindowMinutes }) => sessionWindowMinutes === histories[0]?.sessionWindowMinutes)
    .flatMap(({ steps }) => steps),
});

const inUtc: fc.Arbitrary<Case> = fc
  .tuple(fc.array(history, SEVERAL).map(joined), fc.constantFrom(1, 1, 7, 30), withHuge)
  .map(([found, rotationDays, huge]) => ({ found: withPeriods(found, rotationDays), rotationDays, huge }))
  .map(({ found, rotationDays, huge }) => ({
    record: UTC_RECORD,
    rotationDays,
    sessionWindowMinutes: found.sessionWindowMinutes,
    lists: found.steps.map(({ events }) =>
      events.map((event, i) => ofSite({ ...event, ...(huge[i] !== undefined && { revenueCents: huge[i] }) })),
    ),
  }));

const inZones: fc.Arbitrary<Case> = fc
  .constantFrom(...PLACES)
  .chain((place) => fc.array(historyIn(place), SEVERAL))
  .map((found) => {
    const { record, rotationDays } = found[0] as ZonedHistory;
    const { sessionWindowMinutes, steps } = withPeriods(joined(found.map((zoned) => zoned.history)), rotationDays);
    return { record, rotationDays, sessionWindowMinutes, lists: steps.map(({ events }) => events.map(ofSite)) };
  });

/** Events with any texts and properties, of one salt period. */
const withOddTexts: fc.Arbitrary<Case> = fc.array(anyEvent, { minLength: 1, maxLength: 200, size: "max" }).map((events) => ({
  record: UTC_RECORD,
  rotationDays: 30_000,
  sessionWindowMinutes: 30,
  lists: [events.slice(0, 20).map(ofSite), events.slice(20).map(ofSite)],
}));

const rowsOf = (columns: Columns): string[] => {
  const names = Object.keys(columns).sort();
  const rows = Array.from({ length: columns[names[0] ?? ""]?.length ?? 0 }, (_, row) =>
    JSON.stringify(names.map((name) => [name, String(columns[name]?.[row])])),
  );
  return rows.sort();
};

const rowsByMeasure = (measures: ReadonlyMap<string, Columns>): Record<string, string[]> =>
  Object.fromEntries(Array.from(measures, ([name, columns]) => [name, rowsOf(columns)]));

/** Measures that had a row, over all cases: rows that are never there are never compared. */
const withRows = new Set<string>();

async function check({ record, rotationDays, sessionWindowMinutes, lists }: Case): Promise<void> {
  const events = lists.flat();
  if (events.length === 0) return;
  const objects = createMemoryObjectStore();
  const files = await storeFiles(objects, SITE, lists);
  const settings = { sessionWindowMinutes, saltRotationDays: rotationDays };
  const rolled = rolledMeasures({ ...settings, hasExtension: true, hash: (text) => text });
  const calendar = calendarFrom(record);
  const { origin, events: toRead } = rollupOfFiles(SITE, files, rolled, calendar, settings);
  const options = { readFile: objects.get, rowsMax: 50_000, bytesMax: 512 * MIB, yieldToOthers: async () => {} };
  const computed = await computeMeasures(origin, toRead, options);
  const periodMeasures = new PeriodMeasures({
    openEngine: createEngineShare,
    calendarOf: () => calendar,
    budgetBytes: 1024 * MIB,
    objects,
  });
  try {
    const range = periodsOf([...files.keys()], rotationDays);
    const query = { siteId: SITE, range, files, rolled, sessionWindowMinutes, withProperties: true, properties: new Set<string>() };
    const expected = await periodMeasures.measures(query);
    expect(rowsByMeasure(computed.measures)).toEqual(rowsByMeasure(expected ?? new Map()));
    const keys = computed.measures.get("properties")?.["value"] ?? [];
    expect(computed.hasAllProperties).toBe(keys.length <= 32);
  } finally {
    await periodMeasures.close();
  }
  for (const [name, columns] of computed.measures) if (rowsOf(columns).length > 0) withRows.add(name);
}

describe("measures in one pass", { timeout: PROPERTY_TIMEOUT_MS }, () => {
  const assert = (cases: fc.Arbitrary<Case>, share: number) =>
    fc.assert(fc.asyncProperty(cases, check), { numRuns: Math.ceil(PROPERTY_RUNS * share), seed: PROPERTY_SEED });

  it("measures in one pass equal their SQL for any history in UTC", () => assert(inUtc, 0.35));

  it("measures in one pass equal their SQL in any time zone", () => assert(inZones, 0.45));

  it("measures in one pass equal their SQL for any texts and properties", () => assert(withOddTexts, 0.15));

  afterAll(() => {
    const { measures } = rolledMeasures({ sessionWindowMinutes: 30, saltRotationDays: 1, hasExtension: true, hash: (text) => text });
    expect([...withRows]).toEqual(expect.arrayContaining(measures.map(({ name }) => name)));
  });
});
