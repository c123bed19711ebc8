/** Describes the reports, from their own declarations (docs/http-api.md, "Stats API"). */
import type { Report } from "../../runtime/reports/report.ts";
import { REPORTS, type ReportPath } from "../../runtime/reports/registry.ts";
import { reference, text, type Schema } from "../../runtime/query/json-schema.ts";
import { FILE_NAME, NOT_STORED, TIME_ZONE } from "./headers.ts";
import type { Answer, Operation } from "./operation.ts";
import { TOO_MANY_VIEWS } from "./shares.ts";
import { SCOPE, UNDATED_SCOPE, documented } from "./parameters.ts";

/** When every report and export refuses a request. */
export const STATS_REFUSALS = {
  invalid_input: "A parameter is missing, invalid, or given more than once.",
  request_timeout: "The result was not computed within the time limit.",
  too_many_requests: `The maximum number of stats queries is running. Or: ${TOO_MANY_VIEWS}`,
  internal: "An unexpected error, not caused by the request.",
  unavailable: "The query engine has too little memory for the range at the moment.",
} as const;

const EXTENSION_MISSING = { extension_missing: "The required behavioral extension is not loaded." } as const;

/** A JSON response with this schema. */
export const jsonAnswer = (description: string, schema: Schema, headers = NOT_STORED): Answer => ({
  description,
  headers,
  content: { "application/json": { schema } },
});

/** A file with a line for each row. */
export const CSV = text(
  "A header line of column names and a line for each row, with the columns of the JSON form. Values are quoted; " +
    "those that a spreadsheet could read as a formula begin with an apostrophe.",
);

function answerOf({ result, hasFile }: Report): Answer {
  const [first = {}, ...others] = [result.name, ...Object.keys(result.forms ?? {})].map((name) => reference(name));
  const json = jsonAnswer("The report.", others.length === 0 ? first : { anyOf: [first, ...others] }, { ...NOT_STORED, ...TIME_ZONE });
  if (!hasFile) return json;
  return {
    ...json,
    headers: { ...json.headers, "Content-Disposition": FILE_NAME },
    content: { ...json.content, "text/csv": { schema: CSV } },
  };
}

function operationOf(report: Report): Operation {
  const { operationId, summary, description, hasDates, parameters, mayNeedExtension, refusals } = report;
  return {
    operationId,
    summary,
    ...(description !== undefined && { description }),
    tag: "Statistics",
    // A report's own declaration of a common parameter takes its place.
    parameters: [...(hasDates ? SCOPE : UNDATED_SCOPE).filter(({ name }) => !Object.hasOwn(parameters, name)), ...documented(parameters)],
    answers: { 200: answerOf(report) },
    refusals: { ...STATS_REFUSALS, ...(mayNeedExtension && EXTENSION_MISSING), ...refusals },
  };
}

export const REPORT_OPERATIONS = Object.fromEntries(
  REPORTS.map((report: Report) => [`GET ${report.path}`, operationOf(report)]),
) as Readonly<Record<`GET ${ReportPath}`, Operation>>;

export const REPORT_SCHEMAS: Readonly<Record<string, Schema>> = Object.fromEntries(
  REPORTS.flatMap(({ result }: Report) => Object.entries({ [result.name]: result.schema, ...result.forms, ...result.components })),
);
