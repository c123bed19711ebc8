/** The reports that `clickhouse.mjs` times, the contenders that answer them, and the comparison of their responses. */
import { performance } from "node:perf_hooks";
import { load, pathOf, reportsOf } from "./dashboard-view.mjs";
import { TOP_COUNTRY, TOP_PAGE } from "./generate-events.mjs";
import { median } from "./table.mjs";

const YEAR = { period: "12mo" };

/** Most events are the first step, few the others. */
const STEPS = `page:/articles/*,page:${TOP_PAGE},event:Signup`;

/** A report, or the dashboard's view: paths that are requested four at a time. @typedef {{ name: string, paths: readonly string[], isCold?: boolean }} Report */

/** @param {string} route @param {Record<string, string | number>} [parameters] @returns {Report} */
const year = (route, parameters = {}) => ({ name: route, paths: [pathOf(route, { ...YEAR, ...parameters })] });

/** All over twelve months, except the first. Those that are `isCold` are also timed right after a start. @type {readonly Report[]} */
export const REPORTS = [
  { name: "dashboard, 30 days", paths: reportsOf({ period: "30d" }), isCold: true },
  { name: "dashboard", paths: reportsOf({ period: "12mo" }), isCold: true },
  { name: "dashboard of one country", paths: reportsOf({ period: "12mo", filters: `countries==${TOP_COUNTRY}` }) },
  year("main"),
  year("timeseries"),
  year("session-timeseries"),
  year("breakdown/pages"),
  year("breakdown/cities"),
  year("breakdown/entry-pages"),
  year("goals"),
  year("property-values", { key: "step" }),
  year("revenue"),
  { ...year("funnel", { steps: STEPS }), isCold: true },
  year("sequences", { steps: STEPS }),
  year("retention", { weeks: 8 }),
  year("flow", { page: TOP_PAGE }),
  { ...year("export", { kind: "raw", limit: 20_000 }), name: "export of 20,000 events" },
];

/**
 * @typedef {object} Contender
 * @property {string} name
 * @property {() => Promise<import("./bench-server.mjs").BenchProcess>} start with nothing cached
 */

/**
 * @typedef {object} Timing milliseconds of one report of one contender
 * @property {number} cold of the first response after a start; NaN if not measured
 * @property {number[]} warm
 */

/** Responses of contenders to the same requests, of which the first contender's are right. */
export class Responses {
  /** @type {Map<string, { by: string, text: string }>} */
  #right = new Map();
  /** @type {Set<string>} */
  #differences = new Set();

  /** @param {string} by @param {import("./dashboard-view.mjs").Responses} responses */
  compare(by, responses) {
    for (const [path, text] of responses) {
      const right = this.#right.get(path);
      if (!right) this.#right.set(path, { by, text });
      else if (right.text !== text) this.#differences.add(differenceOf(path, right, { by, text }));
    }
  }

  get differences() {
    return [...this.#differences];
  }
}

const SHOWN_CHARS = 240;

/** Shows both texts from a little before the first character that differs. @param {string} path @param {{ by: string, text: string }[]} both */
function differenceOf(path, ...both) {
  const [right = "", other = ""] = both.map(({ text }) => text);
  let at = 0;
  while (at < right.length && right[at] === other[at]) at++;
  const from = Math.max(0, at - SHOWN_CHARS / 2);
  return [path, ...both.map(({ by, text }) => `  ${by}, from character ${from}: ${text.slice(from, from + SHOWN_CHARS)}`)].join("\n");
}

/** @param {string} origin @param {Report} report */
async function timed(origin, { paths }) {
  const startMs = performance.now();
  const responses = await load(origin, paths);
  return { responses, ms: performance.now() - startMs };
}

/**
 * The first response of a report after a start. Contenders take turns, so that other load of the machine affects all of them.
 * @param {readonly Contender[]} contenders
 * @param {Report} report
 * @param {Responses} all
 * @returns {Promise<number[]>} in the order of the contenders
 */
export async function timeCold(contenders, report, all) {
  const times = [];
  for (const { name, start } of contenders) {
    const server = await start();
    const { responses, ms } = await timed(server.origin, report);
    await server.stop();
    all.compare(name, responses);
    times.push(ms);
  }
  return times;
}

/**
 * Medians of further responses of the report, of contenders that run at the same time and take turns.
 * @param {readonly { name: string, origin: string }[]} servers
 * @param {Report} report
 * @param {number} rounds
 * @param {Responses} all
 */
export async function timeWarm(servers, report, rounds, all) {
  /** @type {number[][]} */
  const times = servers.map(() => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [i, { name, origin }] of servers.entries()) {
      const { responses, ms } = await timed(origin, report);
      all.compare(name, responses);
      // The first loads what is not in memory yet.
      if (round > 0) times[i]?.push(ms);
    }
  }
  return times.map(median);
}
