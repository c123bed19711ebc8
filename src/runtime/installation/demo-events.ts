/** The made-up events of a day of the demo site: a weekly rhythm, slow growth, and what happens twice a year (`HAPPENINGS`). */
import { DAY_MS, type EpochMs, type LocalDate, type SiteId, startOfDayMs, type StoredEvent, UNRECORDED } from "../../storage/event.ts";
import { FILE_DOWNLOAD, OUTBOUND_CLICK, PAGEVIEW } from "../base/config/names.ts";
import { dayNumberOf } from "../../storage/calendar.ts";

/** Returns numbers from 0 to below 1. */
type Numbers = () => number;

/** mulberry32, by Tommy Ettinger: the same numbers for the same seed. */
export function numbersFrom(seed: number): Numbers {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Weighted<T> = readonly [weight: number, value: T];

type Choice<T> = (numbers: Numbers) => T;

/** One of the values, each as often as its weight says. */
function choiceOf<T>(first: Weighted<T>, ...others: readonly Weighted<T>[]): Choice<T> {
  const all = [first, ...others];
  const total = all.reduce((sum, [weight]) => sum + weight, 0);
  return (numbers) => {
    let left = numbers() * total;
    return (all.find(([weight]) => (left -= weight) < 0) ?? first)[1];
  };
}

const PAGE = choiceOf(
  [28, "/"],
  [14, "/pricing"],
  [9, "/blog"],
  [12, "/blog/quiet-analytics"],
  [9, "/blog/counting-without-cookies"],
  [4, "/blog/a-year-of-numbers"],
  [8, "/docs"],
  [7, "/docs/getting-started"],
  [5, "/docs/api"],
  [4, "/docs/self-hosting"],
  [4, "/changelog"],
  [3, "/about"],
  [2, "/contact"],
);

type Source = Pick<StoredEvent, "referrer" | "referrerSource">;

const sourceAt = (referrer: string, referrerSource: string): Source => ({ referrer, referrerSource });

const HACKER_NEWS = sourceAt("https://news.ycombinator.com/", "Hacker News");

const SOURCE = choiceOf<Source>(
  [40, { referrer: null, referrerSource: null }],
  [27, sourceAt("https://www.google.com/", "Google")],
  [3, HACKER_NEWS],
  [6, sourceAt("https://duckduckgo.com/", "DuckDuckGo")],
  [5, sourceAt("https://www.reddit.com/", "Reddit")],
  [5, sourceAt("https://github.com/", "GitHub")],
  [3, sourceAt("https://www.bing.com/", "Bing")],
  [4, sourceAt("https://chatgpt.com/", "ChatGPT")],
  [2, sourceAt("https://lobste.rs/", "Lobsters")],
  [2, sourceAt("https://mastodon.social/", "Mastodon")],
  [1, sourceAt("https://birdwatching.example/links", "birdwatching.example")],
);

type Campaign = Pick<StoredEvent, "utmSource" | "utmMedium" | "utmCampaign" | "utmContent" | "utmTerm">;

const UNTAGGED: Campaign = { utmSource: null, utmMedium: null, utmCampaign: null, utmContent: null, utmTerm: null };

const tagged = (utmSource: string, utmMedium: string, utmCampaign: string, others: Partial<Campaign> = {}): Campaign => ({
  ...UNTAGGED,
  utmSource,
  utmMedium,
  utmCampaign,
  ...others,
});

const CAMPAIGN = choiceOf<Campaign>(
  [88, UNTAGGED],
  [3, tagged("newsletter", "email", "monthly-letter", { utmContent: "header" })],
  [2, tagged("newsletter", "email", "monthly-letter", { utmContent: "footer" })],
  [2, tagged("google", "cpc", "brand", { utmTerm: "web analytics" })],
  [2, tagged("google", "cpc", "competitors", { utmTerm: "analytics without cookies" })],
  [1, tagged("mastodon", "social", "launch")],
  [1, tagged("podcast", "audio", "launch", { utmContent: "episode-12" })],
);

type Place = Pick<StoredEvent, "countryCode" | "region" | "city">;

const place = (countryCode: string, region: string | null = null, city: string | null = null): Place => ({ countryCode, region, city });

const country = (weight: number, code: string): Weighted<Place> => [weight, place(code)];

/** Includes the smallest countries of the map. */
const PLACE = choiceOf<Place>(
  [10, place("US", "California", "San Francisco")],
  [8, place("US", "New York", "New York")],
  [5, place("US", "Texas", "Austin")],
  [4, place("US", "Washington", "Seattle")],
  [7, place("DE", "Land Berlin", "Berlin")],
  [4, place("DE", "Bavaria", "Munich")],
  [4, place("DE", "Hamburg", "Hamburg")],
  [7, place("GB", "England", "London")],
  [2, place("GB", "Scotland", "Edinburgh")],
  [5, place("FR", "Île-de-France", "Paris")],
  [2, place("FR", "Auvergne-Rhône-Alpes", "Lyon")],
  [6, place("NL", "North Holland", "Amsterdam")],
  [3, place("CA", "Ontario", "Toronto")],
  [2, place("CA", "Quebec", "Montreal")],
  [4, place("IN", "Karnataka", "Bengaluru")],
  [2, place("IN", "Maharashtra", "Mumbai")],
  [3, place("BR", "São Paulo", "São Paulo")],
  [3, place("JP", "Tokyo", "Tokyo")],
  [2, place("AU", "Victoria", "Melbourne")],
  ...(["ES", "SE", "IT", "PL", "CH"] as const).map((code) => country(2.5, code)),
  ...(["AT", "BE", "MX", "PT", "NO", "DK", "FI", "CZ", "IE", "NZ", "KR"] as const).map((code) => country(1.2, code)),
  ...(["ZA", "AR", "KE", "ID", "TR", "UA", "CL", "CO", "NG", "EG", "TH", "PH"] as const).map((code) => country(0.6, code)),
  ...(["SG", "LU", "IS", "MT", "LI", "MC", "SM", "AD", "MV", "BB", "MU", "BH"] as const).map((code) => country(0.25, code)),
  [1, { countryCode: null, region: null, city: null }],
);

type Device = Pick<StoredEvent, "os" | "osVersion" | "browser" | "browserVersion" | "deviceType" | "screenSize">;

const device = (
  deviceType: string,
  os: string,
  osVersion: string | null,
  browser: string,
  browserVersion: string,
  screenSize: string,
): Device => ({ os, osVersion, browser, browserVersion, deviceType, screenSize });

const DEVICE = choiceOf<Device>(
  [22, device("desktop", "Windows", "11", "Chrome", "147", "1920")],
  [5, device("desktop", "Windows", "11", "Edge", "147", "1920")],
  [4, device("desktop", "Windows", "10", "Firefox", "150", "1366")],
  [14, device("desktop", "macOS", "15", "Safari", "19", "1512")],
  [12, device("desktop", "macOS", "15", "Chrome", "147", "1728")],
  [3, device("desktop", "macOS", "14", "Chrome", "146", "1440")],
  [7, device("desktop", "Linux", null, "Firefox", "150", "2560")],
  [17, device("mobile", "iOS", "19", "Safari", "19", "393")],
  [4, device("mobile", "iOS", "18", "Safari", "18", "390")],
  [13, device("mobile", "Android", "16", "Chrome", "147", "412")],
  [3, device("mobile", "Android", "15", "Chrome", "147", "360")],
  [3, device("tablet", "iPadOS", "19", "Safari", "19", "834")],
);

type OfDay = Pick<StoredEvent, "siteId" | "date" | "hostname">;

interface Visitor extends OfDay, Source, Campaign, Place, Device {
  readonly visitorId: bigint;
}

/** `cents`: the price of a seat. */
const PLAN = choiceOf(
  [70, { id: "free", name: "Free", cents: 0 }],
  [20, { id: "pro", name: "Pro Monthly", cents: 900 }],
  [10, { id: "team", name: "Team Annual", cents: 4900 }],
);

const CURRENCY = choiceOf([72, "EUR"], [28, "USD"]);

const CONTINUES = 0.5;
const PAUSE_MS_MIN = 8_000;
const PAUSE_MS_MAX = 118_000;

const bits32 = (numbers: Numbers): bigint => BigInt(Math.floor(numbers() * 2 ** 32));

export function visitorFrom(ofDay: OfDay, numbers: Numbers, source?: Source): Visitor {
  const visitorId = (bits32(numbers) << 32n) | bits32(numbers);
  const campaign = CAMPAIGN(numbers);
  return { ...ofDay, visitorId, ...(source ?? SOURCE(numbers)), ...campaign, ...PLACE(numbers), ...DEVICE(numbers) };
}

interface VisitOptions {
  /** True if the page of the prices fails: nobody signs up there. */
  readonly isCheckoutBroken?: boolean;
}

export function visitOf(
  visitor: Visitor,
  startMs: EpochMs,
  numbers: Numbers,
  { isCheckoutBroken = false }: VisitOptions = {},
): StoredEvent[] {
  const events: StoredEvent[] = [];
  let [atMs, pathname] = [startMs, PAGE(numbers)];
  const add = (eventName: string, props: object | null = null, revenue: Partial<StoredEvent> = {}) =>
    events.push({
      ...UNRECORDED,
      ...visitor,
      ...revenue,
      timestampMs: Math.floor(atMs),
      eventName,
      pathname,
      props: props && JSON.stringify(props),
    });
  const pause = () => (atMs += PAUSE_MS_MIN + numbers() * (PAUSE_MS_MAX - PAUSE_MS_MIN));
  add(PAGEVIEW);
  while (numbers() < CONTINUES) {
    pause();
    pathname = pathname === "/" && numbers() < 0.35 ? "/pricing" : PAGE(numbers);
    add(PAGEVIEW);
  }
  if (pathname === "/pricing" && numbers() < 0.4 && !isCheckoutBroken) {
    pause();
    signUp(add, pause, numbers);
  }
  if (pathname.startsWith("/blog/") && numbers() < 0.06) add("Newsletter", { list: "monthly" });
  if (numbers() < 0.06) add(OUTBOUND_CLICK, { url: "https://github.com/" });
  if (pathname.startsWith("/docs") && numbers() < 0.08) add(FILE_DOWNLOAD, { url: "/files/handbook.pdf" });
  return events;
}

type Add = (eventName: string, props: object, revenue?: Partial<StoredEvent>) => void;

function signUp(add: Add, pause: () => void, numbers: Numbers): void {
  const { id: plan, name, cents } = PLAN(numbers);
  add("Signup", { plan, "plan name": name });
  if (cents === 0) return;
  pause();
  const seats = 1 + Math.floor(numbers() * numbers() * 12);
  const revenue = { revenueCents: cents * seats, currency: CURRENCY(numbers) };
  add("Purchase", { plan, "plan name": name, seats }, revenue);
}

const HOUR_MS = 3_600_000;

/** Visits on the first day, what growth adds in the long run, and how many days two thirds of that take. */
const VISITS_AT_FIRST = 95;
const VISITS_ADDED = 150;
const GROWTH_DAYS = 300;

/**
 * What happens twice a year, by the day of the half-year, which is 26 weeks. A new demo's second half-year ends with its last day, so the
 * last 7, 30 and 90 days each contain something: a front page three days ago, half of the visits from search lost for ten days before
 * that, a checkout that failed in one browser for eight, and a holiday some weeks ago.
 */
const HALF_YEAR_DAYS = 182;

type Happening = "frontPage" | "dayAfter" | "lostSearch" | "brokenCheckout" | "holiday";

const HAPPENINGS: readonly (readonly [Happening, firstDay: number, days: number])[] = [
  ["holiday", 133, 5],
  ["brokenCheckout", 155, 8],
  ["lostSearch", 164, 10],
  ["frontPage", 179, 1],
  ["dayAfter", 180, 1],
];

/** Share of the usual visits on a holiday. */
const HOLIDAY_SHARE = 0.45;

/** The visits that a front page adds, relative to the usual ones. */
const FRONT_PAGE_SHARE: Readonly<Partial<Record<Happening, number>>> = { frontPage: 1.6, dayAfter: 0.3 };

/** Share of the visits from search that are lost. */
const LOST_SHARE = 0.5;

const SEARCH = "Google";

/** Its visitors do not convert while the checkout is broken. */
const BROKEN_BROWSER = "Safari";

/** Visitors who come back some hours later. */
const RETURNING = 0.12;

interface DemoDay {
  readonly siteId: SiteId;
  readonly date: LocalDate;
  /** Its first instant, and that of the next day. */
  readonly startMs: EpochMs;
  readonly endMs: EpochMs;
  /** Days since the first of the demo. */
  readonly index: number;
}

const isWeekend = (date: LocalDate): boolean => [0, 6].includes(new Date(startOfDayMs(date)).getUTCDay());

/** null on most days. */
function happeningOn({ index }: DemoDay): Happening | null {
  const day = index % HALF_YEAR_DAYS;
  return HAPPENINGS.find(([, first, days]) => first <= day && day < first + days)?.[0] ?? null;
}

/** Visits of the day, without those of a front page. */
function usualVisits({ date, index }: DemoDay, numbers: Numbers): number {
  const grown = VISITS_AT_FIRST + VISITS_ADDED * (1 - Math.exp(-index / GROWTH_DAYS));
  return Math.round(grown * (isWeekend(date) ? 0.62 : 1) * (0.88 + numbers() * 0.24));
}

/** Most visits fall in the European afternoon, which is the American morning; some at any hour, so that realtime never is empty for long. */
function timeOfDay(numbers: Numbers): EpochMs {
  if (numbers() < 0.3) return numbers() * DAY_MS;
  const hours = 14.5 + (numbers() + numbers() + numbers() - 1.5) * 9;
  return ((hours + 24) % 24) * HOUR_MS;
}

/** All events of the day, in order of time. The same day has the same events whenever this is called. */
export function demoDay(day: DemoDay): StoredEvent[] {
  const { siteId, date, startMs, endMs } = day;
  const numbers = numbersFrom(dayNumberOf(date));
  const happening = happeningOn(day);
  const usual = Math.round(usualVisits(day, numbers) * (happening === "holiday" ? HOLIDAY_SHARE : 1));
  const visits = Math.round(usual * (1 + ((happening && FRONT_PAGE_SHARE[happening]) ?? 0)));
  const ofDay = { siteId, date, hostname: siteId };
  const events: StoredEvent[] = [];
  for (let visit = 0; visit < visits; visit++) {
    const visitor = visitorFrom(ofDay, numbers, visit < usual ? undefined : HACKER_NEWS);
    if (happening === "lostSearch" && visitor.referrerSource === SEARCH && numbers() < LOST_SHARE) continue;
    const isCheckoutBroken = happening === "brokenCheckout" && visitor.browser === BROKEN_BROWSER;
    const beginMs = startMs + timeOfDay(numbers);
    events.push(...visitOf(visitor, beginMs, numbers, { isCheckoutBroken }));
    if (numbers() < RETURNING) {
      const returnsMs = beginMs + (1 + numbers() * 6) * HOUR_MS;
      events.push(...visitOf(visitor, returnsMs, numbers, { isCheckoutBroken }));
    }
  }
  return events.filter(({ timestampMs }) => timestampMs < endMs).sort((a, b) => a.timestampMs - b.timestampMs);
}
