/**
 * The overview of many sites with a year of days, most of them from rollups: processor time of the first request, of later ones, of
 * other periods, and with sites that get events meanwhile. Compared with the main reports of as many sites in the same run.
 *
 *   node test/bench/overview.mjs [sites] [events per day of a site] [active sites]
 *
 * All sites have the same events. Those of one are generated and its rollups made by the program; the others get copies. Results are
 * not cached. Tells whether repeated requests took less than 100 ms of processor time, which is the aim for 200 sites. Exits with
 * code 1 if the overview differs from the main reports.
 */
import { link, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildBenchProgram, getJson, importSource, untilIdle, withTempFolder } from "./bench-server.mjs";
import { makeRollups, startWith } from "./dashboard-runs.mjs";
import { provideEvents, SITE } from "./generate-events.mjs";
import { duration, mean, median, mebibytes, printTable, progress, twoDecimals, whole } from "./table.mjs";

const SITES = Array.from({ length: Number(process.argv[2] ?? 200) }, (_, i) => `site-${i}.test`);
const DAY_EVENTS = Number(process.argv[3] ?? 50);
const ACTIVE = SITES.slice(0, Number(process.argv[4] ?? 20));

const DAYS = 365;
const ROUNDS = 20;

/** For a repeated request of 200 sites. Machines differ, so more is no error. */
const CPU_MS_MAX = 100;
const USER_AGENT = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36";

const LAST_30_DAYS = "period=30d";
const LAST_90_DAYS = "period=90d";
const LAST_YEAR = "period=12mo";

/** The folder of a site below another. @param {string} folder @param {string} site */
const siteFolder = (folder, site) => join(folder, `site_id=${site}`);

/** Every file below a folder, once more below another: files never change. @param {string} from @param {string} to */
async function linkFolder(from, to) {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, copy] = [join(from, entry.name), join(to, entry.name)];
    await (entry.isDirectory() ? linkFolder(source, copy) : link(source, copy));
  }
}

/** The rollups of `SITE`, by file name. @param {string} folder @param {any} rollupFile */
async function rollupsIn(folder, { openRollup }) {
  const rollups = new Map();
  for (const name of await readdir(folder)) {
    const { header, measure } = openRollup(new Uint8Array(await readFile(join(folder, name))));
    const measures = new Map();
    for (const each of Object.keys(header.measures)) measures.set(each, await measure(each));
    rollups.set(name, { ...header, measures });
  }
  return rollups;
}

/** Gives sites the events and the rollups of `SITE`. A rollup says whose it is. @param {string} folder @param {readonly string[]} sites */
async function copySites(folder, sites) {
  const rollupFile = await importSource("src/storage/rollup-file.ts");
  const [events, rollups] = [join(folder, "events"), join(folder, "rollups")];
  const made = await rollupsIn(siteFolder(rollups, SITE), rollupFile);
  for (const site of sites) {
    await linkFolder(siteFolder(events, SITE), siteFolder(events, site));
    await mkdir(siteFolder(rollups, site), { recursive: true });
    for (const [name, rollup] of made) {
      await writeFile(join(siteFolder(rollups, site), name), await rollupFile.encodeRollup({ ...rollup, siteId: site }));
    }
  }
}

/** @typedef {{ ms: number, cpuMs: number, body: any }} Cost */

/** @param {import("./bench-server.mjs").BenchProcess} server @param {string} path @returns {Promise<Cost>} */
async function ask(server, path) {
  const cpuBefore = await server.cpuSecs();
  const startMs = performance.now();
  const body = await getJson(`${server.origin}/api/stats/${path}`);
  const ms = performance.now() - startMs;
  // The process may still be working for it.
  return { ms, cpuMs: ((await server.cpuSecs()) - cpuBefore) * 1000, body };
}

/** The clock of processor time has steps of 10 ms: its mean over many requests is exact. @param {() => Promise<Cost>} once */
async function asked(once) {
  const costs = [];
  for (let round = 0; round < ROUNDS; round++) costs.push(await once());
  return { ms: median(costs.map(({ ms }) => ms)), cpuMs: mean(costs.map(({ cpuMs }) => cpuMs)), isRepeated: true };
}

/** @param {string} origin @param {string} site @param {number} visitor */
async function post(origin, site, visitor) {
  const body = JSON.stringify({ d: site, n: "pageview", u: `https://${site}/` });
  const headers = { "user-agent": USER_AGENT, "x-forwarded-for": `198.51.100.${visitor % 250}` };
  const { status } = await fetch(`${origin}/api/event`, { method: "POST", body, headers });
  if (status !== 202) throw new Error(`status ${status}`);
}

/** Fails the run if a figure is not that of the main report. @param {string} origin @param {any} overview */
async function check(origin, { sites }) {
  for (const { site_id: site, visitors } of [sites[0], sites.at(-1)]) {
    const main = await getJson(`${origin}/api/stats/main?site_id=${site}&${LAST_30_DAYS}`);
    if (main.unique_visitors === visitors) continue;
    console.log(`${site} has ${main.unique_visitors} visitors, the overview says ${visitors}`);
    process.exitCode = 1;
  }
}

/** @typedef {{ ms: number, cpuMs: number, isRepeated?: boolean }} RowCost */

/** @param {import("./bench-server.mjs").BenchProcess} server @param {(name: string, cost: RowCost) => void} row */
async function measureOverview(server, row) {
  const overview = `overview?limit=${SITES.length}`;
  row("30 days, right after a start, while jobs run", await ask(server, `${overview}&${LAST_30_DAYS}`));
  await untilIdle(server);
  row("30 days, again", await asked(() => ask(server, `${overview}&${LAST_30_DAYS}`)));
  row("12 months, first", await ask(server, `${overview}&${LAST_YEAR}`));
  row("12 months, again", await asked(() => ask(server, `${overview}&${LAST_YEAR}`)));
  row("90 days, first", await ask(server, `${overview}&${LAST_90_DAYS}`));
  let visitor = 0;
  const active = async () => {
    for (const site of ACTIVE) await post(server.origin, site, ++visitor);
    return ask(server, `${overview}&${LAST_30_DAYS}`);
  };
  const { body } = await active();
  await check(server.origin, body);
  row(`30 days, each time after an event of ${ACTIVE.length} sites`, await asked(active));
}

/** The main report of every site, one after the other. @param {import("./bench-server.mjs").BenchProcess} server */
async function mainReports(server) {
  const cost = { ms: 0, cpuMs: 0 };
  for (const site of SITES) {
    const { ms, cpuMs } = await ask(server, `main?site_id=${site}&${LAST_30_DAYS}`);
    cost.ms += ms;
    cost.cpuMs += cpuMs;
  }
  return cost;
}

await buildBenchProgram();
await withTempFolder(async (folder) => {
  await provideEvents(folder, DAY_EVENTS * DAYS, DAYS);
  const made = await makeRollups(folder);
  progress(`rollups of one site made: ${made.stored} of ${DAYS} days`);
  await copySites(
    folder,
    SITES.filter((site) => site !== SITE),
  );
  progress(`${SITES.length} sites copied`);

  const rows = [];
  const row = (/** @type {string} */ name, /** @type {RowCost} */ { ms, cpuMs, isRepeated = false }) => {
    progress(`${name}: ${duration(cpuMs)}`);
    rows.push({ name, ms, cpuMs, isRepeated });
  };
  const server = await startWith(folder, "with");
  await measureOverview(server, row);
  const { peakRss } = await server.memory();
  const main = await mainReports(server);
  row(`main reports of all sites, 30 days`, main);
  await server.kill9();

  printTable(
    `GET /api/stats/overview of ${SITES.length} sites with ${whole(DAY_EVENTS)} events a day for ${DAYS} days, ${made.stored} of them in rollups; ` +
      `peak memory ${mebibytes(peakRss)}`,
    ["", "processor time", "wall time", "share of all main reports"],
    rows.map(({ name, ms, cpuMs }) => [name, duration(cpuMs), duration(ms), `${twoDecimals((100 * cpuMs) / main.cpuMs)} %`]),
  );
  const most = Math.max(...rows.filter(({ isRepeated }) => isRepeated).map(({ cpuMs }) => cpuMs));
  console.log(
    `\nRepeated requests took up to ${duration(most)} of processor time for ${SITES.length} sites, ` +
      `${most < CPU_MS_MAX ? "less" : "NOT less"} than ${CPU_MS_MAX} ms.`,
  );
});
