/** What a button or a form does: whether it is under way, and what went wrong the last time. */
import { useState } from "preact/hooks";
import { handleFailure } from "./connection.ts";

/** `problemOf` tells the reader what went wrong; called once for each failure. */
export function useAction<Problem = string>(problemOf: (error: unknown) => Problem) {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  async function run(action: () => Promise<void>): Promise<void> {
    setBusy(true);
    setProblem(null);
    try {
      await action();
    } catch (error) {
      handleFailure(error);
      setProblem(problemOf(error));
    }
    setBusy(false);
  }
  return { isBusy, problem, run };
}
