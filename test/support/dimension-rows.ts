/** Test data of each dimension, one row each. A new dimension needs a row here, and all tests of dimensions then cover it. */
import type { Dimension } from "../../src/runtime/query/filters.ts";
import type { StoredEvent } from "../../src/storage/event.ts";

const UNKNOWN = "(unknown)";

export interface DimensionRow {
  /** The field of an event that it reads. */
  readonly field: keyof StoredEvent;
  /** The value of the event of `stats-breakdown.suite.ts` with all fields. */
  readonly breakdown: string;
  /** The values of the three events of `stats-filters.suite.ts`. */
  readonly filtered: readonly [bare: string, full: string, other: string];
  /** Values of random events (`histories.ts`). */
  readonly random: readonly string[];
}

export const DIMENSION_ROWS: Readonly<Record<Dimension, DimensionRow>> = {
  pages: {
    field: "pathname",
    breakdown: "/pricing",
    filtered: ["/bare", "/full", "/other"],
    random: ["/", "/a", "/b", "/B", "/a/b", "/%F0%9F%98%80"],
  },
  hostnames: {
    field: "hostname",
    breakdown: "page.test",
    filtered: [UNKNOWN, "page.test", "page.test"],
    random: ["page.test", "shop.test"],
  },
  referrers: {
    field: "referrer",
    breakdown: "https://www.google.com/",
    filtered: [UNKNOWN, "https://www.google.com/", "https://news.example/item?id=1"],
    random: ["https://www.google.com/", "https://news.example/item?id=1", "android-app://com.reddit.frontpage"],
  },
  sources: {
    field: "referrerSource",
    breakdown: "Google",
    filtered: [UNKNOWN, "Google", "news.example"],
    random: ["Google", "news.example", "Reddit"],
  },
  countries: { field: "countryCode", breakdown: "US", filtered: [UNKNOWN, "US", "NL"], random: ["DE", "US"] },
  regions: { field: "region", breakdown: UNKNOWN, filtered: [UNKNOWN, UNKNOWN, UNKNOWN], random: ["Bavaria", "bavaria"] },
  cities: { field: "city", breakdown: UNKNOWN, filtered: [UNKNOWN, UNKNOWN, UNKNOWN], random: ["München", "Zürich"] },
  browsers: { field: "browser", breakdown: "Firefox", filtered: [UNKNOWN, "Safari", "Chrome"], random: ["Chrome", "Firefox"] },
  "browser-versions": { field: "browserVersion", breakdown: "126", filtered: [UNKNOWN, "17.4", "124"], random: ["124", "9"] },
  os: { field: "os", breakdown: "Linux", filtered: [UNKNOWN, "iOS", "Windows"], random: ["Linux", "macOS"] },
  "os-versions": { field: "osVersion", breakdown: UNKNOWN, filtered: [UNKNOWN, "17.4", "10"], random: ["10", "10.15"] },
  devices: { field: "deviceType", breakdown: "desktop", filtered: [UNKNOWN, "mobile", "desktop"], random: ["desktop", "mobile"] },
  "screen-sizes": { field: "screenSize", breakdown: "1440", filtered: [UNKNOWN, "390", "1440"], random: ["1440", "360"] },
  "utm-sources": { field: "utmSource", breakdown: "s", filtered: [UNKNOWN, "letter", "Letter"], random: ["letter", UNKNOWN] },
  "utm-mediums": { field: "utmMedium", breakdown: "m", filtered: [UNKNOWN, "mail", "post"], random: ["mail", UNKNOWN] },
  "utm-campaigns": { field: "utmCampaign", breakdown: "c", filtered: [UNKNOWN, "spring", "autumn"], random: ["spring", "Spring"] },
  "utm-contents": { field: "utmContent", breakdown: "o", filtered: [UNKNOWN, "top", "bottom"], random: ["a", "b"] },
  "utm-terms": { field: "utmTerm", breakdown: "t", filtered: [UNKNOWN, "shoes", "shoe"], random: ["shoes", "boots"] },
  events: {
    field: "eventName",
    breakdown: "Signup",
    filtered: ["pageview", "Signup", "Purchase"],
    random: ["Signup", "Purchase", "Pageview", "Outbound Link: Click", UNKNOWN],
  },
};

export const DIMENSION_NAMES = Object.keys(DIMENSION_ROWS) as readonly Dimension[];
