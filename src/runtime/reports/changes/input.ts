/**
 * The numbers that the analysis of changes reads, as plain data (docs/internals/changes.md). Days are numbers since 1970-01-01 of the
 * site's calendar. A day, hour or value without a row counts 0. Only dimensions whose values add up to the total may be given.
 */

/** Counts: they are compared by themselves. */
export const COUNT_METRICS = ["visits", "visitors", "pageviews", "events", "conversions"] as const;

/** Numerator and denominator: converted visits, bounces, page views or seconds, each divided by visits. */
export const RATIO_METRICS = ["conversion_rate", "bounce_rate", "views_per_visit", "duration"] as const;

export const CHANGE_METRICS = [...COUNT_METRICS, ...RATIO_METRICS, "revenue"] as const;

export type RatioMetric = (typeof RATIO_METRICS)[number];
export type ChangeMetric = (typeof CHANGE_METRICS)[number];

export const CHANGE_COMPARISONS = ["typical", "previous_period", "year_over_year", "custom"] as const;
export type ChangeComparison = (typeof CHANGE_COMPARISONS)[number];

/** Days before a window that its typical values rest on: 8 whole weeks. */
export const HISTORY_DAYS = 56;

/** Longest window with typical values, and the history that they need at least. */
export const TYPICAL_DAYS_MAX = 28;
export const HISTORY_DAYS_MIN = 28;

/** Days of longer windows are not named: their rows and those of the weeks before would be too many to read at once. */
export const NAMED_DAYS_MAX = 92;

/** False if the window is too long or the site too new: then `compared` must be given, for `typical` the directly preceding window. */
export const hasTypical = ({ firstDay, lastDay }: Pick<Window, "firstDay" | "lastDay">, dataFirstDay: number): boolean =>
  lastDay - firstDay < TYPICAL_DAYS_MAX && firstDay - dataFirstDay >= HISTORY_DAYS_MIN;

export interface Tally {
  /** The metric. Visits (the denominator) of a ratio; the number of payments of `revenue`. */
  readonly count: number;
  /** The numerator of a ratio. With `visits`: the bounces among them, if known. */
  readonly part?: number;
  /** Hundredths of one currency, for `revenue`. */
  readonly cents?: bigint;
}

export interface DayTally extends Tally {
  readonly day: number;
}

export interface ValueTally extends Tally {
  /** The stored value; `(unknown)` if nothing was recorded. */
  readonly value: string;
}

export interface DayValueTally extends DayTally, ValueTally {}

export interface HourTally {
  readonly day: number;
  /** 0 to 23, of the site's clock. Hours that a change of the clock repeats are one. */
  readonly hour: number;
  /** The metric (visits, for ratios and revenue). */
  readonly count: number;
  /** Visits of the whole site that begin in this hour, whatever is filtered: what a gap is judged by. */
  readonly visits: number;
  /** Events of the whole site in this hour. */
  readonly events: number;
}

/** The values of one dimension. */
export interface DimensionTallies {
  /** A dimension of breakdowns, e.g. `visit-sources`. */
  readonly dimension: string;
  /** Sums of the window, exact: all values, or the `CHANGE_VALUES_MAX` largest. */
  readonly sums: readonly ValueTally[];
  /**
   * The window and its history (`HISTORY_DAYS`), the `VALUES_PER_BUCKET_MAX` largest values of each day, equal ones by value. What is cut
   * makes typical values of rare values too low, and never changes a sum. May be empty: then no value is named.
   */
  readonly byDay: readonly DayValueTally[];
}

/** A window with its history: days from `firstDay` − `HISTORY_DAYS` to `lastDay`. */
export interface Window {
  readonly firstDay: number;
  readonly lastDay: number;
  /** Exact sum of the window, as `main` has it. */
  readonly total: Tally;
  readonly days: readonly DayTally[];
  /** Only for `revenue`: the largest single payment of the window, if it has one. */
  readonly largestPayment?: { readonly day: number; readonly cents: bigint };
  /** Hours of these days. May be empty: then there is no band by hour, no gap is found, and today has no verdict. */
  readonly hours: readonly HourTally[];
  readonly dimensions: readonly DimensionTallies[];
}

/** The time of the site's clock, if the period includes the current date. */
export interface Now {
  readonly day: number;
  /** Hours since midnight, with their fraction. */
  readonly hour: number;
}

/**
 * Something about the data that the caller knows, kept as a caveat if it touches what is compared. `imported_days` are counted nowhere:
 * nothing is then said of differences.
 */
export interface DataFact {
  readonly code: "zone_change" | "salt_change" | "imported_days" | "retention" | "filtered_goal_changed";
  readonly firstDay: number;
  readonly lastDay: number;
}

export interface ChangesInput {
  readonly metric: ChangeMetric;
  /** The goal's name, of `conversions` and `conversion_rate`. */
  readonly goal?: string;
  /** ISO 4217, of `revenue`. */
  readonly currency?: string;
  readonly compare: ChangeComparison;
  /** The first day with data: the site's first event, or what its retention left. Days before are unknown, not 0. */
  readonly dataFirstDay: number;
  readonly now: Now | null;
  readonly period: Window;
  /**
   * The window that `compare` names; null for `typical` if the period `hasTypical`. Its `total` and `sums` may be cut at the time of
   * `now`. Its days, hours and `byDay` with their history serve the verdict `unusual_comparison` and may be empty.
   */
  readonly compared: Window | null;
  readonly facts: readonly DataFact[];
  /** Rows of each dimension: 1 to 100. */
  readonly limit: number;
  readonly band: "day" | "hour" | null;
  /** Added to the thresholds of z: 0, or 0.3 for each metric of a goal in a digest. */
  readonly caution?: number;
  /** The name of a value in English sentences: readable, without control characters. */
  readonly nameOf: (dimension: string, value: string) => string;
}

/** What `withDrill` needs under the finding's filters: the rows by day of these dimensions in these days. */
export interface DrillQuery {
  /** A filter, in its notation. */
  readonly filters: string;
  readonly dimensions: readonly string[];
  readonly firstDay: number;
  readonly lastDay: number;
}

export interface DrillRows {
  readonly dimension: string;
  readonly byDay: readonly DayValueTally[];
}
