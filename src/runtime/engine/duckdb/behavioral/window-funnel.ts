/** How far a visitor's events lead through a chain of conditions within a window of time, with ClickHouse's `windowFunnel` meaning. */
import type { OneVisitor } from "./visitor-function.ts";

/** `strict_order`: events that belong elsewhere end the search. `strict_deduplication`: a condition met again ends it. */
export const FUNNEL_MODES = ["strict_order", "strict_deduplication", "strict_increase", "strict_once"] as const;
export type FunnelMode = (typeof FUNNEL_MODES)[number];

export interface WindowFunnelFunction {
  readonly name: "window_funnel";
  /** How long after the chain's first event its last one may come. */
  readonly windowMs: number;
  /** Conditions of the chain, at most 32. */
  readonly steps: number;
  readonly modes: readonly FunnelMode[];
}

/**
 * The most conditions met one after the other. Of all chains that lead to a step, the one that began last has most of
 * the window left, so remembering its beginning for each step is enough.
 *
 * One event may serve several steps in a row, unless `strict_once` or `strict_increase` is set: then a step builds on
 * what was there before the event or, with `strict_increase`, before its millisecond. Events that meet nothing count
 * with `strict_order` only. The first condition may be met again at any time: a new chain begins.
 */
export function windowFunnel({ windowMs, steps, modes }: WindowFunnelFunction): OneVisitor {
  const [strictOrder, strictDeduplication, strictIncrease, strictOnce] = FUNNEL_MODES.map((mode) => modes.includes(mode));
  const isolated = strictIncrease || strictOnce;
  /** When the latest chain began that leads to each step. */
  const begunMs = new Float64Array(steps);
  const begunBeforeMs = new Float64Array(steps);
  return ({ timestampsMs, met }, from, to) => {
    let reached = 0;
    begunMs.fill(Number.NEGATIVE_INFINITY);
    const earlierMs = isolated ? begunBeforeMs : begunMs;
    for (let event = from; event < to; event++) {
      const conditions = met[event] ?? 0;
      if (conditions === 0 && strictOrder && reached > 0) return reached;
      const timestampMs = timestampsMs[event] ?? 0;
      const joinsTheLast = strictIncrease && event > from && timestampMs === timestampsMs[event - 1];
      if (isolated && !joinsTheLast) begunBeforeMs.set(begunMs);
      for (let step = 0; step < steps; step++) {
        if ((conditions & (1 << step)) === 0) continue;
        if (step > 0 && strictDeduplication && reached > step) return reached;
        if (strictOrder && reached > 0 && reached < step) return reached;
        const beginMs = step === 0 ? timestampMs : (earlierMs[step - 1] ?? 0);
        if (timestampMs - beginMs > windowMs) continue;
        begunMs[step] = beginMs;
        if (step === reached) reached++;
      }
      if (reached === steps) return steps;
    }
    return reached;
  };
}
