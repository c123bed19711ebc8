/** The text of a change against the compared period: a percentage, an arrow, and whether it is good. */
import { formatRate } from "./locale.ts";

const ARROWS = { up: "↑", down: "↓", same: "→" } as const;

export interface Values {
  readonly now: number;
  readonly before: number;
  /** True for the bounce rate, for example. */
  readonly isLessBetter?: boolean | undefined;
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
export function changeOf({ now, before, isLessBetter = false, format = formatRate }: Values): ChangeText | null {
  if (before === 0) return null;
  const direction = now > before ? "up" : now < before ? "down" : "same";
  const percentage = format(Math.abs((now - before) / before));
  // A change that is written as 0% is neither good nor bad.
  const isShown = percentage !== format(0);
  const isBetter = (direction === "up") !== isLessBetter;
  return {
    direction,
    arrow: ARROWS[isShown ? direction : "same"],
    tone: isShown ? (isBetter ? "better" : "worse") : null,
    percentage,
  };
}
