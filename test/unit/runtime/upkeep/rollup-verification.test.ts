/** Verification of rollups with the real engine: correct ones have no fault, and every difference from the events is named. */
import { NO_ARRIVAL_RULES } from "../../../../src/runtime/arrivals/arrival-names.ts";
import { createMemoryObjectStore } from "../../../support/memory-object-store.ts";
import { describe, expect, it } from "vitest";
import { verifyRollups, type RollupVerificationOptions, sampleOf } from "../../../../src/runtime/upkeep/rollup-verification.ts";
import { addDays, utcCalendar } from "../../../../src/storage/calendar.ts";
import type { Columns } from "../../../../src/storage/columns.ts";
import { type LocalDate, startOfDayMs, type StoredEvent } from "../../../../src/storage/event.ts";
import type { ObjectKey, ObjectStore } from "../../../../src/storage/object-store.ts";
import { encodeEvents, inlineParquetWriter } from "../../../../src/storage/parquet-events.ts";
import { partitionKey, Partitions } from "../../../../src/storage/partitions.ts";
import { encodeRollup, openRollup } from "../../../../src/storage/rollup-file.ts";
import type { Rollup } from "../../../../src/storage/rollup.ts";
import { seal } from "../../../../src/storage/checksum.ts";
import { fileOf } from "../../../../src/runtime/duckdb/rollups/rollup-origin.ts";
import { makeRollup, type RollupSettings } from "../../../support/made-rollups.ts";
import { createEngineShare } from "../../../support/shared-engine.ts";
import { anEvent, siteId } from "../../../support/stored-event.ts";
import { ROLLUPS_COMPARED_PER_SITE } from "../../../../src/runtime/base/config/report-limits.ts";
import { isSiteId } from "../../../../src/runtime/base/config/names.ts";

const SITE = siteId("Site.test");

/** The first day of salt period 20480, a multiple of 4096, if a period is a day. */
const START = "2026-01-27" as LocalDate;
const at = (days: number): LocalDate => addDays(START, days);

const MIB = 1024 * 1024;

const sealed = (bytes: Uint8Array): Uint8Array => (seal(bytes), bytes);

/** Three visitors of a day, with pauses of 40 minutes, properties and revenue. */
const eventsOf = (day: number, visitors = day): StoredEvent[] =>
  Array.from({ length: 12 }, (_, i) =>
    anEvent({
      siteId: SITE,
      timestampMs: startOfDayMs(at(day)) + (i < 6 ? i : i * 40) * 60_000,
      visitorId: BigInt(visitors * 10 + (i % 3)),
      pathname: `/${i % 5}`,
      eventName: i % 4 === 0 ? "Purchase" : "pageview",
      props: i % 4 === 0 ? JSON.stringify({ plan: i % 8 === 0 ? "free" : "pro", [`day${day}`]: i }) : null,
      revenueCents: i % 4 === 0 ? 100 + i : null,
      currency: i % 4 === 0 ? "EUR" : null,
    }),
  );

const keyOf = (day: number, first = 1, last = first): ObjectKey => partitionKey(SITE, at(day), first, last);

/** So many days with events, from the first on. */
async function daysOfEvents(count: number): Promise<ObjectStore> {
  const objects = createMemoryObjectStore();
  for (let day = 0; day < count; day++) await objects.put(keyOf(day), encodeEvents(eventsOf(day)));
  return objects;
}

const make = (objects: ObjectStore, first: number, last: number, settings: RollupSettings = {}, parts: readonly ObjectKey[] = []) =>
  makeRollup(objects, SITE, [at(first), at(last)], settings, parts);

/** A day with its rollup. */
async function oneDay() {
  const objects = await daysOfEvents(1);
  return { objects, key: await make(objects, 0, 0) };
}

async function verify(objects: Pick<ObjectStore, "get" | "list" | "folders">, options: Partial<RollupVerificationOptions> = {}) {
  const faults: string[] = [];
  let engines = 0;
  const listing = () =>
    new Partitions({ objects: objects as ObjectStore, parquet: inlineParquetWriter, isSiteId, listingsMax: 1, onStray: () => {} });
  const counts = await verifyRollups(
    {
      objects,
      listing,
      onFault: (file, reason) => faults.push(`${file}: ${reason}`),
      calendarOf: () => utcCalendar,
      arrivalRulesOf: () => NO_ARRIVAL_RULES,
    },
    {
      openEngine: () => {
        engines++;
        return createEngineShare();
      },
      budgetBytes: 512 * MIB,
      all: true,
      today: at(100),
      ...options,
    },
  );
  return { ...counts, faults, engines };
}

/** Writes a rollup anew, changed, with a correct checksum. */
async function rewrite(objects: ObjectStore, key: ObjectKey, change: (rollup: Rollup) => Partial<Rollup>): Promise<void> {
  const file = openRollup((await objects.get(key)) ?? new Uint8Array());
  const measures = new Map<string, Columns>();
  for (const name of Object.keys(file.header.measures)) measures.set(name, (await file.measure(name)) ?? {});
  const rollup = { ...file.header, measures };
  await objects.put(key, await encodeRollup({ ...rollup, ...change(rollup) }));
}

/** Other values in place of those of a column. */
const withColumn = (columns: Columns, name: string, change: (values: unknown[]) => unknown[]): Columns => {
  const values = change([...(columns[name] ?? [])]);
  return { ...columns, [name]: name === "value" ? (values as string[]) : Float64Array.from(values, Number) };
};

/** The same change in every column. */
const withRows = (columns: Columns, change: (values: unknown[]) => unknown[]): Columns =>
  Object.keys(columns).reduce((changed, name) => withColumn(changed, name, change), columns);

/** A wrong rollup: one change to each of these measures. */
function damaged({ measures }: Rollup): Rollup["measures"] {
  const changes: Readonly<Record<string, (columns: Columns) => Columns>> = {
    pages: (columns) => withColumn(columns, "pageviews", ([first, second, ...others]) => [first, Number(second) + 7, ...others]),
    events: (columns) => withRows(columns, ([, ...others]) => others),
    goals: (columns) => withColumn(columns, "value", ([value]) => [`${String(value)}\n`]),
    "entry-pages": (columns) => withRows(columns, ([first, ...others]) => [first, first, ...others]),
  };
  const kept = [...measures].filter(([name]) => name !== "sources" && name !== "property-values/plan");
  return new Map(kept.map(([name, columns]) => [name, changes[name]?.(columns) ?? columns]));
}

const changing = (objects: ObjectStore, onRead: (key: ObjectKey) => Promise<"gone" | undefined>): ObjectStore => ({
  ...objects,
  get: async (key) => ((await onRead(key)) === "gone" ? null : objects.get(key)),
});

describe("verification of rollups", () => {
  it("finds no fault in rollups of events and in sums of them", async () => {
    const objects = await daysOfEvents(4);
    await make(objects, 0, 3, {}, [await make(objects, 0, 1), await make(objects, 2, 3)]);
    expect(await verify(objects)).toMatchObject({ rollups: 3, compared: 3, outdated: 0, uncompared: 0, faults: [], engines: 1 });
  });

  it("opens no engine if there are no rollups", async () => {
    const expected = { rollups: 0, compared: 0, outdated: 0, uncompared: 0, uncomparedReason: null, faults: [], engines: 0 };
    expect(await verify(await daysOfEvents(1))).toEqual(expected);
  });

  it("compares each rollup under the session window, salt rotation and extension of its making", async () => {
    const objects = await daysOfEvents(2);
    await objects.put(keyOf(1), encodeEvents(eventsOf(1, 0)));
    await make(objects, 0, 1, { saltRotationDays: 2 });
    await make(objects, 0, 0, { sessionWindowMinutes: 60 });
    await make(objects, 0, 0, { hasExtension: false });
    expect(await verify(objects)).toMatchObject({ rollups: 3, compared: 3, outdated: 0, faults: [], engines: 1 });
  });

  it("names the rollup, the measure and the row of every difference from the events", async () => {
    const { objects, key } = await oneDay();
    await rewrite(objects, key, (rollup) => ({ measures: damaged(rollup) }));
    const { faults, compared } = await verify(objects);
    expect(compared).toBe(1);
    expect(faults).toEqual(
      [
        'measure "entry-pages": 1 row is there twice',
        'measure "events": the row value "Purchase" is missing',
        'measure "goals": 2 rows differ, one of them: the row value "Purchase\\n" is not in the events',
        'measure "pages": the row value "/1" has pageviews 10, and the events 3',
        'measure "sources": it is missing',
        'measure "property-values/plan": it is missing',
        'it says that it has all custom properties, but lacks "property-values/plan"',
      ].map((difference) => `${key}: it differs from its events: ${difference}`),
    );
  });

  it("accepts a rollup without custom properties, which may not have fit into memory, if it says so", async () => {
    const { objects, key } = await oneDay();
    await rewrite(objects, key, () => ({ hasAllProperties: false }));
    expect((await verify(objects)).faults).toEqual([expect.stringMatching(/: it says that it lacks custom properties, but has all$/)]);
    const withoutProperties = ({ measures }: Rollup) => new Map([...measures].filter(([name]) => !name.startsWith("propert")));
    await rewrite(objects, key, (rollup) => ({ measures: withoutProperties(rollup) }));
    expect(await verify(objects)).toMatchObject({ compared: 1, faults: [] });
  });

  it("compares properties in a sum even if its events have more than it has room for", async () => {
    const objects = createMemoryObjectStore();
    for (const day of [0, 1]) {
      const props = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`${day === 0 ? "z" : "a"}${i}`, i]));
      const events = eventsOf(day).map((event) => ({ ...event, props: JSON.stringify(props) }));
      await objects.put(keyOf(day), encodeEvents(day === 0 ? [...events, ...events] : events));
    }
    const parts = [await make(objects, 0, 0), await make(objects, 1, 1)];
    const key = await make(objects, 0, 1, {}, parts);
    for (const part of parts) await objects.delete(part);
    const { header } = openRollup((await objects.get(key)) ?? new Uint8Array());
    expect(Object.keys(header.measures)).toContain("property-values/z9");
    expect(await verify(objects)).toMatchObject({ rollups: 1, compared: 1, faults: [] });
  });

  it("accepts that a rollup has only some of many properties, and that a sum has only those of all its parts", async () => {
    const objects = await daysOfEvents(2);
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`key${i}`, i]));
    await objects.put(
      keyOf(0, 2),
      encodeEvents([anEvent({ siteId: SITE, timestampMs: startOfDayMs(at(0)), props: JSON.stringify(many) })]),
    );
    await make(objects, 0, 1, {}, [await make(objects, 0, 0), await make(objects, 1, 1)]);
    expect(await verify(objects)).toMatchObject({ rollups: 3, compared: 3, faults: [] });
  });

  it("counts a rollup as outdated once an event of its days arrives or is deleted, but not when files are merged", async () => {
    const objects = await daysOfEvents(2);
    await make(objects, 0, 0);
    await make(objects, 0, 1);
    await objects.put(keyOf(0, 2), encodeEvents(eventsOf(0)));
    expect(await verify(objects)).toMatchObject({ rollups: 2, compared: 0, outdated: 2, faults: [], engines: 0 });
    await make(objects, 0, 0);
    await objects.put(keyOf(0, 1, 2), encodeEvents([...eventsOf(0), ...eventsOf(0)]));
    expect(await verify(objects)).toMatchObject({ rollups: 3, compared: 1, outdated: 2, faults: [] });
    for (const segments of [[1], [2], [1, 2]] as const) await objects.delete(keyOf(0, ...segments));
    expect(await verify(objects)).toMatchObject({ rollups: 3, compared: 0, outdated: 3, faults: [] });
  });

  it("counts a rollup with other definitions, unknown settings, or another format as outdated", async () => {
    const { objects, key } = await oneDay();
    const bytes = (await objects.get(key)) ?? new Uint8Array();
    const changes = [{ definitions: "other" }, { saltRotationDays: 0 }, { sessionWindowMinutes: 7 }];
    for (const change of changes) {
      await rewrite(objects, key, () => change);
      const { header } = openRollup((await objects.get(key)) ?? new Uint8Array());
      await objects.put(fileOf(header).key, (await objects.get(key)) ?? new Uint8Array());
      await objects.put(key, bytes);
    }
    await objects.delete(key);
    await objects.put(key, sealed(Buffer.from(Buffer.from(bytes).toString("latin1").replace('"format":1', '"format":9'), "latin1")));
    expect(await verify(objects)).toMatchObject({ rollups: 4, compared: 0, outdated: 4, faults: [], engines: 0 });
  });

  it("reports damaged and foreign files in the folder, and says that they can be deleted", async () => {
    const { objects, key } = await oneDay();
    const bytes = (await objects.get(key)) ?? new Uint8Array();
    const flipped = bytes.map((byte, i) => (i === 100 ? byte ^ 1 : byte));
    await objects.put(key, flipped);
    await objects.put("rollups/notes.txt", new Uint8Array(3));
    await objects.put("rollups/site_id=%53ite.test/2026-01-27.parquet", bytes);
    await objects.put(key.replace("%53ite", "other"), bytes);
    const { faults, ...counts } = await verify(objects);
    expect(counts).toMatchObject({ rollups: 0, compared: 0, engines: 0 });
    expect(faults.sort()).toEqual([
      "rollups/notes.txt: it is not a rollup; reports ignore it, and it can be deleted",
      "rollups/site_id=%53ite.test/2026-01-27.parquet: it is not a rollup; reports ignore it, and it can be deleted",
      expect.stringMatching(/2026-01-27_\S+\.parquet: .*checksum.*; reports ignore it, and it can be deleted$/),
      expect.stringMatching(
        /site_id=other.*: its name is not that of its site, days and events; reports ignore it, and it can be deleted$/,
      ),
    ]);
  });

  it("lists the events again if a file vanishes in a merge, and leaves out a rollup that vanishes or loses its events", async () => {
    const { objects, key } = await oneDay();
    let reads = 0;
    const merging = changing(objects, async (wanted) => (wanted === keyOf(0) && ++reads === 1 ? "gone" : undefined));
    expect(await verify(merging)).toMatchObject({ rollups: 1, compared: 1, faults: [] });
    const deleting = changing(objects, async (wanted) => {
      if (wanted === keyOf(0)) await objects.delete(key);
      return undefined;
    });
    const bytes = (await objects.get(key)) ?? new Uint8Array();
    expect(await verify(deleting)).toMatchObject({ rollups: 1, compared: 0, outdated: 0, uncompared: 0, faults: [] });
    await objects.put(key, bytes);
    const erasing = changing(objects, async (wanted) => {
      if (wanted === keyOf(0)) await objects.delete(wanted);
      return undefined;
    });
    expect(await verify(erasing)).toMatchObject({ rollups: 1, compared: 0, outdated: 1, uncompared: 0, faults: [] });
  });

  it("gives the reason why a rollup could not be compared: damaged events, too little memory, or a shortened salt rotation", async () => {
    const objects = await daysOfEvents(2);
    await objects.put(keyOf(1), encodeEvents(eventsOf(1, 0)));
    // Made of one salt period after the other, and compared with both together.
    await make(objects, 0, 1);
    expect(await verify(objects)).toMatchObject({
      uncompared: 1,
      uncomparedReason: expect.stringMatching(/: its visitor ids last longer than its salt periods: /) as unknown,
      faults: [],
    });
    expect(await verify(objects, { budgetBytes: 1000 })).toMatchObject({
      uncompared: 1,
      uncomparedReason: expect.stringMatching(/^rollups\/.*: the events of a salt period do not fit into the memory of/) as unknown,
      faults: [],
    });
    await objects.put(keyOf(1), new Uint8Array(10));
    expect(await verify(objects)).toMatchObject({
      uncompared: 1,
      uncomparedReason: expect.stringMatching(/: a file of its events cannot be read$/) as unknown,
      faults: [],
    });
  });
});

describe("the sample of rollups", () => {
  const rollups = Array.from({ length: 11 }, (_, i) => ({ key: String(i), lastDay: at(i), sizeBytes: i === 4 ? 100 : 10 }));

  it("contains the newest and the largest, and over some days all others", () => {
    const seen = new Set<string>();
    for (let day = 0; day < 5; day++) {
      const keys = sampleOf(rollups, at(day)).map(({ key }) => key);
      expect(keys).toHaveLength(ROLLUPS_COMPARED_PER_SITE);
      expect(keys.slice(0, 2)).toEqual(["10", "4"]);
      for (const key of keys) seen.add(key);
    }
    expect(seen.size).toBe(rollups.length);
  });

  it("contains all rollups if there are few, each once", () => {
    for (let count = 0; count <= ROLLUPS_COMPARED_PER_SITE; count++) {
      expect(new Set(sampleOf(rollups.slice(0, count), at(7))).size).toBe(count);
    }
  });
});
