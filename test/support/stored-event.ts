/** Stored events for tests of storage and engine: examples, and arbitraries of all valid events. */
import fc from "fast-check";
import { REVENUE_CENTS_MAX } from "../../src/runtime/base/config/limits.ts";
import { eventText, type EventText, type SiteId, type StoredEvent, UNRECORDED, utcDateOf } from "../../src/storage/event.ts";
import { character } from "./character.ts";

/** Casts a literal id of a test, which must be valid. */
export const siteId = (text: string): SiteId => text as SiteId;

/** Events in the form that the journal, the threads and the engine receive. */
export const eventTexts = (events: readonly StoredEvent[]): EventText[] => events.map(eventText);

/** An event with as few recorded values as possible. */
export function anEvent({ at = "2026-03-15T12:00:00.000Z", ...fields }: Partial<StoredEvent> & { at?: string } = {}): StoredEvent {
  const timestampMs = fields.timestampMs ?? Date.parse(at);
  return {
    ...UNRECORDED,
    siteId: siteId("site.test"),
    timestampMs,
    date: utcDateOf(timestampMs),
    visitorId: 1n,
    eventName: "pageview",
    pathname: "/",
    ...fields,
  };
}

/** An event with a value in every field, unique by `number`. */
export const aFullEvent = (number: number, fields: Partial<StoredEvent> & { at?: string } = {}): StoredEvent =>
  anEvent({
    visitorId: 0xffff_ffff_ffff_ffffn - BigInt(number),
    eventName: "Sign \u{1f600} up",
    pathname: `/page/${number}`,
    hostname: "page.test",
    referrer: "https://news.example/item?id=7",
    referrerSource: "news.example",
    countryCode: "NL",
    region: "Noord-Holland",
    city: "Amsterdam",
    browser: "Firefox",
    browserVersion: "126",
    os: "macOS",
    osVersion: "10.15",
    deviceType: "desktop",
    screenSize: "1440",
    utmSource: "s",
    utmMedium: "m",
    utmCampaign: "c",
    utmContent: "o",
    utmTerm: "t",
    props: `{"plan":"pro","number":${number},"nested":{"deep":[1,null,true]}}`,
    revenueCents: -1999 + number,
    currency: "EUR",
    engagedSeconds: number % 86_401,
    clickId: "gclid",
    interactive: 0,
    evidence: "no_hints unmarked",
    ...fields,
  });

const ODD_TEXTS = [
  "",
  "(unknown)",
  "null",
  "a\u0000b\nc",
  "'\"\\",
  "\ufeff",
  "e\u0301",
  "\u{1f468}\u200d\u{1f469}\u200d\u{1f466}",
  "__proto__",
  "constructor",
  "toString",
];

/** An arbitrary of well-formed texts, as ingestion stores them. */
const text = fc.oneof({ weight: 2, arbitrary: fc.string({ unit: character }) }, { weight: 1, arbitrary: fc.constantFrom(...ODD_TEXTS) });

const optionalText = fc.option(text, { nil: null });

/** JSON objects in the form in which they are stored. `-0` is written `0`, and other keys than `__proto__` are all there may be. */
const storedProps = fc
  .dictionary(text, fc.jsonValue({ stringUnit: character }), { noNullPrototype: true, minKeys: 1 })
  .map((props) => JSON.stringify(props))
  .filter((json) => !json.includes("__proto__"));

export const cents = fc.integer({ min: -REVENUE_CENTS_MAX, max: REVENUE_CENTS_MAX });

const SITE_ID_CHARS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-"];

/** An arbitrary of valid site ids, including long ones and ones of few distinct characters. */
export const anySiteId: fc.Arbitrary<SiteId> = fc
  .oneof(
    fc.string({ unit: fc.constantFrom(...SITE_ID_CHARS), minLength: 1, maxLength: 256 }),
    fc
      .string({ unit: fc.constantFrom("A", "a", ".", ":", "%", "2", "E"), minLength: 1, maxLength: 8 })
      .map((id) => id.replaceAll("%", "-")),
    fc.string({ unit: fc.constantFrom("A", "a", ":"), minLength: 200, maxLength: 256 }),
  )
  .map(siteId);

/** An arbitrary of events that ingestion can produce, within a few days. */
export const anyEvent: fc.Arbitrary<StoredEvent> = fc
  .record({
    siteId: fc.constant(siteId("site.test")),
    timestampMs: fc.integer({ min: Date.parse("2026-03-14T00:00:00Z"), max: Date.parse("2026-03-16T23:59:59.999Z") }),
    visitorId: fc.bigInt({ min: 0n, max: 0xffff_ffff_ffff_ffffn }),
    eventName: text,
    pathname: text,
    hostname: optionalText,
    referrer: optionalText,
    referrerSource: optionalText,
    countryCode: optionalText,
    region: optionalText,
    city: optionalText,
    browser: optionalText,
    browserVersion: optionalText,
    os: optionalText,
    osVersion: optionalText,
    deviceType: optionalText,
    screenSize: optionalText,
    utmSource: optionalText,
    utmMedium: optionalText,
    utmCampaign: optionalText,
    utmContent: optionalText,
    utmTerm: optionalText,
    props: fc.option(storedProps, { nil: null }),
    revenueCents: fc.option(cents, { nil: null }),
    currency: optionalText,
    engagedSeconds: fc.option(fc.integer({ min: 0, max: 86_400 }), { nil: null }),
    clickId: optionalText,
    interactive: fc.constantFrom(null, 0),
    evidence: optionalText,
  })
  .map((fields) => ({ ...fields, date: utcDateOf(fields.timestampMs) }));
