/** The statements that change tables in ClickHouse, for one server and for a cluster: a change shows in review. */
import { describe, expect, it } from "vitest";
import { deletionOf, searchFor } from "../../../../src/runtime/clickhouse/deletion.ts";
import type { ClickhouseStatement } from "../../../../src/runtime/clickhouse/connection.ts";
import { creation, eventTables } from "../../../../src/runtime/clickhouse/schema.ts";
import type { LocalDate, SiteId } from "../../../../src/storage/event.ts";

const DEPLOYMENTS = [
  { name: "one server", file: "server", tables: eventTables({ clickhouseDatabase: "sandpiper", clickhouseCluster: null }) },
  { name: "a cluster", file: "cluster", tables: eventTables({ clickhouseDatabase: "sandpiper", clickhouseCluster: "web" }) },
] as const;

const snapshot = (name: string): string => `./snapshots/${name}.sql`;

const printed = ({ sql, parameters, settings }: ClickhouseStatement): string =>
  `${sql};\n-- parameters: ${JSON.stringify(parameters ?? {})}\n-- settings: ${JSON.stringify(settings ?? {})}\n`;

/** A site whose name would end a text in SQL. */
const SITE = "it's {a:site}" as SiteId;
const DAY = "2026-03-14" as LocalDate;
const OF_SITE = {
  node: "00112233aabbccdd",
  siteId: SITE,
  days: { siteId: SITE, firstDay: DAY, lastDay: DAY },
  exceptSegments: [1_700_000_000_000, 1_700_000_000_001],
};
const OF_ALL_SITES = { ...OF_SITE, days: { lastDay: DAY, exceptions: new Map() } };
/** One keeps its events for good, the other has other dates. */
const EXCEPTIONS = new Map([
  ["kept.test" as SiteId, null],
  [SITE, "2026-03-13" as LocalDate],
]);
const WITH_EXCEPTIONS = { ...OF_SITE, days: { lastDay: DAY, exceptions: EXCEPTIONS } };

describe.each(DEPLOYMENTS)("the schema on $name", ({ file, tables }) => {
  it("creates the tables of the snapshot", async () => {
    await expect(
      creation(tables)
        .map((sql) => `${sql};\n`)
        .join("\n"),
    ).toMatchFileSnapshot(snapshot(`schema-${file}`));
  });

  it("deletes a site's days with the statements of the snapshot", async () => {
    await expect(deletionOf(OF_SITE, tables).map(printed).join("\n")).toMatchFileSnapshot(snapshot(`erasure-${file}`));
  });

  it("deletes expired days of all sites with the statements of the snapshot", async () => {
    const statements = [searchFor(OF_ALL_SITES, tables), ...deletionOf(OF_ALL_SITES, tables)];
    await expect(statements.map(printed).join("\n")).toMatchFileSnapshot(snapshot(`retention-${file}`));
  });

  it("deletes days that expire earlier or never on some sites in the same statements", async () => {
    const statements = [searchFor(WITH_EXCEPTIONS, tables), ...deletionOf(WITH_EXCEPTIONS, tables)];
    await expect(statements.map(printed).join("\n")).toMatchFileSnapshot(snapshot(`own-retention-${file}`));
  });

  it("contains no site in the SQL of a deletion", () => {
    for (const days of [OF_SITE, WITH_EXCEPTIONS]) for (const { sql } of deletionOf(days, tables)) expect(sql).not.toContain(SITE);
  });

  it("uses the settings of the snapshot", async () => {
    const { readSettings, insertSettings, changeSettings } = tables;
    const settings = JSON.stringify({ readSettings, insertSettings, changeSettings }, null, 2);
    await expect(`${settings}\n`).toMatchFileSnapshot(`./snapshots/settings-${file}.json`);
  });
});
