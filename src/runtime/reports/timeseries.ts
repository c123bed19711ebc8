/** GET /api/stats/timeseries: visitors and page views by hour, day, week or month, empty buckets included (docs/http-api.md, "Timeseries"). */
import { checkInterval, DAY_BUCKET, HOUR_BUCKET, INTERVAL, lengthOf } from "../query/date-range.ts";
import { closed } from "../base/json-schema.ts";
import { optionalOneOf } from "../query/parameters.ts";
import { planOf } from "../query/plan.ts";
import { numberIn } from "../query/sql.ts";
import { visitorCountsBy } from "./measures/counts.ts";
import { EVENTS, PAGEVIEWS, VISITORS } from "./measures/fields.ts";
import { BUCKET, pointsOf, seriesOf } from "./measures/series.ts";
import { report } from "./report.ts";

export const timeseries = report({
  path: "/api/stats/timeseries",
  operationId: "getTimeseries",
  summary: "Visitors and page views over time",
  parameters: {
    include: optionalOneOf("Adds a field to each point.", ["events"], "`events`: all events of the bucket."),
    interval: INTERVAL,
  },
  check: checkInterval,
  result: {
    name: "Series",
    schema: pointsOf(closed({ date: BUCKET, visitors: VISITORS, pageviews: PAGEVIEWS, events: EVENTS }, { optional: ["events"] })),
  },
  rolled: (scope) => ({
    "visits-by-day": { query: visitorCountsBy(scope, DAY_BUCKET), over: "events", by: ["day"] },
    "visits-by-hour": { query: visitorCountsBy(scope, HOUR_BUCKET), over: "events", by: ["hour"] },
  }),
  plan({ scope, values: { include, interval }, calendar, weekStart }, { rotationDays }) {
    const withEvents = include === "events";
    // Visitors of days add up only if no visitor id outlives its day.
    const series = seriesOf(scope.range, calendar, lengthOf(scope.range, interval, weekStart), rotationDays === 1);
    const counts = visitorCountsBy(scope, series.bucket, withEvents);
    return planOf(scope, [counts], (found) =>
      series.points(found, counts.counts, (row) => ({
        visitors: numberIn(row, "visitors"),
        pageviews: numberIn(row, "pageviews"),
        ...(withEvents && { events: numberIn(row, "events") }),
      })),
    );
  },
});
