/**
 * What viewers' queries cost the owner of another site, and ingestion: the time of the owner's report and of events, alone and while
 * viewers of a public site have requests under way without a pause, for patterns over many long paths or with other costly filters. No request is like another, so
 * that nothing is cached.
 *
 *   node test/bench/viewers-beside-owner.mjs [seconds] [viewers] [node or workerd] [part of the name of an attack]
 *
 * Target: at most 3 times the p50 of the report, and the p99 of events, that they have alone.
 */
import { setTimeout } from "node:timers/promises";
import { buildWorker } from "../../adapters/workerd/build.mjs";
import { buildBenchProgram, startProgram, withTempFolder } from "./bench-server.mjs";
import { conditionsOnGoals, emptyGroups, goalOf, GOALS, listOf } from "./costly-filters.mjs";
import { postEvents } from "./ingestion-load.mjs";
import { milliseconds, printTable, progress, twoDecimals, whole } from "./table.mjs";
import { startWorkerd, WORKER_FOLDER } from "./workerd-process.mjs";

const SECONDS = Number(process.argv[2] ?? 15);
const VIEWERS = Number(process.argv[3] ?? 20);
const HOSTS = process.argv[4] ? [process.argv[4]] : ["node", "workerd"];
const WANTED = process.argv[5] ?? "";
const TARGET = 3;

const [OWN_SITE, PUBLIC_SITE] = ["own.test", "public.test"];
const PASSWORD = "a long password of the benchmark";
const OWN_EVENTS = 5000;
const PATHS = 12_000;
const PATH_CHARS = 400;
const CONNECTIONS = 32;
const EVENT_PAUSE_MS = 10;
const USER_AGENT = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36";
const ENVIRONMENT = {
  SVC_ADMIN_PASSWORD: PASSWORD,
  SVC_TRUST_PROXY: "1",
  SVC_CACHE_TTL_SECS: "0",
  SVC_QUERY_QUEUE_MS: "10000",
};

/** The request of each attack; `n` is another number in each. @type {Record<string, (n: number) => string>} */
const ATTACKS = {
  "an expression within the steps of viewers": (n) => `main?filters=pages=matches=a.{8}b${n}$`,
  "an expression beyond them": (n) => `main?filters=pages=matches=a.{230}b${n}$`,
  searches: (n) => `breakdown/pages?search=${n}ab`,
  "twelve parts of texts": (n) => `main?filters=${listOf(12, (i) => `pages=!contains=ab${n}x${i}`).join(";")}`,
  "expressions that are refused for their size": (n) => `main?filters=${emptyGroups(n)}`,
  "twelve conditions on fifty goals": (n) => `main?filters=${conditionsOnGoals(n)}`,
};

/** Letters a and b, so that an expression has much to follow. */
const pathOf = (/** @type {number} */ i) =>
  `${((i * 2_654_435_761) >>> 0).toString(2).padEnd(32, "0").replaceAll("0", "a").replaceAll("1", "b").repeat(13).slice(0, PATH_CHARS)}${i}`;

/** @param {string} origin @param {string} site @param {string} path */
async function postEvent(origin, site, path) {
  const body = JSON.stringify({ d: site, n: "pageview", u: `https://${site}/${path}` });
  const response = await fetch(`${origin}/api/event`, { method: "POST", headers: { "user-agent": USER_AGENT }, body });
  await response.arrayBuffer();
  if (response.status !== 202) throw new Error(`an event was answered with ${response.status}`);
}

/** Two sites with events, one of them public. @param {string} origin @returns the headers of the owner */
async function provideSites(origin) {
  const login = await fetch(`${origin}/api/auth/login`, { method: "POST", body: JSON.stringify({ password: PASSWORD }) });
  const owner = { cookie: login.headers.get("set-cookie")?.split(";")[0] ?? "", origin };
  const made = await fetch(`${origin}/api/sites/${PUBLIC_SITE}`, { method: "PUT", headers: owner, body: JSON.stringify({ public: true }) });
  if (!made.ok) throw new Error(`the site could not be made public: ${made.status} ${await made.text()}`);
  for (let i = 0; i < GOALS; i++) {
    const goal = { method: "POST", headers: owner, body: JSON.stringify(goalOf(i)) };
    const added = await fetch(`${origin}/api/goals?site_id=${PUBLIC_SITE}`, goal);
    if (!added.ok) throw new Error(`a goal could not be added: ${added.status} ${await added.text()}`);
  }
  await postEvents({ origin, seconds: 0, connections: CONNECTIONS, sites: [OWN_SITE], events: OWN_EVENTS });
  let posted = 0;
  const post = async () => {
    while (posted < PATHS) await postEvent(origin, PUBLIC_SITE, pathOf(posted++));
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, post));
  return owner;
}

let requests = 0;

/** @param {string} origin @param {string} site @param {string} request @param {Record<string, string>} headers */
async function ask(origin, site, request, headers) {
  const url = new URL(`${origin}/api/stats/${request}`);
  url.searchParams.set("site_id", site);
  url.searchParams.set("period", "7d");
  const response = await fetch(url, { headers });
  await response.arrayBuffer();
  return response.status;
}

const quantile = (/** @type {number[]} */ values, /** @type {number} */ share) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;

/** Times of the owner's reports and of events, one after the other, for so long. @param {string} origin @param {Record<string, string>} owner */
async function measure(origin, owner) {
  const endMs = performance.now() + SECONDS * 1000;
  const timed = async (/** @type {number[]} */ times, /** @type {() => Promise<unknown>} */ work, /** @type {number} */ pauseMs) => {
    while (performance.now() < endMs) {
      const startMs = performance.now();
      await work();
      times.push(performance.now() - startMs);
      await setTimeout(pauseMs);
    }
  };
  /** @type {{ reports: number[], events: number[] }} */
  const times = { reports: [], events: [] };
  const report = async () => {
    const status = await ask(origin, OWN_SITE, `main?filters=pages!=/${++requests}`, owner);
    if (status !== 200) throw new Error(`the owner's report was answered with ${status}`);
  };
  await Promise.all([
    timed(times.reports, report, EVENT_PAUSE_MS),
    timed(times.events, () => postEvent(origin, OWN_SITE, "event"), EVENT_PAUSE_MS),
  ]);
  return times;
}

/** Requests of viewers until `stop` is called, which resolves with how many had each status. @param {string} origin @param {(n: number) => string} requestOf */
function keepAsking(origin, requestOf) {
  const stop = new AbortController();
  /** @type {Map<number, number>} */
  const statuses = new Map();
  const asking = Array.from({ length: VIEWERS }, async (_, viewer) => {
    while (!stop.signal.aborted) {
      const headers = { "x-share": PUBLIC_SITE, "x-forwarded-for": `192.0.2.${viewer + 1}` };
      const status = await ask(origin, PUBLIC_SITE, requestOf(++requests), headers);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status === 429) await setTimeout(100);
    }
  });
  return async () => {
    stop.abort();
    await Promise.all(asking);
    return [...statuses].map(([status, count]) => `${count} × ${status}`).join(", ");
  };
}

/** @param {string} host @param {string} origin */
async function measureAll(host, origin) {
  const owner = await provideSites(origin);
  await measure(origin, owner);
  const alone = await measure(origin, owner);
  const rows = [["alone", ...cellsOf(alone, alone), ""]];
  for (const [name, requestOf] of Object.entries(ATTACKS).filter(([known]) => known.includes(WANTED))) {
    progress(`${host}: ${name}`);
    const stop = keepAsking(origin, requestOf);
    await setTimeout(1000);
    const beside = await measure(origin, owner);
    rows.push([name, ...cellsOf(beside, alone), await stop()]);
  }
  printTable(
    `${host}: ${VIEWERS} viewers over ${whole(PATHS)} paths of ${PATH_CHARS} characters, ${SECONDS} s each; target at most ${TARGET} times alone`,
    ["beside", "owner's report p50", "times", "p99", "events p50", "p99", "times", "answers to viewers"],
    rows,
  );
}

/** @typedef {Awaited<ReturnType<typeof measure>>} Times */

/** @param {Times} times @param {Times} alone */
function cellsOf({ reports, events }, alone) {
  const [report, event] = [quantile(reports, 0.5), quantile(events, 0.99)];
  return [
    milliseconds(report),
    twoDecimals(report / quantile(alone.reports, 0.5)),
    milliseconds(quantile(reports, 0.99)),
    milliseconds(quantile(events, 0.5)),
    milliseconds(event),
    twoDecimals(event / quantile(alone.events, 0.99)),
  ];
}

for (const host of HOSTS) {
  await withTempFolder(async (folder) => {
    if (host === "workerd") await buildWorker(WORKER_FOLDER);
    else await buildBenchProgram();
    const server = await (host === "workerd" ? startWorkerd({ folder, environment: ENVIRONMENT }) : startProgram(folder, ENVIRONMENT));
    await measureAll(host, server.origin);
    await server.stop();
  });
}
