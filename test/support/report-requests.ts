/** Requests that make each report run each of its statements: one place for tests of all reports. */
import type { ReportPath } from "../../src/runtime/reports/registry.ts";

/** Parameters besides those of the scope. */
type ReportRequest = Readonly<Record<string, string>>;

export interface RequestedTexts {
  /** A path, which begins with a slash. */
  readonly page: string;
  /** The name of an event. */
  readonly event: string;
  /** A key of custom properties. */
  readonly property: string;
  /** What values of that key contain. */
  readonly value: string;
  /** What more than one source contains. */
  readonly source: string;
}

const ONE: readonly ReportRequest[] = [{}];

export function reportRequests(texts: RequestedTexts): Readonly<Record<ReportPath, readonly ReportRequest[]>> {
  const { page, event, property, value, source } = texts;
  const steps = `page:${page},event:${event}`;
  return {
    "/api/stats/main": [{}, { compare: "previous_period" }],
    "/api/stats/timeseries": [
      { interval: "hour" },
      { interval: "day" },
      { interval: "week" },
      { interval: "month", include: "events" },
      { include: "revenue", currency: "EUR" },
    ],
    "/api/stats/breakdown/:dimension": [
      { dimension: "pages" },
      { dimension: "entry-pages" },
      { dimension: "exit-pages" },
      { dimension: "sources", columns: "revenue", currency: "EUR", sort: "value:desc", search: source, offset: "1", with_total: "true" },
      { dimension: "sources", columns: "bounce_rate,conversions,revenue,comparison", goal: event, currency: "EUR" },
      { dimension: "visit-hostnames" },
      { dimension: "visit-channels", columns: "bounce_rate,conversions,revenue,comparison", goal: event, currency: "EUR" },
      { dimension: "visit-referrers", filters: "visit-sources!=Bing;visit-utm-terms!=shoes" },
      { dimension: "exit-pages", columns: "conversion_rate,revenue", goal: event, currency: "EUR", sort: "conversion_rate:asc" },
    ],
    "/api/stats/changes": [
      { compare: "previous_period" },
      { metric: "conversion_rate", goal: event, dimensions: "visit-channels,entry-pages,cities", band: "hour" },
      { metric: "revenue", currency: "EUR" },
      { metric: "pageviews" },
    ],
    "/api/stats/realtime": [{}, { minutes: "30" }, { attribution: "visit" }],
    "/api/stats/goals": [{}, { include: "comparison" }],
    "/api/stats/conversions": [{}, { include: "comparison" }],
    "/api/stats/properties": [{}, { search: property }],
    "/api/stats/property-values": [{ key: "plan" }, { name: property, event, search: value }],
    "/api/stats/revenue": [{}, { include: "comparison" }],
    "/api/stats/session-timeseries": [{ interval: "hour" }, { interval: "day" }],
    "/api/stats/sessions": ONE,
    "/api/stats/funnel": [{ steps }, { steps, modes: "strict_order,strict_deduplication,strict_increase", window: "2 days" }],
    "/api/stats/retention": ONE,
    "/api/stats/sequences": [{ steps }, { conditions: steps, pattern: "(?1).*(?t<=3600)(?2)" }],
    "/api/stats/flow": [
      { page, direction: "forward" },
      { page, direction: "backward" },
      { page, repeats: "skip", with_ends: "true" },
    ],
  };
}
