/** How a case or a suite is skipped: with the reason, which the end of the run prints (`skipped-cases.ts`). */
import type { TestOptions } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    skipReason?: string;
  }
}

/** The options of a case or a suite that is skipped for this reason, or runs where there is none. */
export const skippedFor = (reason: string | null | undefined): TestOptions =>
  reason === null || reason === undefined ? {} : { skip: true, meta: { skipReason: reason } };
