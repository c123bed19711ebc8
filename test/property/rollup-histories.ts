/** Random histories of a program that makes rollups: what happens to its events, its rollups and itself, and what is asked after each step. */
import fc from "fast-check";
import { DIMENSIONS } from "../../src/runtime/query/filters.ts";
import { SITES, untimedEvent, type UntimedEvent } from "./histories.ts";
import { question, type Question } from "./questions.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** What a program is started with. */
export interface Settings {
  readonly rollups: boolean;
  readonly sessionWindowMinutes: number;
  readonly rotationDays: number;
  readonly compactAfterFiles: number;
}

/** An event some days before the current one, at a time of that day. */
export interface DatedEvent {
  readonly event: UntimedEvent;
  readonly daysBack: number;
  readonly timeMs: number;
}

/** `nth` selects a stored rollup. */
export type Tampering =
  | { readonly how: "delete all" }
  | { readonly how: "delete one" | "cut one off" | "damage one"; readonly nth: number }
  | { readonly how: "swap two"; readonly nth: number; readonly other: number };

export type RollupStep =
  | { readonly kind: "events"; readonly events: readonly DatedEvent[]; readonly isFlushed: boolean }
  | { readonly kind: "flush" | "compaction" | "making" | "retention" | "engine loss" }
  /** The job's writing of the nth rollup from now fails, or the process dies there, before or after the change. */
  | { readonly kind: "interrupted making"; readonly nth: number; readonly isDeadly: boolean; readonly isDone: boolean }
  | { readonly kind: "erasure"; readonly siteId: string; readonly daysBack: number; readonly days: number }
  | { readonly kind: "clock"; readonly days: number }
  | { readonly kind: "restart"; readonly isCrash: boolean; readonly settings: Settings }
  | { readonly kind: "tampering"; readonly tampering: Tampering };

/** A question to one endpoint. */
export interface Asked {
  readonly endpoint: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly about: Question;
}

export interface RollupRound {
  readonly step: RollupStep;
  readonly asked: readonly Asked[];
  /** Whether questions are asked during the step too, if it changes no answer. */
  readonly isAskedMeanwhile: boolean;
}

export interface RollupHistory {
  readonly settings: Settings;
  /** Days of the periods in which visitors keep their id: those of all settings' salt periods. */
  readonly idDays: number;
  readonly retentionDays: number;
  /** Limits so small that they matter to few events. */
  readonly weightBytesMin: number;
  readonly measureRowsMax: number;
  readonly cacheBytesMax: number;
  readonly engineMemoryMb: number | null;
  readonly first: readonly DatedEvent[];
  readonly rounds: readonly RollupRound[];
}

/** Every report that rollups may answer, with its own parameters. */
export const ENDPOINTS: readonly (readonly [endpoint: string, parameters: Readonly<Record<string, string>>])[] = [
  ["main", {}],
  ["main", { compare: "previous_period" }],
  ["main", { compare: "year_over_year" }],
  ["timeseries", {}],
  ["session-timeseries", {}],
  ["timeseries", { interval: "week" }],
  ["session-timeseries", { interval: "month" }],
  ...DIMENSIONS.map((dimension) => [`breakdown/${dimension}`, {}] as const),
  ["breakdown/pages", { limit: "2" }],
  ["breakdown/pages", { sort: "events:asc", offset: "1", limit: "3", with_total: "true" }],
  ["breakdown/sources", { search: "o", sort: "value:desc", with_total: "true" }],
  ["breakdown/sources", { search: "dir", unknown_label: "Direct / none", sort: "value:desc", with_total: "true" }],
  ["breakdown/countries", { columns: "comparison", limit: "3", sort: "visitors:asc" }],
  ["breakdown/entry-pages", { search: "/", sort: "pageviews:desc", offset: "1", with_total: "true" }],
  ["breakdown/entry-pages", {}],
  ["breakdown/exit-pages", { limit: "3" }],
  ["goals", {}],
  ["properties", {}],
  ["properties", { search: "B" }],
  ["property-values", { key: "plan" }],
  ["property-values", { key: "plan", search: "E" }],
  ["property-values", { key: "a.b" }],
  ["property-values", { key: "k39" }],
  ["property-values", { key: "a", event: "Signup" }],
  ["property-values", { name: "a b" }],
  ["property-values", { name: "" }],
  ["revenue", {}],
  ["changes", {}],
  ["changes", { metric: "bounce_rate", compare: "previous_period" }],
];

const keysFrom = (first: number, end: number): string =>
  JSON.stringify(Object.fromEntries(Array.from({ length: end - first }, (_, i) => [`k${first + i}`, i % 3])));

/** More keys than a rollup has, in one event or in several. */
const manyKeys = fc.constantFrom(keysFrom(0, 40), keysFrom(0, 20), keysFrom(20, 40));

/** Its hundredths are far beyond what doubles add up exactly. */
export const HUGE_CENTS = Number.MAX_SAFE_INTEGER;

/** Without any optional field, with many properties, or with revenue that no double holds. */
const event: fc.Arbitrary<UntimedEvent> = fc.oneof(
  { weight: 20, arbitrary: untimedEvent },
  {
    weight: 1,
    arbitrary: untimedEvent.map((drawn) => {
      const bare = Object.fromEntries(Object.keys(drawn).map((field) => [field, null]));
      const { siteId, visitorId, eventName, pathname } = drawn;
      return { ...(bare as unknown as UntimedEvent), siteId, visitorId, eventName, pathname };
    }),
  },
  { weight: 1, arbitrary: fc.record({ drawn: untimedEvent, props: manyKeys }).map(({ drawn, props }) => ({ ...drawn, props })) },
  {
    weight: 2,
    arbitrary: fc
      .record({ drawn: untimedEvent, sign: fc.constantFrom(1, -1) })
      .map(({ drawn, sign }) => ({ ...drawn, revenueCents: sign * HUGE_CENTS, currency: "EUR" })),
  },
);

/** Mostly a few minutes apart, or around midnight, so that sessions go on. */
const timeMs = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 90 }).map((minutes) => 12 * HOUR_MS + minutes * MINUTE_MS) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 20 }).map((minutes) => minutes * MINUTE_MS) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 20 }).map((minutes) => 24 * HOUR_MS - minutes * MINUTE_MS) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 24 * HOUR_MS - 1 }) },
);

const daysBack = fc.oneof(
  { weight: 4, arbitrary: fc.nat({ max: 6 }) },
  { weight: 3, arbitrary: fc.nat({ max: 20 }) },
  { weight: 1, arbitrary: fc.constantFrom(40, 63, 64, 127, 200, 364, 365, 366, 400) },
);

const datedEvents = (maxLength: number, minLength = 0): fc.Arbitrary<DatedEvent[]> =>
  fc.array(fc.record({ event, daysBack, timeMs }), { minLength, maxLength, size: "max" });

const tampering: fc.Arbitrary<Tampering> = fc.oneof(
  fc.constant<Tampering>({ how: "delete all" }),
  fc.record({ how: fc.constantFrom("delete one" as const, "cut one off" as const, "damage one" as const), nth: fc.nat({ max: 50 }) }),
  fc.record({ how: fc.constant("swap two" as const), nth: fc.nat({ max: 50 }), other: fc.nat({ max: 50 }) }),
);

function stepWith(settings: fc.Arbitrary<Settings>): fc.Arbitrary<RollupStep> {
  const simple = (kind: "flush" | "compaction" | "making" | "retention" | "engine loss") => fc.constant<RollupStep>({ kind });
  return fc.oneof(
    { weight: 5, arbitrary: fc.record({ kind: fc.constant("events" as const), events: datedEvents(5, 1), isFlushed: fc.boolean() }) },
    { weight: 1, arbitrary: simple("flush") },
    { weight: 1, arbitrary: simple("compaction") },
    { weight: 5, arbitrary: simple("making") },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant("interrupted making" as const),
        nth: fc.constantFrom(1, 1, 2),
        isDeadly: fc.boolean(),
        isDone: fc.boolean(),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant("erasure" as const),
        siteId: fc.constantFrom(SITES[0], SITES[0], SITES[1]),
        daysBack,
        days: fc.nat({ max: 3 }),
      }),
    },
    { weight: 1, arbitrary: simple("retention") },
    { weight: 1, arbitrary: simple("engine loss") },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("clock" as const), days: fc.constantFrom(-1, 1, 1, 2, 7) }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("restart" as const), isCrash: fc.boolean(), settings }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("tampering" as const), tampering }) },
  );
}

/** Mostly without a filter, because there are no rollups of filtered events. */
const about: fc.Arbitrary<Question> = fc
  .record({ drawn: question, hasFilter: fc.constantFrom(false, false, false, false, true), isMain: fc.boolean() })
  .map(({ drawn, hasFilter, isMain }) => ({
    ...drawn,
    ...(!hasFilter && { conditions: [] }),
    ...(isMain && { siteId: SITES[0] }),
  }));

const asked: fc.Arbitrary<Asked> = fc
  .record({ endpoint: fc.constantFrom(...ENDPOINTS), about })
  .map(({ endpoint: [endpoint, parameters], about: of }) => ({ endpoint, parameters, about: of }));

function historyWith(rotationDays: number, changesRotation: boolean): fc.Arbitrary<RollupHistory> {
  const settings: fc.Arbitrary<Settings> = fc.record({
    rollups: fc.constantFrom(true, true, true, false),
    sessionWindowMinutes: fc.constantFrom(30, 30, 1, 1440),
    rotationDays: changesRotation ? fc.constantFrom(1, 2, 7) : fc.constant(rotationDays),
    compactAfterFiles: fc.constantFrom(0, 1, 1, 2),
  });
  return fc.record({
    settings: settings.map((drawn) => ({ ...drawn, rollups: true })),
    idDays: fc.constant(changesRotation ? 1 : rotationDays),
    retentionDays: fc.constantFrom(0, 0, 30),
    weightBytesMin: fc.constantFrom(1, 1, 22_000, 60_000),
    measureRowsMax: fc.constantFrom(2, 50_000),
    cacheBytesMax: fc.constantFrom(0, 16_000_000),
    engineMemoryMb: fc.oneof({ weight: 11, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.constant(1) }),
    first: datedEvents(18, 8),
    rounds: fc.array(
      fc.record({ step: stepWith(settings), asked: fc.array(asked, { minLength: 3, maxLength: 6 }), isAskedMeanwhile: fc.boolean() }),
      {
        minLength: 4,
        maxLength: 12,
        size: "max",
      },
    ),
  });
}

export const rollupHistory: fc.Arbitrary<RollupHistory> = fc
  .record({ rotationDays: fc.constantFrom(1, 1, 2, 7), changesRotation: fc.constantFrom(false, false, true) })
  .chain(({ rotationDays, changesRotation }) => historyWith(rotationDays, changesRotation));
