/** A series of points: a query by bucket, and the points of its rows. Weeks and months are sums of days where days add up. */
import { bucketOfDay, bucketSql, bucketsOf, type BucketLength, type DaysLength } from "../../query/buckets.ts";
import type { DateRange } from "../../query/date-range.ts";
import type { LocalSql } from "../../query/local-time.ts";
import { numberIn, rowsBy } from "../../query/row-values.ts";
import type { SqlRow } from "../../query/sql.ts";
import type { Calendar } from "../../../storage/calendar.ts";

export interface Series {
  /** The `bucket` that the query groups by. */
  readonly bucket: LocalSql;
  /** A point for each bucket of the range, from the rows of the query and the columns of its counts. */
  points<Point>(
    rows: readonly SqlRow[],
    counts: readonly string[],
    pointOf: (row: SqlRow | undefined) => Point,
  ): ({ readonly date: string } & Point)[];
}

/** A row for each week or month, from rows of days. */
function summed(rows: readonly SqlRow[], counts: readonly string[], length: DaysLength): readonly SqlRow[] {
  const sums = new Map<number, Record<string, number>>();
  for (const row of rows) {
    const bucket = bucketOfDay(numberIn(row, "bucket"), length);
    const sum = sums.get(bucket) ?? { bucket };
    for (const count of counts) sum[count] = (sum[count] ?? 0) + numberIn(row, count);
    sums.set(bucket, sum);
  }
  return [...sums.values()];
}

/** `addsUp`: whether the counts of a week are the sums of those of its days. Rollups have rows by hour and by day, none by minute. */
export function seriesOf(range: DateRange, calendar: Calendar, length: BucketLength, addsUp: boolean): Series {
  const isSummed = addsUp && length !== "minute" && length !== "hour" && length !== "day";
  return {
    bucket: bucketSql(isSummed ? "day" : length),
    points(rows, counts, pointOf) {
      const byBucket = rowsBy("bucket", isSummed ? summed(rows, counts, length) : rows);
      return bucketsOf(range, length, calendar).map(({ key, label }) => ({ date: label, ...pointOf(byBucket.get(key)) }));
    },
  };
}
