/** Parameters and result of GET /api/stats/overview (docs/http-api.md, "Overview"). */
import { OVERVIEW_SITES_DEFAULT, OVERVIEW_SITES_MAX, RANGE_DAYS_MAX } from "../../base/config/report-limits.ts";
import { parseSiteId } from "../../base/config/names.ts";
import { closed, count, list, orNull, text, type Described } from "../../query/json-schema.ts";
import { optional, rowLimit } from "../../query/parameters.ts";
import { SHORT_PERIODS } from "../../query/date-range.ts";
import { SCOPE_PARAMETERS, SHORT_END_DATE, siteIdSchema } from "../../query/scope-parameters.ts";
import { DAY } from "../measures/fields.ts";

const { period, start_date } = SCOPE_PARAMETERS;

export const OVERVIEW_PARAMETERS = {
  period: { ...period, schema: { ...period.schema, enum: SHORT_PERIODS } },
  start_date,
  end_date: SHORT_END_DATE,
  limit: rowLimit("Maximum number of sites.", OVERVIEW_SITES_MAX, OVERVIEW_SITES_DEFAULT),
  after: optional(
    { description: "Only sites whose ids are greater: the last one of the response before.", schema: siteIdSchema("A site id.") },
    parseSiteId,
  ),
};

const DAY_HOURS_MAX = 25;

const SITE = closed(
  {
    site_id: text("The site id."),
    name: orNull(text("What the dashboard calls the site. Null without such a setting.")),
    time_zone: text("The IANA name of the site's time zone."),
    start_date: DAY,
    end_date: DAY,
    current_visitors: orNull(count("Distinct visitors with any event in the last `realtime_window_minutes`. Null if `error` is present.")),
    visitors: orNull(count("Distinct visitors. Null if `error` is present.")),
    previous_visitors: orNull(
      count(
        "Distinct visitors of the equally long window that begins the fewest whole weeks earlier without an overlap. If the range " +
          "includes today, the day of that window that corresponds to today counts until the same minute. Null if `error` is present.",
      ),
    ),
    series: orNull(
      list("Visitors by day, or by hour if the range is one day; oldest first. Null if `error` is present.", count("Distinct visitors."), {
        minItems: 1,
        maxItems: Math.max(RANGE_DAYS_MAX, DAY_HOURS_MAX),
      }),
    ),
    error: text("Why the site's metrics could not be computed. Absent if they were."),
  },
  { optional: ["error"] },
);

export type OverviewSite = Described<typeof SITE>;

export const OVERVIEW = closed({
  total: count("All sites that the caller may read."),
  sites: list("In ascending order of their ids.", SITE, { maxItems: OVERVIEW_SITES_MAX }),
});

export type OverviewResult = Described<typeof OVERVIEW>;
