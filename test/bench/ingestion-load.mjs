/**
 * Posts events as browsers do, from a separate process, so that sending does not take CPU time of the server's process.
 * Started by `postEvents`; prints a `LoadResult` as JSON.
 */
import { spawn } from "node:child_process";
import { Agent, request } from "node:http";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import { numbersFrom } from "../support/seeded-numbers.mjs";

/**
 * @typedef {object} Load
 * @property {string} origin
 * @property {number} seconds
 * @property {number} connections
 * @property {number} [rate]
 * @property {readonly string[]} sites
 * @property {number} [events]
 * @property {number} [botShare] of all requests; none by default
 * @property {boolean} [isForwarded] each request has a client address of a proxy
 */
/** @typedef {{ accepted: number, failed: number, perSecond: number, p50Ms: number, p99Ms: number, maxMs: number }} LoadResult */

const REQUESTS = 2000;
const PAGES = 500;

const USER_AGENTS = [
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36",
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/123.0.0.0 Safari/537.36 Edg/123.0.2420.97",
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4.1 Safari/605.1.15",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4.1 Mobile/15E148 Safari/604.1",
  "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Mobile Safari/537.36",
  "Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:126.0) Gecko/20100101 Firefox/126.0",
];

/** An IPv4 address that is public. @param {() => number} random */
const addressBy = (random) => [20, 256, 256, 256].map((range, i) => Math.floor(random() * range) + (i === 0 ? 80 : 0)).join(".");

/** The client hints that Chromium sends, of which evidence would tell that they are missing. @param {string} userAgent */
function hintsOf(userAgent) {
  const [, version] = / Chrome\/(\d+)/.exec(userAgent) ?? [];
  if (version === undefined) return {};
  const isMobile = userAgent.includes("Android");
  return {
    "sec-ch-ua": `"Chromium";v="${version}", "${userAgent.includes("Edg/") ? "Microsoft Edge" : "Google Chrome"}";v="${version}"`,
    "sec-ch-ua-mobile": isMobile ? "?1" : "?0",
    "sec-ch-ua-platform": isMobile ? '"Android"' : '"Windows"',
  };
}

const BOTS = [
  "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
  "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
  "python-requests/2.32.3",
];

/** Requests with the headers that browsers send along. @param {Load} load */
function requestsOf({ sites, botShare = 0, isForwarded = false }) {
  const random = numbersFrom(3);
  const pick = (/** @type {readonly string[]} */ values) => values[Math.floor(random() * values.length)] ?? "";
  return Array.from({ length: REQUESTS }, () => {
    const site = pick(sites);
    const page = Math.floor(PAGES * random() ** 3);
    const query = random() < 0.1 ? "?utm_source=newsletter&utm_medium=email&utm_campaign=spring" : "";
    /** @type {Record<string, unknown>} */
    const body = {
      d: site,
      n: "pageview",
      u: `https://${site}/articles/${page}/a-title-of-usual-length${query}`,
      w: 360 + 40 * Math.floor(random() * 40),
      t: 0,
    };
    if (random() < 0.4) body["r"] = `https://www.source-${Math.floor(50 * random() ** 3)}.example/search`;
    if (random() < 0.05) Object.assign(body, { n: "Purchase", p: JSON.stringify({ plan: "pro" }), ra: 19.99, rc: "EUR" });
    const userAgent = pick(botShare > 0 && random() < botShare ? BOTS : USER_AGENTS);
    return {
      method: "POST",
      path: "/api/event",
      headers: {
        "content-type": "text/plain;charset=UTF-8",
        "user-agent": userAgent,
        ...hintsOf(userAgent),
        ...(isForwarded && { "x-forwarded-for": addressBy(random) }),
        origin: `https://${site}`,
        referer: `https://${site}/`,
        accept: "*/*",
        "accept-language": "en-US,en;q=0.9",
        "accept-encoding": "gzip, deflate, br",
        "sec-fetch-mode": "no-cors",
      },
      body: JSON.stringify(body),
    };
  });
}

/** @param {Load} load @returns {Promise<LoadResult>} */
export function postEvents(load) {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), JSON.stringify(load)], { stdio: ["ignore", "pipe", "inherit"] });
  let printed = "";
  child.stdout.on("data", (chunk) => (printed += chunk));
  return new Promise((resolve, reject) => {
    child.once("close", (code) => (code === 0 ? resolve(JSON.parse(printed)) : reject(new Error(`the load ended with code ${code}`))));
  });
}

/**
 * Posts each event when it is due, on any free connection. Latency is measured from the due time, so it includes the wait for a
 * connection. Autocannon would send the events of a second in one burst, which delay each other.
 * @param {Load} load @returns {Promise<LoadResult>}
 */
async function postSteadily(load) {
  const { origin, seconds, connections, rate = 1 } = load;
  const requests = requestsOf(load);
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const count = seconds * rate;
  /** @type {number[]} */
  const waitedMs = [];
  let failed = 0;
  const startMs = performance.now();
  const postDue = (/** @type {number} */ at, /** @type {number} */ dueMs) =>
    new Promise((resolve) => {
      const { body, path, headers, method } = requests[at % requests.length] ?? { body: "" };
      const sent = request(
        `${origin}${path}`,
        { agent, method, headers: { ...headers, "content-length": Buffer.byteLength(body) } },
        (response) => {
          if (response.statusCode === 202) waitedMs.push(performance.now() - dueMs);
          else failed++;
          response.once("close", resolve).resume();
        },
      );
      sent.once("error", () => {
        failed++;
        resolve(null);
      });
      sent.end(body);
    });
  const posting = [];
  for (let at = 0; at < count;) {
    for (; at < count && startMs + (at * 1000) / rate <= performance.now(); at++) posting.push(postDue(at, startMs + (at * 1000) / rate));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(posting);
  const secs = (performance.now() - startMs) / 1000;
  agent.destroy();
  waitedMs.sort((a, b) => a - b);
  const upTo = (/** @type {number} */ share) => waitedMs[Math.ceil(waitedMs.length * share) - 1] ?? Number.NaN;
  return {
    accepted: waitedMs.length,
    failed,
    perSecond: waitedMs.length / secs,
    p50Ms: upTo(0.5),
    p99Ms: upTo(0.99),
    maxMs: upTo(1),
  };
}

/** Posts on each connection as soon as it has the previous response. @param {Load} load @returns {Promise<LoadResult>} */
async function post(load) {
  const { origin, seconds, connections, events } = load;
  const result = await autocannon({
    url: origin,
    connections,
    requests: requestsOf(load),
    ...(events === undefined ? { duration: seconds } : { amount: events }),
  });
  return {
    accepted: result["2xx"],
    failed: result.non2xx + result.errors,
    perSecond: result["2xx"] / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    maxMs: result.latency.max,
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  /** @type {Load} */
  const load = JSON.parse(process.argv[2] ?? "");
  process.stdout.write(JSON.stringify(await (load.rate === undefined ? post(load) : postSteadily(load))));
}
