/** GET /api/stats/timeseries: visitors and page views by hour or day, empty buckets included (docs/http-api.md, "Timeseries"). */
import { planOf } from "../execution/plan.ts";
import { HOURLY_DAYS_MAX } from "../config/limits.ts";
import { closed } from "../query/json-schema.ts";
import { DAY_BUCKET, HOUR_BUCKET, bucketSql, bucketsOf } from "../query/buckets.ts";
import { optionalOneOf } from "../query/parameters.ts";
import { numberIn, rowsBy } from "../query/row-values.ts";
import { BUCKET, EVENTS, PAGEVIEWS, VISITORS, pointsOf } from "./measures/fields.ts";
import { eventCountsBy, visitorCountsBy } from "./measures/visitor-counts.ts";
import { report } from "./report.ts";

export const timeseries = report({
  path: "/api/stats/timeseries",
  operationId: "getTimeseries",
  summary: "Visitors and page views over time",
  parameters: {
    include: optionalOneOf("Adds a field to each point.", ["events"], "`events`: all events of the bucket."),
  },
  result: {
    name: "Series",
    schema: pointsOf(
      `Every hour of ranges up to ${HOURLY_DAYS_MAX} days, every day of longer ones; oldest first, empty ones included.`,
      closed({ date: BUCKET, visitors: VISITORS, pageviews: PAGEVIEWS, events: EVENTS }, { optional: ["events"] }),
    ),
  },
  rolled: (scope) => ({ "visits-by-day": visitorCountsBy(scope, DAY_BUCKET), "visits-by-hour": visitorCountsBy(scope, HOUR_BUCKET) }),
  plan({ scope, values: { include } }) {
    const withEvents = include === "events";
    return planOf(scope, [(withEvents ? eventCountsBy : visitorCountsBy)(scope, bucketSql(scope.range))], (found) => {
      const byBucket = rowsBy("bucket", found);
      return bucketsOf(scope.range).map(({ key, label }) => ({
        date: label,
        visitors: numberIn(byBucket.get(key), "visitors"),
        pageviews: numberIn(byBucket.get(key), "pageviews"),
        ...(withEvents && { events: numberIn(byBucket.get(key), "events") }),
      }));
    });
  },
});
