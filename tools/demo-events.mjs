/** Generates a realistic year of events for a demo site, written as the Parquet files of a data folder. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { numbersFrom } from "../test/support/seeded-numbers.mjs";
import { importSource } from "../test/bench/bench-server.mjs";

export const DEMO_SITE = "lighthouse.example";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

const PAGES = [
  ["/", 30],
  ["/pricing", 14],
  ["/blog", 9],
  ["/blog/quiet-analytics", 12],
  ["/blog/counting-without-cookies", 9],
  ["/docs", 8],
  ["/docs/getting-started", 7],
  ["/docs/api", 5],
  ["/changelog", 4],
  ["/about", 3],
  ["/contact", 2],
  ["/blog/a-year-of-numbers", 4],
  ["/docs/self-hosting", 4],
];
const SOURCES = [
  [null, null, 40],
  ["https://www.google.com/", "Google", 26],
  ["https://news.ycombinator.com/", "Hacker News", 9],
  ["https://duckduckgo.com/", "DuckDuckGo", 6],
  ["https://www.reddit.com/", "Reddit", 5],
  ["https://github.com/", "GitHub", 5],
  ["https://www.bing.com/", "Bing", 3],
  ["https://lobste.rs/", "lobste.rs", 2],
  ["https://chatgpt.com/", "ChatGPT", 3],
  ["https://mastodon.social/", "Mastodon", 2],
];
const COUNTRIES = [
  ["US", 26],
  ["DE", 15],
  ["GB", 9],
  ["FR", 7],
  ["NL", 6],
  ["CA", 5],
  ["IN", 6],
  ["BR", 4],
  ["ES", 3],
  ["SE", 3],
  ["AU", 3],
  ["JP", 3],
  ["PL", 2],
  ["IT", 3],
  ["CH", 2],
  ["ZA", 1],
  ["MX", 2],
  ["KR", 1],
  ["NO", 1],
  ["AR", 1],
  ["KE", 1],
  ["ID", 1],
];
const SYSTEMS = [
  ["Windows", "11", "Chrome", "147", "desktop", "1920", 22],
  ["macOS", "15", "Safari", "19", "desktop", "1512", 16],
  ["macOS", "15", "Chrome", "147", "desktop", "1728", 12],
  ["iOS", "19", "Safari", "19", "mobile", "393", 20],
  ["Android", "16", "Chrome", "147", "mobile", "412", 15],
  ["Linux", null, "Firefox", "150", "desktop", "2560", 8],
  ["Windows", "11", "Edge", "147", "desktop", "1920", 5],
  ["Windows", "10", "Firefox", "150", "desktop", "1366", 4],
  ["iPadOS", "19", "Safari", "19", "tablet", "834", 3],
];

const totals = new Map();
/** One row, chosen at random; the last element of each row is its weight. */
function pick(rows, random) {
  if (!totals.has(rows))
    totals.set(
      rows,
      rows.reduce((sum, row) => sum + row.at(-1), 0),
    );
  let left = random() * totals.get(rows);
  return rows.find((row) => (left -= row.at(-1)) < 0) ?? rows[0];
}

/** Visits of a day: fewer on weekends, growing over the year, with a launch eleven days ago. */
function visitsOf(day, daysAgo, random) {
  const weekday = new Date(day).getUTCDay();
  const weekly = weekday === 0 || weekday === 6 ? 0.62 : 1;
  const launch = daysAgo === 11 ? 2.1 : daysAgo === 10 ? 1.6 : 1;
  return Math.round((140 + (365 - daysAgo) * 0.9) * weekly * launch * (0.88 + random() * 0.24));
}

function visit(startMs, random, events) {
  const [referrer, referrerSource] = pick(SOURCES, random);
  const [os, osVersion, browser, browserVersion, deviceType, screenSize] = pick(SYSTEMS, random);
  const tagged = random() < 0.1;
  const visitor = {
    siteId: DEMO_SITE,
    visitorId: (BigInt(Math.floor(random() * 2 ** 32)) << 32n) | BigInt(Math.floor(random() * 2 ** 32)),
    hostname: DEMO_SITE,
    referrer,
    referrerSource,
    countryCode: pick(COUNTRIES, random)[0],
    region: null,
    city: null,
    browser,
    browserVersion,
    os,
    osVersion,
    deviceType,
    screenSize,
    utmSource: tagged ? "newsletter" : null,
    utmMedium: tagged ? "email" : null,
    utmCampaign: tagged ? (random() < 0.6 ? "autumn-letter" : "launch") : null,
    utmContent: null,
    utmTerm: null,
  };
  const event = (timestampMs, eventName, pathname, props = null, revenueCents = null, currency = null) =>
    events.push({
      ...visitor,
      timestampMs: Math.round(timestampMs),
      eventName,
      pathname,
      props: props && JSON.stringify(props),
      revenueCents,
      currency,
    });
  let atMs = startMs;
  let page = pick(PAGES, random)[0];
  event(atMs, "pageview", page);
  while (random() < 0.52) {
    atMs += 8_000 + random() * 110_000;
    page = page === "/" && random() < 0.35 ? "/pricing" : pick(PAGES, random)[0];
    event(atMs, "pageview", page);
  }
  if (page === "/pricing" && random() < 0.4) {
    atMs += 40_000;
    const plan = random() < 0.7 ? "free" : "pro";
    event(atMs, "Signup", "/pricing", { plan });
    if (plan === "pro" || random() < 0.1)
      event(
        atMs + 60_000,
        "Purchase",
        "/pricing",
        { plan: "pro", seats: 1 + Math.floor(random() * 5) },
        900 * (1 + Math.floor(random() * 12)),
        random() < 0.75 ? "EUR" : "USD",
      );
  }
  if (random() < 0.06) event(atMs + 5_000, "Outbound Link: Click", page, { url: "https://github.com/" });
  if (random() < 0.03) event(atMs + 9_000, "File Download", page, { url: "/files/handbook.pdf" });
}

/** Writes the `days` days up to `nowMs` into a data folder. */
export async function writeDemo(dataFolder, nowMs = Date.now(), days = 365) {
  const { encodeEvents } = await importSource("src/storage/parquet-events.ts");
  const { partitionKey } = await importSource("src/storage/partition-path.ts");
  const random = numbersFrom(7);
  const todayMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
  for (let ago = days - 1; ago >= 0; ago--) {
    const dayMs = todayMs - ago * DAY_MS;
    const events = [];
    for (let n = visitsOf(dayMs, ago, random); n > 0; n--) {
      const hour = 13 + (random() + random() + random() - 1.5) * 8;
      visit(dayMs + Math.floor(hour * 3_600_000 + random() * 3_600_000), random, events);
    }
    if (ago === 0) for (let n = 0; n < 26; n++) visit(nowMs - Math.floor(random() * 4.8 * MINUTE_MS), random, events);
    const ofDay = events
      .filter(({ timestampMs }) => timestampMs >= dayMs && timestampMs < Math.min(dayMs + DAY_MS, nowMs))
      .sort((a, b) => a.timestampMs - b.timestampMs);
    if (ofDay.length === 0) continue;
    const path = join(dataFolder, partitionKey(DEMO_SITE, new Date(dayMs).toISOString().slice(0, 10), days - ago, days - ago));
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, encodeEvents(ofDay));
  }
}
