/** Requests as trackers and dashboards send them, with responses in a form that can be compared as a whole. */
import { expect } from "vitest";
import type { Target } from "./target.ts";
import { CHROME_WINDOWS } from "./user-agents.ts";

export type RequestHeaders = Readonly<Record<string, string>>;

/** The fields of an event on the wire; a test may break any of their rules. */
export type WireFields = Readonly<Record<string, unknown>>;

/** The smallest valid event of a site. */
export const wireEvent = (siteId: string, fields: WireFields = {}): WireFields => ({
  d: siteId,
  n: "pageview",
  u: "https://page.test/",
  ...fields,
});

/** Headers of a browser that is not detected as a bot. */
export const browserHeaders = (headers: RequestHeaders = {}): RequestHeaders => ({
  "user-agent": CHROME_WINDOWS,
  ...headers,
});

let addresses = 0;

/** An address that few other requests come from, where a proxy is trusted: requests with share links are limited by address. */
export const newAddress = (): RequestHeaders => ({ "x-forwarded-for": `198.18.${(++addresses >> 8) % 256}.${addresses % 256}` });

/** Any bytes as a POST body, without a content type unless one is given. */
export function postBody(target: Target, body: string | Uint8Array, headers: RequestHeaders = {}): Promise<Response> {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  return target.fetch("/api/event", { method: "POST", headers: browserHeaders(headers), body: bytes as BodyInit });
}

export const post = (target: Target, fields: unknown, headers: RequestHeaders = {}): Promise<Response> =>
  postBody(target, JSON.stringify(fields), { "content-type": "text/plain", ...headers });

/** Posts events that must be accepted, one after the other. */
export async function record(target: Target, fields: WireFields, headers: RequestHeaders = {}): Promise<void> {
  await expectAccepted(await post(target, fields, headers));
}

/** Sets a site's settings as an administrator: those that are not given get their defaults. */
export const putSettings = (target: Target, siteId: string, settings: WireFields, headers: RequestHeaders): Promise<Response> =>
  target.fetch(`/api/sites/${siteId}`, { method: "PUT", headers, body: JSON.stringify(settings) });

/** A chunked body without Content-Length. */
export function postChunks(target: Target, chunks: readonly Uint8Array[], headers: RequestHeaders = {}): Promise<Response> {
  const left = [...chunks];
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = left.shift();
      if (chunk) controller.enqueue(chunk);
      else controller.close();
    },
  });
  return target.fetch("/api/event", { method: "POST", headers: browserHeaders(headers), body, duplex: "half" });
}

export const pixelPath = (parameters: Readonly<Record<string, string>>): string =>
  `/api/event?${new URLSearchParams(parameters).toString()}`;

export const getPixel = (target: Target, parameters: Readonly<Record<string, string>>, headers: RequestHeaders = {}): Promise<Response> =>
  target.fetch(pixelPath(parameters), { headers: browserHeaders(headers) });

/** Expects the response to an event that was accepted or silently dropped. */
export async function expectAccepted(response: Response): Promise<void> {
  expect({ status: response.status, body: await response.text() }).toEqual({ status: 202, body: "" });
}

/** Expects exactly `{error}`, with a message that matches all patterns. */
export async function expectError(response: Response, status: number, ...patterns: readonly (RegExp | string)[]): Promise<void> {
  const text = await response.text();
  expect(response.status, text).toBe(status);
  expect(response.headers.get("content-type")).toBe("application/json");
  const body = JSON.parse(text) as { error: string };
  expect(body).toEqual({ error: expect.any(String) as unknown });
  for (const pattern of patterns) {
    if (typeof pattern === "string") expect(body.error).toContain(pattern);
    else expect(body.error).toMatch(pattern);
  }
}

export interface BreakdownRow {
  readonly value: string;
  readonly visitors: number;
  readonly pageviews: number;
  readonly events: number;
}

export interface MainFigures {
  readonly unique_visitors: number;
  readonly total_pageviews: number;
  readonly total_events: number;
  readonly views_per_visitor: number;
  readonly total_sessions: number | null;
  readonly bounce_rate: number | null;
  readonly avg_visit_duration_secs: number | null;
  readonly views_per_visit: number | null;
  readonly behavioral_available: boolean;
}

/** The values of one page view if session metrics are not available. */
export const ONE_VIEW_WITHOUT_SESSIONS: MainFigures = {
  unique_visitors: 1,
  total_pageviews: 1,
  total_events: 1,
  views_per_visitor: 1,
  total_sessions: null,
  bounce_rate: null,
  avg_visit_duration_secs: null,
  views_per_visit: null,
  behavioral_available: false,
};

export interface SeriesPoint {
  readonly date: string;
  readonly visitors: number;
  readonly pageviews: number;
}

export type StatsParameters = Readonly<Record<string, string>>;

const query = (parameters: StatsParameters): string => new URLSearchParams(parameters).toString();

/** Sends a Stats API request and returns the parsed body. Fails the test unless the status is 200. */
export async function getStats<T>(target: Target, endpoint: string, parameters: StatsParameters): Promise<T> {
  const response = await target.fetch(`/api/stats/${endpoint}?${query(parameters)}`);
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return JSON.parse(text) as T;
}

export const getMain = (target: Target, siteId: string, parameters: StatsParameters = {}): Promise<MainFigures> =>
  getStats(target, "main", { site_id: siteId, ...parameters });

export const getSeries = (target: Target, siteId: string, parameters: StatsParameters = {}): Promise<SeriesPoint[]> =>
  getStats(target, "timeseries", { site_id: siteId, ...parameters });

export const getBreakdown = (
  target: Target,
  siteId: string,
  dimension: string,
  parameters: StatsParameters = {},
): Promise<BreakdownRow[]> => getStats(target, `breakdown/${dimension}`, { site_id: siteId, ...parameters });

/** The values of a dimension, in the order of the response. */
export const getValues = async (target: Target, siteId: string, dimension: string): Promise<string[]> =>
  (await getBreakdown(target, siteId, dimension)).map(({ value }) => value);

export async function getSites(target: Target): Promise<string[]> {
  const response = await target.fetch("/api/sites");
  return ((await response.json()) as { sites: string[] }).sites;
}
