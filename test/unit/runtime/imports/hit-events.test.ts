/** Hits as stored events: the spelling, limits and parsers of own events, visitors of one day, and what is left out. */
import { describe, expect, it } from "vitest";
import { EVENT_NAME_CHARS_MAX, IMPORT_NAME_CHARS_MAX, PROPS_CHARS_MAX } from "../../../../src/runtime/base/config/limits.ts";
import type { Hit } from "../../../../src/runtime/imports/rows.ts";
import { eventOfHit, type HitEventsOptions } from "../../../../src/runtime/imports/hit-events.ts";
import { UNRECORDED, type StoredEvent } from "../../../../src/storage/event.ts";
import { PLAIN_SITE } from "../../../support/hit-imports.ts";
import { siteId } from "../../../support/stored-event.ts";

const SITE = siteId("site.test");
const AT_MS = Date.parse("2026-01-02T03:04:05Z");
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:126.0) Gecko/20100101 Firefox/126.0";

const optionsOf = (fields: Partial<HitEventsOptions> = {}): HitEventsOptions => ({
  ...PLAIN_SITE,
  siteId: SITE,
  salt: PLAIN_SITE.hmac.keyFrom("salt"),
  ...fields,
});

const aHit = (fields: Partial<Hit> = {}): Hit => ({
  kind: "hit",
  line: 1,
  atMs: AT_MS,
  visitor: "v",
  name: "pageview",
  path: "/",
  ...fields,
});

function eventOf(fields: Partial<Hit> = {}, options: Partial<HitEventsOptions> = {}, row = 1): StoredEvent {
  const event = eventOfHit(aHit(fields), row, optionsOf(options));
  if (typeof event === "string") throw new Error(`left out: ${event}`);
  return event;
}

describe("the event of a hit", () => {
  it("has only what the source recorded", () => {
    const { visitorId, ...rest } = eventOf();
    expect(typeof visitorId).toBe("bigint");
    expect(rest).toEqual({ ...UNRECORDED, siteId: SITE, timestampMs: AT_MS, date: "2026-01-02", eventName: "pageview", pathname: "/" });
  });

  it("spells paths and hosts as they are stored, and takes campaigns from the path", () => {
    const event = eventOf({ hostname: "WWW.Bücher.example", path: "//a b/%c3%a9?utm_source=News&gclid=secret#top" });
    expect(event).toMatchObject({ pathname: "//a%20b/%C3%A9", utmSource: "News", clickId: "gclid" });
    expect(event.hostname).toBe(eventOf({ hostname: "www.xn--bcher-kva.example" }).hostname);
    expect(eventOf({ hostname: "no host" }).hostname).toBeNull();
  });

  it("prefers campaigns that the source names, and cuts long texts", () => {
    const event = eventOf({ path: "/?utm_source=a&utm_medium=b", utmSource: " c ", name: "x".repeat(1000), city: "y".repeat(1000) });
    expect(event).toMatchObject({ utmSource: "c", utmMedium: "b" });
    expect([event.eventName.length, event.city?.length]).toEqual([EVENT_NAME_CHARS_MAX, IMPORT_NAME_CHARS_MAX]);
  });

  it("records referrers of other hosts, and the source's own name for them only without one", () => {
    expect(eventOf({ hostname: "site.test", referrer: "https://user:secret@www.google.com/search?q=1#x" })).toMatchObject({
      referrer: "https://www.google.com/search?q=1",
      referrerSource: "Google",
    });
    expect(eventOf({ hostname: "site.test", referrer: "https://site.test/a", referrerSource: "site.test" }).referrerSource).toBeNull();
    expect(eventOf({ referrerSource: "Newsletter" }).referrerSource).toBe("Newsletter");
  });

  it("parses User-Agents, and takes the source's own words without one", () => {
    expect(eventOf({ userAgent: FIREFOX, browser: "Other" })).toMatchObject({ browser: "Firefox", os: "Linux", deviceType: "desktop" });
    expect(eventOf({ browser: "Safari", screenWidth: 390 })).toMatchObject({ browser: "Safari", deviceType: "mobile", screenSize: "390" });
  });

  it("records properties, revenue, engagement and the absence of interaction within the limits of own events", () => {
    const revenue = { amount: "19.995", currency: "eur" };
    expect(eventOf({ props: { plan: "pro" }, revenue, engagedSeconds: 1.6, interactive: false })).toMatchObject({
      props: '{"plan":"pro"}',
      revenueCents: 2000,
      currency: "EUR",
      engagedSeconds: 2,
      interactive: 0,
    });
    expect(eventOf({ props: { long: "x".repeat(PROPS_CHARS_MAX) }, engagedSeconds: -1 })).toMatchObject({
      props: null,
      engagedSeconds: null,
    });
    expect(eventOf({ props: "[1]" }).props).toBeNull();
  });

  it("has a visitor of the site, the day and the import's salt", () => {
    const ids = [
      eventOf(),
      eventOf({ path: "/other", atMs: AT_MS + 60_000 }),
      eventOf({ atMs: AT_MS + 86_400_000 }),
      eventOf({ visitor: "w" }),
      eventOf({}, { siteId: siteId("other.test") }),
      eventOf({}, { salt: PLAIN_SITE.hmac.keyFrom("another") }),
    ].map(({ visitorId }) => visitorId);
    expect(ids[0]).toBe(ids[1]);
    expect(new Set(ids).size).toBe(5);
  });

  it("has a visitor of its own if the source knows none, and the same one when it is read again", () => {
    const idOf = (row: number) => eventOf({ visitor: null }, {}, row).visitorId;
    expect(idOf(7)).toBe(idOf(7));
    expect(idOf(7)).not.toBe(idOf(8));
  });

  it("keeps no address and no User-Agent", () => {
    const event = eventOf({ clientAddress: "203.0.113.7", userAgent: `${FIREFOX} Marker`, visitor: "203.0.113.7 Marker" });
    const text = JSON.stringify(event, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));
    expect(text).not.toMatch(/203\.0\.113\.7|Marker/);
  });

  it("is left out for bots, and for what the site's settings exclude", () => {
    const bot = aHit({ userAgent: "Googlebot/2.1 (+http://www.google.com/bot.html)" });
    expect(eventOfHit(bot, 1, optionsOf())).toBe("bot");
    expect(eventOfHit(bot, 1, optionsOf({ filterBots: false }))).toMatchObject({ pathname: "/" });
    const exclusions = {
      hasPage: (path: string, host: string | null) => path === "/admin" || host === "copy.test",
      hasAddress: (address: string) => address === "203.0.113.7",
      hasCountry: (country: string) => country === "NL",
      hasNetwork: (asn: number) => asn === 64496,
      hasReferrer: (host: string) => host === "spam.test",
    };
    const left = [
      { path: "/admin?a=1" },
      { clientAddress: "203.0.113.7" },
      { countryCode: "NL" },
      { hostname: "copy.test" },
      { referrer: "https://SPAM.test/" },
    ];
    for (const fields of left) expect(eventOfHit(aHit(fields), 1, optionsOf({ exclusions }))).toBe("excluded");
    const networkOf = (address: string) => (address === "198.51.100.9" ? { asn: 64_496, organization: null } : null);
    expect(eventOfHit(aHit({ clientAddress: "198.51.100.9" }), 1, optionsOf({ exclusions, networkOf }))).toBe("excluded");
    expect(eventOfHit(aHit({ path: "/" }), 1, optionsOf({ exclusions }))).toMatchObject({ pathname: "/" });
  });
});
