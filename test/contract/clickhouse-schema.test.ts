/** The schema on a real ClickHouse: made in steps that may be repeated, and never downgraded. */
import { describe, expect, it } from "vitest";
import { ClickhouseEvents } from "../../src/runtime/clickhouse/clickhouse-events.ts";
import { creation, eventTables, prepareSchema, type SchemaStep } from "../../src/runtime/clickhouse/schema.ts";
import { createCounters } from "../../src/runtime/base/metrics/metrics.ts";
import type { LocalDate, SiteId } from "../../src/storage/event.ts";
import { normalizeHost, normalizePath } from "../../src/shared/paths.ts";
import { connectionTo } from "../support/clickhouse-connection.ts";
import { clickhouseOfFile } from "../support/clickhouse-server.ts";

const clickhouse = clickhouseOfFile();

const SITES = ["one.test", "two.test"] as SiteId[];
const [SITE, OTHER] = SITES as [SiteId, SiteId];
const DAYS = ["2026-03-13", "2026-03-14", "2026-04-01"] as LocalDate[];
const [FIRST, SECOND, LAST] = DAYS as [LocalDate, LocalDate, LocalDate];
const [NODE, OTHER_NODE] = ["00112233aabbccdd", "ffeeddccbbaa9988"] as const;

/** Paths and hosts as earlier versions stored them. */
const SENT = [
  ["/", "one.test"],
  ["/caf%c3%a9", "one.test."],
  ["/caf%C3%A9/%E6%a9%9f", "(unknown)"],
  ["/%7Ejo%2d%6F%5f%41%30", "a.one.test.."],
  ["/a%2fb%3f%25%20", "one.test"],
  ["/100%/%c3%a9%41", "one.test"],
  ["/%%341%4", "one.test"],
  ["/a^b|c", "one.test"],
  ["/%ff%fe", "127.0.0.1"],
] as const;

/** The next step of a later release. */
const ADDED_COLUMN: SchemaStep = ({ stored, onCluster }) => [`ALTER TABLE ${stored} ${onCluster} ADD COLUMN IF NOT EXISTS added UInt8`];

/** A database that is new, and what a node knows of it. */
async function made() {
  const name = await clickhouse().database();
  const tables = eventTables({ clickhouseDatabase: name, clickhouseCluster: null });
  const connection = connectionTo(clickhouse(), name);
  const query = async (sql: string) => (await clickhouse().query(sql, { database: name })).trim();
  return {
    tables,
    connection,
    query,
    events: (node: string) => new ClickhouseEvents({ connection, tables, node, counters: createCounters(), monotonicMs: () => 0 }),
  };
}

type Made = Awaited<ReturnType<typeof made>>;

/** Events of two nodes and two sites on three days, in two segments: one event in each. */
async function withRows(): Promise<Made> {
  const server = await made();
  await prepareSchema(server.connection, server.tables);
  await server.query(`INSERT INTO ${server.tables.all} (site_id, day, node, segment, row, visitor_id, event_name)
    SELECT site, toInt32(toDate(date)), node, segment, 0, 7, 'pageview'
    FROM (SELECT arrayJoin(['${SITE}', '${OTHER}']) AS site, arrayJoin(['${DAYS.join("', '")}']) AS date,
      arrayJoin(['${NODE}', '${OTHER_NODE}']) AS node, arrayJoin([1, 2]) AS segment)`);
  return server;
}

const countOf = async ({ query, tables }: Made, where = "true"): Promise<number> =>
  Number(await query(`SELECT count() FROM ${tables.all} WHERE ${where}`));

describe("the schema", () => {
  it("is created by the first of two nodes that start at once, and left unchanged by later starts", async () => {
    const { connection, tables, query } = await made();
    await Promise.all([prepareSchema(connection, tables), prepareSchema(connection, tables)]);
    const rows = await query("SELECT count() FROM schema_versions");
    await prepareSchema(connection, tables);
    expect(await query("SELECT max(version) FROM schema_versions")).toBe("7");
    expect(await query("SELECT count() FROM schema_versions")).toBe(rows);
  });

  it("has valid statements for a cluster", async () => {
    const tables = eventTables({ clickhouseDatabase: "sandpiper", clickhouseCluster: "web" });
    for (const sql of creation(tables)) expect(await clickhouse().query(`EXPLAIN AST ${sql}`)).toMatch(/Create|Alter/);
  });

  it("is upgraded together with its rows, even after a start that was killed within a step", async () => {
    const server = await withRows();
    const { connection, tables, query } = server;
    const first: SchemaStep = (all) => creation(all);
    for (const sql of ADDED_COLUMN(tables)) await query(sql);
    await prepareSchema(connection, tables, [first, first, first, first, first, first, first, ADDED_COLUMN]);
    expect(await query(`SELECT count(), sum(added) FROM ${tables.all}`)).toBe("24\t0");
    expect(await query("SELECT max(version) FROM schema_versions")).toBe("8");
  });

  it("gains the table of settings in an upgrade from version 2, and keeps its nodes", async () => {
    const { connection, tables, query } = await made();
    await prepareSchema(connection, tables);
    await query("INSERT INTO nodes (node, state) VALUES ('a', 'removed')");
    await query("DROP TABLE site_settings SYNC");
    await query("ALTER TABLE schema_versions DELETE WHERE version >= 3 SETTINGS mutations_sync = 2");
    await prepareSchema(connection, tables);
    expect(await query("SELECT count() FROM site_settings")).toBe("0");
    expect(await query("SELECT node FROM nodes")).toBe("a");
    expect(await query("SELECT max(version) FROM schema_versions")).toBe("7");
  });

  it("gains the column of engaged seconds in an upgrade from version 3, and keeps its rows", async () => {
    const { connection, tables, query } = await withRows();
    await query(`ALTER TABLE ${tables.stored} DROP COLUMN engaged_seconds SETTINGS mutations_sync = 2`);
    await query("ALTER TABLE schema_versions DELETE WHERE version >= 4 SETTINGS mutations_sync = 2");
    await prepareSchema(connection, tables);
    expect(await query(`SELECT count(), count(engaged_seconds) FROM ${tables.all}`)).toBe("24\t0");
    expect(await query("SELECT max(version) FROM schema_versions")).toBe("7");
  });

  it("gains the kinds of click ids and the marks of interactions in an upgrade from version 4, and its rows have neither", async () => {
    const { connection, tables, query } = await withRows();
    await query(`ALTER TABLE ${tables.stored} DROP COLUMN click_id, DROP COLUMN interactive SETTINGS mutations_sync = 2`);
    await query("ALTER TABLE schema_versions DELETE WHERE version >= 5 SETTINGS mutations_sync = 2");
    await prepareSchema(connection, tables);
    expect(await query(`SELECT any(click_id), uniqExact(click_id), count(interactive) FROM ${tables.all}`)).toBe("(unknown)\t1\t0");
    expect(await query("SELECT max(version) FROM schema_versions")).toBe("7");
  });

  it("gains the column of evidence in an upgrade from version 6, and its rows have none", async () => {
    const { connection, tables, query } = await withRows();
    await query(`ALTER TABLE ${tables.stored} DROP COLUMN evidence SETTINGS mutations_sync = 2`);
    await query("ALTER TABLE schema_versions DELETE WHERE version >= 7 SETTINGS mutations_sync = 2");
    await prepareSchema(connection, tables);
    expect(await query(`SELECT any(evidence), uniqExact(evidence) FROM ${tables.all}`)).toBe("(unknown)\t1");
    expect(await query("SELECT max(version) FROM schema_versions")).toBe("7");
  });

  it("spells paths and hosts of earlier rows as today in an upgrade from version 5", async () => {
    const { connection, tables, query } = await made();
    await prepareSchema(connection, tables);
    const insert = (pathname: string, hostname: string, row: number) =>
      query(`INSERT INTO ${tables.all} (site_id, day, node, segment, row, visitor_id, event_name, pathname, hostname)
        VALUES ('${SITE}', 20000, '${NODE}', 1, ${row}, 7, 'pageview', '${pathname}', '${hostname}')`);
    for (const [i, [pathname, hostname]] of SENT.entries()) await insert(pathname, hostname, i);
    await query("ALTER TABLE schema_versions DELETE WHERE version >= 6 SETTINGS mutations_sync = 2");
    await prepareSchema(connection, tables);
    // Mutations are made in their order, so that this one waits for the other.
    await query("ALTER TABLE events_data DELETE WHERE false SETTINGS mutations_sync = 1");
    const rows = (await query(`SELECT pathname, hostname FROM ${tables.all} ORDER BY row`)).split("\n").map((row) => row.split("\t"));
    expect(rows).toEqual(SENT.map(([pathname, hostname]) => [normalizePath(pathname), normalizeHost(hostname)]));
  });

  it("is refused if a newer program has upgraded it, with a message that says what to do", async () => {
    const { connection, tables } = await made();
    await prepareSchema(connection, tables, [(all) => creation(all), ...Array<SchemaStep>(7).fill(ADDED_COLUMN)]);
    await expect(prepareSchema(connection, tables)).rejects.toThrow(
      /has version 8 of the schema, and this program knows versions up to 7: install the newer release again/,
    );
  });
});

describe("an erasure", () => {
  it("deletes the days of this node and site, except those of segments in the journal, before it resolves", async () => {
    const server = await withRows();
    await server.events(NODE).delete(SITE, FIRST, SECOND, [2]);
    expect(await countOf(server)).toBe(22);
    expect(await countOf(server, `site_id = '${SITE}' AND node = '${NODE}' AND segment = 1`)).toBe(1);
    expect(await countOf(server, `site_id = '${SITE}' AND node = '${NODE}' AND segment = 2`)).toBe(3);
  });

  it("removes the rows from the disk soon after", async () => {
    const server = await withRows();
    await server.events(NODE).delete(SITE, FIRST, LAST, []);
    // Changes are made in their order, so that this one waits for the other.
    await server.query("ALTER TABLE events_data DELETE WHERE false SETTINGS mutations_sync = 1");
    const inParts =
      "SELECT sum(rows), sum(has_lightweight_delete) FROM system.parts WHERE database = currentDatabase() AND table = 'events_data' AND active";
    expect(await server.query(inParts)).toBe("18\t0");
  });
});
