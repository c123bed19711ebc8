/** The parameters that say which events a report reads: site, dates and filters (docs/http-api.md, "Common parameters"). */
import { FILTER_CONDITIONS_MAX, FILTER_VALUE_CHARS_MAX, RANGE_DAYS_MAX, SITE_ID_CHARS_MAX } from "../config/limits.ts";
import { SITE_ID, parseSiteId } from "../config/site-id.ts";
import { text, type Schema } from "./json-schema.ts";
import type { EpochMs, SiteId } from "../../storage/event.ts";
import { PERIODS, PERIOD_DEFAULT, parseDateRange } from "./date-range.ts";
import { DIMENSIONS } from "./dimensions.ts";
import { parseSegmentFilter, type Condition } from "./filters.ts";
import { optional, parameter, required, type Parameter, type Values } from "./parameters.ts";
import type { Scope } from "./scope.ts";

/** A site id in the OpenAPI document. */
export const siteIdSchema = (description: string): Schema =>
  text(description, { minLength: 1, maxLength: SITE_ID_CHARS_MAX, pattern: SITE_ID.source });

const asGiven = (value: string): string => value;

const SITE: Parameter<SiteId> = required(
  { description: "The site whose figures are asked for.", schema: siteIdSchema("What its events bear as `d`."), example: "example.com" },
  parseSiteId,
);

const PERIOD: Parameter<string | null> = optional(
  {
    description: "How many UTC dates, ending today. `start_date` and `end_date`, where given, go before it.",
    schema: text("`day` and `today` are the same.", { enum: PERIODS, default: PERIOD_DEFAULT }),
  },
  asGiven,
);

const day = (description: string, example: string): Parameter<string | null> =>
  optional({ description, schema: text("A calendar date, YYYY-MM-DD.", { format: "date" }), example }, asGiven);

const CONDITION = `(?:${DIMENSIONS.join("|")})(?:==|!=)[^;]{1,${FILTER_VALUE_CHARS_MAX}}`;

const FILTERS: Parameter<readonly Condition[]> = parameter(
  {
    description:
      `Conditions joined by \`;\`, each \`dimension==value\` or \`dimension!=value\`, all of which an event must meet; at most ` +
      `${FILTER_CONDITIONS_MAX}, each value at most ${FILTER_VALUE_CHARS_MAX} characters. Values are compared exactly, in their case; ` +
      "`(unknown)` stands for what was not recorded, and `!=` includes it. The dimensions are those of breakdowns, " +
      "except those of sessions.",
    schema: text("No conditions, or some.", {
      pattern: `^(?:${CONDITION}(?:;${CONDITION}){0,${FILTER_CONDITIONS_MAX - 1}})?$`,
    }),
    example: "browsers==Firefox;countries!=(unknown)",
  },
  parseSegmentFilter,
);

/** Of a report over some dates. */
export const SCOPE_PARAMETERS = {
  site_id: SITE,
  period: PERIOD,
  start_date: day("The first UTC date. Needs `end_date`.", "2026-01-01"),
  end_date: day(`The last UTC date, included. Needs \`start_date\`; the two span at most ${RANGE_DAYS_MAX} days.`, "2026-01-31"),
  filters: FILTERS,
};

/** Of a report that has dates of its own. */
export const UNDATED_SCOPE_PARAMETERS = { site_id: SITE, filters: FILTERS };

/** 400 for dates that make no range. Without dates the range is the default period. */
export function scopeOf(values: Partial<Values<typeof SCOPE_PARAMETERS>> & Values<typeof UNDATED_SCOPE_PARAMETERS>, nowMs: EpochMs): Scope {
  const { site_id: siteId, filters, period = null, start_date: startDate = null, end_date: endDate = null } = values;
  return { siteId, range: parseDateRange({ period, startDate, endDate }, nowMs), conditions: filters };
}
