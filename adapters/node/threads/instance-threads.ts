/** The worker threads of an instance. */
import type { Config } from "../../../src/runtime/base/config/config.ts";
import type { Log } from "../../../src/runtime/base/metrics/log.ts";
import { ThreadedEngine } from "./threaded-engine.ts";
import { ThreadedParquetWriter } from "./threaded-parquet-writer.ts";
import { ThreadedPasswordHasher } from "./threaded-password-hasher.ts";
import { ThreadedRollupCalculator } from "./threaded-rollup-calculator.ts";
import type { Threads } from "../built-files.ts";

export class InstanceThreads {
  readonly engine: ThreadedEngine;
  readonly passwordHasher: ThreadedPasswordHasher;
  readonly parquet: ThreadedParquetWriter;
  readonly rollupCalculator: ThreadedRollupCalculator;

  constructor(threads: Threads, dataFolder: string, { engine }: Pick<Config, "engine">, log: Log) {
    this.engine = new ThreadedEngine({
      script: threads.engine,
      readModule: threads.readEngineModule,
      isOnDemand: engine === "clickhouse",
      log,
    });
    this.passwordHasher = new ThreadedPasswordHasher(threads.passwords);
    this.parquet = new ThreadedParquetWriter(threads.parquet);
    this.rollupCalculator = new ThreadedRollupCalculator(threads.rollups, dataFolder);
  }

  /** Ends everything that a flush does not need, in the middle of its work. */
  async closeAllButEncoder(): Promise<void> {
    await Promise.all([this.engine.close(), this.passwordHasher.close(), this.parquet.closeMerger(), this.rollupCalculator.close()]);
  }

  async close(): Promise<void> {
    await Promise.all([this.closeAllButEncoder(), this.parquet.close()]);
  }
}
