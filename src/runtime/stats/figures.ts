/** The first figures as the API gives them: headline, series and breakdowns (contract 4.4). */
import type { SqlRow } from "../engine/engine.ts";
import { bucketsOf } from "./date-range.ts";
import { columnOf, type Dimension } from "./dimensions.ts";
import { queryBreakdown } from "./queries/breakdown.ts";
import { queryHeadline } from "./queries/headline.ts";
import { querySeries } from "./queries/series.ts";
import { querySessions } from "./queries/sessions.ts";
import type { Ask } from "./query-runner.ts";
import type { Scope } from "./scope.ts";

/** Rates and averages over nothing are 0 (decisions, "Statistics"). */
const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

const numberIn = (row: SqlRow | undefined, name: string): number => Number(row?.[name] ?? 0);

export interface SessionFigures {
  readonly totalSessions: number;
  /** Fraction of sessions that are one pageview and nothing else. */
  readonly bounceRate: number;
  readonly avgVisitDurationSecs: number;
  readonly viewsPerVisit: number;
}

export interface HeadlineFigures {
  readonly uniqueVisitors: number;
  readonly totalPageviews: number;
  readonly totalEvents: number;
  readonly viewsPerVisitor: number;
}

export async function headlineFigures(ask: Ask, scope: Scope): Promise<HeadlineFigures> {
  const [row] = await ask(queryHeadline(scope));
  const [visitors, pageviews] = [numberIn(row, "visitors"), numberIn(row, "pageviews")];
  return {
    uniqueVisitors: visitors,
    totalPageviews: pageviews,
    totalEvents: numberIn(row, "events"),
    viewsPerVisitor: ratio(pageviews, visitors),
  };
}

export async function sessionFigures(ask: Ask, scope: Scope, sessionGapMs: number): Promise<SessionFigures> {
  const [row] = await ask(querySessions(scope, sessionGapMs));
  const sessions = numberIn(row, "sessions");
  return {
    totalSessions: sessions,
    bounceRate: ratio(numberIn(row, "bounces"), sessions),
    avgVisitDurationSecs: ratio(numberIn(row, "duration_ms") / 1000, sessions),
    viewsPerVisit: ratio(numberIn(row, "pageviews"), sessions),
  };
}

export interface SeriesPoint {
  readonly date: string;
  readonly visitors: number;
  readonly pageviews: number;
}

/** Every bucket of the range, oldest first, zeros where nothing happened. */
export async function seriesPoints(ask: Ask, scope: Scope): Promise<SeriesPoint[]> {
  const buckets = bucketsOf(scope.range);
  const rows = new Map(
    (await ask(querySeries(scope, buckets.sizeMs))).map((row) => [numberIn(row, "offset_ms") / buckets.sizeMs, row]),
  );
  return Array.from({ length: buckets.count }, (_, bucket) => ({
    date: buckets.labelOf(bucket),
    visitors: numberIn(rows.get(bucket), "visitors"),
    pageviews: numberIn(rows.get(bucket), "pageviews"),
  }));
}

export interface BreakdownRow {
  readonly value: string;
  readonly visitors: number;
  readonly pageviews: number;
  readonly events: number;
}

export async function breakdownRows(ask: Ask, scope: Scope, dimension: Dimension, rowsMax: number): Promise<BreakdownRow[]> {
  return (await ask(queryBreakdown(scope, columnOf(dimension), rowsMax))).map((row) => ({
    value: String(row.value),
    visitors: numberIn(row, "visitors"),
    pageviews: numberIn(row, "pageviews"),
    events: numberIn(row, "events"),
  }));
}
