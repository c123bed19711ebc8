/**
 * One day of one site with very many different paths, each from another page view, and one event each of very many sites, through
 * HTTP. Ends with code 1 when a figure is not exact or a question fails.
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

/** Paths that are seen more than once: the n-th one `FAVOURITES - n` times more. */
const FAVOURITES = 20;

const VISITORS = 5_000;

/** Sites whose figures are asked for, spread over all. */
const SITES_ASKED = 200;

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

/** The path that the event of a number has: each once, then the favourites again. */
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
  // On a busy machine the first question takes long: it is to be answered, not given up.
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
  const ask = (/** @type {string} */ question, site = SITE) =>
    getJson(`${server.origin}/api/stats/${question}${question.includes("?") ? "&" : "?"}site_id=${site}&period=7d`);
  const askAndTime = (/** @type {string} */ question) => timed(question, () => ask(question));

  const events = await timed(`posting ${whole(EVENTS)} events of ${whole(PATHS)} paths`, () =>
    postAll(server.origin, EVENTS, (n) => ({ d: SITE, u: pathOf(numberOf(n)) })),
  );
  const sites = await timed(`posting to ${whole(SITES)} sites`, () =>
    postAll(server.origin, SITES, (n) => ({ d: `site-${n}.test`, u: "/" })),
  );
  expectSame("accepted", [events, sites], [EVENTS, SITES]);
  await timed("until all is in files and nothing goes on", async () => {
    while ((await getJson(`${server.origin}/health/detailed`)).buffered_events > 0)
      await new Promise((resolve) => setTimeout(resolve, 500));
    await untilIdle(server);
  });

  const main = await askAndTime("main");
  expectSame("main", [main.total_events, main.total_pageviews, main.unique_visitors], [EVENTS, EVENTS, Math.min(VISITORS, EVENTS)]);
  const top = await askAndTime("breakdown/pages?limit=1000");
  expectSame("number of pages", top.length, Math.min(1000, PATHS));
  for (let n = 0; n < FAVOURITES; n++) {
    expectSame(`page ${n}`, [top[n]?.value, top[n]?.pageviews], [pathOf(n), 1 + FAVOURITES - n]);
  }
  const middle = pathOf(Math.floor(PATHS / 2));
  const one = await askAndTime(`breakdown/pages?filters=${encodeURIComponent(`pages==${middle}`)}`);
  expectSame("one page", one, [{ value: middle, visitors: 1, pageviews: 1, events: 1 }]);
  const allButOne = await askAndTime(`main?filters=${encodeURIComponent(`pages!=${middle}`)}`);
  expectSame("all pages but one", allButOne.total_events, EVENTS - 1);
  // All paths that begin so.
  const begins = await askAndTime("funnel?steps=page:/article/1*,page:/article/2*&window=1%20day");
  expectSame("steps of a funnel", begins.length, 2);
  expectSame("entry pages", (await askAndTime("breakdown/entry-pages?limit=1000")).length, Math.min(1000, PATHS));
  await askAndTime("timeseries");
  await askAndTime("breakdown/pages?limit=1000");

  const known = await timed("the list of all sites", () => getJson(`${server.origin}/api/sites`));
  expectSame("sites", known.sites.length, SITES + 1);
  await timed(`${SITES_ASKED} of the sites`, async () => {
    for (let n = 0; n < SITES; n += Math.max(1, Math.floor(SITES / SITES_ASKED))) {
      expectSame(`site ${n}`, (await ask("main", `site-${n}.test`)).total_events, 1);
    }
  });
  expectSame("main again", (await askAndTime("main")).total_events, EVENTS);
  clearInterval(looking);
  await server.stop();
}).finally(() => {
  printTable(`${whole(PATHS)} paths, ${whole(SITES)} sites`, ["", "took", "processor time", "resident", "peak so far"], durations);
  for (const line of wrong) console.log(line);
  if (wrong.length > 0) process.exitCode = 1;
});
