import { randomInt } from "node:crypto";
import { defineConfig } from "vitest/config";
import { Durations } from "./test/support/durations.ts";
import { QUICK_ENGINE_FLAGS } from "./test/support/engine-flags.ts";
import { SkippedCases } from "./test/support/skipped-cases.ts";
import { FILES } from "./test/support/tier-files.ts";
import { tierOf, type Tier } from "./test/support/tier.ts";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take longest, in this order, so that no worker is still busy with one of them when the other has nothing left. */
const LONGEST = [
  "fault/rollup-making",
  "property/rollups",
  "property/zones",
  "http/clickhouse",
  "http/workerd",
  "http/node",
  "property/clickhouse",
  "browser/tracker.firefox",
  "fault/power-loss",
  "property/figures",
  "browser/tracker.chromium",
  "browser/dashboard.view",
  "http/in-process",
  "http/growth",
  "http/wrangler-dev",
  "fault/kill",
  "fault/workerd-kill",
  "fault/history",
  "fault/erasure",
  "contract/workerd-ports",
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

/** Random only at night: `npm test` and `npm run test:all` try the same cases in every run. */
const seedOf = (tier: Tier): { readonly TEST_SEED?: string } => {
  const seed = process.env["TEST_SEED"] ?? (tier === "nightly" ? String(randomInt(2 ** 31)) : undefined);
  return seed === undefined ? {} : { TEST_SEED: seed };
};

export default defineConfig(({ mode }) => ({
  test: {
    ...FILES[tierOf(mode)],
    env: { TIER: tierOf(mode), ...seedOf(tierOf(mode)) },
    reporters: ["default", new SkippedCases(), new Durations()],
    globalSetup: ["test/support/build.ts"],
    setupFiles: ["test/support/property-seed.ts", "test/support/english-words.ts"],
    // Most files wait for programs, browsers and disks more than they compute.
    maxWorkers: 2,
    // One file after the other in the same process: modules are loaded once, and so is the engine that targets share.
    isolate: false,
    execArgv: [...QUICK_ENGINE_FLAGS],
    // It imports JSON in a way that Node refuses.
    server: { deps: { inline: ["@actions/workflow-parser"] } },
    sequence: { sequencer: LongestFirst },
    // What takes ten seconds on an idle machine may take ten times that on a busy one, and is no failure.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    retry: 0,
    // A condition may be true later there, too.
    expect: { poll: { timeout: 60_000 } },
  },
}));
