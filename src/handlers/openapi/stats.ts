/** Statistics: what can be asked about a site (contract 4.4). */
import { BREAKDOWN_ROWS_DEFAULT, BREAKDOWN_ROWS_MAX, EXPORT_ROWS_DEFAULT, EXPORT_ROWS_MAX } from "../../runtime/config/limits.ts";
import { COMPARISONS } from "../../runtime/query/comparison.ts";
import { DIMENSIONS, SESSION_DIMENSIONS } from "../../runtime/query/dimensions.ts";
import { PROPERTY_KEY } from "../../runtime/reports/properties.ts";
import type { RouteId } from "../route.ts";
import { EXPORT_FORMATS, EXPORT_KINDS } from "../stats/export.ts";
import { NOT_STORED } from "./headers.ts";
import type { Answer, Operation, Parameter } from "./operation.ts";
import { FILTERS, SCOPE, SITE, query } from "./parameters.ts";
import { count, text, type Schema } from "./schema.ts";
import type { STATS_SCHEMAS } from "./stats-schemas.ts";

const ref = (name: keyof typeof STATS_SCHEMAS): Schema => ({ $ref: `#/components/schemas/${name}` });

const json = (description: string, schema: Schema): Answer => ({
  description,
  headers: NOT_STORED,
  content: { "application/json": { schema } },
});

const REFUSALS = {
  invalid_input: "A parameter is missing, wrong, or given more than once.",
  request_timeout: "The answer was not found within the time limit.",
  too_many_requests: "As many statistics queries are under way as may be.",
  internal: "Something went wrong for which the request is not to blame.",
  unavailable: "The query engine has too little memory for the range at the moment.",
} as const;

export const EXTENSION_MISSING = { extension_missing: "The behavioral extension, which it needs, is not loaded." } as const;

interface Figure {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  /** The schema's name. */
  readonly answer: keyof typeof STATS_SCHEMAS;
  /** Beside those of the scope. */
  readonly parameters?: readonly Parameter[];
}

export const figure = ({ answer, parameters = [], ...words }: Figure) =>
  ({
    ...words,
    tag: "Statistics",
    parameters: [...SCOPE, ...parameters],
    answers: { 200: json("The figures.", ref(answer)) },
    refusals: REFUSALS,
  }) satisfies Operation;

const DIMENSION: Parameter = {
  name: "dimension",
  in: "path",
  description: `What the figures are broken down by. ${SESSION_DIMENSIONS.join(" and ")} need the behavioral extension.`,
  required: true,
  schema: text("A dimension.", { enum: [...DIMENSIONS, ...SESSION_DIMENSIONS] }),
  example: "pages",
};

export const rowsMax = (description: string, maximum: number, otherwise: number): Parameter =>
  query("limit", { description, schema: count("More is refused.", { minimum: 1, maximum, default: otherwise }), example: 5 });

export const choice = (name: string, description: string, words: readonly string[]): Parameter =>
  query(name, { description, schema: text("One of them.", { enum: words, ...(words[0] !== undefined && { default: words[0] }) }) });

export const STATS_OPERATIONS = {
  "GET /api/sites": {
    operationId: "getSites",
    tag: "Statistics",
    summary: "The sites that have events or are on the service's list",
    answers: { 200: json("Their ids.", ref("Sites")) },
    refusals: { request_timeout: REFUSALS.request_timeout, internal: REFUSALS.internal },
  },
  "GET /api/stats/main": figure({
    operationId: "getMain",
    summary: "Headline figures",
    answer: "Headline",
    parameters: [
      query("compare", {
        description:
          "Adds the figures of an equally long earlier window: the one just before, or the same dates 365 days earlier. " +
          "Other endpoints ignore it.",
        schema: text("Which window.", { enum: COMPARISONS }),
      }),
    ],
  }),
  "GET /api/stats/timeseries": figure({ operationId: "getTimeseries", summary: "Visitors and page views over time", answer: "Series" }),
  "GET /api/stats/breakdown/:dimension": {
    ...figure({
      operationId: "getBreakdown",
      summary: "Figures for each value of a dimension",
      answer: "Breakdown",
      parameters: [DIMENSION, rowsMax("Rows at most.", BREAKDOWN_ROWS_MAX, BREAKDOWN_ROWS_DEFAULT)],
    }),
    refusals: { ...REFUSALS, extension_missing: "The dimension needs the behavioral extension, which is not loaded." },
  },
  "GET /api/stats/realtime": {
    ...figure({ operationId: "getRealtime", summary: "The last minutes, always of now", answer: "Realtime" }),
    parameters: [SITE, FILTERS],
  },
  "GET /api/stats/goals": figure({
    operationId: "getGoals",
    summary: "Events other than page views, and the share of visitors who caused them",
    answer: "Goals",
  }),
  "GET /api/stats/properties": figure({ operationId: "getProperties", summary: "Keys of custom properties", answer: "PropertyKeys" }),
  "GET /api/stats/property-values": figure({
    operationId: "getPropertyValues",
    summary: "Values of one custom property",
    answer: "PropertyValues",
    parameters: [
      query("key", {
        description: "Which one.",
        required: true,
        schema: text("Its key.", { pattern: PROPERTY_KEY.source }),
        example: "plan",
      }),
      query("event", { description: "Looks at events of this name only.", schema: text("An event's name."), example: "signup" }),
    ],
  }),
  "GET /api/stats/revenue": figure({
    operationId: "getRevenue",
    summary: "Revenue by currency, event and page",
    description: "Currencies are never added up.",
    answer: "Revenue",
  }),
  "GET /api/stats/export": {
    ...figure({
      operationId: "getExport",
      summary: "Days or events as a file",
      answer: "DailyExport",
      parameters: [
        choice("kind", "A row for each day, or one for each event.", EXPORT_KINDS),
        choice("format", "The form of the file.", EXPORT_FORMATS),
        rowsMax("Events at most, the oldest; `raw` only.", EXPORT_ROWS_MAX, EXPORT_ROWS_DEFAULT),
      ],
    }),
    answers: {
      200: {
        description: "The file.",
        headers: {
          ...NOT_STORED,
          "Content-Disposition": {
            description: "The file's name, made of kind and first date.",
            required: true,
            schema: { type: "string", pattern: '^attachment; filename="[\\w.-]+"$' },
          },
        },
        content: {
          "text/csv": {
            schema: text(
              "A line of column names and a line for each row, the columns as in JSON. Values are quoted; those that a " +
                "spreadsheet could take for a formula begin with an apostrophe.",
            ),
          },
          "application/json": { schema: { anyOf: [ref("DailyExport"), ref("RawExport")] } },
        },
      },
    },
    refusals: {
      ...REFUSALS,
      invalid_input: `${REFUSALS.invalid_input} Or the export would take more memory than exports may.`,
      unavailable: `${REFUSALS.unavailable} Or other exports take the memory that exports have.`,
    },
  },
} satisfies Partial<Record<RouteId, Operation>>;
