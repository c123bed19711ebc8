/** The worker threads of an instance, so that queries, logins and files do not delay ingestion. */
import type { EventText } from "../../../src/storage/event-text.ts";
import type { EventFile, MergedFile } from "../../../src/storage/parquet-events.ts";
import type { ParquetWriter } from "../../../src/storage/parquet-writer.ts";
import { TaskThread } from "./task-thread.ts";
import type { PasswordHasher } from "../../../src/runtime/access/password-hasher.ts";
import type { SqlRow } from "../../../src/runtime/query/sql.ts";
import type { ComputedMeasures, RollupCalculator, TotalRequest } from "../../../src/runtime/duckdb/rollups/rollup-calculator.ts";
import type { ObjectKey } from "../../../src/storage/object-store.ts";
import type { RollupHeader, RollupOrigin } from "../../../src/storage/rollup.ts";
import type { Config } from "../../../src/runtime/base/config/config.ts";
import type { Log } from "../../../src/runtime/base/metrics/log.ts";
import { ThreadedEngine } from "./threaded-engine.ts";
import type { Threads } from "../built-files.ts";

export type ParquetTask =
  | { readonly kind: "encode"; readonly events: readonly EventText[] }
  | { readonly kind: "merge"; readonly files: readonly EventFile[] };

/** The thread that merges is kept this long for the next merge. */
const MERGER_IDLE_MS = 10_000;

export class ThreadedParquetWriter implements ParquetWriter {
  readonly #encoder: TaskThread<ParquetTask, Uint8Array | MergedFile>;
  readonly #merger: TaskThread<ParquetTask, Uint8Array | MergedFile>;

  constructor(script: string) {
    this.#encoder = new TaskThread({ script });
    this.#merger = new TaskThread({ script, idleMs: MERGER_IDLE_MS });
  }

  async encode(events: readonly EventText[]): Promise<Uint8Array> {
    return (await this.#encoder.run({ kind: "encode", events })) as Uint8Array;
  }

  async merge(files: readonly EventFile[]): Promise<MergedFile> {
    return (await this.#merger.run({ kind: "merge", files })) as MergedFile;
  }

  /** Ends the current merge, and rejects further ones. */
  closeMerger(): Promise<void> {
    return this.#merger.close();
  }

  async close(): Promise<void> {
    await Promise.all([this.#encoder.close(), this.#merger.close()]);
  }
}

export type PasswordTask =
  | { readonly kind: "hash"; readonly password: string }
  | { readonly kind: "verify"; readonly password: string; readonly phc: string };

/** Argon2id needs memory that is better released between logins. */
const IDLE_MS = 10_000;

export class ThreadedPasswordHasher implements PasswordHasher {
  readonly #thread: TaskThread<PasswordTask, string | boolean>;

  constructor(script: string) {
    this.#thread = new TaskThread({ script, idleMs: IDLE_MS });
  }

  async hash(password: string): Promise<string> {
    return String(await this.#thread.run({ kind: "hash", password }));
  }

  async verify(password: string, phc: string): Promise<boolean> {
    return (await this.#thread.run({ kind: "verify", password, phc })) === true;
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}

export interface RollupThread {
  readonly dataFolder: string;
  /** Requests wait for it. */
  readonly isUrgent: boolean;
}

export type RollupTask =
  | { readonly kind: "headers"; readonly keys: readonly ObjectKey[] }
  | { readonly kind: "total"; readonly request: TotalRequest }
  | {
      readonly kind: "make";
      readonly origin: RollupOrigin;
      readonly rollups: readonly ObjectKey[];
      readonly computed: readonly ComputedMeasures[];
    };

export type RollupResult = readonly (RollupHeader | null)[] | SqlRow[] | Uint8Array;

/** The thread that makes rollups is kept this long for the next one. */
const MAKER_IDLE_MS = 10_000;

export class ThreadedRollupCalculator implements RollupCalculator {
  readonly #reader: TaskThread<RollupTask, RollupResult>;
  readonly #maker: TaskThread<RollupTask, RollupResult>;

  constructor(script: string, dataFolder: string) {
    const startedWith = (isUrgent: boolean): RollupThread => ({ dataFolder, isUrgent });
    this.#reader = new TaskThread({ script, workerData: startedWith(true) });
    this.#maker = new TaskThread({ script, workerData: startedWith(false), idleMs: MAKER_IDLE_MS });
  }

  async headers(keys: readonly ObjectKey[]): Promise<readonly (RollupHeader | null)[]> {
    return (await this.#reader.run({ kind: "headers", keys })) as readonly (RollupHeader | null)[];
  }

  async total(request: TotalRequest): Promise<SqlRow[]> {
    return (await this.#reader.run({ kind: "total", request })) as SqlRow[];
  }

  async make(origin: RollupOrigin, rollups: readonly ObjectKey[], computed: readonly ComputedMeasures[]): Promise<Uint8Array> {
    return (await this.#maker.run({ kind: "make", origin, rollups, computed })) as Uint8Array;
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
