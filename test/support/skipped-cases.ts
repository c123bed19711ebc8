/** Prints the seed of a run, and at its end the skipped cases with their reasons, which it stores for the summary of `.ci/run`. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Reporter, TestCase, TestModule, TestRunEndReason, TestSuite, Vitest } from "vitest/node";
import { BUILT_FOLDER } from "./built.ts";
import "./skipped.ts";

type Task = TestCase | TestSuite;

/** The reason of a case, or of a suite around it. */
function reasonOf(task: Task): string {
  const note = task.type === "test" ? task.result() : null;
  const reason = task.meta().skipReason ?? (note?.state === "skipped" ? note.note : undefined);
  if (reason !== undefined) return reason;
  return task.parent.type === "module" ? "no reason is given" : reasonOf(task.parent);
}

/** The skipped cases by reason, in order of appearance. */
function skippedByReason(modules: readonly TestModule[]): Map<string, string[]> {
  const byReason = new Map<string, string[]>();
  for (const module of modules) {
    for (const test of module.children.allTests("skipped")) {
      const reason = `${module.relativeModuleId}: ${reasonOf(test)}`;
      byReason.set(reason, [...(byReason.get(reason) ?? []), test.fullName]);
    }
  }
  return byReason;
}

const textOf = (byReason: ReadonlyMap<string, readonly string[]>): string =>
  [...byReason].map(([reason, cases]) => `${reason}\n${cases.map((name) => `  ${name}\n`).join("")}`).join("");

export class SkippedCases implements Reporter {
  #isWhole = true;
  #tier = "";

  onInit({ config }: Vitest): void {
    this.#isWhole = config.testNamePattern === undefined;
    this.#tier = config.env["TIER"] ?? "";
    const seed = config.env["TEST_SEED"];
    if (seed !== undefined) process.stdout.write(`TEST_SEED=${seed} repeats the random choices of this run\n`);
  }

  onTestRunEnd(modules: readonly TestModule[], _errors: unknown, reason: TestRunEndReason): void {
    // With a pattern of names, what does not match it counts as skipped, too.
    if (!this.#isWhole || reason === "interrupted") return;
    const byReason = skippedByReason(modules);
    const count = [...byReason.values()].flat().length;
    const text = `\nSkipped (${this.#tier}): ${count === 0 ? "nothing\n" : `${count} cases\n${textOf(byReason)}`}`;
    process.stdout.write(text);
    mkdirSync(BUILT_FOLDER, { recursive: true });
    writeFileSync(join(BUILT_FOLDER, `skipped-${this.#tier}.txt`), text);
  }
}
