/** Skips a case or a suite with a reason, which is reported at the end of the run (`skipped-cases.ts`). */
import type { TestOptions } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    skipReason?: string;
  }
}

/** The options of a case or a suite: skipped for this reason, or run if it is null. */
export const skippedFor = (reason: string | null | undefined): TestOptions =>
  reason === null || reason === undefined ? {} : { skip: true, meta: { skipReason: reason } };
