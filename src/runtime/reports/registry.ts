/** All reports. Routes, request parsing, caching, the OpenAPI document and the dashboard's types derive from this list. */
import { breakdown } from "./breakdown.ts";
import { conversions } from "./conversions.ts";
import { flow } from "./flow.ts";
import { funnel } from "./funnel.ts";
import { goals } from "./goals.ts";
import { main } from "./main.ts";
import { properties } from "./properties.ts";
import { propertyValues } from "./property-values.ts";
import { realtime } from "./realtime.ts";
import { retention } from "./retention.ts";
import { revenue } from "./revenue.ts";
import { sequences } from "./sequences.ts";
import { sessionTimeseries } from "./session-timeseries.ts";
import { sessions } from "./sessions.ts";
import { timeseries } from "./timeseries.ts";

/** In the order of the OpenAPI document and of route matching, so the most frequent reports come first. */
export const REPORTS = [
  main,
  timeseries,
  breakdown,
  realtime,
  goals,
  conversions,
  properties,
  propertyValues,
  revenue,
  sessionTimeseries,
  sessions,
  funnel,
  retention,
  sequences,
  flow,
] as const;

export type ReportPath = (typeof REPORTS)[number]["path"];
