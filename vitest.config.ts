import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/build.ts"],
    // Most files wait for programs, browsers and disks more than they compute.
    maxWorkers: 2,
    // What takes ten seconds on an idle machine may take ten times that on a busy one, and is no failure.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    retry: 0,
  },
});
