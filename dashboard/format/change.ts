/** The text of a change against the compared period: an arrow and a percentage, or a difference in points, and whether it is good. */
import { formatGrowth, formatPoints, formatWholeGrowth } from "./locale.ts";

const ARROWS = { up: "↑ ", down: "↓ ", same: "→ " } as const;
const SIGNS = { up: "+", down: "−", same: "±" } as const;

export interface Values {
  readonly now: number;
  readonly before: number;
  /** True for the bounce rate, for example. */
  readonly isLessBetter?: boolean | undefined;
  /** False for a change that may be chance: it has no color. */
  readonly isNotable?: boolean | undefined;
  /** Rates change in points: 36% and 43% differ by 7 points, not by 19%. */
  readonly isRate?: boolean | undefined;
  /** The format of values with few digits, such as averages: values that are written alike have not changed. */
  readonly written?: ((value: number) => string) | undefined;
  /** Whole percentages, for narrow columns. */
  readonly isShort?: boolean;
}

interface ChangeText {
  readonly direction: keyof typeof ARROWS;
  /** The arrow and a space, or the sign of a difference. */
  readonly mark: string;
  readonly tone: "better" | "worse" | null;
  /** Has no sign: `12.0%`, `6.6 pts`. */
  readonly amount: string;
}

/** null for a change from zero, which has no percentage. */
export function changeOf({
  now,
  before,
  isLessBetter = false,
  isRate = false,
  written,
  isShort = false,
  isNotable = true,
}: Values): ChangeText | null {
  if (before === 0 && !isRate) return null;
  const isSame = written?.(now) === written?.(before) && written !== undefined;
  const format = isRate ? formatPoints : isShort ? formatWholeGrowth : formatGrowth;
  const amount = format(isSame ? 0 : Math.abs(isRate ? now - before : (now - before) / before));
  const direction = isSame || now === before ? "same" : now > before ? "up" : "down";
  // A change that is written as 0.0% is neither good nor bad.
  const isShown = amount !== format(0);
  const isBetter = (direction === "up") !== isLessBetter;
  return {
    direction,
    mark: (isRate ? SIGNS : ARROWS)[isShown ? direction : "same"],
    tone: isShown && isNotable ? (isBetter ? "better" : "worse") : null,
    amount,
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
