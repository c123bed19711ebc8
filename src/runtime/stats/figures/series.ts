/** Visitors and pageviews by hour or day, without gaps (contract 4.4, "Timeseries"). */
import { bucketsOf } from "../date-range.ts";
import { querySeries } from "../queries/series.ts";
import type { Ask } from "../query-runner.ts";
import { numberIn } from "../row-values.ts";
import type { Scope } from "../scope.ts";

export interface SeriesPoint {
  /** `YYYY-MM-DD HH:00` or `YYYY-MM-DD`. */
  readonly date: string;
  readonly visitors: number;
  readonly pageviews: number;
}

/** Every bucket of the range, oldest first, zeros where nothing happened. */
export async function seriesOf(ask: Ask, scope: Scope): Promise<SeriesPoint[]> {
  const buckets = bucketsOf(scope.range);
  const found = await ask(querySeries(scope, buckets.sizeMs));
  const rows = new Map(found.map((row) => [numberIn(row, "offset_ms") / buckets.sizeMs, row]));
  return Array.from({ length: buckets.count }, (_, bucket) => ({
    date: buckets.labelOf(bucket),
    visitors: numberIn(rows.get(bucket), "visitors"),
    pageviews: numberIn(rows.get(bucket), "pageviews"),
  }));
}
