/** Wires what reports and jobs share about rollups: their measures, their store, and the count of their days. */
import type { EventStore } from "../../storage/event-store.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import { createSha256, toHex } from "../base/bytes.ts";
import type { Config } from "../base/config/config.ts";
import type { RolledMeasures } from "../duckdb/rollups/rolled-measures.ts";
import type { Log } from "../base/metrics/log.ts";
import { RollupDays } from "../base/metrics/counters.ts";
import { rolledMeasures } from "../reports/registry.ts";
import type { RollupCalculator } from "../duckdb/rollups/rollup-calculator.ts";
import { RollupStore } from "../duckdb/rollups/rollup-store.ts";

export interface StoredRollups {
  readonly rolled: RolledMeasures;
  readonly rollupStore: RollupStore;
  readonly rollupDays: RollupDays;
}

export interface StoredRollupsParts {
  readonly config: Config;
  readonly eventStore: EventStore;
  readonly objects: ObjectStore;
  readonly rollupCalculator: RollupCalculator;
  readonly rollupWeightBytesMin?: number;
  readonly log: Log;
}

/** Needed even with the option `rollups` off: an erasure deletes rollups that were made before. */
export async function createStoredRollups({
  config,
  rollupCalculator: calculator,
  rollupWeightBytesMin: weightBytesMin,
  ...parts
}: StoredRollupsParts): Promise<StoredRollups> {
  const { sessionWindowMinutes, visitorSaltRotationDays: saltRotationDays, behavioral: hasExtension } = config;
  const sha256 = await createSha256();
  const settings = { sessionWindowMinutes, saltRotationDays };
  const rolled = rolledMeasures({ ...settings, hasExtension, hash: (text) => toHex(sha256(text)) });
  const { definitions } = rolled;
  return {
    rolled,
    rollupStore: new RollupStore({
      ...settings,
      ...parts,
      definitions,
      calculator,
      ...(weightBytesMin !== undefined && { weightBytesMin }),
    }),
    rollupDays: new RollupDays(),
  };
}
