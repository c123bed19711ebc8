/** Describes the list of sites and exports (docs/http-api.md, "Sites" and "Export"). */
import { closed, list, text } from "../../runtime/query/json-schema.ts";
import { DAILY_EXPORT } from "../../runtime/reports/exports/daily-export.ts";
import { RAW_EXPORT } from "../../runtime/reports/exports/raw-export-schema.ts";
import { EXPORT_PARAMETERS } from "../export.ts";
import { NOT_STORED } from "./headers.ts";
import type { Operation } from "./operation.ts";
import { SCOPE, documented } from "./parameters.ts";
import { STATS_REFUSALS, jsonAnswer } from "./reports.ts";

export const STATS_SCHEMAS = {
  Sites: closed({ sites: list("In ascending order.", text("A site id.")) }),
  DailyExport: DAILY_EXPORT,
  RawExport: RAW_EXPORT,
};

const ref = (name: keyof typeof STATS_SCHEMAS) => ({ $ref: `#/components/schemas/${name}` });

export const STATS_OPERATIONS = {
  "GET /api/sites": {
    operationId: "getSites",
    tag: "Statistics",
    summary: "All sites with events or in `site_ids`",
    answers: { 200: jsonAnswer("The site ids.", ref("Sites")) },
    refusals: { request_timeout: STATS_REFUSALS.request_timeout, internal: STATS_REFUSALS.internal },
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
          "Content-Disposition": {
            description: "The file name, with the kind and the first date.",
            required: true,
            schema: { type: "string", pattern: '^attachment; filename="[\\w.-]+"$' },
          },
        },
        content: {
          "text/csv": {
            schema: text(
              "A header line of column names and a line for each row, with the columns of the JSON form. Values are quoted; " +
                "those that a spreadsheet could read as a formula begin with an apostrophe.",
            ),
          },
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
