/** The text of a change against the compared period: a percentage, an arrow, and whether it is good. */
import { formatRate } from "./locale.ts";

const ARROWS = { up: "↑", down: "↓", same: "→" } as const;

export interface Values {
  readonly now: number;
  readonly before: number;
  /** True for the bounce rate, for example. */
  readonly isLessBetter?: boolean | undefined;
  /** False for a change that may be chance: it has no color. */
  readonly isNotable?: boolean | undefined;
  /** Format of the percentage, by default with one decimal. */
  readonly format?: (rate: number) => string;
}

interface ChangeText {
  readonly direction: keyof typeof ARROWS;
  readonly arrow: string;
  readonly tone: "better" | "worse" | null;
  /** Has no sign. */
  readonly percentage: string;
}

/** null for a change from zero, which has no percentage. */
export function changeOf({ now, before, isLessBetter = false, isNotable = true, format = formatRate }: Values): ChangeText | null {
  if (before === 0) return null;
  const direction = now > before ? "up" : now < before ? "down" : "same";
  const percentage = format(Math.abs((now - before) / before));
  // A change that is written as 0% is neither good nor bad.
  const isShown = percentage !== format(0);
  const isBetter = (direction === "up") !== isLessBetter;
  return {
    direction,
    arrow: ARROWS[isShown ? direction : "same"],
    tone: isShown && isNotable ? (isBetter ? "better" : "worse") : null,
    percentage,
  };
}

/** Smaller counts vary by much from day to day. */
const NOTABLE_COUNT_MIN = 20;
const NOTABLE_CHANGE_MIN = 0.05;
/** Standard deviations of the difference. */
const NOTABLE_DEVIATIONS = 3;

/** The variance of a Poisson count is about 1 on this scale, whatever its size (Anscombe 1948). */
const rootScale = (count: number): number => 2 * Math.sqrt(count + 3 / 8);

const isLargeChange = (now: number, before: number): boolean => now !== before && Math.abs(now - before) >= NOTABLE_CHANGE_MIN * before;

/** Lists have many rows, and most change by chance: a row has a color only if its change says something (docs/reports.md, "Dashboard"). */
export function isNotableCount(now: number, before: number): boolean {
  return (
    Math.max(now, before) >= NOTABLE_COUNT_MIN &&
    isLargeChange(now, before) &&
    Math.abs(rootScale(now) - rootScale(before)) >= NOTABLE_DEVIATIONS * Math.SQRT2
  );
}

/** Rates are notable by the same rule. They are shares of `ofNow` and `ofBefore`. */
export function isNotableRate(now: number, before: number, ofNow: number, ofBefore: number): boolean {
  const pooled = (now * ofNow + before * ofBefore) / (ofNow + ofBefore);
  const deviation = Math.sqrt(pooled * (1 - pooled) * (1 / ofNow + 1 / ofBefore));
  return (
    Math.min(ofNow, ofBefore) >= NOTABLE_COUNT_MIN && isLargeChange(now, before) && Math.abs(now - before) >= NOTABLE_DEVIATIONS * deviation
  );
}
