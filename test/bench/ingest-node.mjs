/**
 * Events that an ingest node with ClickHouse accepts, beside a program with DuckDB; how long it takes until they are in the answers of
 * another node; and the inserts that they make.
 *
 *   node test/bench/ingest-node.mjs [rounds] [seconds per round] [seconds of visibility]
 *
 * It needs `npm ci --prefix test/clickhouse`, or a server: `CLICKHOUSE_URL=http://user:password@host:8123`. Contenders take turns in
 * each round, so that other load of the machine affects all of them. Here ClickHouse takes its processor time from the same machine.
 */
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { buildBenchProgram, getJson, startProgram, untilIdle, withTempFolder } from "./bench-server.mjs";
import { CLICKHOUSE_NAME, startClickhouse } from "./clickhouse-process.mjs";
import { postEvents } from "./ingestion-load.mjs";
import { median, milliseconds, printTable, progress, twoDecimals, whole } from "./table.mjs";

const ROUNDS = Number(process.argv[2] ?? 5);
const SECONDS = Number(process.argv[3] ?? 4);
const VISIBLE_SECONDS = Number(process.argv[4] ?? 60);
const WARM_UP_SECONDS = 3;
const CONNECTIONS = 32;
const SECRET = { SVC_SECRET: "the same secret on every node" };

/** Background load while visibility and inserts are measured, events per second. */
const STEADY_RATE = 300;
const SITE_COUNTS = [1, 10, 50];
const INSERTS_SECONDS = 20;

const sitesOf = (/** @type {number} */ count) => Array.from({ length: count }, (_, i) => `site-${i}.test`);

/** @typedef {import("./bench-server.mjs").BenchProcess} BenchProcess */
/** @typedef {import("./clickhouse-process.mjs").Clickhouse} Clickhouse */

/** @param {string} folder @param {Clickhouse} clickhouse @param {Record<string, string>} [environment] */
const startIngestNode = (folder, clickhouse, environment = {}) =>
  startProgram(folder, { ...clickhouse.environment, ...SECRET, SVC_ROLE: "ingest", ...environment });

/** @typedef {{ name: string, server: BenchProcess, perSecond: number[], p99Ms: number[], cpuMicros: number[], clickhouseMicros: number[] }} Contender */

/** @param {Contender} contender @param {Clickhouse} clickhouse @param {boolean} isWarmUp */
async function runRound({ name, server, ...samples }, clickhouse, isWarmUp) {
  const cpuBefore = [await server.cpuSecs(), await clickhouse.cpuSecs()];
  const seconds = isWarmUp ? WARM_UP_SECONDS : SECONDS;
  const result = await postEvents({ origin: server.origin, seconds, connections: CONNECTIONS, sites: sitesOf(4) });
  // The CPU time of the remaining flushes belongs to the requests of this round.
  await untilIdle(server);
  if (result.failed > 0) throw new Error(`${name}: ${result.failed} requests failed`);
  progress(`${isWarmUp ? "warm-up" : "round"}, ${name}: ${whole(result.perSecond)} requests/s, p99 ${milliseconds(result.p99Ms)}`);
  if (isWarmUp) return;
  const [own = 0, ofClickhouse = 0] = [await server.cpuSecs(), await clickhouse.cpuSecs()].map(
    (secs, i) => ((secs - (cpuBefore[i] ?? 0)) * 1_000_000) / result.accepted,
  );
  samples.perSecond.push(result.perSecond);
  samples.p99Ms.push(result.p99Ms);
  samples.cpuMicros.push(own);
  samples.clickhouseMicros.push(ofClickhouse);
}

/** @param {string} folder @param {Clickhouse} clickhouse */
async function measureThroughput(folder, clickhouse) {
  /** @type {Contender[]} */
  const contenders = [];
  for (const mode of ["off", "interval", "always"]) {
    const fsync = { SVC_JOURNAL_FSYNC: mode };
    const servers = {
      DuckDB: await startProgram(join(folder, `duckdb-${mode}`), fsync),
      "ingest node": await startIngestNode(join(folder, `ingest-${mode}`), clickhouse, fsync),
    };
    for (const [name, server] of Object.entries(servers)) {
      contenders.push({ name: `${name}, journal_fsync = ${mode}`, server, perSecond: [], p99Ms: [], cpuMicros: [], clickhouseMicros: [] });
    }
  }
  for (let round = 0; round <= ROUNDS; round++) {
    for (const contender of contenders) await runRound(contender, clickhouse, round === 0);
  }
  for (const { server } of contenders) await server.stop();

  const rows = contenders.map(({ name, perSecond, p99Ms, cpuMicros, clickhouseMicros }, i) => {
    const duckdb = contenders[i - (i % 2)];
    const ratio = median(perSecond.map((value, round) => value / (duckdb?.perSecond[round] ?? Number.NaN)));
    const cells = [whole(median(perSecond)), twoDecimals(ratio), milliseconds(median(p99Ms)), `${median(cpuMicros).toFixed(1)} µs`];
    return [name, ...cells, i % 2 === 0 ? "" : `${median(clickhouseMicros).toFixed(1)} µs`];
  });
  printTable(
    `POST /api/event, ${CONNECTIONS} connections, 4 sites, medians of ${ROUNDS} rounds of ${SECONDS} s; ${CLICKHOUSE_NAME}`,
    ["", "requests/s", "of DuckDB", "p99", "processor time a request", "of ClickHouse"],
    rows,
  );
}

const PROBE_SITE = "probe.test";
const PROBE = JSON.stringify({ d: PROBE_SITE, n: "pageview", u: `https://${PROBE_SITE}/` });
const USER_AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const LOOK_MS = 20;

/** @param {string} origin */
async function postProbe(origin) {
  const { status } = await fetch(`${origin}/api/event`, { method: "POST", body: PROBE, headers: { "user-agent": USER_AGENT } });
  if (status !== 202) throw new Error(`an event got ${status}`);
}

/** @param {string} origin */
async function probesAt(origin) {
  const pages = await getJson(`${origin}/api/stats/breakdown/pages?site_id=${PROBE_SITE}&period=day`);
  return pages[0]?.events ?? 0;
}

/** Posts one event after the other, each when the one before it is in the answers. @param {string} accepting @param {string} answering */
async function timesUntilVisible(accepting, answering) {
  const before = await probesAt(answering);
  const times = [];
  for (const endMs = performance.now() + VISIBLE_SECONDS * 1000; performance.now() < endMs;) {
    await postProbe(accepting);
    const postedMs = performance.now();
    while ((await probesAt(answering)) < before + times.length + 1) await setTimeout(LOOK_MS);
    times.push(performance.now() - postedMs);
    // Events arrive at any time between two flushes.
    await setTimeout(Math.random() * 1000);
  }
  return times.sort((a, b) => a - b);
}

/** @param {string} name @param {readonly number[]} times */
const visibleRow = (name, times) => {
  const upTo = (/** @type {number} */ share) => milliseconds(times[Math.ceil(times.length * share) - 1] ?? Number.NaN);
  return [name, String(times.length), upTo(0.5), upTo(0.95), upTo(1)];
};

/** @param {string} folder @param {Clickhouse} clickhouse */
async function measureVisibility(folder, clickhouse) {
  const ingestNode = await startIngestNode(join(folder, "ingest"), clickhouse);
  const fullNode = await startProgram(join(folder, "full"), { ...clickhouse.environment, ...SECRET });
  const load = {
    origin: ingestNode.origin,
    seconds: 2 * VISIBLE_SECONDS + 5,
    connections: CONNECTIONS,
    rate: STEADY_RATE,
    sites: sitesOf(10),
  };
  const steady = postEvents(load);
  progress("visibility of events at another node, then at the node that accepts them");
  const rows = [
    visibleRow("accepted by an ingest node, asked at a full node", await timesUntilVisible(ingestNode.origin, fullNode.origin)),
    visibleRow("accepted and asked at a full node", await timesUntilVisible(fullNode.origin, fullNode.origin)),
  ];
  const { perSecond, failed } = await steady;
  if (failed > 0) throw new Error(`${failed} events failed`);
  await fullNode.stop();
  await ingestNode.stop();
  printTable(
    `from the 202 of an event until it is in an answer, beside ${whole(perSecond)} events/s at 10 sites; ${CLICKHOUSE_NAME}`,
    ["", "events", "p50", "p95", "longest"],
    rows,
  );
}

/** @param {Clickhouse} clickhouse */
const insertsOf = async ({ query }) => Number(await query("SELECT sum(value) FROM system.events WHERE event = 'InsertQuery'"));

/** @param {Clickhouse} clickhouse */
async function partsOf({ query, environment }) {
  return query(`SELECT count() FROM system.parts WHERE active AND database = '${environment["SVC_CLICKHOUSE_DATABASE"]}'`);
}

/** @param {string} folder @param {Clickhouse} clickhouse */
async function measureInserts(folder, clickhouse) {
  const rows = [];
  for (const count of SITE_COUNTS) {
    const node = await startIngestNode(join(folder, `inserts-${count}`), clickhouse);
    const load = { origin: node.origin, connections: CONNECTIONS, rate: STEADY_RATE, sites: sitesOf(count) };
    await postEvents({ ...load, seconds: WARM_UP_SECONDS });
    const before = await insertsOf(clickhouse);
    const { accepted, p99Ms } = await postEvents({ ...load, seconds: INSERTS_SECONDS });
    const inserts = (await insertsOf(clickhouse)) - before;
    await node.stop();
    progress(`${count} sites: ${inserts} inserts`);
    const cells = [(inserts / INSERTS_SECONDS).toFixed(1), (accepted / inserts).toFixed(1), milliseconds(p99Ms)];
    rows.push([String(count), ...cells, await partsOf(clickhouse)]);
  }
  printTable(
    `inserts of an ingest node at ${whole(STEADY_RATE)} events/s; ${CLICKHOUSE_NAME}`,
    ["sites", "inserts/s", "events an insert", "p99 of POST /api/event", "active parts at the end"],
    rows,
  );
}

await buildBenchProgram();
await withTempFolder(async (folder) => {
  const clickhouse = await startClickhouse(folder);
  await measureThroughput(folder, clickhouse);
  await measureVisibility(folder, clickhouse);
  await measureInserts(folder, clickhouse);
  await clickhouse.stop();
});
