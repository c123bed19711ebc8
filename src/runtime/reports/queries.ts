/** All queries by their name, and the plan of each. Besides reports these are what the dashboard and exports ask for. */
import type { Calendar } from "../../storage/calendar.ts";
import type { EpochMs } from "../../storage/event.ts";
import type { ReportQuery } from "../query/query-engine.ts";
import { mapPlan, type Plan, planOf } from "../query/plan.ts";
import type { Scope } from "../query/scope.ts";
import { calendarFrom } from "../sites/site-calendar.ts";
import { csvFormat, jsonFormat } from "./exports/formats.ts";
import { firstDayPlan, storedFirstDayPlan } from "./measures/counts.ts";
import type { Attribution, VisitColumn } from "./measures/visits.ts";
import type { ArrivalRules } from "../arrivals/arrivals.ts";
import { channelPreview } from "./channel-preview.ts";
import { sitePlan } from "./overview/site-metrics.ts";
import { REPORTS } from "./registry.ts";
import type { Report, ReportSettings } from "./report.ts";

/** Numbers of one plan of an overview; its name is the value `plan`. */
export const OVERVIEW_NUMBERS = "overview";

/** The first date with an event of the scope. */
export const FIRST_DAY = "first day";

/** The first date with an event of the site, from a backend that keeps no list of days. */
export const STORED_FIRST_DAY = "stored first day";

export const FORMATS = { csv: csvFormat, json: jsonFormat } as const;

export interface ExportValues {
  readonly kind: "daily" | "raw";
  readonly format: keyof typeof FORMATS;
  /** The most events; of a raw export only. */
  readonly limit: number;
  /** `top_source` of a daily export is the source of its page views, or of their visits. */
  readonly attribution: Attribution;
  /** Further columns of a raw export: what the visit of each event has. */
  readonly columns: readonly VisitColumn[];
  /** A raw export tells the evidence of events. */
  readonly hasEvidence: boolean;
}

/** What other rules of arrivals would change; its value `rules` has them. */
export const CHANNEL_PREVIEW = "channel preview";

/** A daily or raw export; its values are `ExportValues`. */
export const EXPORT = "export";

/** A query that is no report. */
export const queryOf = (
  name: string,
  scope: Scope,
  { nowMs, calendar }: { readonly nowMs: EpochMs; readonly calendar: Calendar },
  values: ReportQuery["values"] = {},
): ReportQuery => ({ name, scope, values, nowMs, calendar: calendar.record, weekStart: "monday", goals: [], extension: "unused" });

function numbersPlan({ scope, values, nowMs, calendar }: ReportQuery, settings: ReportSettings): Plan<string> {
  const { plans } = sitePlan({ scope, nowMs, calendar: calendarFrom(calendar) }, settings);
  const wanted = plans.find(({ name }) => name === values["plan"]);
  if (!wanted) throw new Error(`an overview has no plan ${String(values["plan"])}`);
  return planOf(wanted, wanted.queries, (...rows) => JSON.stringify([...wanted.toNumbers(...rows)]));
}

type MakePlan = (query: ReportQuery, settings: ReportSettings) => Plan<string>;

const PLANS: ReadonlyMap<string, MakePlan> = new Map([
  ...REPORTS.map(({ path, plan }: Report): [string, MakePlan] => [path, plan]),
  [OVERVIEW_NUMBERS, numbersPlan],
  [FIRST_DAY, ({ scope }) => mapPlan(firstDayPlan(scope), (day) => JSON.stringify(day))],
  [
    CHANNEL_PREVIEW,
    ({ scope, values }, { sessionGapMs }) =>
      mapPlan(channelPreview(scope, sessionGapMs, values["rules"] as ArrivalRules), (preview) => JSON.stringify(preview)),
  ],
  [STORED_FIRST_DAY, ({ scope }) => mapPlan(storedFirstDayPlan(scope.siteId), (day) => JSON.stringify(day))],
]);

export function planOfQuery(query: ReportQuery, settings: ReportSettings): Plan<string> {
  const make = PLANS.get(query.name);
  if (!make) throw new Error(`there is no query ${query.name}`);
  return make(query, settings);
}
