/** Describes the list of sites, the overview and exports (docs/http-api.md, "Sites", "Overview" and "Export"). */
import { boolean, closed, list, orNull, text } from "../../runtime/query/json-schema.ts";
import { DAILY_EXPORT } from "../../runtime/reports/exports/daily-export.ts";
import { RAW_EXPORT } from "../../runtime/reports/exports/raw-export.ts";
import { OVERVIEW, OVERVIEW_PARAMETERS } from "../../runtime/reports/overview/overview.ts";
import { CARDS, WEEK_STARTS } from "../../runtime/sites/site-settings.ts";
import { EXPORT_PARAMETERS } from "../export.ts";
import { SITES_PARAMETERS } from "../sites.ts";
import { FILE_NAME, NOT_STORED, TIME_ZONE } from "./headers.ts";
import type { Operation } from "./operation.ts";
import { SCOPE, documented } from "./parameters.ts";
import { CSV, STATS_REFUSALS, jsonAnswer } from "./reports.ts";

export const STATS_SCHEMAS = {
  Sites: closed(
    {
      sites: list("In ascending order.", text("A site id.")),
      settings: list(
        "In the same order. Only with `include=settings`.",
        closed({
          site_id: text("The site."),
          name: orNull(text("What the dashboard calls the site; null for its id.")),
          time_zone: text("IANA name of the zone of the current day."),
          today: text("The site's current date.", { format: "date" }),
          week_start: text("The first day of a week.", { enum: WEEK_STARTS }),
          hidden_cards: list("Cards that the dashboard does not show.", text("A card.", { enum: CARDS })),
          public: boolean("Whether everyone may read the site's statistics."),
        }),
      ),
    },
    { optional: ["settings"] },
  ),
  Overview: OVERVIEW,
  DailyExport: DAILY_EXPORT,
  RawExport: RAW_EXPORT,
};

const ref = (name: keyof typeof STATS_SCHEMAS) => ({ $ref: `#/components/schemas/${name}` });

export const STATS_OPERATIONS = {
  "GET /api/sites": {
    operationId: "getSites",
    tag: "Statistics",
    summary: "All sites with events, with settings or in `site_ids`",
    parameters: documented(SITES_PARAMETERS),
    answers: { 200: jsonAnswer("The site ids.", ref("Sites")) },
    refusals: {
      invalid_input: "`include` is none of its values.",
      request_timeout: STATS_REFUSALS.request_timeout,
      internal: STATS_REFUSALS.internal,
    },
  },
  "GET /api/stats/overview": {
    operationId: "getOverview",
    tag: "Statistics",
    summary: "Visitors of all sites",
    parameters: documented(OVERVIEW_PARAMETERS),
    answers: { 200: jsonAnswer("The sites that the caller may read.", ref("Overview")) },
    refusals: {
      invalid_input: STATS_REFUSALS.invalid_input,
      request_timeout: STATS_REFUSALS.request_timeout,
      too_many_requests: STATS_REFUSALS.too_many_requests,
      internal: STATS_REFUSALS.internal,
    },
  },
  "GET /api/stats/export": {
    operationId: "getExport",
    summary: "Export of dates or events",
    tag: "Statistics",
    parameters: [...SCOPE, ...documented(EXPORT_PARAMETERS)],
    answers: {
      200: {
        description: "The file.",
        headers: {
          ...NOT_STORED,
          ...TIME_ZONE,
          "Content-Disposition": { ...FILE_NAME, required: true },
        },
        content: {
          "text/csv": { schema: CSV },
          "application/json": { schema: { anyOf: [ref("DailyExport"), ref("RawExport")] } },
        },
      },
    },
    refusals: {
      ...STATS_REFUSALS,
      invalid_input: `${STATS_REFUSALS.invalid_input} Or the export exceeds the memory of exports.`,
      unavailable: `${STATS_REFUSALS.unavailable} Or other exports take the memory of exports.`,
    },
  },
} satisfies Readonly<Record<string, Operation>>;
