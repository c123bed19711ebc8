/** The properties of `zones.suite.ts` with DuckDB: in one pass, in chunks, and from rollups. */
import { afterAll, expect } from "vitest";
import { ROLLUP_CACHE } from "../../src/runtime/base/config/report-limits.ts";
import { createInlineRollupCalculator } from "../../src/runtime/duckdb/rollups/rollup-calculator.ts";
import { createMemoryObjectStore } from "../support/memory-object-store.ts";
import { makeDueRollups } from "../support/due-rollups.ts";
import { createInProcessTarget, type MakeInProcessTarget } from "../support/in-process-target.ts";
import { ofTier } from "../support/tier.ts";
import { PROPERTY_RUNS } from "./settings.ts";
import { PLACES } from "./zoned-histories.ts";
import { describeZones } from "./zones.suite.ts";

/** Fewer, because each asks every report of each place several times. Chunks add up what the single pass computes. */
const RUNS = Math.ceil(PROPERTY_RUNS / 40);
const CHUNKED_RUNS = Math.ceil(PROPERTY_RUNS / 60);

/** Histories grow from run to run, and the first ones of a place have no day that a rollup answers for. */
const ROLLED_RUNS = Math.ceil(PROPERTY_RUNS / 10);

/** In the quick tier, every fourth place in one pass, and the one whose day has 49 hours in the other ways, too. */
const PLAIN_FIRST = PLACES.filter((_, i) => i % 4 === 0);
const FIRST = PLACES.filter((_, i) => i === 8);

/** Chunks and rollups know dates only. These places have kinds of days that others have, too: of 23, 25 and 24 hours. */
const ALIKE = ["Pacific/Auckland", "Asia/Kathmandu"];
const UNLIKE = PLACES.filter(({ zone }) => !ALIKE.includes(zone));

/** In one pass and in chunks, a place has as many runs in `all` as in `quick`: those places are done. */
const PLAIN = ofTier({ quick: PLAIN_FIRST, all: PLACES.filter((place) => !PLAIN_FIRST.includes(place)), nightly: PLACES });
const CHUNKED = ofTier({ quick: FIRST, all: UNLIKE.filter((place) => !FIRST.includes(place)), nightly: PLACES });
const ROLLED = ofTier({ quick: FIRST, all: UNLIKE, nightly: PLACES });

/** In megabytes: less than a day's events take. */
const TIGHT = 0.02;

/** Of all histories: without rollups, the test would say less. */
let totalsFromRollups = 0;

const withRollups: MakeInProcessTarget = (environment, parts) => {
  const objects = createMemoryObjectStore();
  const calculator = createInlineRollupCalculator(objects, ROLLUP_CACHE);
  const rollupCalculator: typeof calculator = {
    ...calculator,
    rows(measure, rollups) {
      if (rollups.length > 0) totalsFromRollups++;
      return calculator.rows(measure, rollups);
    },
  };
  return createInProcessTarget(environment, { ...parts, objects, rollupCalculator, rollupWeightBytesMin: 0 });
};

describeZones("in one pass", createInProcessTarget, { runs: RUNS, places: PLAIN });

describeZones("in chunks", (environment, parts) => createInProcessTarget(environment, { ...parts, engineMemoryMb: TIGHT }), {
  runs: CHUNKED_RUNS,
  places: CHUNKED,
});

describeZones("from rollups", withRollups, {
  runs: ROLLED_RUNS,
  places: ROLLED,
  async prepare(target) {
    await target.flush();
    await makeDueRollups(target);
  },
});

// The few histories of the quick tier may have no day whose salt period is over.
afterAll(() => expect(totalsFromRollups).toBeGreaterThan(ofTier({ quick: -1, all: ROLLED_RUNS })));
