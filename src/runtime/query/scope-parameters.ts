/** The parameters of a report's scope: site, dates and filters (docs/http-api.md, "Common parameters"). */
import { SITE_ID_CHARS_MAX } from "../config/limits.ts";
import { FILTER_CONDITIONS_MAX, FILTER_VALUE_CHARS_MAX, RANGE_DAYS_MAX } from "../config/report-limits.ts";
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

const unchanged = (value: string): string => value;

const SITE: Parameter<SiteId> = required(
  { description: "The site.", schema: siteIdSchema("The site id of its events (`d`)."), example: "example.com" },
  parseSiteId,
);

const PERIOD: Parameter<string | null> = optional(
  {
    description: "A range of UTC dates that ends today. `start_date` and `end_date` override it.",
    schema: text("`day` and `today` are the current date.", { enum: PERIODS, default: PERIOD_DEFAULT }),
  },
  unchanged,
);

/** The text of a date, which is checked together with the other date of its range. */
export const dateParameter = (description: string, example?: string): Parameter<string | null> =>
  optional({ description, schema: text("A calendar date, YYYY-MM-DD.", { format: "date" }), ...(example && { example }) }, unchanged);

const CONDITION = `(?:${DIMENSIONS.join("|")})(?:==|!=)[^;]{1,${FILTER_VALUE_CHARS_MAX}}`;

const FILTERS: Parameter<readonly Condition[]> = parameter(
  {
    description:
      `Conditions joined by \`;\`, each \`dimension==value\` or \`dimension!=value\`, all of which must hold; at most ` +
      `${FILTER_CONDITIONS_MAX}, each value at most ${FILTER_VALUE_CHARS_MAX} characters. Values match exactly, including case; ` +
      "`(unknown)` matches values that were not recorded, and `!=` includes them. The dimensions are those of breakdowns, " +
      "except entry and exit pages.",
    schema: text("Any number of conditions up to the maximum, or none.", {
      pattern: `^(?:${CONDITION}(?:;${CONDITION}){0,${FILTER_CONDITIONS_MAX - 1}})?$`,
    }),
    example: "browsers==Firefox;countries!=(unknown)",
  },
  parseSegmentFilter,
);

/** Parameters of a report over a date range. */
export const SCOPE_PARAMETERS = {
  site_id: SITE,
  period: PERIOD,
  start_date: dateParameter("The first UTC date, inclusive. Requires `end_date`.", "2026-01-01"),
  end_date: dateParameter(
    `The last UTC date, inclusive. Requires \`start_date\`; the range has at most ${RANGE_DAYS_MAX} days.`,
    "2026-01-31",
  ),
  filters: FILTERS,
};

/** Parameters of a report without a date range. */
export const UNDATED_SCOPE_PARAMETERS = { site_id: SITE, filters: FILTERS };

/** 400 for dates that do not form a range. Without dates, the range is the default period. */
export function scopeOf(values: Partial<Values<typeof SCOPE_PARAMETERS>> & Values<typeof UNDATED_SCOPE_PARAMETERS>, nowMs: EpochMs): Scope {
  const { site_id: siteId, filters, period = null, start_date: startDate = null, end_date: endDate = null } = values;
  return { siteId, range: parseDateRange({ period, startDate, endDate }, nowMs), conditions: filters };
}
