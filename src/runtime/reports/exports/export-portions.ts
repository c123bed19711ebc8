/** How a long export is cut: stretches of time with so many events that each is read, written and forgotten in turn. */
import type { EpochMs } from "../../../storage/event.ts";
import type { NumberColumns } from "../../engine/engine.ts";

const MINUTE_MS = 60_000;

/** Portions follow each other without a gap that has events. */
export interface Portion {
  readonly startMs: EpochMs;
  /** The first instant after it. */
  readonly endMs: EpochMs;
}

/**
 * Whole minutes (as `queryMinutes` counts them) with about `portionRows` events each, as many as it
 * takes for `rowsMax` events. A minute is never cut, however much happened in it.
 */
export function portionsOf({ minute_ms, events }: NumberColumns, rowsMax: number, portionRows: number): Portion[] {
  const portions: Portion[] = [];
  let total = 0;
  let startMs: EpochMs | null = null;
  let rows = 0;
  for (let i = 0; i < (minute_ms?.length ?? 0) && total < rowsMax; i++) {
    const minute = Number(minute_ms?.[i]);
    startMs ??= minute;
    rows += Number(events?.[i]);
    total += Number(events?.[i]);
    const isLast = i + 1 === minute_ms?.length || total >= rowsMax;
    if (rows < portionRows && !isLast) continue;
    portions.push({ startMs, endMs: minute + MINUTE_MS });
    [startMs, rows] = [null, 0];
  }
  return portions;
}
