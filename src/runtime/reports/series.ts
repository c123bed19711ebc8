/** Visitors and pageviews by hour or day, without gaps (contract 4.4, "Timeseries"). */
import { bucketsOf } from "../query/date-range.ts";
import { querySeries } from "./queries/series.ts";
import { querySessionSeries } from "./queries/sessions.ts";
import { sessionFiguresIn, type SessionFigures } from "./headline.ts";
import type { Ask } from "../execution/asked-range.ts";
import { numberIn } from "../query/row-values.ts";
import type { SqlRow } from "../engine/engine.ts";
import type { Scope } from "../query/scope.ts";

export interface SeriesPoint {
  /** `YYYY-MM-DD HH:00` or `YYYY-MM-DD`. */
  readonly date: string;
  readonly visitors: number;
  readonly pageviews: number;
}

export interface SessionSeriesPoint extends SessionFigures {
  /** `YYYY-MM-DD HH:00` or `YYYY-MM-DD`. */
  readonly date: string;
}

/** The rows of a query by the number of their bucket in the scope's range. */
const byBucket = (rows: readonly SqlRow[], { range }: Scope, sizeMs: number): ReadonlyMap<number, SqlRow> =>
  new Map(rows.map((row) => [(numberIn(row, "bucket_ms") - range.startMs) / sizeMs, row]));

/** Every bucket of the range with the sessions that begin in it, oldest first, zeros where none does. */
export async function sessionSeriesOf(ask: Ask, scope: Scope, sessionGapMs: number): Promise<SessionSeriesPoint[]> {
  const buckets = bucketsOf(scope.range);
  const [found] = await ask(querySessionSeries(scope, sessionGapMs, buckets.sizeMs));
  const rows = byBucket(found, scope, buckets.sizeMs);
  return Array.from({ length: buckets.count }, (_, bucket) => ({ date: buckets.labelOf(bucket), ...sessionFiguresIn(rows.get(bucket)) }));
}

/** Every bucket of the range, oldest first, zeros where nothing happened. */
export async function seriesOf(ask: Ask, scope: Scope): Promise<SeriesPoint[]> {
  const buckets = bucketsOf(scope.range);
  const [found] = await ask(querySeries(scope, buckets.sizeMs));
  const rows = byBucket(found, scope, buckets.sizeMs);
  return Array.from({ length: buckets.count }, (_, bucket) => ({
    date: buckets.labelOf(bucket),
    visitors: numberIn(rows.get(bucket), "visitors"),
    pageviews: numberIn(rows.get(bucket), "pageviews"),
  }));
}
