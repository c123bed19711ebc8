/**
 * Processor time of reports within goals, of a site with 25 goals of a kind, on both engines, against the same report without a filter.
 * All responses of the engines must be the same bytes: otherwise it shows the differences and exits with code 1.
 *
 *   node test/bench/goal-filters.mjs [million events] [rounds] [usual | many]
 *
 * The last chooses the variety of texts: with `many`, nearly every event that is not a page view has properties of its own. It needs
 * ClickHouse as `clickhouse.mjs` does.
 */
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { buildBenchProgram, startProgram, withTempFolder } from "./bench-server.mjs";
import { CLICKHOUSE_NAME, fill, startClickhouse } from "./clickhouse-process.mjs";
import { Responses } from "./clickhouse-reports.mjs";
import { pathOf } from "./dashboard-view.mjs";
import { DAYS, SITE, provideEvents } from "./generate-events.mjs";
import { duration, mean, printTable, progress, twoDecimals, whole } from "./table.mjs";

const EVENTS = Number(process.argv[2] ?? 1) * 1_000_000;
const ROUNDS = Number(process.argv[3] ?? 3);
const TEXTS = process.argv[4] === "many" ? "many" : "usual";

/** No query may run into a timeout. */
const PASSWORD = "a long password of the benchmark";
const ENVIRONMENT = { SVC_REQUEST_TIMEOUT_SECS: "3600", SVC_ROLLUPS: "false", SVC_ADMIN_PASSWORD: PASSWORD };

const REPORTS = ["main", "conversions", "breakdown/pages"];

/** How many goals a request's filters name. */
const FILTERS = [0, 1, 3];

const EVENT_NAMES = ["Signup", "Download", "Outbound Link: Click", "Purchase"];

const GOALS = Array.from({ length: 25 }, (_, i) => i);
const nameOf = (/** @type {number} */ i) => `goal-${i}`;

/** @type {Record<string, (i: number) => object>} */
const KINDS = {
  pages: (i) => ({ page: `/articles/${i}/*` }),
  events: (i) => ({ event: EVENT_NAMES[i] ?? `Event ${i}` }),
  properties: (i) => ({ event: EVENT_NAMES[i % EVENT_NAMES.length], property: { key: "step", value: String(i) }, revenue: true }),
  "properties of 25 keys": (i) => ({
    event: EVENT_NAMES[i % EVENT_NAMES.length],
    property: { key: i === 0 ? "plan" : `key ${i}`, value: "pro" },
    revenue: true,
  }),
};

/** @typedef {{ name: string, origin: string, cpuSecs: () => Promise<number>, stop: () => Promise<void> }} Contender */

/** Requests of the administrator of a program, by `METHOD /path`. @param {string} origin */
async function administrator(origin) {
  /** @param {string} request @param {object} [body] @param {Record<string, string>} [headers] */
  const send = async (request, body, headers = {}) => {
    const [method = "GET", path = ""] = request.split(" ");
    const response = await fetch(origin + path, { method, headers, body: body === undefined ? null : JSON.stringify(body) });
    if (!response.ok) throw new Error(`${request}: ${response.status} ${await response.text()}`);
    return response;
  };
  const login = await send("POST /api/auth/login", { password: PASSWORD });
  const headers = { cookie: login.headers.get("set-cookie")?.split(";")[0] ?? "", origin };
  /** @param {string} request @param {object} [body] */
  return async (request, body) => (await send(request, body, headers)).text();
}

/** @typedef {Contender & { ask: Awaited<ReturnType<typeof administrator>> }} Asked */

/** The goals of the site become these. @param {Asked} contender @param {(i: number) => object} definitionOf */
async function setGoals({ ask }, definitionOf) {
  const site = `site_id=${SITE}`;
  for (const { id } of JSON.parse(await ask(`GET /api/goals?${site}`))) await ask(`DELETE /api/goals/${id}?${site}`);
  for (const i of GOALS) await ask(`POST /api/goals?${site}`, { name: nameOf(i), ...definitionOf(i) });
}

/** Mean processor time of one response in milliseconds. @param {Asked} contender @param {string} path @param {Responses} responses */
async function cpuMs({ name, ask, cpuSecs }, path, responses) {
  // The first loads what is not in memory yet. Ids of goals are random.
  responses.compare(name, new Map([[path, (await ask(`GET ${path}`)).replaceAll(/"id":"\w+",/g, "")]]));
  const times = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = await cpuSecs();
    await ask(`GET ${path}`);
    times.push(((await cpuSecs()) - before) * 1000);
  }
  return mean(times);
}

/** Times of a report by the number of filters. @param {Asked} contender @param {string} kind @param {string} report @param {Responses} responses */
async function timesOf(contender, kind, report, responses) {
  const times = [];
  for (const count of FILTERS) {
    const filters = GOALS.slice(0, count)
      .map((i) => `goal==${nameOf(i)}`)
      .join(";");
    // The kind is part of the path that is compared, and no parameter of the report.
    times.push(await cpuMs(contender, pathOf(report, { period: "30d", filters, kind }), responses));
  }
  progress(`${contender.name}, ${kind}, ${report}: ${times.map(duration).join(", ")}`);
  return times;
}

/** @param {string} folder @returns {Promise<Contender[]>} */
async function startAll(folder) {
  const folders = { duckdb: join(folder, "duckdb"), clickhouse: join(folder, "node") };
  await provideEvents(folders.duckdb, EVENTS, DAYS, TEXTS);
  await cp(folders.duckdb, folders.clickhouse, { recursive: true });
  const clickhouse = await startClickhouse(folder);
  await fill(folders.clickhouse, clickhouse, EVENTS);
  const duckdb = await startProgram(folders.duckdb, ENVIRONMENT);
  const node = await startProgram(folders.clickhouse, { ...ENVIRONMENT, ...clickhouse.environment });
  return [
    { ...duckdb, name: "DuckDB" },
    {
      name: "ClickHouse",
      origin: node.origin,
      cpuSecs: async () => (await node.cpuSecs()) + (await clickhouse.cpuSecs()),
      async stop() {
        await node.stop();
        await clickhouse.stop();
      },
    },
  ];
}

await buildBenchProgram();
await withTempFolder(async (folder) => {
  const contenders = await startAll(folder);
  const responses = new Responses();
  const rows = [];
  for (const started of contenders) {
    const contender = { ...started, ask: await administrator(started.origin) };
    for (const [kind, definitionOf] of Object.entries(KINDS)) {
      await setGoals(contender, definitionOf);
      for (const report of REPORTS) {
        const [none = Number.NaN, ...filtered] = await timesOf(contender, kind, report, responses);
        const cells = filtered.flatMap((ms) => [duration(ms), twoDecimals(ms / none)]);
        rows.push([contender.name, kind, report, duration(none), ...cells]);
      }
    }
  }
  for (const { stop } of contenders) await stop();
  printTable(
    `processor time of a report over ${whole(EVENTS)} events of ${DAYS} days with ${TEXTS} texts, mean of ${ROUNDS}; ${CLICKHOUSE_NAME}`,
    ["engine", "25 goals of", "report", "no filter", "1 goal", "ratio", "3 goals", "ratio"],
    rows,
  );
  for (const difference of responses.differences) console.log(`a response differs: ${difference}`);
  if (responses.differences.length > 0) process.exitCode = 1;
});
