/** The requests with which the dashboard opens a view: eight reports, at most four at a time, as a browser sends them. */
import { importSource } from "./bench-server.mjs";
import { SITE } from "./generate-events.mjs";

/** Requests of one dashboard that run at the same time: `REQUESTS_MAX` in `dashboard/api/reports.ts`. */
const REQUESTS_AT_ONCE = 4;

const DAY_MS = 86_400_000;
const DAYS = { "30d": 30, "12mo": 365 };

/** Rows that the dashboard requests of a card's list and of its map. */
const LIST_ROWS = 9;
const MAP_ROWS = 300;

/** @typedef {{ period: keyof typeof DAYS, filters?: string }} View */

/** @param {string} report @param {Record<string, string | number>} parameters */
export const pathOf = (report, parameters) =>
  `/api/stats/${report}?${new URLSearchParams(Object.entries({ site_id: SITE, ...parameters }).map(([name, value]) => [name, String(value)]))}`;

const WEEK_DAYS = 7;

/**
 * The period before on the same weekdays, with which the dashboard compares. It is whole here: a window that ends at the present time
 * of day would differ between two runs.
 * @param {number} days
 */
function previousPeriod(days) {
  const back = Math.ceil(days / WEEK_DAYS) * WEEK_DAYS;
  const dayBefore = (/** @type {number} */ count) => new Date(Date.now() - count * DAY_MS).toISOString().slice(0, 10);
  return { start: dayBefore(back + days - 1), end: dayBefore(back) };
}

/** The eight reports of a view, in the order in which the components of the page send them. @param {View} view */
export function reportsOf({ period, filters }) {
  const filtered = filters === undefined ? {} : { filters };
  const scope = { period, ...filtered };
  const { start, end } = previousPeriod(DAYS[period]);
  return [
    pathOf("timeseries", scope),
    pathOf("timeseries", { start_date: start, end_date: end, ...filtered }),
    pathOf("main", { ...scope, compare: "custom", compare_start_date: start, compare_end_date: end }),
    pathOf("breakdown/browsers", { ...scope, limit: LIST_ROWS }),
    pathOf("breakdown/sources", { ...scope, limit: LIST_ROWS }),
    pathOf("breakdown/pages", { ...scope, limit: LIST_ROWS }),
    pathOf("breakdown/countries", { ...scope, limit: MAP_ROWS }),
    pathOf("goals", scope),
  ];
}

/** The number of current visitors, which the page requests before its reports. It changes with time, so it cannot be compared. */
export const REALTIME = pathOf("realtime", {});

/**
 * Every report that is computed from partial aggregates of days: those of the first view, and those behind its tabs.
 * @param {View["period"]} period
 */
export async function everyReport(period) {
  const { DIMENSIONS, SESSION_DIMENSIONS } = await importSource("src/runtime/query/filters.ts");
  const breakdowns = [...DIMENSIONS, ...SESSION_DIMENSIONS].map((dimension) => `breakdown/${dimension}`);
  const others = ["main", "timeseries", "session-timeseries", "goals", "revenue", "properties"];
  return [
    ...[...others, ...breakdowns].map((report) => pathOf(report, { period })),
    ...["plan", "step"].map((key) => pathOf("property-values", { period, key })),
  ];
}

/** @typedef {Map<string, string>} Responses the text of each response by its path */

/**
 * Sends the requests in order, each as soon as one of the four before it has its response.
 * @param {string} origin
 * @param {readonly string[]} paths
 * @param {AbortSignal} [signal] ends it early with an AbortError
 * @returns {Promise<Responses>}
 */
export async function load(origin, paths, signal) {
  /** @type {Responses} */
  const responses = new Map();
  const waiting = [...paths];
  const sendWaiting = async () => {
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      const response = await fetch(`${origin}${path}`, signal ? { signal } : {});
      const text = await response.text();
      if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`);
      responses.set(path, text);
    }
  };
  await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, sendWaiting));
  return responses;
}

/**
 * Which responses differ.
 * @param {Responses} expected
 * @param {Responses} found
 */
export function differencesOf(expected, found) {
  const paths = [...new Set([...expected.keys(), ...found.keys()])];
  return paths
    .filter((path) => expected.get(path) !== found.get(path))
    .map((path) => `${path}\n  expected ${expected.get(path)?.slice(0, 500)}\n  found    ${found.get(path)?.slice(0, 500)}`);
}
