/**
 * Generates realistic traffic of a site, the same for the same seed: few pages get most views, visitors return within a day, and
 * some events have a campaign, properties or revenue.
 *
 *   node test/bench/generate-events.mjs <data folder> [events] [days]
 *
 * writes them as the program does, one file per day, up to yesterday.
 */
import { cp, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { numbersFrom } from "../support/seeded-numbers.mjs";
import { BENCH_FOLDER, importSource } from "./bench-server.mjs";
import { progress } from "./table.mjs";

export const SITE = "bench.test";
export const EVENTS = 1_000_000;
export const DAYS = 30;

const DAY_MS = 86_400_000;
const SEED = 20_260_315;

const PAGES = 3_000;
const COUNTRIES = 60;
const CITIES = 2_000;
const REGIONS = 400;
const SOURCES = 300;
const EVENTS_PER_VISITOR = 4;

/** @typedef {() => number} Random from 0 to below 1 */

/**
 * Draws ranks from 0, by Zipf's law: a binary search in the cumulative shares.
 * @param {number} count
 * @param {number} [exponent]
 */
function zipf(count, exponent = 1) {
  const sums = new Float64Array(count);
  let sum = 0;
  for (let rank = 0; rank < count; rank++) sums[rank] = sum += 1 / (rank + 1) ** exponent;
  return (/** @type {Random} */ random) => {
    const wanted = random() * sum;
    let [low, high] = [0, count - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] ?? 0) < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

const pageRank = zipf(PAGES);
const cityRank = zipf(CITIES);
const sourceRank = zipf(SOURCES, 1.2);
const browserRank = zipf(6, 1.5);
const systemRank = zipf(5);
const campaignRank = zipf(40);

const pathOf = (/** @type {number} */ rank) => `/articles/${rank}/a-title-of-usual-length`;
const letter = (/** @type {number} */ n) => String.fromCharCode(65 + (n % 26));
const countryOf = (/** @type {number} */ city) => {
  const country = city % COUNTRIES;
  return letter(Math.floor(country / 26)) + letter(country);
};

/** The values with the most events. */
export const TOP_PAGE = pathOf(0);
export const TOP_COUNTRY = countryOf(0);

const BROWSERS = ["Chrome", "Safari", "Firefox", "Edge", "Samsung Internet", "Opera"];
const SYSTEMS = ["Windows", "iOS", "Android", "macOS", "Linux"];
const DEVICES = ["desktop", "mobile", "mobile", "desktop", "desktop"];
const GOALS = ["Signup", "Download", "Outbound Link: Click", "Purchase"];

/** What stays the same from one event of a visitor to the next. @param {Random} random */
function visitorFrom(random) {
  const city = cityRank(random);
  const system = systemRank(random);
  const referred = random() < 0.55;
  const source = sourceRank(random);
  const tagged = random() < 0.12;
  return {
    visitorId: (BigInt(Math.floor(random() * 2 ** 32)) << 32n) | BigInt(Math.floor(random() * 2 ** 32)),
    hostname: SITE,
    referrer: referred ? `https://www.source-${source}.example/` : null,
    referrerSource: referred ? `source-${source}.example` : null,
    countryCode: countryOf(city),
    region: `Region ${city % REGIONS}`,
    city: `City ${city}`,
    browser: BROWSERS[browserRank(random)] ?? null,
    browserVersion: String(110 + Math.floor(random() * 15)),
    os: SYSTEMS[system] ?? null,
    osVersion: String(10 + Math.floor(random() * 8)),
    deviceType: DEVICES[system] ?? null,
    screenSize: String(360 + 40 * Math.floor(random() * 40)),
    utmSource: tagged ? "newsletter" : null,
    utmMedium: tagged ? "email" : null,
    utmCampaign: tagged ? `campaign-${campaignRank(random)}` : null,
    utmContent: null,
    utmTerm: null,
  };
}

const { UNRECORDED } = await importSource("src/storage/event.ts");

/** The variety of texts: as on most sites, or with texts that mostly occur once or twice. @typedef {"usual" | "many"} Texts */

/** Landing pages of links, and names in properties, for `many` texts. */
const LINKS_PER_SOURCE = 5_000;
const NAMES = 1_000_000;

/**
 * The events of one day, in order of time. A few hundred visitors are active at any time.
 * @param {number} dayStartMs
 * @param {number} count
 * @param {Random} random
 * @param {Texts} [texts]
 */
export function eventsOfDay(dayStartMs, count, random, texts = "usual") {
  const present = Array.from({ length: Math.min(300, Math.ceil(count / EVENTS_PER_VISITOR)) }, () => visitorFrom(random));
  const times = Float64Array.from({ length: count }, () => dayStartMs + Math.floor(random() * DAY_MS)).sort();
  return Array.from(times, (timestampMs) => {
    const at = Math.floor(random() * present.length);
    const visitor = present[at] ?? visitorFrom(random);
    if (random() < 1 / EVENTS_PER_VISITOR) present[at] = visitorFrom(random);
    const isGoal = random() < 0.06;
    const goal = Math.floor(random() * GOALS.length);
    const isPaid = isGoal && GOALS[goal] === "Purchase";
    return {
      ...UNRECORDED,
      siteId: SITE,
      timestampMs,
      ...visitor,
      ...(texts === "many" &&
        visitor.referrer !== null && { referrer: `${visitor.referrer}search/results/${Math.floor(random() * LINKS_PER_SOURCE)}` }),
      eventName: isGoal ? GOALS[goal] : "pageview",
      pathname: pathOf(pageRank(random)),
      props: isGoal
        ? JSON.stringify({ plan: random() < 0.8 ? "free" : "pro", step: Math.floor(random() * (texts === "many" ? NAMES : 20)) })
        : null,
      revenueCents: isPaid ? Math.floor(random() * 20_000) : null,
      currency: isPaid ? "EUR" : null,
    };
  });
}

/** A function that writes one file of a day. @param {string} dataFolder */
async function fileWriter(dataFolder) {
  const { encodeEvents } = await importSource("src/storage/parquet-events.ts");
  const { partitionKey } = await importSource("src/storage/partitions.ts");
  return async (/** @type {number} */ dayStartMs, /** @type {number} */ segment, /** @type {ReturnType<typeof eventsOfDay>} */ events) => {
    const path = join(dataFolder, partitionKey(SITE, new Date(dayStartMs).toISOString().slice(0, 10), segment, segment));
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, encodeEvents(events));
  };
}

const todayStartMs = () => Math.floor(Date.now() / DAY_MS) * DAY_MS;

/**
 * Writes the files of a data folder.
 * @param {string} dataFolder
 * @param {number} [events]
 * @param {number} [days]
 * @param {Texts} [texts]
 */
export async function writeEvents(dataFolder, events = EVENTS, days = DAYS, texts = "usual") {
  const writeDay = await fileWriter(dataFolder);
  const random = numbersFrom(SEED);
  const todayMs = todayStartMs();
  for (let day = 0; day < days; day++) {
    const startMs = todayMs - (days - day) * DAY_MS;
    const count = Math.floor(((day + 1) * events) / days) - Math.floor((day * events) / days);
    await writeDay(startMs, day + 1, eventsOfDay(startMs, count, random, texts));
  }
}

/**
 * Writes a file with events of today, from midnight until now.
 * @param {string} dataFolder
 * @param {number} count
 * @param {number} segment above those of all other files
 */
export async function writeToday(dataFolder, count, segment) {
  const todayMs = todayStartMs();
  const elapsedShare = (Date.now() - todayMs) / DAY_MS;
  const events = eventsOfDay(todayMs, count, numbersFrom(SEED + 1)).map((event) => ({
    ...event,
    timestampMs: todayMs + Math.floor((event.timestampMs - todayMs) * elapsedShare),
  }));
  const writeDay = await fileWriter(dataFolder);
  await writeDay(todayMs, segment, events);
}

/**
 * Copies generated files into a data folder. They are generated once a day and cached.
 * @param {string} dataFolder
 * @param {number} [events]
 * @param {number} [days]
 * @param {Texts} [texts]
 */
export async function provideEvents(dataFolder, events = EVENTS, days = DAYS, texts = "usual") {
  const today = new Date().toISOString().slice(0, 10);
  const kept = fileURLToPath(new URL(`../../${BENCH_FOLDER}/events-${texts}-${events}-${days}-before-${today}`, import.meta.url));
  if (!existsSync(kept)) {
    progress(`generating ${events} events`);
    const unfinished = `${kept}.${process.pid}`;
    await writeEvents(unfinished, events, days, texts);
    await rm(kept, { recursive: true, force: true });
    await rename(unfinished, kept);
  }
  await cp(kept, dataFolder, { recursive: true });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , dataFolder, events, days] = process.argv;
  if (!dataFolder) throw new Error("usage: generate-events.mjs <data folder> [events] [days]");
  await writeEvents(dataFolder, Number(events ?? EVENTS), Number(days ?? DAYS));
}
