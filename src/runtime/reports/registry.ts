/**
 * All reports. Routes, request parsing, caching, the OpenAPI document, the dashboard's types and the measures of rollups derive from this
 * list.
 */
import { MINUTE_MS, type SiteId, utcDateOf } from "../../storage/event.ts";
import { NO_ARRIVAL_RULES } from "../arrivals/arrival-names.ts";
import type { ArrivalRules } from "../arrivals/arrivals.ts";
import { RolledMeasures } from "../duckdb/rollups/rollup-execution.ts";
import { rangeOfDays } from "../query/date-range.ts";
import type { Scope } from "../query/scope.ts";
import { breakdown } from "./breakdown.ts";
import { changes } from "./changes.ts";
import { conversions, goals } from "./goals.ts";
import { rolledVisits } from "./measures/visit-sums.ts";
import { flow } from "./flow.ts";
import { funnel } from "./funnel.ts";
import { main } from "./main.ts";
import { countsByPropertyValue, properties, propertyValues } from "./properties.ts";
import { realtime } from "./realtime.ts";
import { retention } from "./retention.ts";
import { revenue } from "./revenue.ts";
import { sequences } from "./sequences.ts";
import { sessionTimeseries, sessions } from "./sessions.ts";
import { timeseries } from "./timeseries.ts";

/** The order of the OpenAPI document and of route matching: the most frequent reports come first. */
export const REPORTS = [
  main,
  timeseries,
  breakdown,
  changes,
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

/** A placeholder: neither the site nor the range is part of a measure. */
const ANY_SCOPE: Scope = { siteId: "any" as SiteId, range: rangeOfDays(utcDateOf(0), utcDateOf(0)), conditions: [] };

interface RolledMeasuresSettings {
  readonly sessionWindowMinutes: number;
  readonly saltRotationDays: number;
  /** The behavioral extension is to be loaded. Without it there are no measures of sessions. */
  readonly hasExtension: boolean;
  /** What the site says about arrivals; nothing if absent. */
  readonly arrivalRules?: ArrivalRules;
  readonly hash: (text: string) => string;
}

/** The measures of rollups: those that reports declare, visits by value, and the values of each custom property. */
export function rolledMeasures(settings: RolledMeasuresSettings): RolledMeasures {
  const { sessionWindowMinutes, saltRotationDays: rotationDays, hasExtension, arrivalRules = NO_ARRIVAL_RULES } = settings;
  const sessionGapMs = sessionWindowMinutes * MINUTE_MS;
  const scope: Scope = { ...ANY_SCOPE, sessionRules: { sessionGapMs, rotationDays }, arrivalRules };
  const declared = [...REPORTS.map(({ rolled }) => rolled), rolledVisits].map((rolled) => rolled(scope, { sessionGapMs, hasExtension }));
  return new RolledMeasures({
    ...settings,
    measures: declared.flatMap((ofReport) => Object.entries(ofReport).map(([name, measure]) => ({ ...measure, name }))),
    ofProperty: (key) => ({ query: countsByPropertyValue(scope, key, null), over: "properties", by: ["value"] }),
  });
}
