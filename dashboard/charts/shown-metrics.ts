/** Which metrics are shown under which filters, in their order, and what they are called there (docs/reports.md, "Metrics under filters"). */
import type { FilterKind } from "../state/filter-kind.ts";
import { param } from "../state/url.ts";
import { filterKind, hasConversionRates } from "../state/view.ts";
import { METRICS, type Metric, type MetricInfo } from "./metrics.ts";

export interface ShownMetric extends MetricInfo {
  readonly id: Metric;
  readonly title: string;
  readonly definition: string;
}

const shown = (id: Metric, title: string, definition: string): ShownMetric => ({ ...METRICS[id], id, title, definition });

const LAST_PAGE = "Time spent on the last page is not measured.";

const SHOWN: Readonly<Record<FilterKind, readonly [ShownMetric, ...ShownMetric[]]>> = {
  visitors: [
    shown("visitors", "Unique visitors", "People, counted once per day: nobody is recognized the next day, unless configured otherwise."),
    shown("visits", "Visits", "Sessions of a visitor, ending after 30 minutes of inactivity unless configured otherwise."),
    shown("pageviews", "Pageviews", "Total page loads and navigations, including repeated views of a page."),
    shown("views_per_visit", "Views per visit", "Pageviews divided by visits."),
    shown("bounce_rate", "Bounce rate", "Share of visits with a single pageview and no other event. Lower is better."),
    shown("visit_duration", "Visit duration", `Average time from the first to the last event of a visit. ${LAST_PAGE}`),
  ],
  events: [
    shown("visitors", "Unique visitors", "Visitors with at least one pageview or event that matches the filters."),
    shown("visits", "Visits", "Visits with at least one pageview or event that matches the filters."),
    shown(
      "pageviews",
      "Matching pageviews",
      "Pageviews that match the filters, including repeated views. Other views of these visits are not in it.",
    ),
    shown("views_per_visit", "Pages per visit", "All pageviews of these visits, whether they match the filters or not, divided by visits."),
    shown("bounce_rate", "Bounce rate", "Share of these visits with a single pageview and no other event. Lower is better."),
    shown("visit_duration", "Visit duration", `Average time from the first to the last event of these visits. ${LAST_PAGE}`),
  ],
  goal: [
    shown("unique_conversions", "Unique conversions", "Visitors with at least one conversion: an event that matches the filters."),
    shown("total_conversions", "Total conversions", "All events that match the filters, including repeated ones of a visitor."),
    shown(
      "conversion_rate",
      "Conversion rate",
      "Unique conversions divided by all unique visitors. Filters other than the event's apply to both.",
    ),
  ],
  converting: [
    shown("unique_conversions", "Unique conversions", "Visitors with at least one visit that reaches the goal and matches the filters."),
    shown(
      "conversion_rate",
      "Conversion rate",
      "Unique conversions divided by all unique visitors. Filters other than the goal's apply to both.",
    ),
    shown("visits", "Converting visits", "Visits that reach the goal and match the filters."),
    shown("views_per_visit", "Pages per visit", "All pageviews of these visits divided by visits."),
    shown("visit_duration", "Visit duration", `Average time from the first to the last event of these visits. ${LAST_PAGE}`),
  ],
};

/** Under the filters of the view. */
export const shownMetrics = (): readonly ShownMetric[] =>
  SHOWN[filterKind.value].filter(({ id }) => id !== "conversion_rate" || hasConversionRates.value);

/** The metric of the chart: by default the first. */
export const chosenMetric = (): ShownMetric => shownMetrics().find(({ id }) => id === param("metric")) ?? SHOWN[filterKind.value][0];
