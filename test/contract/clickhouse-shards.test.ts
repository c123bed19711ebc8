/**
 * Reports of a cluster are those of one server: the rows that each shard makes of its visitors add up. A single server plays the shards:
 * each part of a statement that is for all shards runs once for the visitors of each.
 */
import { setTimeout } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { type ClickhouseConnection, Responsiveness } from "../../src/runtime/clickhouse/connection.ts";
import { eventTables, type EventTables, prepareSchema } from "../../src/runtime/clickhouse/schema.ts";
import { ClickhouseBackend } from "../../src/runtime/clickhouse/clickhouse-backend.ts";
import { rangeOfDays } from "../../src/runtime/query/date-range.ts";
import { dailyExport } from "../../src/runtime/reports/exports/daily-export.ts";
import { jsonFormat } from "../../src/runtime/reports/exports/formats.ts";
import { REPORTS, type ReportPath } from "../../src/runtime/reports/registry.ts";
import type { Report, ReportSettings } from "../../src/runtime/reports/report.ts";
import type { Plan } from "../../src/runtime/query/plan.ts";
import { utcCalendar } from "../../src/storage/calendar.ts";
import type { LocalDate } from "../../src/storage/event.ts";
import { connectionTo } from "../support/clickhouse-connection.ts";
import { clickhouseOfFile } from "../support/clickhouse-server.ts";
import { reportRequests } from "../support/report-requests.ts";
import { siteId } from "../support/stored-event.ts";
import { ownerAt, siteGoal } from "../support/reader.ts";

const clickhouse = clickhouseOfFile();

const SITE = siteId("site.test");
const NOW_MS = Date.parse("2026-03-15T12:00:00Z");
const SETTINGS: ReportSettings = { sessionGapMs: 1_800_000, rotationDays: 1, realtimeWindowMinutes: 5, hasExtension: true };
const GOALS = [siteGoal("First", { page: "/1*" }), siteGoal("Pro", { event: "signup", property: { key: "plan", value: "0" } }, true)];
const REQUESTS = reportRequests({ page: "/1", event: "signup", property: "plan", value: "3", source: "G" });

const SHARDS = 3;
const CLUSTER = "web";

/** 20,000 events of 3,000 visitors, several sessions of each, in the two weeks before the present. */
const EVENTS = `
  SELECT '${SITE}' AS site_id, toInt32(intDiv(timestamp, 86400000)) AS day, 'a0a0a0a0a0a0a0a0' AS node, 1 AS segment, number AS row,
    if(number % 7 = 0, 'signup', 'pageview') AS event_name, concat('/', toString(intHash32(number) % 9)) AS pathname,
    ['Google', 'GitHub', '(unknown)'][number % 3 + 1] AS referrer_source, ['NL', 'DE'][number % 2 + 1] AS country_code,
    if(number % 7 = 0, concat('{"plan":"', toString(number % 5), '"}'), NULL) AS props,
    if(number % 35 = 0, toInt64(number % 1000), NULL) AS revenue_amount, if(number % 35 = 0, 'EUR', '(unknown)') AS currency,
    cityHash64(intHash32(number) % 3000, day) AS visitor_id,
    toInt64(${NOW_MS} - intHash64(number) % (14 * 86400000)) AS timestamp
  FROM numbers(20000)`;

const WAVE_VISITS = 75;

/** A wave on one day, of which no shard has enough visits to know it. */
const WAVE = `
  SELECT '${SITE}' AS site_id, toInt32(20520) AS day, 'a0a0a0a0a0a0a0a0' AS node, 2 AS segment, number AS row,
    'pageview' AS event_name, '/0' AS pathname, '(unknown)' AS referrer_source, 'SG' AS country_code, NULL AS props,
    NULL AS revenue_amount, '(unknown)' AS currency, cityHash64('wave', number) AS visitor_id,
    toInt64(20520 * 86400000 + number * 1000) AS timestamp
  FROM numbers(${WAVE_VISITS})`;

/** A connection to shards: `cluster(name, view(query))` has the rows of the query of each shard. */
function ofShards(connection: ClickhouseConnection, { cluster, stored, all }: EventTables): ClickhouseConnection {
  const [begin, end] = [`cluster(\`${cluster}\`, view(`, "SELECT * FROM shard))"];
  const played = (sql: string): string => {
    const from = sql.indexOf(begin);
    if (from < 0) return sql;
    const to = sql.indexOf(end, from) + end.length;
    const query = sql.slice(from + begin.length, to - 2);
    const ofShard = (shard: number) => `(${query.replaceAll(`${stored} WHERE`, `${stored} WHERE visitor_id % ${SHARDS} = ${shard} AND`)})`;
    const union = Array.from({ length: SHARDS }, (_, shard) => ofShard(shard)).join(" UNION ALL ");
    return `${sql.slice(0, from)}(${union})${sql.slice(to)}`;
  };
  return {
    execute: (statement, signal) => connection.execute(statement, signal),
    insert: (statement, data, signal) => connection.insert(statement, data, signal),
    responds: (timeoutMs) => connection.responds(timeoutMs),
    rows: ({ sql, ...rest }, signal) => connection.rows({ ...rest, sql: played(sql).replaceAll(all, stored) }, signal),
  };
}

let backends: Readonly<Record<"server" | "cluster", ClickhouseBackend>>;

beforeAll(async () => {
  const clickhouseDatabase = await clickhouse().database();
  const connection = connectionTo(clickhouse(), clickhouseDatabase);
  const tables = eventTables({ clickhouseDatabase, clickhouseCluster: null });
  await prepareSchema(connection, tables);
  for (const rows of [EVENTS, WAVE]) {
    await connection.execute({
      sql: `INSERT INTO ${tables.all} (site_id, day, node, segment, row, event_name, pathname, referrer_source, country_code, props,
        revenue_amount, currency, visitor_id, timestamp) ${rows}`,
    });
  }
  const responsiveness = new Responsiveness({ connection, monotonicMs: () => 0, wait: setTimeout, onReturn: () => {} });
  const common = { responsiveness, deliver: async () => {}, timeoutSecs: 60, memoryBytes: 2 ** 31, pause: async () => {} };
  const clustered = { ...eventTables({ clickhouseDatabase, clickhouseCluster: CLUSTER }), readSettings: {} };
  backends = {
    server: new ClickhouseBackend({ ...common, connection, tables }),
    cluster: new ClickhouseBackend({ ...common, connection: ofShards(connection, clustered), tables: clustered }),
  };
});

const resultOn = <Result>(deployment: "server" | "cluster", plan: Plan<Result>): Promise<Result> =>
  backends[deployment].run(plan, { isGuest: false, signal: new AbortController().signal }, utcCalendar);

const DATES = { start_date: "2026-03-02", end_date: "2026-03-15" };

async function planOf(path: ReportPath, request: Readonly<Record<string, string>>): Promise<Plan<string>> {
  const { prepare, plan } = REPORTS.find((report) => report.path === path) as Report;
  const given: Readonly<Record<string, string>> = { site_id: SITE, ...DATES, ...request };
  const { query } = await prepare((name) => given[name] ?? null, ownerAt(NOW_MS, GOALS));
  return plan(query, SETTINGS);
}

describe.each(REPORTS.map((report) => report.path))("the report %s on two shards", (path) => {
  it.each(REQUESTS[path])("has the same result with %o on a cluster as on one server", async (request) => {
    const plan = await planOf(path, request);
    const [server, cluster] = [await resultOn("server", plan), await resultOn("cluster", plan)];
    expect(server).toMatch(/[1-9]|plan/);
    expect(JSON.parse(cluster)).toEqual(JSON.parse(server));
  });
});

describe("the lens strict", () => {
  it("leaves out a wave whose visits are on several shards", async () => {
    const visitsFrom = async (lens: string, deployment: "server" | "cluster") => {
      const rows: unknown = JSON.parse(
        await resultOn(deployment, await planOf("/api/stats/breakdown/:dimension", { dimension: "countries", lens })),
      );
      return rows;
    };
    expect(await visitsFrom("default", "cluster")).toContainEqual(expect.objectContaining({ value: "SG", visitors: WAVE_VISITS }));
    const strict = await visitsFrom("strict", "cluster");
    expect(strict).not.toContainEqual(expect.objectContaining({ value: "SG" }));
    expect(strict).toEqual(await visitsFrom("strict", "server"));
  });
});

describe("the daily export", () => {
  it("has the same result on a cluster as on one server, including top pages", async () => {
    const range = rangeOfDays("2026-03-02" as LocalDate, "2026-03-15" as LocalDate);
    const plan = dailyExport({ siteId: SITE, range, conditions: [] }, jsonFormat, "event");
    const textOn = async (deployment: "server" | "cluster") =>
      new TextDecoder().decode(Buffer.concat([...(await resultOn(deployment, plan))]));
    expect(await textOn("cluster")).toBe(await textOn("server"));
  });
});
