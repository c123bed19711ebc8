/** Measures of rollups, computed with the real engine from real files: exactly the rows of the reports' queries, without a limit. */
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { ROLLUP_PROPERTIES_MAX } from "../../../../src/runtime/base/config/report-limits.ts";
import { EngineFullError } from "../../../../src/runtime/duckdb/engine.ts";
import { IncompleteDaysError } from "../../../../src/runtime/duckdb/cache/cached-blocks.ts";
import { PartitionCache } from "../../../../src/runtime/duckdb/cache/partition-cache.ts";
import { type AggregateQuery, planOf } from "../../../../src/runtime/query/plan.ts";
import { Executor, FileExecution } from "../../../../src/runtime/duckdb/executor.ts";
import { computeMeasures } from "../../../../src/runtime/duckdb/rollups/rollup-maker.ts";
import { rangeOfDays } from "../../../../src/runtime/query/date-range.ts";
import type { SqlRow } from "../../../../src/runtime/query/sql.ts";
import { rolledMeasures } from "../../../../src/runtime/reports/registry.ts";
import { LeftOutFiles } from "../../../../src/runtime/base/metrics/storage-faults.ts";
import { utcCalendar } from "../../../../src/storage/calendar.ts";
import type { Columns } from "../../../../src/storage/columns.ts";
import type { LocalDate, StoredEvent } from "../../../../src/storage/event.ts";
import { createMemoryObjectStore } from "../../../support/memory-object-store.ts";
import { encodeEvents } from "../../../../src/storage/parquet-events.ts";
import { partitionKey } from "../../../../src/storage/partitions.ts";
import { openFilesStore } from "../../../support/made-rollups.ts";
import { createRecordingLog } from "../../../support/recording-log.ts";
import { createEngineShare } from "../../../support/shared-engine.ts";
import { anEvent, anyEvent, siteId } from "../../../support/stored-event.ts";

const SITE = siteId("site.test");
const DAYS = ["2026-03-14", "2026-03-15", "2026-03-16"] as LocalDate[];
const RANGE = rangeOfDays("2026-03-14" as LocalDate, "2026-03-16" as LocalDate);
const MIB = 1024 * 1024;

const rolled = rolledMeasures({ sessionWindowMinutes: 30, saltRotationDays: 3, hasExtension: true, hash: (text) => text });

const { signal } = new AbortController();

/** A site with these events in files, one for each day. */
async function createWorld(events: readonly StoredEvent[], budgetBytes = 1024 * MIB) {
  const engine = await createEngineShare();
  onTestFinished(() => engine.close());
  const objects = createMemoryObjectStore();
  for (const day of DAYS) {
    const ofDay = events.filter(({ date }) => date === day);
    if (ofDay.length > 0) await objects.put(partitionKey(SITE, day, 1, 1), encodeEvents(ofDay));
  }
  const eventStore = await openFilesStore(objects);
  const partitionCache = new PartitionCache({
    engine,
    eventStore,
    budgetBytes,
    sessionGapMs: 1_800_000,
    leftOutFiles: new LeftOutFiles(),
    log: createRecordingLog(),
  });
  const executor = new Executor({
    engine,
    partitionCache,
    budgetBytes,
    rotationDays: 3,
    rollups: null,
    files: new FileExecution({ eventStore }),
  });
  return {
    objects,
    compute: () => computeMeasures({ siteId: SITE, range: RANGE }, rolled, { calendar: utcCalendar, engine, partitionCache, signal }),
    ask: (query: AggregateQuery) =>
      executor.run(
        planOf(
          { siteId: SITE, range: RANGE },
          [query.top ? { ...query, top: { ...query.top, rowsMax: 1_000_000 } } : query],
          (rows) => rows,
        ),
        { isGuest: false, signal },
        utcCalendar,
      ),
    close: () => engine.close(),
  };
}

/** In an order of their own, with all values as texts; NULL is 0. */
const asTexts = (rows: readonly Readonly<Record<string, unknown>>[]): string[] =>
  rows
    .map((row) =>
      JSON.stringify(
        Object.entries(row)
          .map(([name, value]) => [name, String(value ?? 0)])
          .sort(),
      ),
    )
    .sort();

const rowsOf = (columns: Columns | undefined): Record<string, unknown>[] => {
  const entries = Object.entries(columns ?? {});
  return Array.from({ length: entries[0]?.[1].length ?? 0 }, (_, row) =>
    Object.fromEntries(entries.map(([name, values]) => [name, values[row]])),
  );
};

const withProps = (props: unknown): StoredEvent => anEvent({ siteId: SITE, props: JSON.stringify(props) });

describe("the measures of a range", () => {
  it("return the rows of their queries over all events, and of all custom properties", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyEvent, { minLength: 1, maxLength: 40 }), async (events) => {
        const world = await createWorld(events);
        const { measures, hasAllProperties } = await world.compute();
        const keys = (measures.get("properties")?.["value"] ?? []) as readonly string[];
        const wanted = [
          ...rolled.measures,
          ...keys.slice(0, ROLLUP_PROPERTIES_MAX).map((key) => ({ name: `property-values/${key}`, query: rolled.ofProperty(key) })),
        ];
        expect([...measures.keys()].sort()).toEqual(wanted.map(({ name }) => name).sort());
        expect(hasAllProperties).toBe(keys.length <= ROLLUP_PROPERTIES_MAX);
        for (const { name, query } of wanted) {
          const rows: readonly SqlRow[] = await world.ask(query);
          expect([name, asTexts(rowsOf(measures.get(name)))]).toEqual([name, asTexts(rows)]);
        }
        await world.close();
      }),
      { numRuns: 8 },
    );
  });

  it("are empty or zero for days without events", async () => {
    const { measures, hasAllProperties } = await (await createWorld([])).compute();
    expect(hasAllProperties).toBe(true);
    expect(rowsOf(measures.get("visits"))).toEqual([{ visitors: 0n, pageviews: 0n, events: 0n }]);
    expect(rowsOf(measures.get("pages"))).toEqual([]);
    expect(rowsOf(measures.get("properties"))).toEqual([]);
  });

  it("include as many custom properties as a rollup may hold, whatever their keys, and say if there are more", async () => {
    const named = Array.from({ length: ROLLUP_PROPERTIES_MAX - 3 }, (_, i) => `key${String(i).padStart(2, "0")}`);
    const keys = ["", "(unknown)", ...named, "plan name"];
    const few = Object.fromEntries(keys.map((key) => [key, 1]));
    const found = await (await createWorld([withProps(few)])).compute();
    expect(found.hasAllProperties).toBe(true);
    expect([...found.measures.keys()].filter((name) => name.startsWith("property-values/"))).toEqual(
      keys.map((key) => `property-values/${key}`),
    );
    const more = await (await createWorld([withProps({ ...few, last: 1 })])).compute();
    expect(more.hasAllProperties).toBe(false);
    expect(more.measures.size).toBe(found.measures.size);
  });

  it("leave out custom properties that do not fit into the engine's memory", async () => {
    const events = Array.from({ length: 300 }, (_, i) => withProps({ text: String(i).repeat(4000) }));
    const { measures, hasAllProperties } = await (await createWorld(events, 8 * MIB)).compute();
    const all = await (await createWorld(events)).compute();
    expect([hasAllProperties, all.hasAllProperties]).toEqual([false, true]);
    expect(all.measures.has("properties")).toBe(true);
    expect([...measures.keys()]).toEqual([...all.measures.keys()].filter((name) => !name.startsWith("propert")));
    expect(rowsOf(measures.get("visits"))).toEqual([{ visitors: 1n, pageviews: 300n, events: 300n }]);
  });

  it("are refused if a file cannot be read, or if the events do not fit into the engine's memory", async () => {
    const events = Array.from({ length: 2000 }, (_, i) => anEvent({ siteId: SITE, pathname: `/${i}`, visitorId: BigInt(i) }));
    await expect((await createWorld(events, 1000)).compute()).rejects.toThrow(EngineFullError);
    const world = await createWorld(events);
    await world.objects.put(partitionKey(SITE, DAYS[0] ?? ("" as LocalDate), 2, 2), new Uint8Array([1, 2, 3]));
    await expect(world.compute()).rejects.toThrow(IncompleteDaysError);
  });
});
