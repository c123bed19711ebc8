/** The answer of `GET /api/stats/changes`, in its spelling (docs/http-api.md, "Changes"). */
import type { Decimal } from "../../base/decimal.ts";
import type { ChangeComparison, ChangeMetric } from "./input.ts";

/** `compared`: nothing is judged, see `reason`. */
export const VERDICTS = ["too_new", "incomplete", "explained", "broad", "shifted", "unusual_comparison", "ordinary", "compared"] as const;
export type Verdict = (typeof VERDICTS)[number];

/** A count, a rate, or money. Typical values are fractions, multiples of 1/1024, so that their sums are exact. */
export type Amount = number | Decimal;

export interface ValueOf {
  readonly dimension: string;
  readonly value: string;
}

export interface Mix extends ValueOf {
  readonly more: boolean;
  readonly higher: boolean;
}

export interface Finding extends ValueOf {
  /** Other values that are largely the same visits. */
  readonly also: readonly ValueOf[];
  /** The days that hold 80 % of its excess. Empty for long periods. */
  readonly dates: readonly string[];
  /** What its numbers are of. A day that stands out is told by the numbers of this day, against what is typical for it. */
  readonly numbers_of: "period" | "dates";
  readonly before: Amount;
  readonly after: Amount;
  readonly delta: Amount;
  readonly typical: Amount | null;
  readonly share: number | null;
  readonly z: number | null;
  readonly contrast_z: number | null;
  readonly recurring: boolean;
  readonly without_value: WithoutValue & { readonly ordinary: boolean | null };
  readonly drill: (ValueOf & { readonly after: number; readonly share: number }) | null;
  /** A filter, in its notation. */
  readonly filters: string;
  readonly sentence: string;
}

export interface WithoutValue {
  readonly before: Amount;
  readonly after: Amount;
  readonly change: number | null;
}

export interface ContributionRow {
  readonly value: string;
  readonly before: Amount;
  readonly after: Amount;
  readonly delta: Amount;
  readonly share: number | null;
  readonly typical: Amount | null;
  /** A ratio: points by other shares of visits, and by another rate. Revenue: by the number of payments, and by their mean amount. */
  readonly mix?: Amount;
  readonly rate?: Amount;
  readonly without_value: WithoutValue;
}

export interface Rest {
  readonly values: number;
  readonly before: Amount;
  readonly after: Amount;
  readonly delta: Amount;
  readonly mix?: Amount;
  readonly rate?: Amount;
}

export interface DimensionChanges {
  readonly dimension: string;
  readonly additive: boolean;
  readonly rows: readonly ContributionRow[];
  readonly rest: Rest;
}

export interface UnusualDay {
  readonly date: string;
  readonly value: Amount;
  readonly expected: Amount;
  readonly low: Amount;
  readonly high: Amount;
  readonly z: number;
  /** The place of its finding in `findings`. */
  readonly finding: number | null;
}

export interface BandPoint {
  /** `2026-03-15` or `2026-03-15 14:00`. */
  readonly date: string;
  readonly low: Amount;
  readonly expected: Amount;
  readonly high: Amount;
}

export const CAVEAT_CODES = [
  "tracking_gap",
  "bot_like",
  "one_payment",
  "zone_change",
  "salt_change",
  "imported_days",
  "retention",
  "partial_history",
  "filtered_goal_changed",
] as const;

export interface Caveat {
  readonly code: (typeof CAVEAT_CODES)[number];
  /** Dates; hours of the site's clock, `2026-03-15 14:00`, for `tracking_gap`, whose `to` is its end. */
  readonly from?: string;
  readonly to?: string;
  /** The payment, for `one_payment`. */
  readonly amount?: Amount;
  readonly sentence: string;
}

export const REASONS = ["too_new", "long_period", "too_early", "incomplete"] as const;

/** The whole answer but `ends_at` and `time_zone`, which the report adds. */
export interface ChangesResult {
  readonly metric: ChangeMetric;
  readonly goal?: string;
  readonly currency?: string;
  readonly start_date: string;
  readonly end_date: string;
  readonly verdict: Verdict;
  readonly sentence: string;
  readonly comparison: {
    readonly compare: ChangeComparison;
    readonly start_date?: string;
    readonly end_date?: string;
    /** Days that the typical value rests on. */
    readonly reference_days?: number;
  };
  readonly total: {
    readonly before: Amount | null;
    readonly after: Amount;
    readonly delta: Amount | null;
    /** Is null if `before` counts fewer than 20. */
    readonly change: number | null;
  };
  readonly typical: {
    readonly expected: Amount;
    readonly low: Amount;
    readonly high: Amount;
    /** What was counted on the tested days: those without a tracking gap. */
    readonly counted: Amount;
    readonly z: number;
    /** 0 without a trend. */
    readonly trend_per_week: number;
  } | null;
  /** The period is the current date, so it counts until now. */
  readonly so_far?: boolean;
  /** Why `typical` is null. */
  readonly reason?: (typeof REASONS)[number];
  /** Findings of the compared window, if the verdict is `unusual_comparison`. */
  readonly findings: readonly Finding[];
  /** A ratio whose change is mostly that of shares: more or fewer visits are of this value, whose rate is higher or lower. */
  readonly mix?: Mix & { readonly filters: string };
  readonly dimensions: readonly DimensionChanges[];
  readonly days: readonly UnusualDay[];
  readonly band?: readonly BandPoint[];
  readonly caveats: readonly Caveat[];
  readonly noise: {
    readonly dispersion: number | null;
    readonly persistence: number | null;
    readonly weeks: number;
    readonly tried: number;
  };
  readonly floors: { readonly visits: number; readonly share: number };
}
