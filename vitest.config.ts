import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take longest, in this order, so that no worker is still busy with one of them when the other has nothing left. */
const LONGEST = [
  "http/node",
  "http/workerd",
  "browser/tracker.firefox",
  "http/wrangler-dev",
  "fault/kill",
  "http/in-process",
  "fault/compaction",
  "fault/erasure",
  "fault/history",
  "contract/workerd-ports",
  "browser/dashboard.view",
  "property/figures",
  "fault/damaged-data",
];

class LongestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = LONGEST.findIndex((name) => moduleId.endsWith(`test/${name}.test.ts`));
      return at === -1 ? LONGEST.length : at;
    };
    return Promise.resolve([...files].sort((a, b) => rank(a) - rank(b) || (a.moduleId < b.moduleId ? -1 : 1)));
  }
}

/** `npm run test:all`: the suites whose histories come from seeds, with many more of them. Settings of the environment go before these. */
const MANY_SEEDS = {
  include: ["test/fault/power-loss.test.ts", "test/property/*.test.ts"],
  env: { POWER_LOSS_RUNS: "5000", PROPERTY_RUNS: "240", ...process.env },
};

export default defineConfig(({ mode }) => ({
  test: {
    include: mode === "all" ? MANY_SEEDS.include : ["test/**/*.test.ts"],
    env: mode === "all" ? MANY_SEEDS.env : {},
    globalSetup: ["test/support/build.ts"],
    setupFiles: ["test/support/property-seed.ts"],
    // Most files wait for programs, browsers and disks more than they compute.
    maxWorkers: 2,
    // One file after the other in the same process: modules are loaded once, and so is the engine that targets share.
    isolate: false,
    // The engine is compiled quickly and not optimised, which takes seconds in each process.
    execArgv: ["--liftoff-only"],
    sequence: { sequencer: LongestFirst },
    // What takes ten seconds on an idle machine may take ten times that on a busy one, and is no failure.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    retry: 0,
    // A condition may be true later there, too.
    expect: { poll: { timeout: 60_000 } },
  },
}));
