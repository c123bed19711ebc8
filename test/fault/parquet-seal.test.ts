/** The seal detects every change to a Parquet file, so that the decoder never returns wrong events or allocates for damaged lengths. */
import { describe, expect, it } from "vitest";
import type { LocalDate, SiteId, StoredEvent } from "../../src/storage/event.ts";
import { decodeEvents, encodeEvents } from "../../src/storage/parquet-events.ts";

const EVENTS = 50;

const eventOf = (count: number): StoredEvent => ({
  siteId: "a.test" as SiteId,
  timestampMs: Date.parse("2026-03-15T12:00:00Z") + count,
  date: "2026-03-15" as LocalDate,
  visitorId: 2n ** 63n + BigInt(count),
  eventName: count % 7 === 0 ? "purchase" : "pageview",
  pathname: `/page/${count % 11}`,
  hostname: "a.test",
  referrer: null,
  referrerSource: count % 3 === 0 ? "Google" : null,
  countryCode: "DE",
  region: null,
  city: "Köln",
  browser: "Firefox",
  browserVersion: "126",
  os: "Linux",
  osVersion: null,
  deviceType: "desktop",
  screenSize: "1920",
  utmSource: null,
  utmMedium: null,
  utmCampaign: null,
  utmContent: null,
  utmTerm: null,
  props: count % 7 === 0 ? '{"plan":"pro"}' : null,
  revenueCents: count % 7 === 0 ? 1999 : null,
  currency: count % 7 === 0 ? "EUR" : null,
  engagedSeconds: count % 5 === 0 ? count : null,
  clickId: count % 7 === 0 ? "gclid" : null,
  interactive: count % 6 === 0 ? 0 : null,
  evidence: count % 7 === 0 ? "no_hints" : null,
});

const whole = encodeEvents(Array.from({ length: EVENTS }, (_, i) => eventOf(i)));

function isReadable(bytes: Uint8Array): boolean {
  try {
    decodeEvents(bytes);
    return true;
  } catch {
    return false;
  }
}

describe("a sealed Parquet file", () => {
  it("a sealed Parquet file is readable when unchanged", () => {
    expect([...decodeEvents(whole)].map(({ rows }) => rows)).toEqual([EVENTS]);
  });

  it("a sealed Parquet file is refused with any single bit flipped", () => {
    const unnoticed: number[] = [];
    for (let bit = 0; bit < whole.length * 8; bit++) {
      const flipped = whole.slice();
      flipped[bit >> 3] = (whole[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      if (isReadable(flipped)) unnoticed.push(bit);
    }
    expect(unnoticed).toEqual([]);
  });

  it("a sealed Parquet file is refused when truncated or extended", () => {
    const unnoticed: number[] = [];
    for (let length = 0; length < whole.length; length++) if (isReadable(whole.subarray(0, length))) unnoticed.push(length);
    expect(unnoticed).toEqual([]);
    expect(isReadable(Uint8Array.of(...whole, 0))).toBe(false);
    expect(isReadable(Uint8Array.of(0, ...whole))).toBe(false);
  });
});
