/** What the program inserts into a real ClickHouse is what the partition files hold, and each event is there once. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ClickhouseEvents } from "../../src/runtime/clickhouse/clickhouse-events.ts";
import { eventTables, prepareSchema } from "../../src/runtime/clickhouse/schema.ts";
import { createCounters } from "../../src/runtime/base/metrics/metrics.ts";
import type { ReplicatedEvents } from "../../src/storage/event-store.ts";
import { EVENT_COLUMNS, type LocalDate, type StoredEvent } from "../../src/storage/event.ts";
import { inlineParquetWriter } from "../../src/storage/parquet-events.ts";
import { connectionTo } from "../support/clickhouse-connection.ts";
import { EVENTS_TABLE, clickhouseOfFile } from "../support/clickhouse-server.ts";
import { EARLIER_PARQUET, NOT_STORED_YET } from "../support/earlier-version.ts";
import { aFullEvent, anEvent, anyEvent, eventTexts, siteId } from "../support/stored-event.ts";

const clickhouse = clickhouseOfFile();

const [SITE, OTHER] = [siteId("site.test"), siteId("other.test")];
const DAY = "2026-03-15" as LocalDate;
const SEGMENT = 1_773_500_000_000;

async function openEvents() {
  const server = clickhouse();
  const database = await server.database();
  const connection = connectionTo(server, database);
  const tables = eventTables({ clickhouseDatabase: database, clickhouseCluster: null });
  await prepareSchema(connection, tables);
  const ofNode = (node: string) => new ClickhouseEvents({ connection, tables, node, counters: createCounters(), monotonicMs: () => 0 });
  const events = ofNode("a0a0a0a0a0a0a0a0");
  const insert = async (stored: readonly StoredEvent[], given: Partial<ReplicatedEvents> = {}) =>
    events.insert({
      ...{ sites: [SITE], day: DAY, segment: SEGMENT, isFile: false, isRepeated: false },
      parquet: await inlineParquetWriter.encode(eventTexts(stored)),
      ...given,
    });
  const query = async (sql: string) => (await server.query(sql, { database })).trim();
  const rowsOf = (segment: number) =>
    connection.rows({
      sql: `SELECT * FROM ${EVENTS_TABLE} WHERE segment = {segment:UInt64} ORDER BY row`,
      parameters: { segment },
    });
  return { ofNode, insert, query, rowsOf };
}

/** The row that an event is. */
function expectedRow(event: StoredEvent, row: number, segment = SEGMENT): Record<string, unknown> {
  const values = EVENT_COLUMNS.map(({ field, name, kind }) => {
    const value = event[field];
    if (kind === "text") return [name, value ?? "(unknown)"];
    return [name, value === null || kind === "json" ? value : String(value)];
  });
  return { ...Object.fromEntries(values), node: "a0a0a0a0a0a0a0a0", segment: String(segment), row, day: 20527 };
}

describe("an insert into ClickHouse", () => {
  it("stores every column exactly, in the order of the file", async () => {
    const { insert, rowsOf } = await openEvents();
    let segment = SEGMENT;
    const check = async (stored: readonly StoredEvent[]) => {
      await insert(stored, { segment: ++segment });
      expect(await rowsOf(segment)).toEqual(stored.map((event, row) => expectedRow(event, row, segment)));
    };
    await fc.assert(fc.asyncProperty(fc.array(anyEvent, { minLength: 1, maxLength: 40 }), check), { numRuns: 25 });
  });

  it("keeps a number of a property that is too long for JavaScript, negative cents and the largest visitor id", async () => {
    const { insert, rowsOf } = await openEvents();
    const odd = anEvent({
      ...{ visitorId: 0xffff_ffff_ffff_ffffn, revenueCents: -999_999_999_999, currency: "EUR" },
      props: '{"id":12345678901234567890.10,"1":"\\u0000"}',
    });
    const stored = [odd, aFullEvent(1), anEvent({ referrer: "", city: "\u{1f600}" })];
    await insert(stored);
    expect(await rowsOf(SEGMENT)).toEqual(stored.map((event, row) => expectedRow(event, row)));
  });

  it("stores a file of an earlier version, whose events have no value in a newer column", async () => {
    const { insert, rowsOf } = await openEvents();
    await insert([], { parquet: EARLIER_PARQUET });
    const stored = [aFullEvent(1, NOT_STORED_YET), anEvent()];
    expect(await rowsOf(SEGMENT)).toEqual(stored.map((event, row) => expectedRow(event, row)));
  });

  it("is one part, whole or not at all, with as many events as a flush has", async () => {
    const { insert, query } = await openEvents();
    const stored = Array.from({ length: 200_000 }, (_, i) => anEvent({ visitorId: BigInt(i), pathname: `/page/${i % 1000}` }));
    await insert(stored);
    expect(
      await query(
        `SELECT count(), max(level) FROM system.parts WHERE database = currentDatabase() AND table = '${EVENTS_TABLE}' AND active`,
      ),
    ).toBe("1\t0");
    expect(await query(`SELECT count(), countIf(row != visitor_id) FROM ${EVENTS_TABLE}`)).toBe("200000\t0");
  });

  it("changes nothing when it is repeated, whether or not it says so", async () => {
    const { insert, query } = await openEvents();
    const stored = [aFullEvent(1), aFullEvent(2)];
    for (const isRepeated of [false, false, true, true, false]) await insert(stored, { isRepeated });
    expect(await query(`SELECT count() FROM ${EVENTS_TABLE}`)).toBe("2");
  });

  it("changes nothing when a process that has ended sent it, and it arrives after that of the next process", async () => {
    const { insert, query } = await openEvents();
    await insert([aFullEvent(1), aFullEvent(2)], { isRepeated: true });
    await insert([aFullEvent(1), aFullEvent(2)], { isRepeated: false });
    expect(await query(`SELECT count() FROM ${EVENTS_TABLE}`)).toBe("2");
  });

  it("changes nothing when it is repeated after the server has forgotten it", async () => {
    const { insert, query } = await openEvents();
    await query(`ALTER TABLE ${EVENTS_TABLE} MODIFY SETTING non_replicated_deduplication_window = 2`);
    const stored = [aFullEvent(1), aFullEvent(2)];
    await insert(stored);
    for (let i = 1; i <= 3; i++) await insert(stored, { segment: SEGMENT + i });
    await insert(stored, { isRepeated: true });
    expect(await query(`SELECT segment - ${SEGMENT}, count() FROM ${EVENTS_TABLE} GROUP BY 1 ORDER BY 1 FORMAT TSV`)).toBe(
      "0\t2\n1\t2\n2\t2\n3\t2",
    );
  });

  it("adds the rows that are missing when it is repeated after the server has forgotten it", async () => {
    const { insert, query } = await openEvents();
    const stored = [aFullEvent(1), aFullEvent(2), aFullEvent(3)];
    await insert(stored);
    await query(`ALTER TABLE ${EVENTS_TABLE} MODIFY SETTING non_replicated_deduplication_window = 0`);
    await query(`DELETE FROM ${EVENTS_TABLE} WHERE row = 1 SETTINGS lightweight_deletes_sync = 2`);
    await insert(stored, { isRepeated: true });
    expect(await query(`SELECT groupArray(pathname) FROM (SELECT * FROM ${EVENTS_TABLE} ORDER BY row)`)).toBe(
      "['/page/1','/page/2','/page/3']",
    );
  });

  it("counts the rows of each site of a segment, as its file does, and adds what is missing of any", async () => {
    const { insert, query } = await openEvents();
    const stored = [OTHER, OTHER, SITE, SITE, SITE].map((site, i) => anEvent({ siteId: site, pathname: `/${i}` }));
    await insert(stored.slice(0, 1), { sites: [OTHER] });
    await query(`ALTER TABLE ${EVENTS_TABLE} MODIFY SETTING non_replicated_deduplication_window = 0`);
    await insert(stored, { sites: [OTHER, SITE], isRepeated: true });
    expect(await query(`SELECT groupArray((site_id, row, pathname)) FROM (SELECT * FROM ${EVENTS_TABLE} ORDER BY site_id, row)`)).toBe(
      "[('other.test',0,'/0'),('other.test',1,'/1'),('site.test',0,'/2'),('site.test',1,'/3'),('site.test',2,'/4')]",
    );
  });

  it("leaves out any number of sites, repeated or not", async () => {
    const { insert, query } = await openEvents();
    const erased = Array.from({ length: 1_000 }, (_, i) => siteId(`site-${i}.test`));
    const stored = [SITE, ...erased].map((site) => anEvent({ siteId: site }));
    for (const isRepeated of [false, true]) {
      await insert(stored, { sites: [SITE, ...erased], exceptSites: erased, isRepeated });
      expect(await query(`SELECT groupArray(site_id) FROM ${EVENTS_TABLE}`)).toBe("['site.test']");
    }
  });

  it("keeps the events of different segments, sites, days and nodes apart", async () => {
    const { insert, ofNode, query } = await openEvents();
    const stored = [aFullEvent(1)];
    await insert(stored);
    await insert(stored, { segment: SEGMENT + 1 });
    await insert([anEvent({ siteId: OTHER })], { sites: [OTHER], isFile: true });
    await insert([anEvent({ siteId: SITE })], { sites: [SITE], isFile: true, segment: SEGMENT + 2 });
    await insert([anEvent({ siteId: OTHER })], { sites: [OTHER], isFile: true, segment: SEGMENT + 2 });
    await insert(stored, { day: "2026-03-16" as LocalDate });
    const parquet = await inlineParquetWriter.encode(eventTexts(stored));
    await ofNode("b0b0b0b0b0b0b0b0").insert({
      ...{ sites: [SITE], day: DAY, segment: SEGMENT, isFile: false, parquet, isRepeated: true },
    });
    expect(await query(`SELECT count(), uniqExact(site_id, day, node, segment) FROM ${EVENTS_TABLE}`)).toBe("7\t7");
  });
});

describe("a deletion of files by their numbers", () => {
  it("deletes the site's events of these files on all days, and nothing of other sites, files and nodes", async () => {
    const { ofNode, insert, query } = await openEvents();
    const [events, other] = [ofNode("a0a0a0a0a0a0a0a0"), ofNode("b1b1b1b1b1b1b1b1")];
    const parquet = await inlineParquetWriter.encode(eventTexts([aFullEvent(1)]));
    const ofFile = { sites: [SITE], isFile: true, isRepeated: true, parquet };
    for (const segment of [9, 10, 19, 20]) await insert([aFullEvent(1)], { ...ofFile, segment });
    await insert([aFullEvent(1)], { ...ofFile, segment: 15, day: "2026-03-16" as LocalDate });
    await insert([aFullEvent(1, { siteId: OTHER })], { sites: [OTHER], segment: 15 });
    await other.insert({ ...ofFile, segment: 15, day: DAY });
    for (let times = 0; times < 2; times++) await events.deleteSegments(SITE, 10, 19);
    expect(await query(`SELECT site_id, node, segment FROM ${EVENTS_TABLE} ORDER BY ALL FORMAT TSV`)).toBe(
      [
        "other.test\ta0a0a0a0a0a0a0a0\t15",
        "site.test\ta0a0a0a0a0a0a0a0\t9",
        "site.test\ta0a0a0a0a0a0a0a0\t20",
        "site.test\tb1b1b1b1b1b1b1b1\t15",
      ].join("\n"),
    );
  });
});
