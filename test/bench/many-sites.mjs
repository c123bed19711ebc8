/**
 * Many sites in workerd, an object each, compared with one site alone in the same run: ingestion, the first and later answers of
 * statistics, and memory of the isolate.
 *
 *   node test/bench/many-sites.mjs [rounds] [events per round] [sites] [busy sites]
 *
 * All sites have events. Those that are not busy are idle meanwhile. On this machine all objects run in one isolate and one thread, so
 * the ratios show what sites cost each other, and not what separate machines would give.
 */
import { join } from "node:path";
import { buildWorker } from "../../adapters/workerd/build.mjs";
import { getJson, withTempFolder } from "./bench-server.mjs";
import { postEvents } from "./ingestion-load.mjs";
import { mebibytes, median, milliseconds, printTable, progress, twoDecimals, whole } from "./table.mjs";
import { inspectIsolate, startWorkerd, usedBytes, WORKER_FOLDER } from "./workerd-process.mjs";

const ROUNDS = Number(process.argv[2] ?? 5);
const EVENTS = Number(process.argv[3] ?? 2000);
const SITES = Array.from({ length: Number(process.argv[4] ?? 200) }, (_, i) => `site-${i}.test`);
const BUSY = SITES.slice(0, Number(process.argv[5] ?? 20));
const ALONE = ["alone.test"];
const CONNECTIONS = 32;
const FIRST_EVENTS = 5;
const USER_AGENT = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36";

/** @param {{ origin: string }} server @param {readonly string[]} sites */
const load = ({ origin }, sites) => postEvents({ origin, seconds: 0, events: EVENTS, connections: CONNECTIONS, sites });

/** @param {string} origin @param {string} site */
async function ask(origin, site) {
  const startMs = performance.now();
  const { total_events: events } = await getJson(`${origin}/api/stats/main?site_id=${site}&period=7d`);
  return { events: Number(events), ms: performance.now() - startMs };
}

/** @param {string} origin */
async function ingested(origin) {
  const metrics = await (await fetch(`${origin}/metrics`)).text();
  return Number(/^svc_events_ingested_total (\d+)$/m.exec(metrics)?.[1]);
}

/** @param {readonly { perSecond: number, p99Ms: number }[]} results */
const row = (results) => [
  whole(median(results.map(({ perSecond }) => perSecond))),
  milliseconds(median(results.map(({ p99Ms }) => p99Ms))),
];

await buildWorker(WORKER_FOLDER);
await withTempFolder(async (folder) => {
  const server = await startWorkerd({ folder: join(folder, "workerd"), environment: { SVC_ENGINE_MEMORY_MB: "16" }, isInspected: true });
  const isolate = await inspectIsolate(server.miniflare);
  const memory = async () => [mebibytes(usedBytes(await isolate.heap())), mebibytes(await server.rss())];
  let accepted = 0;
  const count = (/** @type {{ accepted: number, failed: number }} */ result) => {
    if (result.failed > 0) throw new Error(`${result.failed} requests failed`);
    accepted += result.accepted;
  };
  await (await fetch(`${server.origin}/health`)).text();
  const memories = [["registry alone", ...(await memory())]];

  for (const site of SITES) {
    for (let event = 0; event < FIRST_EVENTS; event++) {
      const body = JSON.stringify({ d: site, n: "pageview", u: `https://${site}/${event}` });
      const { status } = await fetch(`${server.origin}/api/event`, { method: "POST", body, headers: { "user-agent": USER_AGENT } });
      if (status !== 202) throw new Error(`status ${status}`);
      accepted++;
    }
  }
  memories.push([`${SITES.length} sites with events`, ...(await memory())]);

  /** @type {{ alone: any[], busy: any[] }} */
  const results = { alone: [], busy: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, sites] of /** @type {const} */ ([
      ["alone", ALONE],
      ["busy", BUSY],
    ])) {
      const result = await load(server, sites);
      count(result);
      progress(`round ${round}, ${name}: ${whole(result.perSecond)} requests/s`);
      if (round > 0) results[name].push(result);
    }
  }
  memories.push([`${BUSY.length} of them busy`, ...(await memory())]);

  const first = [];
  for (const site of [...ALONE, ...SITES]) first.push(await ask(server.origin, site));
  memories.push(["all of them asked", ...(await memory())]);
  const counted = first.reduce((sum, { events }) => sum + events, 0);
  if (counted !== accepted) throw new Error(`${accepted} events were accepted, ${counted} are counted`);
  if ((await ingested(server.origin)) !== accepted) throw new Error("the metrics have another number of events");

  /** @type {{ quiet: number[], loaded: number[] }} */
  const answers = { quiet: [], loaded: [] };
  const asked = SITES.at(-1) ?? "";
  for (let i = 0; i < 20; i++) answers.quiet.push((await ask(server.origin, asked)).ms);
  const posting = load(server, BUSY);
  for (let i = 0; i < 20; i++) answers.loaded.push((await ask(server.origin, asked)).ms);
  count(await posting);

  const idle = median(first.slice(1 + BUSY.length).map(({ ms }) => ms));
  const ratio = median(results.busy.map(({ perSecond }) => perSecond)) / median(results.alone.map(({ perSecond }) => perSecond));
  printTable(
    `POST /api/event, ${CONNECTIONS} connections, medians of ${ROUNDS} rounds of ${whole(EVENTS)} events, with ${SITES.length} sites deployed`,
    ["", "requests/s", "p99"],
    [
      ["one site alone", ...row(results.alone)],
      [`${BUSY.length} sites at once`, ...row(results.busy)],
      ["ratio", twoDecimals(ratio), ""],
    ],
  );
  printTable(
    "GET /api/stats/main of an idle site with five events, medians",
    ["", "time"],
    [
      ["first answer", milliseconds(idle)],
      ["later answers", milliseconds(median(answers.quiet))],
      [`later answers, ${BUSY.length} other sites busy`, milliseconds(median(answers.loaded))],
    ],
  );
  printTable("memory", ["", "JavaScript in the isolate", "the whole process"], memories);
  isolate.close();
  await server.stop();
});
