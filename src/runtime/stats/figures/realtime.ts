/** What happens on a site right now (contract 4.4). */
import type { EpochMs } from "../../../storage/event.ts";
import { queryCurrent, queryPerMinute, queryTop, type RealtimeWindow } from "../queries/realtime.ts";
import type { Ask } from "../query-runner.ts";
import { numberIn, textIn } from "../row-values.ts";
import type { Condition } from "../segment-filter.ts";

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

async function topOf(ask: Ask, window: RealtimeWindow, ...[name, unrecorded]: TopKind): Promise<TopRow[]> {
  const rows = await ask(queryTop(window, name, unrecorded));
  return rows.map((row) => ({ value: textIn(row, "value"), visitors: numberIn(row, "visitors") }));
}

type TopKind = ["pathname", "(unknown)"] | ["referrer_source", "(direct)"];

const minuteOf = (ms: EpochMs): number => Math.floor(ms / MINUTE_MS);

export async function realtimeOf(ask: Ask, window: RealtimeWindow): Promise<Realtime> {
  const [current] = await ask(queryCurrent(window));
  const minutes = await ask(queryPerMinute(window));
  const byMinute = new Map(minutes.map((row) => [minuteOf(numberIn(row, "minute_ms")), numberIn(row, "pageviews")]));
  const first = minuteOf(window.startMs);
  return {
    currentVisitors: numberIn(current, "visitors"),
    pageviews: numberIn(current, "pageviews"),
    topPages: await topOf(ask, window, "pathname", "(unknown)"),
    topSources: await topOf(ask, window, "referrer_source", "(direct)"),
    perMinute: Array.from({ length: minuteOf(window.endMs) - first + 1 }, (_, i) => byMinute.get(first + i) ?? 0),
  };
}
