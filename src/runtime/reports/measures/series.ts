/** The points of a time series. Weeks and months are sums of days where days add up, so that rollups answer them. */
import type { Calendar } from "../../../storage/calendar.ts";
import { BUCKETS_MAX } from "../../base/config/report-limits.ts";
import { type BucketLength, bucketOfDay, bucketsOf, bucketSql, type DateRange } from "../../query/date-range.ts";
import { list, text, type Described, type Schema } from "../../base/json-schema.ts";
import { numberIn, rowsBy, type SqlRow, sumsBy } from "../../query/sql.ts";
import { HOURLY_DAYS_MAX, RANGE_DAYS_MAX } from "../../../shared/limits.ts";

export const BUCKET = text(
  "`YYYY-MM-DD HH:MM` of a minute or an hour, or `YYYY-MM-DD`: the first day of the bucket in the range. In the site's time zone.",
  { pattern: "^\\d{4}-\\d{2}-\\d{2}( \\d{2}:\\d{2})?$" },
);

export const pointsOf = <Point extends Schema>(point: Point) =>
  list(
    `Every bucket of the range: hours up to ${HOURLY_DAYS_MAX} days, days up to ${RANGE_DAYS_MAX} and months beyond, or those of ` +
      "`interval`; oldest first, empty ones included.",
    point as Schema<Described<Point>>,
    { minItems: 1, maxItems: BUCKETS_MAX },
  );

/** `addsUp`: the counts of a week equal the sums of those of its days. */
export function seriesOf(range: DateRange, calendar: Calendar, length: BucketLength, addsUp: boolean) {
  const isSummed = addsUp && length !== "minute" && length !== "hour" && length !== "day";
  return {
    /** The `bucket` that the query groups by. Rollups store rows by hour and by day. */
    bucket: bucketSql(isSummed ? "day" : length),
    /** A point for each bucket of the range, from the query's rows and its `counts`. */
    points<Point>(rows: readonly SqlRow[], counts: readonly string[], pointOf: (row: SqlRow | undefined) => Point) {
      const byBucket = isSummed ? sumsBy((row) => bucketOfDay(numberIn(row, "bucket"), length), rows, counts) : rowsBy("bucket", rows);
      return bucketsOf(range, length, calendar).map(({ key, label }) => ({ date: label, ...pointOf(byBucket.get(key)) }));
    },
  };
}
