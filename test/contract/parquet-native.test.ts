/** The Parquet files can be read by other readers: here by DuckDB's own, which shares no code with ours. */
import { join } from "node:path";
import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isSiteId } from "../../src/runtime/base/config/names.ts";
import { EVENT_COLUMNS, type EventColumn, type LocalDate, type StoredEvent, utcDateOf } from "../../src/storage/event.ts";
import { inlineParquetWriter } from "../../src/storage/parquet-events.ts";
import { Partitions } from "../../src/storage/partitions.ts";
import { aFullEvent, anEvent, eventTexts, siteId } from "../support/stored-event.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { createFileObjectStore } from "../../adapters/node/files/file-stores.ts";

/** Ids that are difficult as file names. Readers have to understand their folders nevertheless. */
const SITES = ["site.test", "Site.Test", "SITE.TEST", "a:8080", "..", ".", "trailing.", "x".repeat(220)].map(siteId);

/** Too long for one folder name. Its files contain the site id. */
const LONG_SITE = siteId(`A${":".repeat(255)}`);

const DAYS = ["2026-03-14", "2026-03-15", "2028-02-29"] as LocalDate[];

const TROUBLE = [
  "",
  " ",
  "'",
  '"',
  "a\u0000b",
  "\n\r\t",
  "\u{1f600}\u{10ffff}",
  "e\u0301",
  "(unknown)",
  "null",
  "\ufffd",
  "x".repeat(3_000),
];

const REVENUES = [0, 1, -1, 1999, -1999, 999_999_999_999, -999_999_999_999, null];

const VISITORS = [0n, 1n, (1n << 63n) - 1n, 1n << 63n, (1n << 64n) - 1n];

/** Every kind of value, on every site and day. */
function eventsOf(site: StoredEvent["siteId"], day: LocalDate): StoredEvent[] {
  const inDay = (time: string) => ({ siteId: site, at: `${day}T${time}Z` });
  return [
    anEvent(inDay("00:00:00.000")),
    aFullEvent(1, inDay("23:59:59.999")),
    ...TROUBLE.map((text) => anEvent({ ...inDay("06:00:00.001"), eventName: text, pathname: text, city: text, referrer: text })),
    ...TROUBLE.map((text) =>
      anEvent({ ...inDay("07:00:00.000"), props: JSON.stringify({ [text]: text, list: [1.5, null, { deep: text }] }) }),
    ),
    ...REVENUES.map((revenueCents) => anEvent({ ...inDay("12:34:56.789"), revenueCents, currency: "EUR" })),
    ...VISITORS.map((visitorId) => anEvent({ ...inDay("18:00:00.000"), visitorId })),
  ];
}

const ALL_EVENTS = [...SITES, LONG_SITE].flatMap((site) => DAYS.flatMap((day) => eventsOf(site, day)));

const money = (cents: number): string => {
  const digits = String(Math.abs(cents)).padStart(3, "0");
  return `${cents < 0 ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
};

/** A value as DuckDB writes it in JSON. */
function written(event: StoredEvent, { field, kind }: EventColumn): string | null {
  const value = event[field];
  if (value === null) return null;
  if (kind === "timestamp")
    return new Date(Number(value))
      .toISOString()
      .replace("T", " ")
      .replace(/\.?0*Z$/, "+00");
  if (kind === "cents") return money(Number(value));
  return String(value);
}

const rowOf = (event: StoredEvent) => Object.fromEntries(EVENT_COLUMNS.map((column) => [column.name, written(event, column)]));

const COLUMNS = EVENT_COLUMNS.map(({ name }) => name).join(", ");

describe("Parquet files read by DuckDB itself", () => {
  let folder: string;
  let connection: DuckDBConnection;
  let writtenCount: number;

  beforeAll(async () => {
    folder = await makeTempFolder();
    const partitions = new Partitions({
      parquet: inlineParquetWriter,
      objects: createFileObjectStore(folder),
      isSiteId,
      listingsMax: 10,
      onStray: (key) => expect.unreachable(key),
    });
    writtenCount = 0;
    for (const site of [...SITES, LONG_SITE]) {
      for (const day of DAYS) {
        const events = eventsOf(site, day);
        // Two files per day, as two flushes write them.
        for (const [segment, part] of [
          [1, events.slice(0, 5)],
          [2, events.slice(5)],
        ] as const) {
          await partitions.write(site, { day, first: segment, last: segment }, eventTexts(part));
          writtenCount += part.length;
        }
      }
    }
    connection = await (await DuckDBInstance.create(":memory:", { threads: "1" })).connect();
    await connection.run("SET TimeZone = 'UTC'");
    await connection.run(`
      CREATE VIEW events AS SELECT * FROM read_parquet('${join(folder, "events")}/**/*.parquet', hive_partitioning = true)`);
    await connection.run(`
      CREATE VIEW files AS SELECT *, file_row_number FROM read_parquet('${join(folder, "events")}/**/*.parquet', filename = true, file_row_number = true, hive_partitioning = false)`);
  });
  afterAll(() => removeFolder(folder));

  const ask = async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJson();

  it("each column has the type that docs/data-format.md documents", async () => {
    const rows = await ask("DESCRIBE SELECT * FROM files");
    const types = Object.fromEntries(rows.map(({ column_name, column_type }) => [column_name, column_type]));
    for (const { name, kind } of EVENT_COLUMNS) {
      const type = {
        text: "VARCHAR",
        json: "JSON",
        integer: "BIGINT",
        cents: "DECIMAL(12,2)",
        visitor: "UBIGINT",
        timestamp: "TIMESTAMP WITH TIME ZONE",
      }[kind];
      expect({ name, type: types[name] }).toEqual({ name, type });
    }
  });

  it("the files contain every value of every event, in order", async () => {
    const rows = await ask(`SELECT ${COLUMNS} FROM files ORDER BY filename, file_row_number`);
    expect(rows).toHaveLength(writtenCount);
    const key = (row: Record<string, unknown>): string => JSON.stringify(EVENT_COLUMNS.map(({ name }) => row[name]));
    expect(rows.map(key).sort()).toEqual(ALL_EVENTS.map((event) => key(rowOf(event))).sort());
    const ofOne = await ask(
      `SELECT ${COLUMNS} FROM files WHERE site_id = 'site.test' AND timestamp < '2026-03-15' ORDER BY filename, file_row_number`,
    );
    expect(ofOne).toEqual(eventsOf(siteId("site.test"), DAYS[0] ?? utcDateOf(0)).map(rowOf));
  });

  it("the hive partitions site_id and date equal the columns in the files", async () => {
    const rows = await ask("SELECT site_id, date::VARCHAR AS date, count(*)::INTEGER AS n FROM events GROUP BY ALL ORDER BY site_id, date");
    const perDay = eventsOf(siteId("x"), DAYS[0] ?? utcDateOf(0)).length;
    const isCut = (row: (typeof rows)[number]): boolean => String(row.site_id).endsWith("~");
    expect(rows.filter((row) => !isCut(row))).toEqual(
      [...SITES].sort().flatMap((site) => DAYS.map((date) => ({ site_id: site, date, n: perDay }))),
    );
    // The folder of an id that is too long contains its beginning only. The files contain all of it.
    const cut = rows.filter(isCut);
    expect(cut.map(({ date, n }) => ({ date, n }))).toEqual(DAYS.map((date) => ({ date, n: perDay })));
    for (const { site_id } of cut) expect(LONG_SITE.startsWith(String(site_id).slice(0, -1))).toBe(true);
    expect(await ask("SELECT DISTINCT site_id FROM files WHERE starts_with(site_id, 'A:')")).toEqual([{ site_id: LONG_SITE }]);
  });

  it("the date of a folder is the UTC date of its events", async () => {
    expect(await ask("SELECT count(*)::INTEGER AS n FROM events WHERE date <> timestamp::DATE")).toEqual([{ n: 0 }]);
  });

  it("filters on any value find the rows, so the column statistics are correct", async () => {
    const each = SITES.length + 1;
    for (const visitor of VISITORS) {
      const expected = ALL_EVENTS.filter(({ visitorId }) => visitorId === visitor).length;
      expect(await ask(`SELECT count(*)::INTEGER AS n FROM files WHERE visitor_id = ${visitor}`)).toEqual([{ n: expected }]);
    }
    expect(await ask("SELECT count(*)::INTEGER AS n FROM files WHERE visitor_id > 9223372036854775807")).toEqual([
      { n: ALL_EVENTS.filter(({ visitorId }) => visitorId > 9_223_372_036_854_775_807n).length },
    ]);
    for (const revenue of REVENUES.filter((cents) => cents !== null)) {
      const n = ALL_EVENTS.filter(({ revenueCents }) => revenueCents === revenue).length;
      expect(await ask(`SELECT count(*)::INTEGER AS n FROM files WHERE revenue_amount = ${money(revenue)}`)).toEqual([{ n }]);
    }
    expect(await ask("SELECT count(*)::INTEGER AS n FROM files WHERE timestamp = '2026-03-14 23:59:59.999'")).toEqual([{ n: each }]);
    expect(await ask("SELECT count(*)::INTEGER AS n FROM files WHERE city = repeat('x', 3000)")).toEqual([{ n: each * DAYS.length }]);
    expect(await ask("SELECT count(*)::INTEGER AS n FROM files WHERE city = ''")).toEqual([{ n: each * DAYS.length }]);
    expect(await ask("SELECT count(*)::INTEGER AS n FROM files WHERE city IS NULL")).toEqual([
      { n: ALL_EVENTS.filter(({ city }) => city === null).length },
    ]);
  });

  it("props can be queried as JSON", async () => {
    const rows = await ask(
      `SELECT DISTINCT props->>'$.nested.deep[2]' AS deep, props->>'plan' AS plan FROM files WHERE props->>'plan' IS NOT NULL`,
    );
    expect(rows).toEqual([{ deep: "true", plan: "pro" }]);
  });

  it("revenue sums are exact", async () => {
    const cents = ALL_EVENTS.reduce((sum, { revenueCents }) => sum + BigInt(revenueCents ?? 0), 0n);
    expect(await ask("SELECT sum(revenue_amount)::VARCHAR AS total FROM files")).toEqual([{ total: money(Number(cents)) }]);
  });
});
