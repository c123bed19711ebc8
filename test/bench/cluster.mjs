/**
 * Two ingest nodes and a full node with one ClickHouse: posts events through both ingest nodes, kills one with -9 in the middle,
 * restarts it, and shows that every acknowledged event is counted once. A cluster of processes on this machine, on folders of its own.
 * Builds the program, unless one is given. Usage: node test/bench/cluster.mjs [events] [the built program]
 */
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { BENCH_FOLDER, buildBenchProgram } from "./bench-server.mjs";

const EVENTS = Number(process.argv[2] ?? 20_000);
const CONNECTIONS = 16;
const VISIBLE_MS_MAX = 90_000;
const SITE = "cluster.test";
const BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

const pathOf = (name) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const program = process.argv[3] ?? pathOf(`${BENCH_FOLDER}/main.js`);
if (!process.argv[3]) await buildBenchProgram();
const folder = await mkdtemp(join(tmpdir(), "sandpiper-cluster-"));
const running = new Set();
process.once("exit", () => running.forEach((child) => child.kill("SIGKILL")));
const beganMs = performance.now();
const tell = (text) => console.log(`${((performance.now() - beganMs) / 1000).toFixed(1).padStart(6)} s  ${text}`);
const count = (number) => number.toLocaleString("en-US");

/** A process, once its output matches. */
async function start(args, environment, pattern) {
  const child = spawn(process.execPath, args, { env: environment, stdio: ["ignore", "pipe", "inherit"] });
  running.add(child);
  const exited = new Promise((resolve) => child.once("exit", () => resolve(running.delete(child))));
  const origin = await new Promise((resolve, reject) => {
    let printed = "";
    child.stdout.on("data", (chunk) => {
      printed += chunk;
      const match = pattern.exec(printed);
      if (match) resolve(match[1]);
    });
    void exited.then(() => reject(new Error(`a process ended before it listened:\n${printed}`)));
  });
  return { origin, end: (signal) => (child.kill(signal), exited) };
}

const clickhouse = await start([pathOf("test/clickhouse/front.mjs"), join(folder, "clickhouse"), "0"], {}, /(http:\S+)/);

const startNode = (name, role) =>
  start(
    [program],
    {
      SVC_ROLE: role,
      SVC_PORT: "0",
      SVC_DATA_DIR: join(folder, name),
      SVC_SECRET: "one secret for all nodes of this cluster",
      SVC_ENGINE: "clickhouse",
      SVC_CLICKHOUSE_URL: clickhouse.origin,
      SVC_FLUSH_INTERVAL_SECS: "1",
      SVC_CACHE_TTL_SECS: "0",
    },
    /listens on (http:\S+)/,
  );

const [first, second, full] = [await startNode("first", "ingest"), await startNode("second", "ingest"), await startNode("full", "all")];
tell("two ingest nodes and a full node listen");

const acknowledged = [];
const unanswered = [];
let refused = 0;
let next = 0;

/** The status; null without a response. */
function post(origin, agent, path) {
  const body = JSON.stringify({ d: SITE, n: "pageview", u: `https://${SITE}${path}` });
  return new Promise((resolve) => {
    const headers = { "content-length": Buffer.byteLength(body), "user-agent": BROWSER };
    const sent = request(`${origin}/api/event`, { agent, method: "POST", headers }, (response) => {
      response.once("close", () => resolve(response.statusCode)).resume();
    });
    sent.once("error", () => resolve(null)).end(body);
  });
}

/** Posts until all events are sent, or the node does not respond. */
async function postAll(origin) {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const postOn = async () => {
    while (next < EVENTS) {
      const path = `/${next++}`;
      const status = await post(origin, agent, path);
      if (status === 202) acknowledged.push(path);
      else if (status !== null) refused++;
      else return unanswered.push(path);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, postOn));
  agent.destroy();
}

const postingFirst = postAll(first.origin);
const postingSecond = postAll(second.origin);
while (acknowledged.length < EVENTS / 2) await sleep(5);
await first.end("SIGKILL");
await postingFirst;
tell(`the first ingest node is killed with -9: ${count(acknowledged.length)} events are acknowledged, ${unanswered.length} unanswered`);
const restarted = await startNode("first", "ingest");
tell(`it listens again; the second has taken events meanwhile: ${count(acknowledged.length)}`);
await Promise.all([postingSecond, postAll(restarted.origin)]);
const postedMs = performance.now();
tell(`${count(acknowledged.length)} events are acknowledged, ${unanswered.length} unanswered, ${refused} refused`);

const totalOf = async () => {
  const response = await fetch(`${full.origin}/api/stats/main?site_id=${SITE}&period=7d`);
  if (response.status !== 200) throw new Error(await response.text());
  return (await response.json()).total_events;
};
let total = await totalOf();
while (total < acknowledged.length && performance.now() - postedMs < VISIBLE_MS_MAX) {
  await sleep(50);
  total = await totalOf();
}
tell(`the full node counts ${count(total)} events, ${((performance.now() - postedMs) / 1000).toFixed(1)} s after the last one`);

/** How often ClickHouse has each page; every page was posted once. */
const rows = await fetch(`${clickhouse.origin}/?database=sandpiper`, {
  method: "POST",
  body: "SELECT pathname, count() FROM events_data GROUP BY pathname FORMAT TSV",
});
const stored = new Map((await rows.text()).split("\n").map((line) => line.split("\t")));
stored.delete("");
const lost = acknowledged.filter((path) => stored.get(path) !== "1");
const sent = new Set([...acknowledged, ...unanswered]);
const strange = [...stored].filter(([path, times]) => times !== "1" || !sent.has(path));

for (const node of [restarted, second, full]) await node.end("SIGTERM");
await clickhouse.end("SIGTERM");
await rm(folder, { recursive: true });
const isRight =
  lost.length === 0 && strange.length === 0 && acknowledged.length <= total && total <= acknowledged.length + unanswered.length;
tell(
  isRight
    ? "every acknowledged event is counted once"
    : `WRONG: ${lost.length} acknowledged events are not there once, ${strange.length} more`,
);
process.exitCode = isRight ? 0 : 1;
