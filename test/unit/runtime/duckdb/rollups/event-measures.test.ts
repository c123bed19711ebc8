/** The limits of measures that one pass over files computes: rows, custom properties and memory. */
import { describe, expect, it } from "vitest";
import { PROPERTY_KEYS_MAX, ROLLUP_PROPERTIES_MAX } from "../../../../../src/runtime/base/config/report-limits.ts";
import { computeMeasures } from "../../../../../src/runtime/duckdb/rollups/event-measures.ts";
import { ROLLED_DIMENSIONS } from "../../../../../src/runtime/reports/measures/visit-sums.ts";
import { rolledMeasures } from "../../../../../src/runtime/reports/registry.ts";
import { utcCalendar } from "../../../../../src/storage/calendar.ts";
import type { LocalDate, StoredEvent } from "../../../../../src/storage/event.ts";
import { rollupOfFiles, storeFiles } from "../../../../support/events-in-files.ts";
import { createMemoryObjectStore } from "../../../../support/memory-object-store.ts";
import { anEvent, siteId } from "../../../../support/stored-event.ts";

const SITE = siteId("site.test");
const MIB = 1024 * 1024;

interface Limits {
  readonly rowsMax?: number;
  readonly bytesMax?: number;
  readonly hasExtension?: boolean;
}

async function computed(
  lists: readonly (readonly StoredEvent[])[],
  { rowsMax = 50_000, bytesMax = 512 * MIB, hasExtension = true }: Limits = {},
) {
  const objects = createMemoryObjectStore();
  const files = await storeFiles(objects, SITE, lists);
  const settings = { sessionWindowMinutes: 30, saltRotationDays: 2 };
  const rolled = rolledMeasures({ ...settings, hasExtension, hash: (text) => text });
  const { origin, events } = rollupOfFiles(SITE, files, rolled, utcCalendar, settings);
  let yields = 0;
  const yieldToOthers = async () => void yields++;
  const result = await computeMeasures(origin, events, { readFile: objects.get, rowsMax, bytesMax, yieldToOthers });
  return { ...result, yields };
}

const withProps = (props: unknown): StoredEvent => anEvent({ siteId: SITE, props: JSON.stringify(props) });

const keyed = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${String(i).padStart(4, "0")}`, 1]));

const valuesIn = (measures: ReadonlyMap<string, unknown>) => [...measures.keys()].filter((name) => name.startsWith("property-values/"));

describe("the measures of files", () => {
  it("include the values of as many keys as a rollup may hold, the first by code point, whenever they come", async () => {
    const keys = ["", "(unknown)", ...Object.keys(keyed(ROLLUP_PROPERTIES_MAX - 4)), "plan name", "\uffee"];
    const few = Object.fromEntries(keys.map((key) => [key, 1]));
    const found = await computed([[withProps(few)]]);
    expect(found.hasAllProperties).toBe(true);
    expect(valuesIn(found.measures)).toEqual(keys.map((key) => `property-values/${key}`));
    const late = await computed([[withProps(few)], [withProps({ "\u{1f600}": 1 }), withProps({ "\uffee": 2, A: 1 })]]);
    expect(late.hasAllProperties).toBe(false);
    expect(new Set(valuesIn(late.measures))).toEqual(new Set(["A", ...keys.slice(0, -1)].map((key) => `property-values/${key}`)));
    expect(late.measures.get("properties")?.["value"]).toHaveLength(ROLLUP_PROPERTIES_MAX + 2);
  });

  it("include the first keys alone if there are very many", async () => {
    const { measures } = await computed([[withProps({ z: 1, ...keyed(PROPERTY_KEYS_MAX) }), withProps({ a: 1, zz: 1 })]]);
    const keys = measures.get("properties")?.["value"];
    expect(keys).toHaveLength(PROPERTY_KEYS_MAX);
    expect([keys?.[0], keys?.[1], keys?.at(-1)]).toEqual(["a", "key0000", "key0998"]);
  });

  it("leave out a measure with more rows than a rollup may have, and no other", async () => {
    const events = Array.from({ length: 5 }, (_, i) =>
      anEvent({ siteId: SITE, pathname: `/${i}`, props: JSON.stringify({ id: i, plan: 1 }) }),
    );
    const all = await computed([events]);
    const { measures, hasAllProperties } = await computed([events], { rowsMax: 4 });
    const left = [...all.measures.keys()].filter((name) => !measures.has(name));
    expect(left.sort()).toEqual(["pages", "property-values/id"]);
    expect([all.hasAllProperties, hasAllProperties]).toEqual([true, false]);
  });

  it("have the values of each day with the most visits, equal ones in order of the value, however many the day has", async () => {
    const page = (i: number) => `/${String(i).padStart(3, "0")}`;
    const visitTo = (pathname: string, day: string, visitor: number) =>
      anEvent({ siteId: SITE, pathname, visitorId: BigInt(visitor), timestampMs: Date.parse(`${day}T12:00:00Z`), date: day as LocalDate });
    const many = Array.from({ length: 300 }, (_, i) => visitTo(page(i), "2026-03-15", i));
    const again = Array.from({ length: 30 }, (_, i) => visitTo(page(250 + i), "2026-03-15", 1000 + i));
    const few = [visitTo("/one", "2026-03-16", 1)];
    const { measures } = await computed([[...many, ...again, ...few]], { rowsMax: 250 });
    expect(measures.has("visits-by/entry-pages")).toBe(false);
    const rows = measures.get("visits-by-day/entry-pages");
    const expected = [
      ...again.map(({ pathname }) => [20_527, pathname, 2]),
      ...many.slice(0, 20).map(({ pathname }) => [20_527, pathname, 1]),
    ];
    const found = Array.from((rows?.["value"] ?? []) as readonly string[], (value, i) => [
      rows?.["bucket"]?.[i],
      value,
      rows?.["sessions"]?.[i],
    ]);
    expect(found).toEqual([...expected, [20_528, "/one", 1]]);
  });

  it("leave out custom properties that need too much memory, and nothing else", async () => {
    const events = Array.from({ length: 300 }, (_, i) => withProps({ text: `${i}`.repeat(4000) }));
    const { measures, hasAllProperties } = await computed([events], { bytesMax: 8 * MIB });
    const all = await computed([events]);
    expect([hasAllProperties, all.hasAllProperties]).toEqual([false, true]);
    expect([...measures.keys()]).toEqual([...all.measures.keys()].filter((name) => !name.startsWith("propert")));
    expect(measures.get("visits")?.["events"]).toEqual(Float64Array.of(300));
  });

  it("are refused for a salt period that needs too much memory, a file that is missing and one that cannot be read", async () => {
    const events = Array.from({ length: 20_000 }, (_, i) => anEvent({ siteId: SITE, visitorId: BigInt(i) }));
    const unusable = { firstDay: "2026-03-15", lastDay: "2026-03-15" };
    await expect(computed([events], { bytesMax: MIB })).rejects.toMatchObject(unusable);
    await expect(computed([[anEvent({ siteId: SITE }), anEvent({ siteId: siteId("other.test") })]])).rejects.toMatchObject({
      ...unusable,
      message: expect.stringContaining("its events are of other.test") as string,
    });
  });

  it("are not those of sessions without the extension", async () => {
    const events = [anEvent({ siteId: SITE })];
    const [with_, without] = [await computed([events]), await computed([events], { hasExtension: false })];
    expect([...with_.measures.keys()].filter((name) => !without.measures.has(name)).sort()).toEqual(
      [
        "entry-pages",
        "exit-pages",
        "sessions",
        "sessions-by-day",
        "sessions-by-hour",
        ...ROLLED_DIMENSIONS.map((dimension) => `visits-by/${dimension}`),
        ...ROLLED_DIMENSIONS.map((dimension) => `visits-by-day/${dimension}`),
      ].sort(),
    );
  });

  it("are computed in steps, between which other work of the thread runs", async () => {
    const events = Array.from({ length: 60_000 }, (_, i) => anEvent({ siteId: SITE, visitorId: BigInt(i % 100) }));
    expect((await computed([events])).yields).toBeGreaterThan(5);
  });
});
