/** The query parameters that several routes take, with the bounds that their parsers have. */
import { FILTER_CONDITIONS_MAX, FILTER_VALUE_CHARS_MAX, RANGE_DAYS_MAX, SITE_ID_CHARS_MAX } from "../../runtime/config/limits.ts";
import { SITE_ID } from "../../runtime/config/site-id.ts";
import { PERIODS, PERIOD_DEFAULT } from "../../runtime/query/date-range.ts";
import { DIMENSIONS } from "../../runtime/query/dimensions.ts";
import type { Parameter } from "./operation.ts";
import { text, type Schema } from "./schema.ts";

type QueryParameter = Omit<Parameter, "in" | "name">;

export const query = (name: string, parameter: QueryParameter): Parameter => ({ name, in: "query", ...parameter });

export const siteId = (description: string): Schema =>
  text(description, { minLength: 1, maxLength: SITE_ID_CHARS_MAX, pattern: SITE_ID.source });

const CONDITION = `(?:${DIMENSIONS.join("|")})(?:==|!=)[^;]{1,${FILTER_VALUE_CHARS_MAX}}`;

export const SITE: Parameter = query("site_id", {
  description: "The site whose figures are asked for.",
  required: true,
  schema: siteId("What its events bear as `d`."),
  example: "example.com",
});

export const FILTERS: Parameter = query("filters", {
  description:
    `Conditions joined by \`;\`, each \`dimension==value\` or \`dimension!=value\`, all of which an event must meet; at most ` +
    `${FILTER_CONDITIONS_MAX}, each value at most ${FILTER_VALUE_CHARS_MAX} characters. Values are compared exactly, in their case; ` +
    "`(unknown)` stands for what was not recorded, and `!=` includes it. The dimensions are those of breakdowns, " +
    "except those of sessions.",
  schema: text("No conditions, or some.", {
    pattern: `^(?:${CONDITION}(?:;${CONDITION}){0,${FILTER_CONDITIONS_MAX - 1}})?$`,
  }),
  example: "browsers==Firefox;countries!=(unknown)",
});

const day = (name: string, description: string, example: string): Parameter =>
  query(name, { description, schema: text("A calendar date, YYYY-MM-DD.", { format: "date" }), example });

const PERIOD = query("period", {
  description: "How many UTC dates, ending today. `start_date` and `end_date`, where given, go before it.",
  schema: text("`day` and `today` are the same.", { enum: PERIODS, default: PERIOD_DEFAULT }),
});

export const START = day("start_date", "The first UTC date. Needs `end_date`.", "2026-01-01");

export const END = day(
  "end_date",
  `The last UTC date, included. Needs \`start_date\`; the two span at most ${RANGE_DAYS_MAX} days.`,
  "2026-01-31",
);

/** What every question about a range of days takes (contract 4.2). */
export const SCOPE: readonly Parameter[] = [SITE, PERIOD, START, END, FILTERS];

/** Those of many routes, which refer to them by these names. */
export const SHARED_PARAMETERS: Readonly<Record<string, Parameter>> = {
  SiteId: SITE,
  Period: PERIOD,
  StartDate: START,
  EndDate: END,
  Filters: FILTERS,
};
