/** How a command ends, and how it prints counts. */

export interface CommandOutcome {
  /** False if a fault was found: the exit code is 1. */
  readonly isWhole: boolean;
  /** The text to print. */
  readonly text: string;
}

export const whole = (count: number): string => count.toLocaleString("en-US");

/** `1 file`, `2 files`. */
export const counted = (count: number, noun: string): string => `${whole(count)} ${noun}${count === 1 ? "" : "s"}`;
