/**
 * The dashboard's view of the last 30 days and of twelve months, filtered and not, right after a start and again: with rollups and
 * without, by turns in the same run.
 *
 *   node test/bench/dashboard.mjs [events] [days]
 *
 * Also measures what rollups take: the time to make them, their size, and latency of ingestion while dashboards reload. Results are
 * not cached. Exits with code 1 if any response with rollups differs from that without. `20000000 365` takes more than half an hour.
 */
import { join } from "node:path";
import { buildBenchProgram, withTempFolder } from "./bench-server.mjs";
import { bytesBelow, loadOnce, makeRollups, measureView, startWith } from "./dashboard-runs.mjs";
import { differencesOf, everyReport, load, REALTIME, reportsOf } from "./dashboard-view.mjs";
import { provideEvents, SITE, TOP_COUNTRY, TOP_PAGE, writeToday } from "./generate-events.mjs";
import { compareIngestion, LATENCY_HEADS, latencyRow } from "./ingestion-latency.mjs";
import { postEvents } from "./ingestion-load.mjs";
import { duration, fraction, median, mebibytes, printTable, progress, twoDecimals, whole } from "./table.mjs";

const EVENTS = Number(process.argv[2] ?? 1_000_000);
const DAYS = Number(process.argv[3] ?? 365);

/** Today's events: those of an average day in a file, and some in the journal. */
const TODAY_EVENTS = Math.ceil(EVENTS / DAYS);
const JOURNALED_EVENTS = 500;

const INGESTION_ROUNDS = 3;
const INGESTION = { seconds: 8, connections: 32, rate: 1000, sites: [SITE] };

/** @typedef {import("./dashboard-view.mjs").View} View */
/** @typedef {import("./dashboard-runs.mjs").ViewCost} ViewCost */
/** @typedef {{ name: string, without: ViewCost, with: ViewCost }} Comparison */

const MIB = 1024 * 1024;

const BY_PAGE = `pages==${TOP_PAGE}`;
const BY_COUNTRY = `countries==${TOP_COUNTRY}`;

const MONTH = { name: "30 days", period: /** @type {const} */ ("30d") };
const YEAR = { name: "12 months", period: /** @type {const} */ ("12mo") };
const FILTERED = [MONTH, YEAR].flatMap(({ name, period }) => [
  { name: `${name}, one page`, period, filters: BY_PAGE },
  { name: `${name}, one country`, period, filters: BY_COUNTRY },
]);

/** Fails the run if a response is not the expected one. @param {readonly import("./dashboard-view.mjs").Responses[]} all of which the first is expected */
function expectSame([expected = new Map(), ...others]) {
  const differences = others.flatMap((found) => differencesOf(expected, found)).filter((difference) => !difference.startsWith(REALTIME));
  for (const difference of new Set(differences)) console.log(`a response differs: ${difference}`);
  if (differences.length > 0) process.exitCode = 1;
}

/** Measures a view in both ways. @param {string} folder @param {string} name @param {readonly string[]} paths @returns {Promise<Comparison>} */
async function compare(folder, name, paths) {
  const without = await measureView(folder, "without", paths);
  const withRollups = await measureView(folder, "with", paths);
  expectSame([...without.responses, ...withRollups.responses]);
  progress(`${name}: first ${duration(without.first.ms)} without rollups, ${duration(withRollups.first.ms)} with`);
  return { name, without, with: withRollups };
}

/** @param {string} folder @param {readonly (View & { name: string })[]} views @param {readonly string[]} [before] requested before the reports */
async function compareAll(folder, views, before = []) {
  const comparisons = [];
  for (const { name, ...view } of views) comparisons.push(await compare(folder, name, [...before, ...reportsOf(view)]));
  return comparisons;
}

/** Reloads the dashboard until `stop` is called, which resolves with the number of views. @param {string} origin */
function keepReloading(origin) {
  const controller = new AbortController();
  const reloading = (async () => {
    for (let views = 0; ; views++) {
      try {
        await load(origin, [REALTIME, ...reportsOf(views % 2 === 0 ? MONTH : YEAR)], controller.signal);
      } catch (error) {
        if (!controller.signal.aborted) throw error;
        return views;
      }
    }
  })();
  return {
    stop() {
      controller.abort();
      return reloading;
    },
  };
}

/** @param {string} folder @param {import("./dashboard-runs.mjs").Rollups} rollups */
async function ingestionDuringReloads(folder, rollups) {
  progress(`ingestion while dashboards reload, ${rollups} rollups`);
  const server = await startWith(folder, rollups);
  const posted = { ...INGESTION, origin: server.origin };
  await load(server.origin, reportsOf(YEAR));
  await postEvents(posted);
  const latency = await compareIngestion(server, posted, INGESTION_ROUNDS, () => keepReloading(server.origin));
  await server.kill9();
  return latency;
}

/** @typedef {Awaited<ReturnType<typeof ingestionDuringReloads>>} Latency */

/** Writes today's events into a file and the journal. @param {string} folder */
async function addToday(folder) {
  await writeToday(folder, TODAY_EVENTS, DAYS + 1);
  const server = await startWith(folder, "with");
  await postEvents({ origin: server.origin, events: JOURNALED_EVENTS, connections: INGESTION.connections, seconds: 0, sites: [SITE] });
  await server.kill9();
}

const VIEW_HEADS = ["", "without", "CPU", "peak", "with rollups", "CPU", "peak", "ratio", "ratio of CPU"];

/** @param {Comparison} comparison @param {"first" | "again"} visit */
const ratioOf = (comparison, visit) => comparison.with[visit].ms / comparison.without[visit].ms;

/** @param {Comparison} comparison */
const viewRows = (comparison) =>
  /** @type {const} */ (["first", "again"]).map((visit) => {
    const { name, without, with: withRollups } = comparison;
    const cells = (/** @type {ViewCost} */ cost) => [
      duration(cost[visit].ms),
      duration(cost[visit].cpuMs),
      visit === "first" ? mebibytes(cost.peakRss) : "",
    ];
    const ratios = [ratioOf(comparison, visit), withRollups[visit].cpuMs / without[visit].cpuMs];
    return [`${name}, ${visit}`, ...cells(without), ...cells(withRollups), ...ratios.map(fraction)];
  });

/** @param {string} goal @param {number} reached @param {number} atMost @param {(value: number) => string} format */
const goalRow = (goal, reached, atMost, format) => [goal, format(atMost), format(reached), reached <= atMost ? "yes" : "no"];

const percent = (/** @type {number} */ share) => `${(share * 100).toFixed(1)} %`;

const DATA = `${whole(EVENTS)} events in ${DAYS} days`;

/** @param {string} folder with events and no rollups */
async function measureMaking(folder) {
  const every = await everyReport(YEAR.period);
  progress(`every report of ${YEAR.name} without rollups`);
  const without = await loadOnce(folder, "without", every);
  progress("making rollups");
  const made = await makeRollups(folder);
  const withRollups = await loadOnce(folder, "with", every);
  expectSame([without.responses, withRollups.responses]);
  const sizeShare = (await bytesBelow(join(folder, "rollups"))) / (await bytesBelow(join(folder, "events")));
  printTable(
    `making the rollups, ${percent(sizeShare)} of the events' size, and every report of ${YEAR.name} (${every.length}), ${DATA}`,
    ["", "time", "CPU", "peak"],
    [
      ["making them", duration(made.secs * 1000), duration(made.cpuMs), mebibytes(made.peakRss)],
      ["from the start until all are made", duration(made.ms), "", ""],
      ["every report once, without rollups", duration(without.ms), duration(without.cpuMs), ""],
      ["every report once, with rollups", duration(withRollups.ms), duration(withRollups.cpuMs), ""],
    ],
  );
  return { making: made, everyReport: without, sizeShare };
}

/** @param {string} folder */
async function measureViews(folder) {
  const comparisons = await compareAll(folder, [MONTH, YEAR, ...FILTERED]);
  printTable(`eight reports of the dashboard, ${DATA}`, VIEW_HEADS, comparisons.flatMap(viewRows));
  return comparisons;
}

/** @param {string} folder */
async function measureViewsWithToday(folder) {
  await addToday(folder);
  const comparisons = await compareAll(folder, [MONTH, YEAR], [REALTIME]);
  printTable(
    `the same behind \`realtime\`, with ${whole(TODAY_EVENTS + JOURNALED_EVENTS)} events of today in a file and the journal`,
    VIEW_HEADS,
    comparisons.flatMap(viewRows),
  );
}

/** Returns the ratio of p99 with rollups. @param {string} folder */
async function measureIngestion(folder) {
  const latencyRows = (/** @type {Latency} */ { alone, beside, responses }, /** @type {string} */ name) => [
    latencyRow(`alone, ${name} rollups`, alone),
    latencyRow(`during ${twoDecimals(median(responses) / INGESTION.seconds)} views/s, ${name} rollups`, beside),
  ];
  const without = await ingestionDuringReloads(folder, "without");
  const withRollups = await ingestionDuringReloads(folder, "with");
  printTable(`POST /api/event at ${whole(INGESTION.rate)}/s, ${INGESTION_ROUNDS} rounds of ${INGESTION.seconds} s`, LATENCY_HEADS, [
    ...latencyRows(without, "without"),
    ...latencyRows(withRollups, "with"),
  ]);
  return withRollups.ratio;
}

await buildBenchProgram();
await withTempFolder(async (folder) => {
  await provideEvents(folder, EVENTS, DAYS);
  const { making, everyReport: every, sizeShare } = await measureMaking(folder);
  const [month, year] = await measureViews(folder);
  await measureViewsWithToday(folder);
  const p99Ratio = await measureIngestion(folder);
  if (!month || !year) throw new Error("the views of 30 days and of 12 months have to come first");
  printTable(
    "goals for 20,000,000 events in 365 days",
    ["", "at most", "reached", "met"],
    [
      goalRow("12 months, first view, of the time without rollups", ratioOf(year, "first"), 1 / 100, fraction),
      goalRow("12 months, first view", year.with.first.ms, 500, duration),
      goalRow("12 months, again, of the time without rollups", ratioOf(year, "again"), 1 / 200, fraction),
      goalRow("30 days, first view, of the time without rollups", ratioOf(month, "first"), 1 / 20, fraction),
      goalRow("rollups, of the size of the events' Parquet", sizeShare, 0.08, percent),
      goalRow("making them, of the CPU of the eight reports", making.cpuMs / year.without.first.cpuMs, 3, twoDecimals),
      goalRow("making them, of the CPU of every report", making.cpuMs / every.cpuMs, 3, twoDecimals),
      goalRow("ingestion p99 while dashboards reload, of that alone", p99Ratio, 1.5, twoDecimals),
      goalRow("12 months, first view, peak of resident memory", year.with.peakRss, 400 * MIB, mebibytes),
    ],
  );
});
