/**
 * Counts the steps of a funnel that a visitor completes within a time window, as ClickHouse documents `windowFunnel`. Where ClickHouse's
 * code departs from its documentation (`strict_increase` among equal timestamps), this follows the documentation.
 */
import type { OneVisitor } from "./visitor-events.ts";

/** `strict_order`: any other event ends the chain. `strict_deduplication`: a condition that is met again ends it. */
export const FUNNEL_MODES = ["strict_order", "strict_deduplication", "strict_increase", "strict_once"] as const;
export type FunnelMode = (typeof FUNNEL_MODES)[number];

export interface WindowFunnelFunction {
  readonly name: "window_funnel";
  /** The longest time between the first and the last event of a chain. */
  readonly windowMs: number;
  /** The number of steps, at most 32. */
  readonly steps: number;
  readonly modes: readonly FunnelMode[];
}

/**
 * The value is the highest number of steps completed in order. Of all chains that reach a step, the one that started last has the
 * most of the window left, so the function keeps only its start. Time is events times steps.
 *
 * One event may complete several steps, unless `strict_once` or `strict_increase` is set: then a step needs a chain that existed
 * before the event or, with `strict_increase`, before its millisecond. Events that meet no condition matter with `strict_order`
 * only. An event that meets the first condition always starts a new chain.
 */
export function windowFunnel({ windowMs, steps, modes }: WindowFunnelFunction): OneVisitor {
  const [strictOrder, strictDeduplication, strictIncrease, strictOnce] = FUNNEL_MODES.map((mode) => modes.includes(mode));
  const isolated = strictIncrease || strictOnce;
  /** The start of the latest chain that reached each step. */
  const startMs = new Float64Array(steps);
  const earlierStartMs = new Float64Array(steps);
  return ({ timestampsMs, met }, from, to) => {
    let reached = 0;
    startMs.fill(Number.NEGATIVE_INFINITY);
    const previousMs = isolated ? earlierStartMs : startMs;
    for (let event = from; event < to; event++) {
      const conditions = met[event] ?? 0;
      if (conditions === 0 && strictOrder && reached > 0) return reached;
      const timestampMs = timestampsMs[event] ?? 0;
      const isTie = strictIncrease && event > from && timestampMs === timestampsMs[event - 1];
      if (isolated && !isTie) earlierStartMs.set(startMs);
      for (let step = 0; step < steps; step++) {
        if ((conditions & (1 << step)) === 0) continue;
        if (step > 0 && strictDeduplication && reached > step) return reached;
        if (strictOrder && reached > 0 && reached < step) return reached;
        const chainStartMs = step === 0 ? timestampMs : (previousMs[step - 1] ?? 0);
        if (timestampMs - chainStartMs > windowMs) continue;
        startMs[step] = chainStartMs;
        if (step === reached) reached++;
      }
      if (reached === steps) return steps;
    }
    return reached;
  };
}
