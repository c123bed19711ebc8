/** Stored values of an event, and visitor ids (docs/http-api.md, "Stored values" and "Visitor ids"). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  getBreakdown,
  getMain,
  getStats,
  getValues,
  record,
  wireEvent,
  type RequestHeaders,
  type WireFields,
} from "../support/requests.ts";
import { able, itNeeds, siteNames, type MakeTarget, type Target } from "../support/target.ts";
import {
  CHROME_ANDROID,
  CHROME_WINDOWS,
  EDGE_WINDOWS,
  FIREFOX_LINUX,
  SAFARI_IPAD,
  SAFARI_IPHONE,
  SAFARI_MAC,
  TV_TIZEN,
} from "../support/user-agents.ts";

const siteName = siteNames("stored");

const DAY_MS = 86_400_000;

/** What breakdowns show of one event, for the dimensions that a case is about. */
type Shown = Readonly<Record<string, string>>;

interface Case {
  readonly name: string;
  readonly fields?: WireFields;
  readonly headers?: RequestHeaders;
  readonly shown: Shown;
}

const PAGES: readonly Case[] = [
  { name: "only the path of a URL is kept", fields: { u: "https://user:pass@page.test:8443/a/b?q=1#top" }, shown: { pages: "/a/b" } },
  { name: "a path loses its trailing slashes", fields: { u: "https://page.test/a/b///" }, shown: { pages: "/a/b" } },
  { name: "the root stays a slash", fields: { u: "https://page.test" }, shown: { pages: "/" } },
  { name: "the case of a path is kept", fields: { u: "https://PAGE.test/About/US" }, shown: { pages: "/About/US" } },
  { name: "a path stays escaped", fields: { u: "https://page.test/caf\u00e9/\u{1f600}" }, shown: { pages: "/caf%C3%A9/%F0%9F%98%80" } },
  { name: "dots in a path are resolved", fields: { u: "https://page.test/a/../b/./c" }, shown: { pages: "/b/c" } },
  { name: "a bare path is a page", fields: { u: "/bare/" }, shown: { pages: "/bare" } },
  { name: "two slashes begin a path, not a host", fields: { u: "//other.test/x" }, shown: { pages: "//other.test/x" } },
];

const SOURCES: readonly Case[] = [
  {
    name: "a search engine has a name",
    fields: { r: "https://www.google.co.uk/search?q=secret" },
    shown: { sources: "Google", referrers: "https://www.google.co.uk/search?q=secret" },
  },
  { name: "sources match whole labels", fields: { r: "https://old.reddit.com/r/x" }, shown: { sources: "Reddit" } },
  {
    name: "a host that contains a source's is not that source",
    fields: { r: "https://notreddit.com/" },
    shown: { sources: "notreddit.com" },
  },
  {
    name: "an unknown host counts without www",
    fields: { r: "https://www.news.example/item?id=7#comments" },
    shown: { sources: "news.example", referrers: "https://www.news.example/item?id=7" },
  },
  {
    name: "credentials of a referrer are dropped",
    fields: { r: "https://me:secret@news.example/" },
    shown: { referrers: "https://news.example/" },
  },
  {
    name: "a referrer on the page's own host is none",
    fields: { u: "https://page.test/b", r: "https://page.test/a" },
    shown: { sources: "(unknown)", referrers: "(unknown)" },
  },
  {
    name: "a referrer on the page's own host with www is none",
    fields: { u: "https://page.test/b", r: "https://www.page.test/a" },
    shown: { sources: "(unknown)", referrers: "(unknown)" },
  },
  {
    name: "a subdomain is another host",
    fields: { u: "https://page.test/b", r: "https://blog.page.test/a" },
    shown: { sources: "blog.page.test" },
  },
  { name: "an Android app is a source", fields: { r: "android-app://com.reddit.frontpage" }, shown: { sources: "Reddit" } },
  { name: "no referrer is unknown", shown: { sources: "(unknown)", referrers: "(unknown)" } },
  { name: "a javascript: referrer is none", fields: { r: "javascript:alert(1)" }, shown: { sources: "(unknown)", referrers: "(unknown)" } },
  {
    name: "utm_source does not change the source",
    fields: { u: "https://page.test/?utm_source=letter", r: "https://duckduckgo.com/" },
    shown: { sources: "DuckDuckGo", "utm-sources": "letter" },
  },
];

const CAMPAIGNS: readonly Case[] = [
  {
    name: "all five campaign parameters are kept",
    fields: { u: "https://page.test/?utm_source=s&utm_medium=m&utm_campaign=c&utm_content=o&utm_term=t" },
    shown: { "utm-sources": "s", "utm-mediums": "m", "utm-campaigns": "c", "utm-contents": "o", "utm-terms": "t" },
  },
  {
    name: "campaign values are decoded and trimmed",
    fields: { u: "https://page.test/?utm_source=%20a+b%26c%20&utm_term=caf%C3%A9" },
    shown: { "utm-sources": "a b&c", "utm-terms": "caf\u00e9" },
  },
  { name: "the last of several values counts", fields: { u: "/?utm_source=a&utm_source=b" }, shown: { "utm-sources": "b" } },
  {
    name: "an empty value after another does not hide it",
    fields: { u: "/?utm_source=a&utm_medium=m&utm_source=&utm_medium=+" },
    shown: { "utm-sources": "a", "utm-mediums": "m" },
  },
  {
    name: "an ampersand that was escaped as in HTML separates parameters",
    fields: { u: "/?utm_source=a&amp;utm_medium=email&amp;amp;utm_term=t" },
    shown: { "utm-sources": "a", "utm-mediums": "email", "utm-terms": "t" },
  },
  {
    name: "an empty value is unknown",
    fields: { u: "/?utm_source=&utm_medium=%20" },
    shown: { "utm-sources": "(unknown)", "utm-mediums": "(unknown)" },
  },
  {
    name: "campaign values are cut to 256 characters",
    fields: { u: `/?utm_term=${"t".repeat(300)}` },
    shown: { "utm-terms": "t".repeat(256) },
  },
  {
    name: "other parameters are not looked at",
    fields: { u: "/?UTM_SOURCE=a&xutm_medium=b" },
    shown: { "utm-sources": "(unknown)", "utm-mediums": "(unknown)" },
  },
];

const BROWSERS: readonly Case[] = [
  {
    name: "Chrome on Windows",
    headers: { "user-agent": CHROME_WINDOWS },
    shown: { browsers: "Chrome", "browser-versions": "124", os: "Windows", "os-versions": "10", devices: "desktop" },
  },
  {
    name: "Firefox on Linux",
    headers: { "user-agent": FIREFOX_LINUX },
    shown: { browsers: "Firefox", "browser-versions": "126", os: "Linux", "os-versions": "(unknown)", devices: "desktop" },
  },
  {
    name: "Safari on a Mac",
    headers: { "user-agent": SAFARI_MAC },
    shown: { browsers: "Safari", "browser-versions": "17.4", os: "macOS", "os-versions": "10.15", devices: "desktop" },
  },
  {
    name: "Safari on an iPhone",
    headers: { "user-agent": SAFARI_IPHONE },
    shown: { browsers: "Safari", "browser-versions": "17.4", os: "iOS", "os-versions": "17.4", devices: "mobile" },
  },
  {
    name: "Safari on an iPad",
    headers: { "user-agent": SAFARI_IPAD },
    shown: { browsers: "Safari", "browser-versions": "16.6", os: "iOS", "os-versions": "16.6", devices: "tablet" },
  },
  {
    name: "Chrome on Android",
    headers: { "user-agent": CHROME_ANDROID },
    shown: { browsers: "Chrome", "browser-versions": "124", os: "Android", "os-versions": "10", devices: "mobile" },
  },
  {
    name: "Edge on Windows",
    headers: { "user-agent": EDGE_WINDOWS },
    shown: { browsers: "Edge", "browser-versions": "124", os: "Windows", devices: "desktop" },
  },
  { name: "a television", headers: { "user-agent": TV_TIZEN }, shown: { os: "Tizen", devices: "tv" } },
  {
    name: "an empty User-Agent",
    headers: { "user-agent": "" },
    shown: {
      browsers: "(unknown)",
      "browser-versions": "(unknown)",
      os: "(unknown)",
      "os-versions": "(unknown)",
      devices: "(unknown)",
    },
  },
  { name: "an empty User-Agent and a narrow screen", fields: { w: 767 }, headers: { "user-agent": "" }, shown: { devices: "mobile" } },
  { name: "an empty User-Agent and a middling screen", fields: { w: 1023 }, headers: { "user-agent": "" }, shown: { devices: "tablet" } },
  { name: "an empty User-Agent and a wide screen", fields: { w: 1024 }, headers: { "user-agent": "" }, shown: { devices: "desktop" } },
  {
    name: "client hints that name another browser",
    headers: {
      "user-agent": CHROME_WINDOWS,
      "sec-ch-ua": '"Not/A)Brand";v="8", "Chromium";v="126", "Brave";v="126"',
      "sec-ch-ua-platform": '"Windows"',
      "sec-ch-ua-mobile": "?0",
    },
    shown: { browsers: "Brave", "browser-versions": "126", os: "Windows", devices: "desktop" },
  },
  {
    name: "client hints that name another system",
    headers: { "user-agent": CHROME_WINDOWS, "sec-ch-ua-platform": '"Chrome OS"', "sec-ch-ua-mobile": "?0" },
    shown: { browsers: "Chrome", os: "ChromeOS", "os-versions": "(unknown)", devices: "desktop" },
  },
  {
    name: "a client hint that the device is mobile",
    headers: { "user-agent": FIREFOX_LINUX, "sec-ch-ua-mobile": "?1" },
    fields: { w: 2000 },
    shown: { devices: "mobile" },
  },
  {
    name: "client hints that say nothing",
    headers: { "user-agent": SAFARI_MAC, "sec-ch-ua": '\u00ff;;"', "sec-ch-ua-platform": '""', "sec-ch-ua-mobile": "maybe" },
    shown: { browsers: "Safari", os: "macOS", devices: "desktop" },
  },
];

const SCREENS: readonly Case[] = [
  { name: "a width is a whole number in text", fields: { w: 1440 }, shown: { "screen-sizes": "1440" } },
  { name: "a fractional width is rounded", fields: { w: 411.4 }, shown: { "screen-sizes": "411" } },
  { name: "no width is unknown", shown: { "screen-sizes": "(unknown)" } },
];

/** The builtin database knows countries only. */
const PLACES: readonly Case[] = [
  { name: "an address of the United States", headers: { "x-forwarded-for": "8.8.8.8" }, shown: { countries: "US" } },
  { name: "an address of the Netherlands", headers: { "x-forwarded-for": "193.0.6.139" }, shown: { countries: "NL" } },
  { name: "an IPv6 address", headers: { "x-forwarded-for": "2001:4860:4860::8888" }, shown: { countries: "US" } },
  { name: "an IPv4 address in IPv6 form", headers: { "x-forwarded-for": "::ffff:8.8.8.8" }, shown: { countries: "US" } },
  { name: "an address with a port", headers: { "x-forwarded-for": "8.8.8.8:4711" }, shown: { countries: "US" } },
  { name: "the last of several addresses counts", headers: { "x-forwarded-for": "193.0.6.139, 8.8.8.8" }, shown: { countries: "US" } },
  { name: "a private address is nowhere", headers: { "x-forwarded-for": "192.168.1.1" }, shown: { countries: "(unknown)" } },
  { name: "an entry that is no address is nowhere", headers: { "x-forwarded-for": "unknown" }, shown: { countries: "(unknown)" } },
  {
    name: "a country database knows no region and no city",
    headers: { "x-forwarded-for": "8.8.8.8" },
    shown: { regions: "(unknown)", cities: "(unknown)" },
  },
];

export function describeStoredEvents(makeTarget: MakeTarget): void {
  describe("what is stored", () => {
    let target: Target;
    let direct: Target;
    beforeAll(async () => {
      target = await makeTarget({ SVC_TRUST_PROXY: "1" });
      direct = await makeTarget();
    });
    afterAll(async () => {
      await target.close();
      await direct.close();
    });

    async function expectShown({ fields, headers, shown }: Case): Promise<void> {
      const site = siteName();
      await record(target, wireEvent(site, fields), headers);
      for (const [dimension, value] of Object.entries(shown)) {
        const rows = await getBreakdown(target, site, dimension);
        expect({ dimension, rows }).toEqual({ dimension, rows: [{ value, visitors: 1, pageviews: 1, events: 1 }] });
      }
    }

    it.each(PAGES)("pages: $name", expectShown);
    it.each(SOURCES)("sources: $name", expectShown);
    it.each(CAMPAIGNS)("campaigns: $name", expectShown);
    it.each(BROWSERS)("browsers: $name", expectShown);
    it.each(SCREENS)("screens: $name", expectShown);
    it.each(PLACES)("places: $name", expectShown);

    const visitorsOf = async (asked: Target, site: string): Promise<number> => (await getMain(asked, site)).unique_visitors;

    it("an address with a User-Agent is one visitor, however many events it sends", async () => {
      const site = siteName();
      const headers = { "x-forwarded-for": "198.51.100.1" };
      for (const u of ["/a", "/b", "/c"]) await record(target, wireEvent(site, { u }), headers);
      expect(await getMain(target, site)).toMatchObject({ unique_visitors: 1, total_pageviews: 3, views_per_visitor: 3 });
    });

    it("another address is another visitor", async () => {
      const site = siteName();
      await record(target, wireEvent(site), { "x-forwarded-for": "198.51.100.1" });
      await record(target, wireEvent(site), { "x-forwarded-for": "198.51.100.2" });
      expect(await visitorsOf(target, site)).toBe(2);
    });

    it("another User-Agent is another visitor", async () => {
      const site = siteName();
      await record(target, wireEvent(site), { "user-agent": CHROME_WINDOWS });
      await record(target, wireEvent(site), { "user-agent": `${CHROME_WINDOWS} x` });
      await record(target, wireEvent(site), { "user-agent": FIREFOX_LINUX });
      expect(await visitorsOf(target, site)).toBe(3);
    });

    it("two notations of an address are one visitor", async () => {
      const site = siteName();
      for (const address of ["2001:db8::1", "2001:0DB8:0:0::0001", "[2001:db8::1]:443"]) {
        await record(target, wireEvent(site), { "x-forwarded-for": address });
      }
      expect(await visitorsOf(target, site)).toBe(1);
    });

    it("without trust_proxy X-Forwarded-For is ignored", async () => {
      const site = siteName();
      await record(direct, wireEvent(site), { "x-forwarded-for": "8.8.8.8" });
      await record(direct, wireEvent(site), { "x-forwarded-for": "193.0.6.139" });
      expect(await visitorsOf(direct, site)).toBe(1);
      expect(await getValues(direct, site, "countries")).toEqual(["(unknown)"]);
    });

    it("with trust_proxy the entries before the proxy's own entry are ignored", async () => {
      const site = siteName();
      await record(target, wireEvent(site), { "x-forwarded-for": "198.51.100.7, 8.8.8.8" });
      await record(target, wireEvent(site), { "x-forwarded-for": "198.51.100.8, 8.8.8.8" });
      expect(await visitorsOf(target, site)).toBe(1);
    });

    itNeeds(makeTarget, "advance", "a visitor is another one when the salt rotates at midnight UTC", async () => {
      const clocked = await makeTarget();
      const site = siteName();
      await record(clocked, wireEvent(site));
      await able(clocked, "advance")(DAY_MS / 2 - 1);
      await record(clocked, wireEvent(site));
      expect(await visitorsOf(clocked, site)).toBe(1);
      await able(clocked, "advance")(1);
      await record(clocked, wireEvent(site));
      expect(await visitorsOf(clocked, site)).toBe(2);
      await clocked.close();
    });

    itNeeds(makeTarget, "advance", "with visitor_salt_rotation_days a visitor stays the same for that many days", async () => {
      const clocked = await makeTarget({ SVC_VISITOR_SALT_ROTATION_DAYS: "7" });
      const site = siteName();
      for (let day = 0; day < 14; day++) {
        await record(clocked, wireEvent(site));
        await able(clocked, "advance")(DAY_MS);
      }
      // Fourteen days touch two or three stretches of seven.
      expect([2, 3]).toContain(await visitorsOf(clocked, site));
      await clocked.close();
    });

    itNeeds(
      makeTarget,
      "restart",
      "with a generated secret a visitor stays the same across restarts and crashes within the salt period",
      async () => {
        // An option that nobody else has, so that others' sessions do not end with the restart.
        const restarted = await makeTarget({ SVC_SESSION_TTL_SECS: "3601" });
        const site = siteName();
        await record(restarted, wireEvent(site));
        await able(restarted, "restart")();
        await record(restarted, wireEvent(site));
        await restarted.crash?.();
        await record(restarted, wireEvent(site));
        expect(await getMain(restarted, site)).toMatchObject({ unique_visitors: 1, total_events: 3 });
        await restarted.close();
      },
    );

    itNeeds(makeTarget, "advance", "with a generated secret a visitor is another one after a restart in the next salt period", async () => {
      const clocked = await makeTarget({ SVC_SESSION_TTL_SECS: "3602" });
      const site = siteName();
      for (const visitors of [1, 2, 3]) {
        await record(clocked, wireEvent(site));
        expect(await visitorsOf(clocked, site)).toBe(visitors);
        await able(clocked, "advance")(DAY_MS);
        await clocked.restart?.();
      }
      await clocked.close();
    });
  });
}

const MINIMISED_FIELDS: WireFields = { r: "https://news.example/item?id=7", w: 1440 };
const MINIMISED_HEADERS: RequestHeaders = { "user-agent": SAFARI_MAC, "x-forwarded-for": "8.8.8.8" };

export function describeDataMinimisation(makeTarget: MakeTarget): void {
  describe("data minimisation", () => {
    const RECORDED: Shown = {
      referrers: "https://news.example/item?id=7",
      "browser-versions": "17.4",
      "os-versions": "10.15",
      "screen-sizes": "1440",
      countries: "US",
    };

    /** As a script from before its links lost their credentials sends them. */
    const LINKS = [
      { n: "Outbound Link: Click", p: '{"url":"https://me:secret@away.example/a?token=1#b","at":"https://me@kept.example/?a"}' },
      { n: "File Download", p: '{"url":"https://me:secret@away.example/report.pdf?token=1","at":"https://me@kept.example/?a"}' },
      { n: "Signup", p: '{"url":"https://me@kept.example/?a"}' },
    ] as const;
    const KEPT_BY_SENDER = "https://me@kept.example/?a";

    const valuesOf = async (target: Target, site: string, key: string): Promise<string[]> =>
      (await getStats<{ value: string }[]>(target, "property-values", { site_id: site, key })).map(({ value }) => value).sort();

    it.each([
      [{}, ["https://away.example/a?token=1#b", "https://away.example/report.pdf?token=1"]],
      [{ SVC_STRIP_REFERRER_QUERY: "true" }, ["https://away.example/a", "https://away.example/report.pdf"]],
      [{ SVC_GDPR_MODE: "true" }, ["https://away.example/a", "https://away.example/report.pdf"]],
    ] as const)(
      "with %j click links contain no credentials, and a query only if it is stored; other properties are unchanged",
      async (environment, links) => {
        const target = await makeTarget(environment);
        const site = siteName();
        for (const fields of LINKS) await record(target, wireEvent(site, fields));
        expect(await valuesOf(target, site, "url")).toEqual([...links, KEPT_BY_SENDER].sort());
        expect(await valuesOf(target, site, "at")).toEqual([KEPT_BY_SENDER]);
        await target.close();
      },
    );

    const OPTIONS: readonly (readonly [environment: Record<string, string>, changed: Shown])[] = [
      [{}, {}],
      [
        {
          SVC_STRIP_REFERRER_QUERY: "true",
          SVC_SUPPRESS_BROWSER_VERSION: "true",
          SVC_SUPPRESS_OS_VERSION: "true",
          SVC_SUPPRESS_SCREEN_SIZE: "true",
          SVC_GEOIP_PRECISION: "none",
        },
        {
          referrers: "https://news.example/item",
          "browser-versions": "(unknown)",
          "os-versions": "(unknown)",
          "screen-sizes": "(unknown)",
          countries: "(unknown)",
        },
      ],
      [
        { SVC_GDPR_MODE: "true" },
        {
          referrers: "https://news.example/item",
          "browser-versions": "(unknown)",
          "os-versions": "(unknown)",
          "screen-sizes": "(unknown)",
        },
      ],
    ];

    it.each(OPTIONS)(
      "with %j an event contains only the remaining fields, and always browser, system and device",
      async (environment, changed) => {
        const target = await makeTarget({ ...environment, SVC_TRUST_PROXY: "1" });
        const site = siteName();
        await record(target, wireEvent(site, MINIMISED_FIELDS), MINIMISED_HEADERS);
        const shown: Record<string, string[]> = {};
        for (const dimension of Object.keys(RECORDED)) shown[dimension] = await getValues(target, site, dimension);
        expect(shown).toEqual(Object.fromEntries(Object.entries({ ...RECORDED, ...changed }).map(([name, value]) => [name, [value]])));
        for (const [dimension, value] of [
          ["browsers", "Safari"],
          ["os", "macOS"],
          ["devices", "desktop"],
          ["sources", "news.example"],
        ] as const) {
          expect(await getValues(target, site, dimension)).toEqual([value]);
        }
        await target.close();
      },
    );

    itNeeds(makeTarget, "advance", "with round_timestamps times are rounded down to the hour and days stay exact", async () => {
      const target = await makeTarget({ SVC_ROUND_TIMESTAMPS: "true" });
      const site = siteName();
      await able(target, "advance")(600_000);
      await record(target, wireEvent(site));
      await able(target, "advance")(600_000);
      await record(target, wireEvent(site));
      const day = { start_date: "2026-03-15", end_date: "2026-03-15" };
      expect(await getMain(target, site, day)).toMatchObject({ total_pageviews: 2, avg_visit_duration_secs: 0 });
      await target.close();
    });
  });
}
