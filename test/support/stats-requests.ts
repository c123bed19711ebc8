/** Requests to the Stats API in addition to those of `requests.ts`. */
import { getStats, wireEvent, type RequestHeaders, type StatsParameters, type WireFields } from "./requests.ts";
import type { Target } from "./target.ts";

/** Headers that identify a visitor if a proxy is trusted. */
export const visitor = (number: number): RequestHeaders => ({ "x-forwarded-for": `198.51.100.${number}` });

/** Every endpoint that needs the behavioral extension, with its required parameters except `site_id`. */
export const BEHAVIORAL_ENDPOINTS: readonly (readonly [endpoint: string, parameters: StatsParameters])[] = [
  ["sessions", {}],
  ["session-timeseries", {}],
  ["funnel", { steps: "event:Purchase,page:/" }],
  ["retention", {}],
  ["sequences", { steps: "event:Purchase,page:/" }],
  ["flow", { page: "/" }],
  ["breakdown/entry-pages", {}],
  ["breakdown/exit-pages", {}],
];

/** Every endpoint with filters, and its required parameters except `site_id`. */
export const FILTERED_ENDPOINTS: readonly (readonly [endpoint: string, parameters: StatsParameters])[] = [
  ["main", {}],
  ["timeseries", {}],
  ["breakdown/pages", {}],
  ["realtime", {}],
  ["goals", {}],
  ["properties", {}],
  ["property-values", { key: "plan" }],
  ["revenue", {}],
  ...BEHAVIORAL_ENDPOINTS,
];

/** Sends a Stats API request and returns the response, successful or not. */
export const askStats = (target: Target, endpoint: string, parameters: StatsParameters): Promise<Response> =>
  target.fetch(`/api/stats/${endpoint}?${new URLSearchParams(parameters).toString()}`);

/** The unparsed body of a successful response. */
export async function getStatsText(target: Target, endpoint: string, parameters: StatsParameters): Promise<string> {
  const response = await askStats(target, endpoint, parameters);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${endpoint} gives ${response.status}: ${text}`);
  return text;
}

export interface Comparison {
  readonly start_date: string;
  readonly end_date: string;
  readonly unique_visitors: number;
  readonly total_pageviews: number;
  readonly total_events: number;
  readonly total_sessions: number | null;
  readonly bounce_rate: number | null;
  readonly avg_visit_duration_secs: number | null;
  /** With `compare=custom` only. */
  readonly views_per_visit?: number | null;
  /** If the window is cut at the time of day. */
  readonly ends_at?: string;
}

export interface TopRow {
  readonly value: string;
  readonly visitors: number;
}

export interface RealtimeFigures {
  readonly current_visitors: number;
  readonly pageviews: number;
  readonly window_minutes: number;
  readonly top_pages: readonly TopRow[];
  readonly top_sources: readonly TopRow[];
  readonly per_minute: readonly number[];
  /** With `minutes` only, like all that follows. */
  readonly first_minute?: string;
  readonly visitors?: number;
  readonly countries?: readonly (TopRow & { readonly current_visitors: number })[];
  readonly top_events?: readonly TopRow[];
}

export interface Goal {
  readonly name: string;
  readonly visitors: number;
  readonly events: number;
  readonly conversion_rate: number;
}

export interface PropertyValue {
  readonly value: string;
  readonly visitors: number;
  readonly events: number;
}

export interface Revenue {
  readonly by_currency: readonly {
    readonly currency: string;
    readonly total: number;
    readonly transactions: number;
    readonly paying_visitors: number;
    readonly average_order_value: number;
  }[];
  readonly by_event: readonly ValueRevenue[];
  readonly by_page: readonly ValueRevenue[];
}

export interface ValueRevenue {
  readonly value: string;
  readonly currency: string;
  readonly total: number;
  readonly transactions: number;
}

export const getComparison = async (target: Target, siteId: string, parameters: StatsParameters): Promise<Comparison> =>
  (await getStats<{ comparison: Comparison }>(target, "main", { site_id: siteId, ...parameters })).comparison;

export const getRealtime = (target: Target, siteId: string, parameters: StatsParameters = {}): Promise<RealtimeFigures> =>
  getStats(target, "realtime", { site_id: siteId, ...parameters });

export const getGoals = (target: Target, siteId: string, parameters: StatsParameters = {}): Promise<Goal[]> =>
  getStats(target, "goals", { site_id: siteId, ...parameters });

export const getProperties = (target: Target, siteId: string, parameters: StatsParameters = {}): Promise<string[]> =>
  getStats(target, "properties", { site_id: siteId, ...parameters });

export const getPropertyValues = (
  target: Target,
  siteId: string,
  key: string,
  parameters: StatsParameters = {},
): Promise<PropertyValue[]> => getStats(target, "property-values", { site_id: siteId, key, ...parameters });

export const getRevenue = (target: Target, siteId: string, parameters: StatsParameters = {}): Promise<Revenue> =>
  getStats(target, "revenue", { site_id: siteId, ...parameters });

/** An event with custom properties. */
export const eventWithProps = (siteId: string, props: unknown, fields: WireFields = {}): WireFields =>
  wireEvent(siteId, { p: JSON.stringify(props), ...fields });
