/** Random histories of a few sites: which events arrived when, and the queries and flushes in between. */
import fc from "fast-check";
import { normalizeHost } from "../../src/shared/paths.ts";
import { utcCalendar } from "../../src/storage/calendar.ts";
import type { Dimension } from "../../src/runtime/query/filters.ts";
import type { SiteId, StoredEvent } from "../../src/storage/event.ts";
import { DIMENSION_NAMES, DIMENSION_ROWS, type DimensionRow } from "../support/dimension-rows.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Site ids that contain one another or differ only by case. Most events belong to the first. */
export const SITES = ["main.test", "Main.test", "main.test:8080"] as const;

/** Texts that need escaping or care in SQL, JSON, filters, sorting or file names. */
const ODD_TEXTS = [
  "a=b",
  "=",
  "!=x",
  "a,b",
  "it's",
  '"quoted"',
  "100%",
  "%41",
  "\u{1f600}",
  "\uffff",
  "\ufeff",
  "\ufeffa",
  "(unknown)",
  "é",
  "e\u0301",
  "null",
  "0",
  "a b",
  "\\",
  "$1",
];

interface Windows {
  readonly sessionWindowMinutes: number;
  readonly realtimeWindowMinutes: number;
}

export interface History extends Windows {
  readonly nowMs: number;
  readonly steps: readonly Step[];
}

/** Events that come in one after the other, and what happens then. */
export interface Step {
  readonly events: readonly StoredEvent[];
  readonly afterwards: "nothing" | "ask" | "flush" | "ask and flush";
}

/** Midday, the first and last milliseconds of days, months and years, a leap day. All after the clock's start. */
const NOWS = [
  "2026-03-15T12:00:00.000Z",
  "2026-03-16T00:00:00.000Z",
  "2026-03-31T23:59:59.999Z",
  "2026-04-01T00:02:30.000Z",
  "2027-01-01T00:00:00.001Z",
  "2028-02-29T23:30:00.000Z",
  "2028-03-01T00:10:10.010Z",
].map((text) => Date.parse(text));

/** Moments that many events cluster around, each relative to now and then to the midnight before that, if wanted. */
interface Anchor {
  readonly beforeNowMs: number;
  readonly atMidnight: boolean;
}

interface Moment {
  readonly anchor: number;
  readonly offsetMs: number;
}

const anchor: fc.Arbitrary<Anchor> = fc.record({
  beforeNowMs: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(0, MINUTE_MS, 5 * MINUTE_MS, HOUR_MS) },
    { weight: 3, arbitrary: fc.integer({ min: -2, max: 40 }).map((days) => days * DAY_MS) },
    { weight: 1, arbitrary: fc.constantFrom(89, 90, 364, 365, 366, 395).map((days) => days * DAY_MS) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 3 * DAY_MS }) },
  ),
  atMidnight: fc.boolean(),
});

/** Ties, neighbours, and whole numbers of windows apart, to the millisecond or one more or less. */
function moment({ sessionWindowMinutes, realtimeWindowMinutes }: Windows): fc.Arbitrary<Moment> {
  const windowsApart = fc
    .record({ windows: fc.integer({ min: -2, max: 2 }), ms: fc.constantFrom(0, 0, -1, 1) })
    .map(({ windows: count, ms }) => count * sessionWindowMinutes * MINUTE_MS + ms);
  return fc.record({
    anchor: fc.nat({ max: 2 }),
    offsetMs: fc.oneof(
      { weight: 5, arbitrary: windowsApart },
      { weight: 1, arbitrary: fc.constantFrom(-1, 0, 1).map((ms) => ms - realtimeWindowMinutes * MINUTE_MS) },
      { weight: 1, arbitrary: fc.integer({ min: -90_000, max: 90_000 }) },
      { weight: 1, arbitrary: fc.integer({ min: -40 * MINUTE_MS, max: 40 * MINUTE_MS }) },
    ),
  });
}

function instantOf({ anchor: number, offsetMs }: Moment, anchors: readonly Anchor[], nowMs: number): number {
  const { beforeNowMs, atMidnight } = anchors[number % anchors.length] ?? { beforeNowMs: 0, atMidnight: false };
  const ms = nowMs - beforeNowMs;
  return (atMidnight ? ms - (ms % DAY_MS) : ms) + offsetMs;
}

const orNull = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(arbitrary, { freq: 3, nil: null });

/** The fields of an event that are texts or missing. */
type TextField = {
  [Field in keyof StoredEvent]: string | null extends StoredEvent[Field] ? Exclude<Field, "props" | "currency"> : never;
}[keyof StoredEvent];

const mapDimensions = <T>(map: (row: DimensionRow) => T): Readonly<Record<Dimension, T>> =>
  Object.fromEntries(DIMENSION_NAMES.map((dimension) => [dimension, map(DIMENSION_ROWS[dimension])])) as Readonly<Record<Dimension, T>>;

/** Few values, so that they meet; now and then an odd one. */
const text = (...values: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...values) }, { weight: 1, arbitrary: fc.constantFrom(...ODD_TEXTS) });

const randomTexts = mapDimensions(({ random }) => text(...random));

/** The texts of each dimension that can be filtered on: events take theirs from here, and so do filters. */
export const TEXTS: Readonly<Record<Dimension, fc.Arbitrary<string>>> = {
  ...randomTexts,
  // Hosts are stored in one spelling, as paths are. Tables of examples try the others.
  hostnames: randomTexts.hostnames.map(normalizeHost),
  // Absolute URLs: an odd text is in the query of one.
  referrers: randomTexts.referrers.map((value) =>
    value.includes("://") || value === "(unknown)" ? value : `https://odd.example/?${value}`,
  ),
  pages: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...DIMENSION_ROWS.pages.random) },
    { weight: 1, arbitrary: fc.nat({ max: 12 }).map((page) => `/${page}`) },
  ),
  events: fc.oneof({ weight: 6, arbitrary: fc.constant("pageview") }, { weight: 4, arbitrary: randomTexts.events }),
};

export const PROPERTY_KEYS = ["plan", "a", "b", "a.b", "a.b.c", "2", "-", "_", "toString", "constructor", "none"] as const;

const propertyKey = fc.constantFrom(
  "plan",
  "plan",
  "a",
  "b",
  "c",
  "a.b",
  "2",
  "-",
  "_",
  "toString",
  "constructor",
  "",
  "ключ",
  "a b",
  "(unknown)",
);

const propertyText = text("pro", "free", "", "(unknown)", "true", "1");

const { properties } = fc.letrec<{ value: unknown; properties: Record<string, unknown> }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2, depthIdentifier: "props" },
    { weight: 4, arbitrary: propertyText },
    { weight: 2, arbitrary: fc.oneof(fc.constantFrom(0, 1, -1, 0.1, 1e21, 1e-7, 2 ** 53), fc.integer(), fc.boolean(), fc.constant(null)) },
    { weight: 1, arbitrary: fc.array(tie("value"), { maxLength: 3 }) },
    { weight: 2, arbitrary: tie("properties") },
  ),
  properties: fc.dictionary(propertyKey, tie("value"), { maxKeys: 4, noNullPrototype: true }),
}));

/** As they are stored: never empty. */
const props = properties.map((object) => JSON.stringify(object)).filter((json) => json !== "{}");

const revenueCents = fc.oneof(
  fc.constantFrom(0, 1, -1, 999, 1000, -1000, 1999, 999_999_999_999, -999_999_999_999),
  fc.integer({ min: -500_000, max: 500_000 }),
);

/** Mostly two, so that one's events meet. */
const visitorId = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(1n, 2n ** 64n - 1n) },
  { weight: 1, arbitrary: fc.constantFrom(0n, 2n, 2n ** 53n + 1n, 2n ** 63n - 1n, 2n ** 63n) },
);

const siteId = fc.constantFrom(SITES[0], SITES[0], SITES[0], SITES[0], SITES[1], SITES[2]);

/** The fields that dimensions read; each may be missing, but for a page and an event's name. */
const fieldsOfDimensions = () =>
  Object.fromEntries(DIMENSION_NAMES.map((dimension) => [DIMENSION_ROWS[dimension].field, orNull(TEXTS[dimension])])) as Readonly<
    Record<TextField, fc.Arbitrary<string | null>>
  >;

/** An event without its time. */
export type UntimedEvent = Omit<StoredEvent, "timestampMs" | "date">;

const EVIDENCE_TEXTS = ["no_hints", "unmarked", "no_hints unmarked", "impossible no_hints webdriver"] as const;

/** The codes of an event. */
export const EVIDENCE_TEXT = fc.constantFrom(...EVIDENCE_TEXTS);

const fieldsOfEvents = () => ({
  siteId: siteId.map((id) => id as string as SiteId),
  visitorId,
  ...fieldsOfDimensions(),
  eventName: TEXTS.events,
  pathname: TEXTS.pages,
  props: orNull(props),
  revenueCents: orNull(revenueCents),
  currency: orNull(fc.constantFrom("EUR", "USD", "JPY")),
  engagedSeconds: orNull(fc.integer({ min: 0, max: 86_400 })),
  clickId: orNull(fc.constantFrom("gclid", "fbclid", "msclkid")),
  interactive: fc.constantFrom(null, null, 0),
});

type WithoutEvidence = Omit<UntimedEvent, "evidence">;

/** Two of six events have no codes. They follow from fields that differ between the events of a visit, so that nothing more is drawn. */
function withEvidence<E extends WithoutEvidence>(event: E): E & Pick<UntimedEvent, "evidence"> {
  const place = (Number(event.visitorId % 97n) + (event.engagedSeconds ?? 0) + event.pathname.length) % (EVIDENCE_TEXTS.length + 2);
  return { ...event, evidence: EVIDENCE_TEXTS[place] ?? null };
}

export const untimedEvent: fc.Arbitrary<UntimedEvent> = fc.record(fieldsOfEvents()).map(withEvidence);

type EventSketch = UntimedEvent & { readonly moment: Moment };

const eventSketch = (of: Windows): fc.Arbitrary<EventSketch> => fc.record({ ...fieldsOfEvents(), moment: moment(of) }).map(withEvidence);

const windows: fc.Arbitrary<Windows> = fc.record({
  sessionWindowMinutes: fc.constantFrom(30, 30, 1, 1440),
  realtimeWindowMinutes: fc.constantFrom(5, 5, 1, 60),
});

/** Within a step events come in the order of their list, which need not be that of time. */
function historyWith(chosen: Windows): fc.Arbitrary<History> {
  const step = fc.record({
    events: fc.array(eventSketch(chosen), { maxLength: 14 }),
    inOrder: fc.boolean(),
    afterwards: fc.constantFrom<Step["afterwards"]>("nothing", "ask", "flush", "flush", "ask and flush"),
  });
  return fc
    .record({
      nowMs: fc.constantFrom(...NOWS),
      anchors: fc.array(anchor, { minLength: 1, maxLength: 3 }),
      steps: fc.array(step, { minLength: 1, maxLength: 4, size: "max" }),
    })
    .map(({ nowMs, anchors, steps }) => ({
      ...chosen,
      nowMs,
      steps: steps.map(({ events: sketches, inOrder, afterwards }) => {
        const events = sketches.map(({ moment: at, ...event }) => {
          const timestampMs = instantOf(at, anchors, nowMs);
          return { ...event, timestampMs, date: utcCalendar.dateOf(timestampMs) };
        });
        return { events: inOrder ? events.sort((a, b) => a.timestampMs - b.timestampMs) : events, afterwards };
      }),
    }));
}

export const history: fc.Arbitrary<History> = windows.chain(historyWith);

/** The same events, with visitors that get another id in every period, as real ones do. */
export function withPeriods({ steps, ...rest }: History, rotationDays: number): History {
  const renewed = (event: StoredEvent): StoredEvent => {
    const period = BigInt(Math.floor(Date.parse(event.date) / DAY_MS / rotationDays));
    return { ...event, visitorId: BigInt.asUintN(64, event.visitorId * 0x9e37_79b9_7f4a_7c15n + (period + 1n) * 0xd1b5_4a32_d192_ed03n) };
  };
  return { ...rest, steps: steps.map(({ events, ...step }) => ({ ...step, events: events.map(renewed) })) };
}
