/** The worker threads of an instance, so that queries, logins and files do not delay ingestion. */
import type { Config } from "../../../src/runtime/base/config/config.ts";
import type { Log } from "../../../src/runtime/base/metrics/log.ts";
import type { PasswordHasher } from "../../../src/runtime/access/password-hasher.ts";
import type { ComputedMeasures, RollupCalculator, TotalRequest } from "../../../src/runtime/duckdb/rollups/rollup-calculator.ts";
import type { SqlRow } from "../../../src/runtime/query/sql.ts";
import type { EventText } from "../../../src/storage/event.ts";
import type { ObjectKey } from "../../../src/storage/object-store.ts";
import type { EventFile, MergedFile, ParquetWriter } from "../../../src/storage/parquet-events.ts";
import type { RollupHeader, RollupOrigin } from "../../../src/storage/rollup.ts";
import type { Threads } from "../built-files.ts";
import { PortThread } from "./port-thread.ts";
import { ThreadedEngine } from "./threaded-engine.ts";

/** Threads with occasional work are kept this long for the next call. Argon2id and merges need memory that is better released between. */
const IDLE_MS = 10_000;

/** Two threads, so that a merge of large files does not delay the next flush. */
export class ThreadedParquetWriter implements ParquetWriter {
  readonly #encoder: PortThread<ParquetWriter>;
  readonly #merger: PortThread<ParquetWriter>;

  constructor(script: string) {
    this.#encoder = new PortThread({ script });
    this.#merger = new PortThread({ script, idleMs: IDLE_MS });
  }

  encode(events: readonly EventText[]): Promise<Uint8Array> {
    return this.#encoder.run("encode", events);
  }

  merge(files: readonly EventFile[]): Promise<MergedFile> {
    return this.#merger.run("merge", files);
  }

  /** Ends the current merge, and rejects further ones. */
  closeMerger(): Promise<void> {
    return this.#merger.close();
  }

  async close(): Promise<void> {
    await Promise.all([this.#encoder.close(), this.#merger.close()]);
  }
}

export class ThreadedPasswordHasher implements PasswordHasher {
  readonly #thread: PortThread<PasswordHasher>;

  constructor(script: string) {
    this.#thread = new PortThread({ script, idleMs: IDLE_MS });
  }

  hash(password: string): Promise<string> {
    return this.#thread.run("hash", password);
  }

  verify(password: string, phc: string): Promise<boolean> {
    return this.#thread.run("verify", password, phc);
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}

/** The `workerData` of a rollup thread. */
export interface RollupThread {
  readonly dataFolder: string;
  /** Requests wait for it. */
  readonly isUrgent: boolean;
}

/** Two threads: one answers dashboards, the other makes rollups at low priority while there are any to make. */
export class ThreadedRollupCalculator implements RollupCalculator {
  readonly #reader: PortThread<RollupCalculator>;
  readonly #maker: PortThread<RollupCalculator>;

  constructor(script: string, dataFolder: string) {
    const startedWith = (isUrgent: boolean): RollupThread => ({ dataFolder, isUrgent });
    this.#reader = new PortThread({ script, workerData: startedWith(true) });
    this.#maker = new PortThread({ script, workerData: startedWith(false), idleMs: IDLE_MS });
  }

  headers(keys: readonly ObjectKey[]): Promise<readonly (RollupHeader | null)[]> {
    return this.#reader.run("headers", keys);
  }

  total(request: TotalRequest): Promise<SqlRow[]> {
    return this.#reader.run("total", request);
  }

  make(origin: RollupOrigin, rollups: readonly ObjectKey[], computed: readonly ComputedMeasures[]): Promise<Uint8Array> {
    return this.#maker.run("make", origin, rollups, computed);
  }

  async close(): Promise<void> {
    await Promise.all([this.#reader.close(), this.#maker.close()]);
  }
}

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
