/** Reports in the document: each describes itself. */
import type { Report } from "../../runtime/reports/report.ts";
import { REPORTS, type ReportPath } from "../../runtime/reports/registry.ts";
import type { Schema } from "../../runtime/query/json-schema.ts";
import { NOT_STORED } from "./headers.ts";
import type { Answer, Operation } from "./operation.ts";
import { SCOPE, UNDATED_SCOPE, documented } from "./parameters.ts";

/** Of every request for statistics of a site. */
export const STATS_REFUSALS = {
  invalid_input: "A parameter is missing, wrong, or given more than once.",
  request_timeout: "The answer was not found within the time limit.",
  too_many_requests: "As many statistics queries are under way as may be.",
  internal: "Something went wrong for which the request is not to blame.",
  unavailable: "The query engine has too little memory for the range at the moment.",
} as const;

const EXTENSION_MISSING = { extension_missing: "The behavioral extension, which it needs, is not loaded." } as const;

/** An answer whose schema is a component of the document. */
export const jsonAnswer = (description: string, schema: Schema): Answer => ({
  description,
  headers: NOT_STORED,
  content: { "application/json": { schema } },
});

function operationOf({ operationId, summary, description, hasDates, parameters, result, mayNeedExtension, refusals }: Report): Operation {
  return {
    operationId,
    summary,
    ...(description !== undefined && { description }),
    tag: "Statistics",
    parameters: [...(hasDates ? SCOPE : UNDATED_SCOPE), ...documented(parameters)],
    answers: { 200: jsonAnswer("The figures.", { $ref: `#/components/schemas/${result.name}` }) },
    refusals: { ...STATS_REFUSALS, ...(mayNeedExtension && EXTENSION_MISSING), ...refusals },
  };
}

export const REPORT_OPERATIONS = Object.fromEntries(
  REPORTS.map((report: Report) => [`GET ${report.path}`, operationOf(report)]),
) as Readonly<Record<`GET ${ReportPath}`, Operation>>;

export const REPORT_SCHEMAS: Readonly<Record<string, Schema>> = Object.fromEntries(
  REPORTS.flatMap(({ result }: Report) => Object.entries({ [result.name]: result.schema, ...result.components })),
);
