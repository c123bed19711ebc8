/** The six figures on top: what they are called, mean and come from, and which way is up. */
import type { Headline } from "../api/types.ts";
import { averageText, durationText, rateText, shortCount } from "../format/numbers.ts";

export const METRICS = ["visitors", "visits", "pageviews", "views_per_visit", "bounce_rate", "visit_duration"] as const;
export type Metric = (typeof METRICS)[number];

type Compared = NonNullable<Headline["comparison"]>;

interface MetricWords {
  readonly title: string;
  readonly definition: string;
  readonly text: (value: number) => string;
  readonly now: (headline: Headline) => number | null;
  readonly before: (comparison: Compared, isFiltered: boolean) => number | null;
  readonly isLessBetter?: boolean;
  /** Where the values by hour or day come from, and under which name. */
  readonly series: "timeseries" | "session-timeseries";
  readonly field: string;
}

export const METRIC_WORDS: Readonly<Record<Metric, MetricWords>> = {
  visitors: {
    title: "Unique visitors",
    definition:
      "Different people, as far as can be told without recognising anyone from one day to the next: the same person on two days counts twice.",
    text: shortCount,
    now: ({ unique_visitors }) => unique_visitors,
    before: ({ unique_visitors }) => unique_visitors,
    series: "timeseries",
    field: "visitors",
  },
  visits: {
    title: "Visits",
    definition: "Runs of a visitor's page views and events without a long pause, 30 minutes unless set otherwise.",
    text: shortCount,
    now: ({ total_sessions }) => total_sessions,
    before: ({ total_sessions }) => total_sessions,
    series: "session-timeseries",
    field: "sessions",
  },
  pageviews: {
    title: "Pageviews",
    definition: "Pages that were loaded or gone to, repeated views included.",
    text: shortCount,
    now: ({ total_pageviews }) => total_pageviews,
    before: ({ total_pageviews }) => total_pageviews,
    series: "timeseries",
    field: "pageviews",
  },
  views_per_visit: {
    title: "Views per visit",
    definition: "Pageviews divided by visits.",
    text: averageText,
    now: ({ views_per_visit }) => views_per_visit,
    // The comparison does not tell it. Without filters it follows from what it tells.
    before: ({ total_pageviews, total_sessions }, isFiltered) => (isFiltered || !total_sessions ? null : total_pageviews / total_sessions),
    series: "session-timeseries",
    field: "views_per_visit",
  },
  bounce_rate: {
    title: "Bounce rate",
    definition: "Share of visits with one page view and nothing else. Lower is better.",
    text: rateText,
    now: ({ bounce_rate }) => bounce_rate,
    before: ({ bounce_rate }) => bounce_rate,
    isLessBetter: true,
    series: "session-timeseries",
    field: "bounce_rate",
  },
  visit_duration: {
    title: "Visit duration",
    definition: "Average time from a visit's first event to its last. The time on the last page is not known.",
    text: durationText,
    now: ({ avg_visit_duration_secs }) => avg_visit_duration_secs,
    before: ({ avg_visit_duration_secs }) => avg_visit_duration_secs,
    series: "session-timeseries",
    field: "avg_visit_duration_secs",
  },
};

export interface Change {
  /** Relative: 0.12 is 12 % more. Null where there was nothing before. */
  readonly by: number | null;
  readonly direction: "up" | "down" | "same";
  readonly isGood: boolean | null;
}

export function changeOf(now: number, before: number, isLessBetter = false): Change {
  const direction = now > before ? "up" : now < before ? "down" : "same";
  const by = before === 0 ? (now === 0 ? 0 : null) : (now - before) / before;
  return { by, direction, isGood: direction === "same" ? null : (direction === "up") !== isLessBetter };
}
