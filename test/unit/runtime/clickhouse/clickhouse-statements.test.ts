/**
 * The ClickHouse statements of all reports and exports, held to snapshots so that a change shows in review, and the rules that all of
 * them keep: no text of a request is in the SQL, and each reads one site. Whether their results are right is shown by other suites.
 */
import { describe, expect, it } from "vitest";
import { GOALS_OF_QUERY_MAX } from "../../../../src/runtime/base/config/admin-limits.ts";
import { LOOKED_UP_CHARS_MAX } from "../../../../src/runtime/base/config/report-limits.ts";
import { arraysSql, ClickhouseBackend, portionsOf, scanStatement } from "../../../../src/runtime/clickhouse/clickhouse-backend.ts";
import { type ClickhouseConnection, type ClickhouseStatement, Responsiveness } from "../../../../src/runtime/clickhouse/connection.ts";
import { UNDECIDED } from "../../../../src/runtime/clickhouse/visitor-tallies.ts";
import { eventTables, type EventTables } from "../../../../src/runtime/clickhouse/schema.ts";
import { DAY_BUCKET, HOUR_BUCKET, rangeOfDays } from "../../../../src/runtime/query/date-range.ts";
import { planOf, type PlanStep } from "../../../../src/runtime/query/plan.ts";
import type { Scope } from "../../../../src/runtime/query/scope.ts";
import { dailyExport } from "../../../../src/runtime/reports/exports/daily-export.ts";
import { eventsQuery, minutesQuery } from "../../../../src/runtime/reports/exports/raw-export.ts";
import { jsonFormat } from "../../../../src/runtime/reports/exports/formats.ts";
import { countsByValue } from "../../../../src/runtime/reports/measures/values.ts";
import { visitSums } from "../../../../src/runtime/reports/measures/visit-sums.ts";
import { REPORTS, type ReportPath } from "../../../../src/runtime/reports/registry.ts";
import type { Report, ReportSettings } from "../../../../src/runtime/reports/report.ts";
import type { SiteGoal } from "../../../../src/runtime/sites/goal.ts";
import { FILTER_CONDITIONS_MAX } from "../../../../src/shared/limits.ts";
import { utcCalendar } from "../../../../src/storage/calendar.ts";
import type { LocalDate } from "../../../../src/storage/event.ts";
import { ownerAt, siteGoal } from "../../../support/reader.ts";
import { reportRequests } from "../../../support/report-requests.ts";
import { siteId } from "../../../support/stored-event.ts";

const NOW_MS = Date.parse("2026-03-15T12:00:00Z");
const SITE = siteId("Site.test:8080");
const SETTINGS: ReportSettings = { sessionGapMs: 1_800_000, rotationDays: 1, realtimeWindowMinutes: 5, hasExtension: true };

/** Is in every text of the requests, and in nothing else. */
const MARK = "Zq7";
/** What would end a text, be a parameter, a wildcard, an escape or a comment. */
const HOSTILE = `${MARK}'"\`{p0:String}*%_\\ -- // ?:é`;
const REQUESTS = reportRequests({ page: `/${HOSTILE}`, event: HOSTILE, property: HOSTILE, value: HOSTILE, source: HOSTILE });

const GOALS = [
  siteGoal(HOSTILE, { page: `/${HOSTILE}` }),
  siteGoal(HOSTILE, { event: HOSTILE, property: { key: HOSTILE, value: HOSTILE } }, true),
];

const SCOPE = { site_id: SITE, start_date: "2026-03-01", end_date: "2026-03-14", filters: `pages==/${HOSTILE};browsers!=${HOSTILE}` };

const SERVER = eventTables({ clickhouseDatabase: "sandpiper", clickhouseCluster: null });
const CLUSTER = eventTables({ clickhouseDatabase: "sandpiper", clickhouseCluster: "web" });

/** The statements that the backend runs for the steps. The server has an event whose visitor the program itself has to follow. */
async function statementsOf(steps: readonly PlanStep[], tables: EventTables): Promise<ClickhouseStatement[]> {
  const statements: ClickhouseStatement[] = [];
  const connection: ClickhouseConnection = {
    async rows(statement) {
      statements.push(statement);
      return statement.sql.includes("sum(events) AS events") ? [{ value: UNDECIDED, visitors: 1, events: 1 }] : [];
    },
    execute: () => Promise.reject(new Error("reports change nothing")),
    insert: () => Promise.reject(new Error("reports insert nothing")),
    responds: () => Promise.resolve(true),
  };
  const clocks = { monotonicMs: () => 0, wait: async () => {}, onReturn: () => {} };
  const backend = new ClickhouseBackend({
    connection,
    responsiveness: new Responsiveness({ connection, ...clocks }),
    tables,
    deliver: async () => {},
    timeoutSecs: 30,
    memoryBytes: 2 ** 30,
    pause: async () => {},
  });
  await backend.run({ steps, toResult: () => null }, { isGuest: false, signal: new AbortController().signal }, utcCalendar);
  return statements;
}

async function ofReport(
  { path, prepare, plan }: Report,
  tables: EventTables,
  goals: readonly SiteGoal[] = GOALS,
  scope: Readonly<Record<string, string>> = SCOPE,
): Promise<ClickhouseStatement[]> {
  const prepared = REQUESTS[path as ReportPath].map((request) => {
    const given: Readonly<Record<string, string>> = { ...scope, ...request };
    return prepare((name) => given[name] ?? null, ownerAt(NOW_MS, goals));
  });
  const plans = (await Promise.all(prepared)).map(({ query }) => plan(query, SETTINGS));
  return statementsOf(
    plans.flatMap(({ steps }) => steps),
    tables,
  );
}

const SCOPE_OF_EXPORTS: Scope = {
  siteId: SITE,
  range: rangeOfDays("2026-03-01" as LocalDate, "2026-03-14" as LocalDate),
  conditions: [{ dimension: "pages", test: { kind: "is", values: [`/${HOSTILE}`] }, isNegated: false }],
};

const ofDailyExport = (tables: EventTables) => statementsOf(dailyExport(SCOPE_OF_EXPORTS, jsonFormat, "event").steps, tables);

const ofRawExport = async (tables: EventTables) =>
  [
    minutesQuery(SCOPE_OF_EXPORTS),
    eventsQuery(SCOPE_OF_EXPORTS, { startMs: NOW_MS, endMs: NOW_MS + 60_000, firstDay: 20_523, lastDay: 20_524 }, 1000),
  ].map((query) => scanStatement(arraysSql(query), SITE, tables));

/** One statement for each kind of dimension. The first asks for every sum. */
const ofVisitSums = (tables: EventTables): Promise<ClickhouseStatement[]> => {
  const asked = [
    { dimension: "visit-hostnames", bucket: HOUR_BUCKET, goal: { page: `/${HOSTILE}` }, currency: HOSTILE, withViews: true },
    { dimension: "visit-utm-campaigns", bucket: DAY_BUCKET },
    { dimension: "entry-pages" },
    { dimension: "countries" },
    { goal: { event: HOSTILE, property: null } },
  ] as const;
  const { sessionGapMs } = SETTINGS;
  const queries = asked.map((each) => visitSums(SCOPE_OF_EXPORTS, { sessionGapMs, ...each }));
  return statementsOf(planOf(SCOPE_OF_EXPORTS, queries, () => null).steps, tables);
};

const ALL: readonly { readonly name: string; readonly of: (tables: EventTables) => Promise<ClickhouseStatement[]> }[] = [
  ...REPORTS.map((report: Report) => ({ name: report.operationId, of: (tables: EventTables) => ofReport(report, tables) })),
  { name: "dailyExport", of: ofDailyExport },
  { name: "rawExport", of: ofRawExport },
  { name: "visitSums", of: ofVisitSums },
];

const printed = ({ sql, parameters }: ClickhouseStatement): string =>
  `${sql
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")};\n-- parameters: ${JSON.stringify(parameters)}\n`;

const PLACEHOLDER = /\{(\w+):(?:Int64|UInt64|String|Array\((?:Int64|UInt64|String)\))\}/g;

describe.each(ALL)("the statements of $name", ({ name, of }) => {
  it("match the snapshot on one server", async () => {
    await expect((await of(SERVER)).map(printed).join("\n")).toMatchFileSnapshot(`./snapshots/${name}.sql`);
  });

  it.each([
    ["one server", SERVER],
    ["a cluster", CLUSTER],
  ] as const)("pass every text of the request in typed parameters, without comments, on %s", async (_, tables) => {
    for (const { sql, parameters = {} } of await of(tables)) {
      expect(sql).not.toContain(MARK);
      expect(sql).not.toContain("//");
      expect(sql.replaceAll(PLACEHOLDER, "")).not.toMatch(/\{\s*\w+\s*:/);
      const named = Array.from(sql.matchAll(PLACEHOLDER), ([, parameter]) => parameter);
      expect(new Set(named)).toEqual(new Set(Object.keys(parameters)));
      expect(new Set(Object.values(parameters)).size).toBe(Object.keys(parameters).length);
    }
  });

  it("read the events of the site, and of no other", async () => {
    for (const tables of [SERVER, CLUSTER]) {
      for (const { sql, parameters = {} } of await of(tables)) {
        const reads = sql.match(/\bevents_(?:data|all)\b/g) ?? [];
        const ofSite = Array.from(
          sql.matchAll(/\bevents_(?:data|all) WHERE site_id = \{(\w+):String\}/g),
          ([, parameter = ""]) => parameter,
        );
        expect(ofSite).toHaveLength(reads.length);
        expect(ofSite.map((parameter) => parameters[parameter])).toEqual(reads.map(() => SITE));
        expect(reads.length).toBeGreaterThan(0);
      }
    }
  });
});

it("statements that count goals with properties, within as many filters, are short enough for the server's parser", async () => {
  const goals = Array.from({ length: GOALS_OF_QUERY_MAX }, (_, i) =>
    siteGoal(`goal ${i}`, { event: `event ${i}`, property: { key: `key ${i}`, value: `value ${i}` } }, true),
  );
  const filters = goals.slice(0, FILTER_CONDITIONS_MAX).map(({ fields: { name } }) => `goal==${name}`);
  for (const report of REPORTS.filter(({ path }) => path === "/api/stats/conversions")) {
    for (const { sql, settings } of await ofReport(report, CLUSTER, goals, { ...SCOPE, filters: filters.join(";") })) {
      expect(sql.length).toBeLessThan(Number(settings?.["max_query_size"]) / 2);
    }
  }
});

it("statements with looked-up values have parameters that fit into an address", () => {
  const values = Array.from({ length: 300 }, (_, i) => `${i}-`.padEnd(512, "ж"));
  const query = countsByValue(SCOPE_OF_EXPORTS, "pathname");
  const portions = portionsOf({ ...query, top: { values, rowsMax: values.length } }).map(({ top }) => top?.values ?? []);
  expect(portions.flat()).toEqual(values);
  for (const portion of portions) expect(encodeURIComponent(portion.join("")).length).toBeLessThanOrEqual(LOOKED_UP_CHARS_MAX);
  expect(portionsOf(query)).toEqual([query]);
});

describe("statements on a cluster", () => {
  it("make the rows of visitors on each shard, except where a query compares visitors", async () => {
    const main = ALL.find(({ name }) => name === "getMain");
    await expect(((await main?.of(CLUSTER)) ?? []).map(printed).join("\n")).toMatchFileSnapshot("./snapshots/getMain-cluster.sql");
    const isPerShard = ({ sql }: ClickhouseStatement): boolean => sql.includes("cluster(`web`, view(");
    expect((await ofDailyExport(CLUSTER)).map(isPerShard)).toEqual([true, false, false]);
  });
});
