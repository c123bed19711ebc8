/** Names of periods and comparisons, and the keys that choose a period. */
import { PERIODS, type Period } from "../../src/shared/periods.ts";
import type { Comparison } from "../state/range.ts";

interface PeriodLabel {
  readonly label: string;
  /** The keyboard shortcut. */
  readonly key?: string;
}

export const PERIOD_LABELS: Readonly<Record<Period, PeriodLabel>> = {
  day: { label: "Today", key: "D" },
  "7d": { label: "Last 7 days", key: "W" },
  "30d": { label: "Last 30 days", key: "M" },
  "90d": { label: "Last 90 days", key: "Q" },
  "6mo": { label: "Last 6 months" },
  "12mo": { label: "Last 12 months", key: "Y" },
  month: { label: "Month to date" },
  year: { label: "Year to date" },
  all: { label: "All time", key: "A" },
};

export const PERIOD_KEYS = PERIODS.flatMap((named) => {
  const { key } = PERIOD_LABELS[named];
  return key === undefined ? [] : [{ period: named, key }];
});

export const COMPARISON_LABELS: Readonly<Record<Comparison, string>> = {
  previous_period: "Previous period",
  year_over_year: "Same period last year",
  custom: "Custom period",
  none: "No comparison",
};
