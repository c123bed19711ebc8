/**
 * One day of a site with a very large number of distinct paths, and a very large number of sites with one event each, all posted
 * over HTTP. Exits with code 1 if a result is not exact or a query fails.
 *
 *   node test/bench/overload.mjs [paths] [sites]
 */
import { Agent, request } from "node:http";
import { buildBenchProgram, getJson, startProgram, untilIdle, withTempFolder } from "./bench-server.mjs";
import { mebibytes, milliseconds, printTable, progress, twoDecimals, whole } from "./table.mjs";

const PATHS = Number(process.argv[2] ?? 1_000_000);
const SITES = Number(process.argv[3] ?? 10_000);
const CONNECTIONS = 32;
const LOOK_MS = 30_000;

const SITE = "paths.test";

/** The number of paths with more than one page view: the n-th has `FAVOURITES - n` more. */
const FAVOURITES = 20;

const VISITORS = 5_000;

/** The number of sites that are queried, spread over all. */
const SITES_QUERIED = 200;

const pathOf = (/** @type {number} */ n) => `/article/${n}/a-title-of-usual-length`;

/** @param {string} origin @param {number} count @param {(n: number) => { d: string, u: string }} eventOf */
async function postAll(origin, count, eventOf) {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  let next = 0;
  let accepted = 0;
  const postOn = async () => {
    while (next < count) {
      const number = next++;
      const body = JSON.stringify({ n: "pageview", ...eventOf(number) });
      const headers = {
        "content-length": Buffer.byteLength(body),
        "x-forwarded-for": `10.0.${(number % VISITORS) >> 8}.${(number % VISITORS) & 255}`,
      };
      const status = await new Promise((resolve, reject) => {
        const sent = request(`${origin}/api/event`, { agent, method: "POST", headers }, (response) => {
          response.once("end", () => resolve(response.statusCode)).resume();
        });
        sent.once("error", reject);
        sent.end(body);
      });
      if (status === 202) accepted++;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, postOn));
  agent.destroy();
  return accepted;
}

/** @type {string[]} */
const wrong = [];

/** @param {string} what @param {unknown} found @param {unknown} wanted */
function expectSame(what, found, wanted) {
  if (JSON.stringify(found) !== JSON.stringify(wanted))
    wrong.push(`${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`);
}

/** @type {string[][]} */
const durations = [];

/** The path of the event with this number: each path once, then the favourites again. */
function numberOf(/** @type {number} */ event) {
  if (event < PATHS) return event;
  let left = event - PATHS;
  for (let path = 0; path < FAVOURITES; path++) {
    if (left < FAVOURITES - path) return path;
    left -= FAVOURITES - path;
  }
  throw new Error(`no event ${event}`);
}

const EVENTS = PATHS + (FAVOURITES * (FAVOURITES + 1)) / 2;

await buildBenchProgram();
await withTempFolder(async (folder) => {
  // The first query takes long on a busy machine and must not time out.
  const server = await startProgram(folder, { SVC_TRUST_PROXY: "1", SVC_REQUEST_TIMEOUT_SECS: "300" });
  const looking = setInterval(() => void server.memory().then(({ rss }) => progress(`${mebibytes(rss)} resident`)), LOOK_MS);
  const timed = async (/** @type {string} */ what, /** @type {() => Promise<any>} */ task) => {
    const [beganMs, beganCpuSecs] = [performance.now(), await server.cpuSecs()];
    const result = await task();
    const [tookMs, cpuSecs] = [performance.now() - beganMs, (await server.cpuSecs()) - beganCpuSecs];
    const { rss, peakRss } = await server.memory();
    durations.push([what, milliseconds(tookMs), `${twoDecimals(cpuSecs)} s`, mebibytes(rss), mebibytes(peakRss)]);
    progress(durations.at(-1)?.join("  ") ?? "");
    return result;
  };
  const fetchStats = (/** @type {string} */ query, site = SITE) =>
    getJson(`${server.origin}/api/stats/${query}${query.includes("?") ? "&" : "?"}site_id=${site}&period=7d`);
  const timedStats = (/** @type {string} */ query) => timed(query, () => fetchStats(query));

  const events = await timed(`posting ${whole(EVENTS)} events of ${whole(PATHS)} paths`, () =>
    postAll(server.origin, EVENTS, (n) => ({ d: SITE, u: pathOf(numberOf(n)) })),
  );
  const sites = await timed(`posting to ${whole(SITES)} sites`, () =>
    postAll(server.origin, SITES, (n) => ({ d: `site-${n}.test`, u: "/" })),
  );
  expectSame("accepted", [events, sites], [EVENTS, SITES]);
  await timed("until all events are flushed and the process is idle", async () => {
    while ((await getJson(`${server.origin}/health/detailed`)).buffered_events > 0)
      await new Promise((resolve) => setTimeout(resolve, 500));
    await untilIdle(server);
  });

  const main = await timedStats("main");
  expectSame("main", [main.total_events, main.total_pageviews, main.unique_visitors], [EVENTS, EVENTS, Math.min(VISITORS, EVENTS)]);
  const top = await timedStats("breakdown/pages?limit=1000");
  expectSame("number of pages", top.length, Math.min(1000, PATHS));
  for (let n = 0; n < FAVOURITES; n++) {
    expectSame(`page ${n}`, [top[n]?.value, top[n]?.pageviews], [pathOf(n), 1 + FAVOURITES - n]);
  }
  const middle = pathOf(Math.floor(PATHS / 2));
  const one = await timedStats(`breakdown/pages?filters=${encodeURIComponent(`pages==${middle}`)}`);
  expectSame("one page", one, [{ value: middle, visitors: 1, pageviews: 1, events: 1 }]);
  const allButOne = await timedStats(`main?filters=${encodeURIComponent(`pages!=${middle}`)}`);
  expectSame("all pages but one", allButOne.total_events, EVENTS - 1);
  // Wildcards that match many paths.
  const begins = await timedStats("funnel?steps=page:/article/1*,page:/article/2*&window=1%20day");
  expectSame("steps of a funnel", begins.length, 2);
  expectSame("entry pages", (await timedStats("breakdown/entry-pages?limit=1000")).length, Math.min(1000, PATHS));
  await timedStats("timeseries");
  await timedStats("breakdown/pages?limit=1000");

  const known = await timed("the list of all sites", () => getJson(`${server.origin}/api/sites`));
  expectSame("sites", known.sites.length, SITES + 1);
  await timed(`${SITES_QUERIED} of the sites`, async () => {
    for (let n = 0; n < SITES; n += Math.max(1, Math.floor(SITES / SITES_QUERIED))) {
      expectSame(`site ${n}`, (await fetchStats("main", `site-${n}.test`)).total_events, 1);
    }
  });
  expectSame("main again", (await timedStats("main")).total_events, EVENTS);
  clearInterval(looking);
  await server.stop();
}).finally(() => {
  printTable(`${whole(PATHS)} paths, ${whole(SITES)} sites`, ["", "time", "CPU time", "resident", "peak so far"], durations);
  for (const line of wrong) console.log(line);
  if (wrong.length > 0) process.exitCode = 1;
});
