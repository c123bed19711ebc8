/** One finding of the installation check, and what to do about it. */

export interface Check {
  /** `note`: nothing is wrong, but it may explain what the reader sees. */
  readonly verdict: "ok" | "problem" | "note";
  /** Texts between backticks are code. */
  readonly finding: string;
  readonly advice?: string;
}

export const ok = (finding: string): Check => ({ verdict: "ok", finding });
export const problem = (finding: string, advice: string): Check => ({ verdict: "problem", finding, advice });
export const note = (finding: string, advice: string): Check => ({ verdict: "note", finding, advice });
