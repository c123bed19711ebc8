/**
 * What requests that are made to be costly take from ingestion: the p99 of events posted at a steady rate, alone and while 20
 * anonymous viewers of a public site ask once a second each, all at the same time; and, with nothing beside, the processor time of
 * the thread that takes events for each request. No request is like another, so that nothing is cached.
 *
 *   node test/bench/hostile-queries.mjs [rounds] [seconds per round] [events per second] [part of the name of an attack]
 *
 * With 0 rounds, it only measures the processor time, which says something on a busy machine, too. Target: at most 3 times the p99 of
 * ingestion alone.
 */
import { readFile } from "node:fs/promises";
import { buildBenchProgram, startProgram, untilIdle, withTempFolder } from "./bench-server.mjs";
import { conditionsOfGoals, conditionsOnGoals, emptyGroups, goalOf, GOALS, listOf } from "./costly-filters.mjs";
import { compareIngestion, LATENCY_HEADS, latencyRow } from "./ingestion-latency.mjs";
import { postEvents } from "./ingestion-load.mjs";
import { milliseconds, printTable, twoDecimals, whole } from "./table.mjs";

const ROUNDS = Number(process.argv[2] ?? 3);
const SECONDS = Number(process.argv[3] ?? 8);
const RATE = Number(process.argv[4] ?? 500);
const WANTED = process.argv[5] ?? "";
const VIEWERS = 20;
const WAVE_MS = 1000;
const TARGET = 3;

const SITE = "bench.test";
const PASSWORD = "a long password of the benchmark";
const EVENTS = 20_000;

/** The filters of each attack; `n` is another number in each request. @type {Record<string, (n: number) => string>} */
const ATTACKS = {
  "no filters that cost anything, for comparison": (n) => `pages==/${n}`,
  "refused: empty groups, repeated": emptyGroups,
  "refused: alternatives, repeated": (n) => `pages=matches=(?:${listOf(70, (i) => `a${i % 10}`).join("|")}|${n}){1000}`,
  "refused: repetitions within repetitions": (n) => listOf(5, (i) => `sources=matches=(((${n}${i}{10}){10}){10})`).join(";"),
  "accepted: five expressions of the largest size": (n) => listOf(5, (i) => `pages=matches=^(?:\\pL${n}${i}?){0,25}$`).join(";"),
  "twelve conditions on fifty goals": conditionsOnGoals,
  "twelve conditions that all goals pass": conditionsOfGoals,
};

/** Requests of the administrator. @param {string} origin */
async function administrator(origin) {
  const login = await fetch(`${origin}/api/auth/login`, { method: "POST", body: JSON.stringify({ password: PASSWORD }) });
  const { token } = await login.json();
  return async (/** @type {string} */ method, /** @type {string} */ path, /** @type {object} */ body) => {
    const request = { method, headers: { cookie: `svc_session=${token}`, origin }, body: JSON.stringify(body) };
    const response = await fetch(origin + path, request);
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  };
}

/** A public site with its events and goals. @param {string} origin */
async function provideSite(origin) {
  const send = await administrator(origin);
  await send("PUT", `/api/sites/${SITE}`, { public: true });
  for (let i = 0; i < GOALS; i++) await send("POST", `/api/goals?site_id=${SITE}`, goalOf(i));
  await postEvents({ origin, seconds: 0, connections: 32, sites: [SITE], events: EVENTS });
}

let requests = 0;

/** One request of each viewer; each resolves with its status. @param {string} origin @param {(n: number) => string} filtersOf */
const askAll = (origin, filtersOf) =>
  Array.from({ length: VIEWERS }, async (_, viewer) => {
    const query = new URLSearchParams({ site_id: SITE, period: "day", filters: filtersOf(++requests) });
    const headers = { "x-share": SITE, "x-forwarded-for": `192.0.2.${viewer + 1}` };
    const response = await fetch(`${origin}/api/stats/main?${query.toString()}`, { headers });
    await response.arrayBuffer();
    return response.status;
  });

/** @param {string} origin @param {(n: number) => string} filtersOf */
function keepAsking(origin, filtersOf) {
  /** @type {Promise<number>[]} */
  const asking = [];
  const timer = setInterval(() => asking.push(...askAll(origin, filtersOf)), WAVE_MS);
  return {
    async stop() {
      clearInterval(timer);
      return (await Promise.all(asking)).length;
    },
  };
}

/** Of the main thread, which takes events. @param {number} pid */
async function mainThreadCpuMs(pid) {
  const status = await readFile(`/proc/${pid}/task/${pid}/schedstat`, "utf8");
  return Number(status.split(" ")[0]) / 1e6;
}

/** The main thread's processor time of a request, and how many had each status. @param {import("./bench-server.mjs").BenchProcess} server @param {(n: number) => string} filtersOf */
async function costOf(server, filtersOf) {
  await untilIdle(server);
  const beforeMs = await mainThreadCpuMs(server.pid);
  const statuses = await Promise.all(askAll(server.origin, filtersOf));
  const cpuMs = ((await mainThreadCpuMs(server.pid)) - beforeMs) / VIEWERS;
  const counts = [...new Set(statuses)].map((status) => `${statuses.filter((other) => other === status).length} × ${status}`);
  return { cpuMs, answers: counts.join(", ") };
}

await buildBenchProgram();
await withTempFolder(async (folder) => {
  const server = await startProgram(folder, { SVC_ADMIN_PASSWORD: PASSWORD, SVC_TRUST_PROXY: "1" });
  await provideSite(server.origin);
  const load = { origin: server.origin, seconds: SECONDS, connections: 32, rate: RATE, sites: [SITE] };
  await postEvents(load);

  /** @type {string[][]} */
  const costs = [];
  for (const [name, filtersOf] of Object.entries(ATTACKS).filter(([known]) => known.includes(WANTED))) {
    const { cpuMs, answers } = await costOf(server, filtersOf);
    costs.push([name, milliseconds(cpuMs), answers]);
    if (ROUNDS === 0) continue;
    const samples = await compareIngestion(server, load, ROUNDS, () => keepAsking(server.origin, filtersOf));
    printTable(
      `POST /api/event at ${whole(RATE)}/s, ${ROUNDS} rounds of ${SECONDS} s; p99 ratio ${twoDecimals(samples.ratio)}, target at most ${TARGET}`,
      LATENCY_HEADS,
      [latencyRow("alone", samples.alone), latencyRow(name, samples.beside)],
    );
  }
  printTable(`${VIEWERS} requests at once, with nothing beside`, ["", "main thread's time of each", "answers"], costs);
  await server.stop();
});
