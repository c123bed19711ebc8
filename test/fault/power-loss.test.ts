/**
 * Power losses at any call to the file system, mixed with kills and failing syncs: acknowledged events exist exactly once, erased
 * events stay erased, password, keys, secret and backups are as confirmed, and every start succeeds (`power-loss.ts` has the
 * history, `../support/simulated-disk.ts` the disk). `POWER_LOSS_RUNS=50000 POWER_LOSS_SEED=$RANDOM npx vitest run
 * test/fault/power-loss` tries others; `POWER_LOSS_RUNS=1` repeats one seed.
 */
import { describe, expect, it } from "vitest";
import { numberFrom, seedFrom } from "../support/number-from-environment.ts";
import { ofTier } from "../support/tier.ts";
import { playPowerLosses, type PowerLossOptions, type PowerLossReport } from "./power-loss.ts";

const RUNS = numberFrom("POWER_LOSS_RUNS", { quick: 60, all: 400, nightly: 5000 });
/** In `all`, those behind the seeds of `quick`, which ran before. */
const SEED = seedFrom("POWER_LOSS_SEED", ofTier({ quick: 1, all: 61 }));

/** Some tens of milliseconds each. */
const TEST_MS_MAX = 120_000 + RUNS * 1000;

/** At least one of these fails on a disk that ignores syncs. */
const SEEDS_THAT_SHOW = 30;

/** How many failing seeds a failure lists; one is enough to reproduce it. */
const FAILURES_TOLD = 5;

interface Outcome extends Omit<PowerLossReport, "wrong"> {
  readonly failures: readonly string[];
}

async function play(runs: number, options: Omit<PowerLossOptions, "seed">): Promise<Outcome> {
  const failures: string[] = [];
  const sum = { losses: 0, acknowledged: 0, erased: 0, backups: 0, failedSyncs: 0 };
  for (let seed = SEED; seed < SEED + runs && failures.length < FAILURES_TOLD; seed++) {
    const { wrong, ...counts } = await playPowerLosses({ ...options, seed });
    if (wrong.length > 0) failures.push(`POWER_LOSS_SEED=${seed}: ${wrong.join("; ")}`);
    for (const name of ["losses", "acknowledged", "erased", "backups", "failedSyncs"] as const) sum[name] += counts[name];
  }
  return { failures, ...sum };
}

describe("a power loss", { timeout: TEST_MS_MAX }, () => {
  const isWhole = RUNS >= 60;

  it("a power loss loses no acknowledged event and brings back no erased one (journal_fsync=always)", async () => {
    const { failures, losses, acknowledged, erased, backups } = await play(Math.ceil(RUNS * 0.4), { fsync: "always" });
    expect(failures).toEqual([]);
    // The histories are worth something.
    if (isWhole) expect(Math.min(losses, acknowledged / 5, erased, backups * 5)).toBeGreaterThan(RUNS / 3);
  });

  it("a power loss loses no event acknowledged at least a second before and brings back no erased one (journal_fsync=interval)", async () => {
    const { failures, losses, acknowledged } = await play(Math.ceil(RUNS * 0.4), { fsync: "interval" });
    expect(failures).toEqual([]);
    if (isWhole) expect(Math.min(losses, acknowledged / 5)).toBeGreaterThan(RUNS / 3);
  });

  it.each([683, 1763])(
    "a power loss never causes a flush of a truncated segment to replace its complete file (journal_fsync=interval, seed %i)",
    async (seed) => {
      expect((await playPowerLosses({ seed, fsync: "interval" })).wrong).toEqual([]);
    },
  );

  it("a power loss loses no acknowledged event after failing syncs, because events that the disk did not confirm are refused", async () => {
    const { failures, failedSyncs } = await play(Math.ceil(RUNS * 0.2), { fsync: "always", failingSyncs: true });
    expect(failures).toEqual([]);
    if (isWhole) expect(failedSyncs).toBeGreaterThan(RUNS / 20);
  });

  it("a power loss brings back no secret that has ended, neither that of UTC nor that of a time zone that sites leave", async () => {
    for (const fsync of ["always", "interval"] as const) {
      const { failures, losses } = await play(Math.ceil(RUNS * 0.2), { fsync, otherZone: "Asia/Kathmandu" });
      expect(failures).toEqual([]);
      if (isWhole) expect(losses).toBeGreaterThan(RUNS / 10);
    }
  });

  it("a power loss simulated twice from the same seed has the same result", async () => {
    const played = await playPowerLosses({ seed: SEED });
    expect(await playPowerLosses({ seed: SEED })).toEqual(played);
  });
});

describe("a simulated disk that ignores syncs", { timeout: TEST_MS_MAX }, () => {
  it.each(["of files", "of folders"] as const)(
    "a disk that ignores syncs makes these tests fail, so they would find a missing sync (%s)",
    async (ignores) => {
      for (const fsync of ["always", "interval"] as const) {
        let isFound = false;
        for (let seed = 1; seed <= SEEDS_THAT_SHOW && !isFound; seed++)
          isFound = (await playPowerLosses({ seed, fsync, ignores })).wrong.length > 0;
        expect(isFound, fsync).toBe(true);
      }
    },
  );
});
