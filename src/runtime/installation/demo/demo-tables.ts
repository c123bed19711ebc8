/** What the visitors of the demo site have in common with those of a real one: where they come from, what they use, what they read. */
import type { StoredEvent } from "../../../storage/event.ts";
import { choiceOf, type Weighted } from "./seeded-numbers.ts";

export const PAGE = choiceOf(
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

export type Source = Pick<StoredEvent, "referrer" | "referrerSource">;

const source = (referrer: string, referrerSource: string): Source => ({ referrer, referrerSource });

export const HACKER_NEWS = source("https://news.ycombinator.com/", "Hacker News");

export const SOURCE = choiceOf<Source>(
  [40, { referrer: null, referrerSource: null }],
  [27, source("https://www.google.com/", "Google")],
  [3, HACKER_NEWS],
  [6, source("https://duckduckgo.com/", "DuckDuckGo")],
  [5, source("https://www.reddit.com/", "Reddit")],
  [5, source("https://github.com/", "GitHub")],
  [3, source("https://www.bing.com/", "Bing")],
  [4, source("https://chatgpt.com/", "ChatGPT")],
  [2, source("https://lobste.rs/", "Lobsters")],
  [2, source("https://mastodon.social/", "Mastodon")],
  [1, source("https://birdwatching.example/links", "birdwatching.example")],
);

export type Campaign = Pick<StoredEvent, "utmSource" | "utmMedium" | "utmCampaign" | "utmContent" | "utmTerm">;

const UNTAGGED: Campaign = { utmSource: null, utmMedium: null, utmCampaign: null, utmContent: null, utmTerm: null };

const tagged = (utmSource: string, utmMedium: string, utmCampaign: string, others: Partial<Campaign> = {}): Campaign => ({
  ...UNTAGGED,
  utmSource,
  utmMedium,
  utmCampaign,
  ...others,
});

export const CAMPAIGN = choiceOf<Campaign>(
  [88, UNTAGGED],
  [3, tagged("newsletter", "email", "monthly-letter", { utmContent: "header" })],
  [2, tagged("newsletter", "email", "monthly-letter", { utmContent: "footer" })],
  [2, tagged("google", "cpc", "brand", { utmTerm: "web analytics" })],
  [2, tagged("google", "cpc", "competitors", { utmTerm: "analytics without cookies" })],
  [1, tagged("mastodon", "social", "launch")],
  [1, tagged("podcast", "audio", "launch", { utmContent: "episode-12" })],
);

export type Place = Pick<StoredEvent, "countryCode" | "region" | "city">;

const place = (countryCode: string, region: string | null = null, city: string | null = null): Place => ({ countryCode, region, city });

const country = (weight: number, code: string): Weighted<Place> => [weight, place(code)];

/** Includes the smallest countries of the map. */
export const PLACE = choiceOf<Place>(
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

export type Device = Pick<StoredEvent, "os" | "osVersion" | "browser" | "browserVersion" | "deviceType" | "screenSize">;

const desktop = (os: string, osVersion: string | null, browser: string, browserVersion: string, screenSize: string): Device => ({
  os,
  osVersion,
  browser,
  browserVersion,
  deviceType: "desktop",
  screenSize,
});

const handheld = (deviceType: string, os: string, osVersion: string, browser: string, screenSize: string): Device => ({
  os,
  osVersion,
  browser,
  browserVersion: browser === "Chrome" ? "147" : osVersion,
  deviceType,
  screenSize,
});

export const DEVICE = choiceOf<Device>(
  [22, desktop("Windows", "11", "Chrome", "147", "1920")],
  [5, desktop("Windows", "11", "Edge", "147", "1920")],
  [4, desktop("Windows", "10", "Firefox", "150", "1366")],
  [14, desktop("macOS", "15", "Safari", "19", "1512")],
  [12, desktop("macOS", "15", "Chrome", "147", "1728")],
  [3, desktop("macOS", "14", "Chrome", "146", "1440")],
  [7, desktop("Linux", null, "Firefox", "150", "2560")],
  [17, handheld("mobile", "iOS", "19", "Safari", "393")],
  [4, handheld("mobile", "iOS", "18", "Safari", "390")],
  [13, handheld("mobile", "Android", "16", "Chrome", "412")],
  [3, handheld("mobile", "Android", "15", "Chrome", "360")],
  [3, handheld("tablet", "iPadOS", "19", "Safari", "834")],
);
