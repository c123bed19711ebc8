/** The worker threads of an instance, so that queries, logins and files do not delay ingestion. */
import type { Log } from "../../../src/runtime/base/metrics/log.ts";
import type { EngineParts } from "../../../src/runtime/engine/duckdb-queries.ts";
import type { QueryEngine } from "../../../src/runtime/query/query-engine.ts";
import { createThreadedEngine } from "./engine-thread.ts";
import type { PasswordHasher } from "../../../src/runtime/access/password-hasher.ts";
import type { RollupCalculator } from "../../../src/runtime/duckdb/rollups/rollup-calculator.ts";
import type { ParquetWriter } from "../../../src/storage/parquet-events.ts";
import type { Threads } from "../built-files.ts";
import { PortThread } from "./port-thread.ts";

/** Threads with occasional work are kept this long for the next call. Argon2id and merges need memory that is better released between. */
const IDLE_MS = 10_000;

/** Two threads, so that a merge of large files does not delay the next flush. */
export function threadedParquetWriter(script: string) {
  const encoder = new PortThread<ParquetWriter>({ script });
  const merger = new PortThread<ParquetWriter>({ script, idleMs: IDLE_MS });
  return {
    encode: encoder.method("encode"),
    merge: merger.method("merge"),
    /** Ends the current merge, and rejects further ones. */
    closeMerger: () => merger.close(),
    close: async () => void (await Promise.all([encoder.close(), merger.close()])),
  };
}

export function threadedPasswordHasher(script: string) {
  const thread = new PortThread<PasswordHasher>({ script, idleMs: IDLE_MS });
  return { hash: thread.method("hash"), verify: thread.method("verify"), close: () => thread.close() };
}

/** The `workerData` of a rollup thread. */
export interface RollupThread {
  readonly dataFolder: string;
  /** Requests wait for it. */
  readonly isUrgent: boolean;
}

/** Two threads: one answers dashboards, the other makes rollups at low priority while there are any to make. */
export function threadedRollupCalculator(script: string, dataFolder: string) {
  const startedWith = (isUrgent: boolean): RollupThread => ({ dataFolder, isUrgent });
  const reader = new PortThread<RollupCalculator>({ script, workerData: startedWith(true) });
  const maker = new PortThread<RollupCalculator>({ script, workerData: startedWith(false), idleMs: IDLE_MS });
  return {
    headers: reader.method("headers"),
    rows: reader.method("rows"),
    make: maker.method("make"),
    close: async () => void (await Promise.all([reader.close(), maker.close()])),
  };
}

export class InstanceThreads {
  readonly openEngine: (parts: EngineParts) => QueryEngine;
  readonly passwordHasher: ReturnType<typeof threadedPasswordHasher>;
  readonly parquet: ReturnType<typeof threadedParquetWriter>;
  readonly rollupCalculator: ReturnType<typeof threadedRollupCalculator>;
  #engine: QueryEngine | null = null;

  constructor(threads: Threads, dataFolder: string, engineThreads: number, log: Log) {
    const { engine: script, readEngineModule: readModule } = threads;
    this.openEngine = (parts) =>
      (this.#engine = createThreadedEngine({ script, readModule, dataFolder, threads: engineThreads, log }, parts));
    this.passwordHasher = threadedPasswordHasher(threads.passwords);
    this.parquet = threadedParquetWriter(threads.parquet);
    this.rollupCalculator = threadedRollupCalculator(threads.rollups, dataFolder);
  }

  async closeAllButEncoder(): Promise<void> {
    await Promise.all([this.#engine?.close(), this.passwordHasher.close(), this.parquet.closeMerger(), this.rollupCalculator.close()]);
  }

  async close(): Promise<void> {
    await Promise.all([this.closeAllButEncoder(), this.parquet.close()]);
  }
}
