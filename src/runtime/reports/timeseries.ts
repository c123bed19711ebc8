/** GET /api/stats/timeseries: visitors and page views by hour, day, week or month, empty buckets included (docs/http-api.md, "Timeseries"). */
import { checkInterval, DAY_BUCKET, HOUR_BUCKET, INTERVAL, lengthOf } from "../query/date-range.ts";
import { invalidInput } from "../base/errors.ts";
import { closed } from "../base/json-schema.ts";
import { currencyOf, optionalOneOf, readIf } from "../query/parameters.ts";
import { planOf } from "../query/plan.ts";
import { numberIn } from "../query/sql.ts";
import { visitorCountsBy } from "./measures/counts.ts";
import { EVENTS, MONEY, moneyIn, PAGEVIEWS, VISITORS } from "./measures/fields.ts";
import { BUCKET, pointsOf, seriesOf } from "./measures/series.ts";
import { report } from "./report.ts";

export const timeseries = report({
  path: "/api/stats/timeseries",
  operationId: "getTimeseries",
  summary: "Visitors and page views over time",
  parameters: {
    include: optionalOneOf(
      "Adds a field to each point.",
      ["events", "revenue"],
      "`events`: all events of the bucket. `revenue`: the total in one currency, which requires `currency`.",
    ),
    ...readIf(({ include }: { readonly include: string | null }) => include === "revenue", { currency: currencyOf("revenue") }),
    interval: INTERVAL,
  },
  check(values, range) {
    if (values.include === "revenue" && values.currency === null) throw invalidInput('"currency" is required when "include" is revenue');
    return checkInterval(values, range);
  },
  result: {
    name: "Series",
    schema: pointsOf(
      closed(
        { date: BUCKET, visitors: VISITORS, pageviews: PAGEVIEWS, events: EVENTS, revenue: MONEY },
        { optional: ["events", "revenue"] },
      ),
    ),
  },
  rolled: (scope) => ({
    "visits-by-day": { query: visitorCountsBy(scope, DAY_BUCKET), over: "events", by: ["day"] },
    "visits-by-hour": { query: visitorCountsBy(scope, HOUR_BUCKET), over: "events", by: ["hour"] },
  }),
  plan({ scope, values: { include, currency, interval }, calendar, weekStart }, { rotationDays }) {
    // Visitors of days add up only if no visitor id outlives its day.
    const series = seriesOf(scope.range, calendar, lengthOf(scope.range, interval, weekStart), rotationDays === 1);
    const counts = visitorCountsBy(scope, series.bucket, currency);
    return planOf(scope, [counts], (found) =>
      series.points(found, [...counts.counts, ...(counts.amounts ?? [])], (row) => ({
        visitors: numberIn(row, "visitors"),
        pageviews: numberIn(row, "pageviews"),
        ...(include === "events" && { events: numberIn(row, "events") }),
        ...(currency !== null && { revenue: moneyIn(row, "revenue") }),
      })),
    );
  },
});
