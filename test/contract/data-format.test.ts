/** docs/data-format.md is correct: its columns are those of the files, and its SQL returns the results of the API in native DuckDB. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import { beforeAll, describe, expect, it } from "vitest";
import { EVENT_COLUMNS, utcDateOf } from "../../src/storage/event.ts";
import { encodeEvents } from "../../src/storage/parquet-events.ts";
import { openRollup } from "../../src/storage/rollup-file.ts";
import { ROLLUP_COLUMNS } from "../../src/storage/rollup.ts";
import { EARLIER_PARQUET } from "../support/earlier-version.ts";
import { DayCounts, DROPPED, encodeCounts } from "../../src/storage/day-counts.ts";
import type { LocalDate } from "../../src/storage/event.ts";
import { createInProcessTarget, type InProcessTarget } from "../support/in-process-target.ts";
import { getBreakdown, getMain, record, wireEvent } from "../support/requests.ts";
import { encodedRollup, integers, visitorsOf } from "../support/rollups.ts";
import { visitor } from "../support/stats-requests.ts";
import { aFullEvent } from "../support/stored-event.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { createFileObjectStore } from "../../adapters/node/files/file-stores.ts";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** The second is escaped in folder names, the third is too long for one. */
const SITES = ["plain.test", "Strange:Id.", `A${":".repeat(100)}`];

const document = await readFile(new URL("../../docs/data-format.md", import.meta.url), "utf8");

/** The SQL statements of the document, in order. */
const statements = [...document.matchAll(/```sql\n([^]*?)```/g)].map(([, sql]) => sql ?? "");

const statementAbout = (path: string): string => statements.find((sql) => sql.includes(path)) ?? "";

/** Two days of visits with pauses shorter and longer than a session's, in many files. */
async function recordDays(target: InProcessTarget): Promise<void> {
  for (let day = 0; day < 2; day++) {
    for (let step = 0; step < 12; step++) {
      for (const [i, site] of SITES.entries()) {
        const n = (step + i) % 4 === 3 ? "Sign up" : "pageview";
        await record(target, wireEvent(site, { n, u: `https://page.test/${(step * 7 + i) % 5}` }), visitor((step + day) % (3 + i)));
      }
      await target.advance((step % 5 === 0 ? 31 : 9) * MINUTE_MS);
      await target.flush();
    }
    await target.advance(DAY_MS - 12 * 20 * MINUTE_MS);
  }
}

describe("docs/data-format.md", () => {
  let connection: DuckDBConnection;
  beforeAll(async () => {
    connection = await (await DuckDBInstance.create(":memory:", { threads: "1" })).connect();
    await connection.run("SET TimeZone = 'UTC'");
  });

  it("documents every column with its type and whether it may be null", () => {
    const rows = [...document.matchAll(/^\| `(\w+)` \| [^|]+ \| ([^|]+) \| (yes|no) \|/gm)].map(([, name, type, isNullable]) => ({
      name,
      type,
      required: isNullable === "no",
    }));
    const types = {
      text: "VARCHAR",
      json: "JSON",
      integer: "BIGINT",
      cents: "DECIMAL(12,2)",
      visitor: "UBIGINT",
      timestamp: "TIMESTAMP WITH TIME ZONE",
    };
    expect(rows).toEqual(EVENT_COLUMNS.map(({ name, kind, required }) => ({ name, type: types[kind], required })));
  });

  it("documents every column of a rollup with its type", () => {
    const rows = [...document.matchAll(/^\| `(\w+)` \| (INT64|DOUBLE|STRING) \|[^|]+\|$/gm)].map(([, name, type]) => ({ name, type }));
    const types = { key: "INT64", count: "DOUBLE", text: "STRING", amount: "STRING" };
    const columns = ROLLUP_COLUMNS.map(({ name, kind }) => ({ name, type: types[kind] }));
    expect(rows).toEqual([{ name: "measure", type: "STRING" }, ...columns]);
  });

  it("documents every entry of a rollup's footer", async () => {
    const { header } = openRollup(await encodedRollup({}));
    const [, section = ""] = /an entry `sandpiper\.rollup`, a JSON object: ([^]*?)\. Compression/.exec(document) ?? [];
    expect([...section.matchAll(/`(\w+)`/g)].map(([, name]) => name).sort()).toEqual(["format", ...Object.keys(header)].sort());
  });

  it("contains a statement about rollups that returns the rows of one", async () => {
    const folder = await tempFolder();
    const objects = createFileObjectStore(folder);
    const key = "rollups/site_id=example.com/2026-03-14_2026-03-14_0a1b2c3d_4e5f6071.parquet";
    const pages = { value: ["/b", "/a", "/c"], visitors: integers(2, 2, 3), pageviews: integers(4, 5, 6), events: integers(7, 8, 9) };
    await objects.put(key, await encodedRollup({ pages, cities: visitorsOf({ "/a": 9 }) }));
    const statement = statementAbout("data/rollups").replaceAll("data/rollups", join(folder, "rollups"));
    expect((await connection.runAndReadAll(statement)).getRowObjectsJson()).toEqual([
      { value: "/c", visitors: 3, pageviews: 6, events: 9 },
      { value: "/a", visitors: 2, pageviews: 5, events: 8 },
      { value: "/b", visitors: 2, pageviews: 4, events: 7 },
    ]);
  });

  it("contains a statement about dropped events that adds up those of all days and parts", async () => {
    const folder = await tempFolder();
    const objects = createFileObjectStore(folder);
    const dates = ["2026-03-14", "2026-03-15"].map((date) => date as LocalDate);
    for (const [part, day] of dates.entries()) {
      const counts = new DayCounts();
      for (const path of ["/a", "/b"]) counts.add(["bot", "GPTBot"], path);
      counts.add(["excluded_page", ""], "/c");
      await objects.put(`dropped/site_id=example.com/${day}_${part}.ndjson.gz`, await encodeCounts(DROPPED, day, counts));
    }
    const statement = statementAbout("data/dropped").replaceAll("data/dropped", join(folder, "dropped"));
    expect((await connection.runAndReadAll(statement)).getRowObjectsJson()).toEqual([
      { reason: "bot", name: "GPTBot", dropped: "4" },
      { reason: "excluded_page", name: "", dropped: "2" },
    ]);
  });

  it("contains statements about events that read files of an earlier version beside those of this one", async () => {
    const folder = await tempFolder();
    const objects = createFileObjectStore(folder);
    await objects.put("events/site_id=site.test/date=2026-03-15/1-1.parquet", encodeEvents([aFullEvent(2)]));
    await objects.put("events/site_id=site.test/date=2026-03-15/2-2.parquet", EARLIER_PARQUET);
    const [daily = "", view = ""] = statements.map((sql) => sql.replaceAll("data/events", join(folder, "events")));
    const days = await connection.runAndReadAll(daily.replace("example.com", "site.test"));
    expect(days.getRowObjectsJson()).toEqual([{ date: "2026-03-15", visitors: "3", events: "3" }]);
    await connection.run(view.replace("CREATE VIEW", "CREATE OR REPLACE VIEW"));
    const engaged = await connection.runAndReadAll("SELECT engaged_seconds FROM events ORDER BY engaged_seconds NULLS LAST");
    expect(engaged.getRowsJson()).toEqual([["2"], [null], [null]]);
  });

  it("contains statements about events that return the results of the API before, during and after a merge of files", async () => {
    const folder = await tempFolder();
    const objects = createFileObjectStore(folder);
    let target = await createInProcessTarget({ SVC_TRUST_PROXY: "1", SVC_COMPACT_AFTER_FILES: "0" }, { objects });
    await recordDays(target);
    const range = { start_date: utcDateOf(target.nowMs() - 3 * DAY_MS), end_date: utcDateOf(target.nowMs()) };
    const [daily = "", view = "", main = "", sessions = "", pages = ""] = statements.map((sql) =>
      sql.replaceAll("data/events", join(folder, "events")),
    );

    /** The answers of a statement that the document has for every site. */
    async function rowsOf(sql: string, site: string) {
      const values = { site, first_day: range.start_date, last_day: range.end_date };
      const reader = await connection.runAndReadAll(sql.replaceAll(/\$(\w+)/g, (_, name: keyof typeof values) => `'${values[name]}'`));
      return reader
        .getRowObjectsJS()
        .map((row) =>
          Object.fromEntries(Object.entries(row).map(([name, value]) => [name, typeof value === "bigint" ? Number(value) : value])),
        );
    }

    async function expectSameFigures(): Promise<void> {
      await connection.run(view.replace("CREATE VIEW", "CREATE OR REPLACE VIEW"));
      // The folder of an id that is too long contains its beginning only; the column in the files contains all of it.
      for (const site of SITES.slice(0, 2)) {
        const api = await getMain(target, site, range);
        expect(await rowsOf(main, site)).toEqual([
          { unique_visitors: api.unique_visitors, total_pageviews: api.total_pageviews, total_events: 24 },
        ]);
        expect(await rowsOf(sessions, site)).toEqual([{ total_sessions: api.total_sessions, bounce_rate: api.bounce_rate }]);
        expect(await rowsOf(pages, site)).toEqual(await getBreakdown(target, site, "pages", range));
      }
      const inFiles = await rowsOf(
        view.replace(/CREATE VIEW events AS/, "").replace("hive_partitioning = true", "hive_partitioning = false"),
        SITES[2] ?? "",
      );
      expect(inFiles.filter(({ site_id }) => site_id === SITES[2])).toHaveLength(24);
    }

    const parts = await objects.list("events");
    expect(parts.length).toBeGreaterThan(60);
    const files = await Promise.all(parts.map(async ({ key }) => ({ key, bytes: (await objects.get(key)) ?? new Uint8Array() })));
    await expectSameFigures();
    const daysBefore = await rowsOf(daily.replace("'example.com'", "$site"), "plain.test");
    expect(daysBefore.length).toBeGreaterThan(1);

    const nowMs = target.nowMs();
    await target.close();
    target = await createInProcessTarget({ SVC_TRUST_PROXY: "1", SVC_COMPACT_AFTER_FILES: "3" }, { objects });
    await target.advance(nowMs - target.nowMs());
    await target.services.compaction.run();
    expect((await objects.list("events")).length).toBeLessThan(parts.length / 3);
    await expectSameFigures();
    expect(await rowsOf(daily.replace("'example.com'", "$site"), "plain.test")).toEqual(daysBefore);

    for (const { key, bytes } of files) await objects.put(key, bytes);
    await expectSameFigures();
    await target.close();
  });
});
