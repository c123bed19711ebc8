/**
 * Reports of three years, `period=all`, beside those of twelve months in the same run: right after a start and again, from rollups.
 *
 *   node test/bench/all-time.mjs [events] [days]
 *
 * Results are not cached. Tells whether main, timeseries and each breakdown of all time take less than a second once the program has
 * answered its first request. Exits with code 1 if a response differs from that without rollups, or has not all events.
 */
import { join } from "node:path";
import { buildBenchProgram, withTempFolder } from "./bench-server.mjs";
import { bytesBelow, loadOnce, makeRollups, measureView } from "./dashboard-runs.mjs";
import { differencesOf, pathOf } from "./dashboard-view.mjs";
import { provideEvents, writeToday } from "./generate-events.mjs";
import { duration, mebibytes, printTable, progress, twoDecimals, whole } from "./table.mjs";

const EVENTS = Number(process.argv[2] ?? 1_100_000);
const DAYS = Number(process.argv[3] ?? 1_100);
const TODAY_EVENTS = Math.ceil(EVENTS / DAYS);

/** For a view of all time. Machines differ, so more is no error. */
const VIEW_MS_MAX = 1000;

/** A view: main, the series of a chart, and three cards. @param {Record<string, string>} dates */
const reportsOf = (dates) => [
  pathOf("main", dates),
  pathOf("timeseries", dates),
  pathOf("session-timeseries", dates),
  ...["pages", "sources", "cities"].map((dimension) => pathOf(`breakdown/${dimension}`, { ...dates, limit: 9 })),
];

/** @typedef {{ name: string, paths: readonly string[] }} View */

/** @type {View} */
const YEAR = { name: "12 months", paths: reportsOf({ period: "12mo" }) };

/** @type {readonly View[]} */
const LONG = [
  { name: "all time", paths: reportsOf({ period: "all" }) },
  { name: "all time by the day", paths: reportsOf({ period: "all", interval: "day" }) },
  { name: "all time by the week", paths: reportsOf({ period: "all", interval: "week" }) },
];

/** Fails the run unless the responses are those without rollups. @param {string} folder @param {readonly import("./dashboard-view.mjs").Responses[]} found */
async function expectExact(folder, found) {
  progress("the same without rollups");
  const paths = [...new Set([YEAR, ...LONG].flatMap((view) => view.paths))];
  const { responses, ms } = await loadOnce(folder, "without", paths);
  for (const each of found) {
    const expected = new Map([...responses].filter(([path]) => each.has(path)));
    for (const difference of differencesOf(expected, each)) {
      console.log(`a response differs: ${difference}`);
      process.exitCode = 1;
    }
  }
  const total = JSON.parse(responses.get(pathOf("main", { period: "all" })) ?? "{}").total_events;
  if (total !== EVENTS + TODAY_EVENTS) {
    console.log(`all time has ${total} events instead of ${EVENTS + TODAY_EVENTS}`);
    process.exitCode = 1;
  }
  return ms;
}

await buildBenchProgram();
await withTempFolder(async (folder) => {
  await provideEvents(folder, EVENTS, DAYS);
  await writeToday(folder, TODAY_EVENTS, DAYS + 1);
  progress("making rollups");
  const made = await makeRollups(folder);
  const rolledBytes = await bytesBelow(join(folder, "rollups"));
  const costs = [];
  for (const { name, paths } of [YEAR, ...LONG]) {
    const cost = await measureView(folder, "with", paths);
    progress(`${name}: first ${duration(cost.first.ms)}, again ${duration(cost.again.ms)}`);
    costs.push({ name, cost });
  }
  const withoutMs = await expectExact(
    folder,
    costs.flatMap(({ cost }) => cost.responses),
  );
  const year = costs[0]?.cost;
  printTable(
    `Six reports, ${whole(EVENTS)} events in ${whole(DAYS)} days`,
    ["", "first", "of 12 months", "again", "CPU", "of 12 months", "peak", `below ${VIEW_MS_MAX} ms`],
    costs.map(({ name, cost: { first, again, peakRss } }) => [
      name,
      duration(first.ms),
      twoDecimals(first.ms / (year?.first.ms ?? Number.NaN)),
      duration(again.ms),
      duration(again.cpuMs),
      twoDecimals(again.ms / (year?.again.ms ?? Number.NaN)),
      mebibytes(peakRss),
      again.ms < VIEW_MS_MAX ? "yes" : "no",
    ]),
  );
  printTable(
    "Rollups",
    ["made in", "CPU", "size", "the same reports without them"],
    [[duration(made.ms), duration(made.cpuMs), mebibytes(rolledBytes), duration(withoutMs)]],
  );
});
