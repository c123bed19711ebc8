/** The parameters of a report's scope: site, dates and filters (docs/http-api.md, "Common parameters"). */
import { SITE_ID_CHARS_MAX } from "../config/limits.ts";
import {
  FILTER_CONDITIONS_MAX,
  FILTER_EXPRESSION_CHARS_MAX,
  FILTER_VALUES_MAX,
  FILTER_VALUE_CHARS_MAX,
  RANGE_DAYS_MAX,
} from "../config/report-limits.ts";
import { SITE_ID, parseSiteId } from "../config/site-id.ts";
import { text, type Schema } from "./json-schema.ts";
import type { LocalDate, SiteId } from "../../storage/event.ts";
import { AppError } from "../errors.ts";
import { PERIODS, PERIOD_DEFAULT, parseDateRange, rangeOfDays } from "./date-range.ts";
import { DIMENSIONS } from "./dimensions.ts";
import {
  OPERATORS,
  PROPERTY_PREFIX,
  SESSION_FILTERS,
  conditionsOn,
  distinctConditions,
  parseSegmentFilter,
  type Condition,
} from "./filters.ts";
import { optional, parameter, required, type Parameter, type Values } from "./parameters.ts";
import { checkShared, type Scope, type SharedPart } from "./scope.ts";
import { checkSite, type Viewer } from "./viewer.ts";

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
    description: "A range of dates of the site's calendar that ends today. `start_date` and `end_date` override it.",
    schema: text("`day` and `today` are the current date.", { enum: PERIODS, default: PERIOD_DEFAULT }),
  },
  unchanged,
);

/** The text of a date, which is checked together with the other date of its range. */
export const dateParameter = (description: string, example?: string): Parameter<string | null> =>
  optional({ description, schema: text("A calendar date, YYYY-MM-DD.", { format: "date" }), ...(example && { example }) }, unchanged);

const FILTERED = [...DIMENSIONS, ...SESSION_FILTERS, `${PROPERTY_PREFIX}[^=!;]+`].join("|");
const CONDITION = `(?:${FILTERED})(?:==|!=|=!?(?:${Object.keys(OPERATORS).join("|")})=)[^;]+`;

const FILTERS: Parameter<readonly Condition[]> = parameter(
  {
    description:
      `Conditions joined by \`;\`, each \`dimension==value\` or \`dimension!=value\`, all of which must hold; at most ` +
      `${FILTER_CONDITIONS_MAX}, each value at most ${FILTER_VALUE_CHARS_MAX} characters. Values match exactly, including case; ` +
      "`(unknown)` matches values that were not recorded, and `!=` includes them. The dimensions are those of breakdowns, " +
      "with `entry-page` and `exit-page` in place of entry and exit pages, `goal`, and `props:<key>`. Other conditions have an " +
      "operator between `=` and `=`, which `!` before it negates: `=in=` any of the values, `=contains=`, `=begins=`, `=like=` " +
      "a pattern with `*`, `=matches=` a regular expression of RE2. Their value may be a list in parentheses, joined by commas, " +
      `any of which may match; at most ${FILTER_VALUES_MAX} values in all, and ${FILTER_EXPRESSION_CHARS_MAX} characters of a regular ` +
      "expression. In such values `%`, `;` and, in lists, `,` are written `%25`, `%3B` and `%2C`, before the encoding of the URL.",
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
  start_date: dateParameter("The first date, inclusive. Requires `end_date`.", "2026-01-01"),
  end_date: dateParameter(`The last date, inclusive. Requires \`start_date\`; the range has at most ${RANGE_DAYS_MAX} days.`, "2026-01-31"),
  filters: FILTERS,
};

/** Parameters of a report without a date range. */
export const UNDATED_SCOPE_PARAMETERS = { site_id: SITE, filters: FILTERS };

/** What is shared with the viewer; null if everything is. */
function sharedPartOf({ principal: { view }, goalsOf }: Viewer, siteId: SiteId, today: LocalDate): SharedPart | null {
  if (view === null || (view.filters === "" && view.dates === null)) return null;
  const { filters, dates } = view;
  const range =
    dates && ("period" in dates ? parseDateRange({ ...NO_DATES, ...dates }, today) : rangeOfDays(dates.firstDay, dates.lastDay));
  return { conditions: conditionsOn(parseSegmentFilter(filters), () => goalsOf(siteId)), range };
}

const NO_DATES = { period: null, startDate: null, endDate: null };

/**
 * 403 for what the viewer may not see, 400 for dates that do not form a range. Without dates, the range is all that is shared, or else
 * the default period. Nothing else holds a viewer to a site, to conditions and to dates; plans check
 * that what they read besides is shared (`planOf`).
 */
export function scopeOf(values: Partial<Values<typeof SCOPE_PARAMETERS>> & Values<typeof UNDATED_SCOPE_PARAMETERS>, viewer: Viewer): Scope {
  const { site_id: siteId, filters, period = null, start_date: startDate = null, end_date: endDate = null } = values;
  checkSite(viewer, siteId);
  const today = viewer.calendarOf(siteId).dateOf(viewer.nowMs);
  const shared = sharedPartOf(viewer, siteId, today);
  const conditions = conditionsOn(filters, () => viewer.goalsOf(siteId));
  const { sessionRules } = viewer;
  const hasDates = (period ?? startDate ?? endDate) !== null;
  const range = (!hasDates && shared?.range) || parseDateRange({ period, startDate, endDate }, today);
  if (shared === null) return { siteId, range, conditions, sessionRules };
  const scope = { siteId, range, conditions: distinctConditions([...shared.conditions, ...conditions]), shared, sessionRules };
  checkShared(scope);
  return scope;
}

/** The scope of a report of the present. 403 also if the viewer may not see that. */
export function presentScopeOf(values: Values<typeof UNDATED_SCOPE_PARAMETERS>, viewer: Viewer): Scope {
  const scope = scopeOf({ ...values, period: "today" }, viewer);
  if (viewer.principal.view?.hasRealtime === false) throw new AppError({ code: "forbidden" }, "The share link does not show realtime");
  return scope;
}
