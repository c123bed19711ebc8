/** Writes the duration of each kind of tests and of the slowest files, for the summary of `.ci/run`. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Reporter, TestModule, TestRunEndReason, Vitest } from "vitest/node";
import { BUILT_FOLDER } from "./built.ts";

const FILES_MAX = 40;

/** Includes imports, setup and hooks. */
function secondsOf(module: TestModule): number {
  const { collectDuration, duration, setupDuration } = module.diagnostic();
  return (collectDuration + duration + setupDuration) / 1000;
}

const longestFirst = (seconds: ReadonlyMap<string, number>): string[] =>
  [...seconds].sort(([, a], [, b]) => b - a).map(([name, value]) => `${value.toFixed(1).padStart(8)} ${name}\n`);

function tableOf(modules: readonly TestModule[]): string {
  const files = new Map(modules.map((module) => [module.relativeModuleId.replace(/^test\//, ""), secondsOf(module)]));
  const kinds = new Map<string, number>();
  for (const [file, seconds] of files) {
    const kind = file.slice(0, file.indexOf("/"));
    kinds.set(kind, (kinds.get(kind) ?? 0) + seconds);
  }
  return [...longestFirst(kinds), "\n", ...longestFirst(files).slice(0, FILES_MAX)].join("");
}

export class Durations implements Reporter {
  #tier = "";

  onInit({ config }: Vitest): void {
    this.#tier = config.env["TIER"] ?? "";
  }

  onTestRunEnd(modules: readonly TestModule[], _errors: unknown, reason: TestRunEndReason): void {
    if (reason === "interrupted") return;
    mkdirSync(BUILT_FOLDER, { recursive: true });
    writeFileSync(join(BUILT_FOLDER, `durations-${this.#tier}.txt`), `\nSeconds of workers (${this.#tier})\n${tableOf(modules)}`);
  }
}
