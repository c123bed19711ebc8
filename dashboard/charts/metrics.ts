/** The six metrics: title, definition, format, and where their total and their series come from. */
import type { Reports } from "../api/types.ts";
import { compactCount, formatAverage, formatDuration, formatRate } from "../format/locale.ts";

export const METRIC_IDS = ["visitors", "visits", "pageviews", "views_per_visit", "bounce_rate", "visit_duration"] as const;
export type Metric = (typeof METRIC_IDS)[number];

export type MainReport = Reports["main"];
type Compared = NonNullable<MainReport["comparison"]>;

interface MetricInfo {
  readonly title: string;
  readonly definition: string;
  readonly format: (value: number) => string;
  readonly now: (report: MainReport) => number | null;
  readonly before: (comparison: Compared, isFiltered: boolean) => number | null;
  readonly isLessBetter?: boolean;
  /** The report with the values by hour or day, and their field in it. */
  readonly series: "timeseries" | "session-timeseries";
  readonly field: string;
}

export const METRICS: Readonly<Record<Metric, MetricInfo>> = {
  visitors: {
    title: "Unique visitors",
    definition: "People, counted once per day: nobody is recognized from one day to the next.",
    format: compactCount,
    now: ({ unique_visitors }) => unique_visitors,
    before: ({ unique_visitors }) => unique_visitors,
    series: "timeseries",
    field: "visitors",
  },
  visits: {
    title: "Visits",
    definition: "Sessions of a visitor, ending after 30 minutes of inactivity unless configured otherwise.",
    format: compactCount,
    now: ({ total_sessions }) => total_sessions,
    before: ({ total_sessions }) => total_sessions,
    series: "session-timeseries",
    field: "sessions",
  },
  pageviews: {
    title: "Pageviews",
    definition: "Total page loads and navigations, including repeated views of a page.",
    format: compactCount,
    now: ({ total_pageviews }) => total_pageviews,
    before: ({ total_pageviews }) => total_pageviews,
    series: "timeseries",
    field: "pageviews",
  },
  views_per_visit: {
    title: "Views per visit",
    definition: "Pageviews divided by visits.",
    format: formatAverage,
    now: ({ views_per_visit }) => views_per_visit,
    // Not in the comparison; without filters it follows from the totals.
    before: ({ total_pageviews, total_sessions }, isFiltered) => (isFiltered || !total_sessions ? null : total_pageviews / total_sessions),
    series: "session-timeseries",
    field: "views_per_visit",
  },
  bounce_rate: {
    title: "Bounce rate",
    definition: "Share of visits with a single pageview and no other event. Lower is better.",
    format: formatRate,
    now: ({ bounce_rate }) => bounce_rate,
    before: ({ bounce_rate }) => bounce_rate,
    isLessBetter: true,
    series: "session-timeseries",
    field: "bounce_rate",
  },
  visit_duration: {
    title: "Visit duration",
    definition: "Average time from the first to the last event of a visit. Time spent on the last page is not measured.",
    format: formatDuration,
    now: ({ avg_visit_duration_secs }) => avg_visit_duration_secs,
    before: ({ avg_visit_duration_secs }) => avg_visit_duration_secs,
    series: "session-timeseries",
    field: "avg_visit_duration_secs",
  },
};
