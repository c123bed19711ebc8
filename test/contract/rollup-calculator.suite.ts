/** The contract of the rollup calculator port, for each way of running it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFileObjectStore } from "../../adapters/node/files/file-stores.ts";
import { fileOf } from "../../src/runtime/duckdb/rollups/rollup-origin.ts";
import type { RollupCalculator } from "../../src/runtime/duckdb/rollups/rollup-calculator.ts";
import type { Top } from "../../src/runtime/query/plan.ts";
import { addDays } from "../../src/storage/calendar.ts";
import type { Columns } from "../../src/storage/columns.ts";
import type { LocalDate } from "../../src/storage/event.ts";
import type { ObjectStore } from "../../src/storage/object-store.ts";
import { openRollup } from "../../src/storage/rollup-file.ts";
import { integers, NO_EVENTS, originOf, encodedRollup, totalOf, visitorsOf } from "../support/rollups.ts";
import { rollupOfFiles, storeFiles } from "../support/events-in-files.ts";
import { anEvent } from "../support/stored-event.ts";
import { utcCalendar } from "../../src/storage/calendar.ts";
import type { RollupOrigin } from "../../src/storage/rollup.ts";
import { rolledMeasures } from "../../src/runtime/reports/registry.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { ROLLUP_MEASURE_ROWS_MAX, ROLLUP_PROPERTIES_MAX } from "../../src/runtime/base/config/report-limits.ts";

const keyOf = (day: string): string => fileOf(originOf(day)).key;

const [A, B, PARTIAL, DAMAGED] = ["2026-03-14", "2026-03-15", "2026-03-16", "2026-03-17"].map(keyOf) as [string, string, string, string];

/** Of another day's rollup. */
const MISPLACED = keyOf("2026-03-18");

const [MISSING, LATE] = ["2026-03-19", "2026-03-20"].map(keyOf) as [string, string];

const main = (visitors: number | bigint) => ({ visitors: integers(visitors) });

/** The rows of a rollup's measure, as objects of texts. */
async function rowsIn(file: Uint8Array, measure: string): Promise<Record<string, string>[]> {
  const columns = (await openRollup(file).measure(measure)) ?? {};
  const rows = Object.values(columns)[0]?.length ?? 0;
  return Array.from({ length: rows }, (_, row) =>
    Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, String(values[row])])),
  );
}

export function describeRollupCalculator(name: string, create: (dataFolder: string) => RollupCalculator): void {
  describe(`a rollup calculator ${name}`, () => {
    let folder: string;
    let objects: ObjectStore;
    let calculator: RollupCalculator;
    beforeAll(async () => {
      folder = await makeTempFolder();
      objects = createFileObjectStore(folder);
      calculator = create(folder);
      await objects.put(
        A,
        await encodedRollup({
          main: main(3),
          pages: visitorsOf({ "/": 3, "/a": 2, "/b": 1 }),
          goals: {},
          "property-values/plan": visitorsOf({ free: 2 }),
          revenue: { currency: ["EUR"], transactions: integers(1), total: ["9223372036854775807"] },
        }),
      );
      await objects.put(
        B,
        await encodedRollup(
          { main: main(2n ** 52n), pages: visitorsOf({ "/b": 4, "/\u{1f600}": 1, "/\uffee": 1 }), goals: visitorsOf({ Signup: 1 }) },
          { day: "2026-03-15" },
        ),
      );
      await objects.put(PARTIAL, await encodedRollup({ main: main(1) }, { hasAllProperties: false, day: "2026-03-16" }));
      const damaged = await encodedRollup({ main: main(1) }, { day: "2026-03-17" });
      damaged[40] = (damaged[40] ?? 0) ^ 1;
      await objects.put(DAMAGED, damaged);
      await objects.put(MISPLACED, await encodedRollup({ main: main(1) }));
    });
    afterAll(async () => {
      await calculator.close();
      await removeFolder(folder);
    });

    it("returns headers in the order of the keys, and null for a damaged rollup or one of another key", async () => {
      const headers = await calculator.headers([B, MISSING, DAMAGED, A, PARTIAL, MISPLACED]);
      expect(headers.map((header) => header?.firstDay ?? null)).toEqual(["2026-03-15", null, null, "2026-03-14", "2026-03-16", null]);
      expect(headers[3]).toEqual({
        ...originOf(),
        hasAllProperties: true,
        measures: { goals: 0, main: 1, pages: 3, "property-values/plan": 1, revenue: 1 },
      });
      expect(headers[4]?.hasAllProperties).toBe(false);
    });

    it("adds the rows of rollups and further rows, and returns the largest first, equal ones by code point", async () => {
      const added = [visitorsOf({ "/": 2, "/z": 1 })];
      const top = { by: "visitors", rowsMax: 5 };
      expect(await totalOf(calculator, { measure: "pages", rollups: [A, B], added, top })).toEqual([
        { value: "/", visitors: 5, events: 10 },
        { value: "/b", visitors: 5, events: 10 },
        { value: "/a", visitors: 2, events: 4 },
        { value: "/z", visitors: 1, events: 2 },
        { value: "/\uffee", visitors: 1, events: 2 },
      ]);
    });

    describe("the rows of a measure", () => {
      const total = (top: Omit<Top, "rowsMax"> & { readonly rowsMax?: number }) =>
        totalOf(calculator, { measure: "pages", rollups: [A, B], added: [visitorsOf({ "/z": 1 })], top: { rowsMax: 10, ...top } });
      const valuesOf = async (top: Parameters<typeof total>[0]) => (await total(top)).map(({ value }) => value);

      it("come smallest first on request, equal ones by code point", async () => {
        expect(await valuesOf({ by: "visitors", isReversed: true })).toEqual(["/z", "/\uffee", "/\u{1f600}", "/a", "/", "/b"]);
      });

      it("come in the order of their texts, in either direction", async () => {
        expect(await valuesOf({})).toEqual(["/", "/a", "/b", "/z", "/\uffee", "/\u{1f600}"]);
        expect(await valuesOf({ isReversed: true, rowsMax: 2 })).toEqual(["/\u{1f600}", "/\uffee"]);
      });

      it("come in the order of a quotient", async () => {
        const added = [{ value: ["x", "y", "z"], visitors: integers(1, 3, 2), events: integers(2, 3, 4) }];
        const top = { by: { part: "visitors", whole: "events" }, rowsMax: 3 };
        expect((await totalOf(calculator, { measure: "goals", rollups: [A], added, top })).map(({ value }) => value)).toEqual([
          "y",
          "x",
          "z",
        ]);
      });

      it("begin at the offset", async () => {
        expect(await valuesOf({ by: "visitors", offset: 1, rowsMax: 2 })).toEqual(["/", "/a"]);
        expect(await valuesOf({ by: "visitors", offset: 6 })).toEqual([]);
      });

      it("can be limited to some values, or to texts that contain a text in any case", async () => {
        expect(await valuesOf({ values: ["/b", "/none", "/a"] })).toEqual(["/a", "/b"]);
        expect(await valuesOf({ values: [] })).toEqual([]);
        expect(await valuesOf({ by: "visitors", search: "B", rowsMax: 1 })).toEqual(["/b"]);
        const added = [visitorsOf({ "(unknown)": 1, "/direct": 1 })];
        const search = async (unknownLabel?: string) =>
          (
            await totalOf(calculator, {
              measure: "pages",
              rollups: [],
              added,
              top: { rowsMax: 2, search: "DIR", ...(unknownLabel && { unknownLabel }) },
            })
          ).map(({ value }) => value);
        expect(await search()).toEqual(["/direct"]);
        expect(await search("Direct / none")).toEqual(["(unknown)", "/direct"]);
      });
    });

    it("adds a measure without keys to one row, exactly up to 2^53", async () => {
      expect(await totalOf(calculator, { measure: "main", rollups: [A, B], added: [main(1n)] })).toEqual([{ visitors: 2 ** 52 + 4 }]);
    });

    it("adds amounts of any size, and returns them as text", async () => {
      const added = [{ currency: ["EUR", "USD"], transactions: integers(1, 1), total: ["9223372036854775807", "-5"] }];
      expect(await totalOf(calculator, { measure: "revenue", rollups: [A], added, top: { by: "total", rowsMax: 10 } })).toEqual([
        { currency: "EUR", transactions: 2, total: "18446744073709551614" },
        { currency: "USD", transactions: 1, total: "-5" },
      ]);
    });

    it("returns no rows for a measure without rows", async () => {
      expect(await totalOf(calculator, { measure: "goals", rollups: [A], added: [] })).toEqual([]);
    });

    it("treats a property that a rollup with all properties lacks as one without events", async () => {
      const total = (rollups: string[]) => totalOf(calculator, { measure: "property-values/plan", rollups, added: [] });
      expect(await total([A, B])).toEqual([{ value: "free", visitors: 2, events: 4 }]);
      await expect(total([PARTIAL])).rejects.toThrow(PARTIAL);
    });

    it("rejects if a rollup is missing, damaged, of another key, or lacks the measure", async () => {
      const total = (measure: string, key: string) => totalOf(calculator, { measure, rollups: [A, key], added: [] });
      await expect(total("main", MISSING)).rejects.toThrow(MISSING);
      await expect(total("main", DAMAGED)).rejects.toThrow(DAMAGED);
      await expect(total("main", MISPLACED)).rejects.toThrow(MISPLACED);
      await expect(total("pages", PARTIAL)).rejects.toThrow(PARTIAL);
    });

    it("reads a rollup that was written after it was found missing", async () => {
      const total = () => totalOf(calculator, { measure: "main", rollups: [LATE], added: [] });
      await expect(total()).rejects.toThrow(LATE);
      await objects.put(LATE, await encodedRollup({ main: main(7) }, { day: "2026-03-20" }));
      expect(await total()).toEqual([{ visitors: 7 }]);
    });

    /** The file of a new rollup of others and of events. */
    async function make(origin: RollupOrigin, rollups: readonly string[], events = NO_EVENTS): Promise<Uint8Array> {
      const made = await calculator.make(origin, rollups, events);
      if (!("bytes" in made)) throw new Error(made.reason);
      return made.bytes;
    }

    let days = 0;

    /** The key of a stored rollup with these measures. Files are never changed, so each is of a day of its own. */
    async function stored(measures: Readonly<Record<string, Columns>>): Promise<string> {
      const day = `2026-04-${String(++days).padStart(2, "0")}`;
      await objects.put(keyOf(day), await encodedRollup(measures, { day }));
      return keyOf(day);
    }

    const SITE = originOf().siteId;
    const rolled = rolledMeasures({ sessionWindowMinutes: 30, saltRotationDays: 1, hasExtension: true, hash: (text) => text });

    /** The request for a rollup of a day with page views of these paths, by a visitor each, in two files. */
    async function ofEvents(paths: readonly string[], props: string | null = null) {
      const events = paths.map((pathname, i) => anEvent({ pathname, props, visitorId: BigInt(i), at: "2026-03-16T12:00:00.000Z" }));
      const files = await storeFiles(objects, SITE, [events.slice(0, 1), events.slice(1)]);
      return rollupOfFiles(SITE, files, rolled, utcCalendar, { sessionWindowMinutes: 30, saltRotationDays: 1 });
    }

    it("makes a rollup of others, with the same bytes for any order of rows", async () => {
      const origin = originOf("2026-03-14", "2026-03-16");
      const withPages = async (pages: Record<string, number>) =>
        make(origin, [A, B, await stored({ main: main(1), pages: visitorsOf(pages), goals: {} })]);
      const file = await withPages({ "/z": 1, "/": 1 });
      expect(openRollup(file).header).toMatchObject({ ...origin, hasAllProperties: true });
      expect(Object.keys(openRollup(file).header.measures)).toEqual(["goals", "main", "pages", "property-values/plan"]);
      expect(await rowsIn(file, "main")).toEqual([{ visitors: String(2 ** 52 + 4) }]);
      expect(await rowsIn(file, "pages")).toEqual([
        { value: "/", visitors: "4", events: "8" },
        { value: "/a", visitors: "2", events: "4" },
        { value: "/b", visitors: "5", events: "10" },
        { value: "/z", visitors: "1", events: "2" },
        { value: "/\uffee", visitors: "1", events: "2" },
        { value: "/\u{1f600}", visitors: "1", events: "2" },
      ]);
      expect(await rowsIn(file, "property-values/plan")).toEqual([{ value: "free", visitors: "2", events: "4" }]);
      expect(Buffer.from(await withPages({ "/": 1, "/z": 1 })).equals(file)).toBe(true);
    });

    it("makes a rollup of events in files, alone and added to others", async () => {
      const { origin, events } = await ofEvents(["/a", "/a", "/b"], '{"plan":"pro"}');
      const file = await make(origin, [], events);
      expect(openRollup(file).header).toMatchObject({ ...origin, hasAllProperties: true });
      expect(await rowsIn(file, "visits")).toEqual([{ visitors: "3", pageviews: "3", events: "3" }]);
      expect(await rowsIn(file, "entry-pages")).toEqual([
        { value: "/a", visitors: "2", sessions: "2" },
        { value: "/b", visitors: "1", sessions: "1" },
      ]);
      const other = await stored({ goals: visitorsOf({ Signup: 1 }), "property-values/plan": visitorsOf({ free: 2 }) });
      const sum = await make(originOf("2026-03-16", "2026-03-21"), [other], events);
      expect(Object.keys(openRollup(sum).header.measures)).toEqual(["goals", "property-values/plan"]);
      expect(await rowsIn(sum, "property-values/plan")).toEqual([
        { value: "free", visitors: "2", events: "4" },
        { value: "pro", visitors: "3", events: "3" },
      ]);
    });

    it("says of which salt period a file is missing or cannot be read", async () => {
      const { origin, events } = await ofEvents(["/a", "/b"]);
      const [first = "", second = ""] = events.days[0]?.files ?? [];
      const unusable = { firstDay: "2026-03-16", lastDay: "2026-03-16" };
      await objects.put(second, new Uint8Array([1, 2, 3]));
      expect(await calculator.make(origin, [], events)).toMatchObject({ unusable, reason: expect.stringContaining(second) as string });
      await objects.delete(first);
      expect(await calculator.make(origin, [], events)).toMatchObject({ unusable, reason: `${first} is missing` });
    });

    it("leaves out a property that a part may have left out, and says that some are missing", async () => {
      expect(openRollup(await make(originOf(), [A, PARTIAL])).header).toMatchObject({ hasAllProperties: false, measures: { main: 1 } });
    });

    it("leaves out measures with too many rows", async () => {
      const many = visitorsOf(Object.fromEntries(Array.from({ length: ROLLUP_MEASURE_ROWS_MAX + 1 }, (_, i) => [`/${i}`, 1])));
      const file = await make(originOf(), [await stored({ pages: many, main: main(1), "property-values/id": many })]);
      expect(openRollup(file).header).toMatchObject({ hasAllProperties: false, measures: { main: 1 } });
    });

    it("keeps the properties that the most events carry", async () => {
      const properties = Array.from({ length: ROLLUP_PROPERTIES_MAX + 2 }, (_, i) => [`property-values/p${i}`, visitorsOf({ x: i + 1 })]);
      const { header } = openRollup(await make(originOf(), [await stored(Object.fromEntries(properties))]));
      expect(header.hasAllProperties).toBe(false);
      expect(Object.keys(header.measures)).toHaveLength(ROLLUP_PROPERTIES_MAX);
      expect(header.measures).not.toHaveProperty("property-values/p1");
      expect(header.measures).toHaveProperty("property-values/p2");
    });

    it("keeps hours and the values of days only while reports use them, and a property of any name", async () => {
      const rows = { bucket: integers(1, 2), visitors: integers(1, 1) };
      const part = await stored({
        "series-by-hour": rows,
        "visits-by-day/countries": rows,
        "visits-by-day": rows,
        "property-values/seen-by-hour": visitorsOf({ x: 1 }),
      });
      const measuresOver = async (dayCount: number) =>
        Object.keys(
          openRollup(await make(originOf("2026-03-01", addDays("2026-03-01" as LocalDate, dayCount - 1)), [part])).header.measures,
        );
      const always = ["property-values/seen-by-hour", "visits-by-day"];
      expect(await measuresOver(16)).toEqual([always[0], "series-by-hour", "visits-by-day", "visits-by-day/countries"]);
      expect(await measuresOver(17)).toEqual([...always, "visits-by-day/countries"]);
      expect(await measuresOver(64)).toEqual([...always, "visits-by-day/countries"]);
      expect(await measuresOver(65)).toEqual(always);
    });

    it("rejects a rollup of parts that cannot be read", async () => {
      await expect(make(originOf(), [A, DAMAGED])).rejects.toThrow(DAMAGED);
    });
  });
}
