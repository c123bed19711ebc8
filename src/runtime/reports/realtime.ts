/** What happens on a site right now (contract 4.4). */
import type { EpochMs } from "../../storage/event.ts";
import type { SqlRow } from "../engine/engine.ts";
import { queryCurrent, queryPerMinute, queryTop, type RealtimeWindow } from "./queries/realtime.ts";
import type { Ask } from "../execution/asked-range.ts";
import { numberIn, textIn } from "../query/row-values.ts";
import type { Condition } from "../query/filters.ts";

const MINUTE_MS = 60_000;

export interface TopRow {
  readonly value: string;
  readonly visitors: number;
}

export interface Realtime {
  readonly currentVisitors: number;
  readonly pageviews: number;
  readonly topPages: readonly TopRow[];
  readonly topSources: readonly TopRow[];
  /** Pageviews by minute of the clock, oldest first; they add up to `pageviews`. */
  readonly perMinute: readonly number[];
}

/** The window that ends now, both ends included. */
export const realtimeWindow = (nowMs: EpochMs, windowMinutes: number, conditions: readonly Condition[]): RealtimeWindow => ({
  startMs: nowMs - windowMinutes * MINUTE_MS,
  endMs: nowMs,
  conditions,
});

const topRowIn = (row: SqlRow): TopRow => ({ value: textIn(row, "value"), visitors: numberIn(row, "visitors") });

const minuteOf = (ms: EpochMs): number => Math.floor(ms / MINUTE_MS);

export async function realtimeOf(ask: Ask, window: RealtimeWindow): Promise<Realtime> {
  const [[current], minutes, pages, sources] = await ask(
    queryCurrent(window),
    queryPerMinute(window),
    queryTop(window, "pathname", "(unknown)"),
    queryTop(window, "referrer_source", "(direct)"),
  );
  const byMinute = new Map(minutes.map((row) => [minuteOf(numberIn(row, "minute_ms")), numberIn(row, "pageviews")]));
  const first = minuteOf(window.startMs);
  return {
    currentVisitors: numberIn(current, "visitors"),
    pageviews: numberIn(current, "pageviews"),
    topPages: pages.map(topRowIn),
    topSources: sources.map(topRowIn),
    perMinute: Array.from({ length: minuteOf(window.endMs) - first + 1 }, (_, i) => byMinute.get(first + i) ?? 0),
  };
}
