/** The rollup calculator port on two threads: one answers dashboards, the other makes rollups at low priority while there are any to make. */
import type { SqlRow } from "../../../src/runtime/query/sql.ts";
import type { ComputedMeasures, RollupCalculator, TotalRequest } from "../../../src/runtime/duckdb/rollups/rollup-calculator.ts";
import type { ObjectKey } from "../../../src/storage/object-store.ts";
import type { RollupHeader, RollupOrigin } from "../../../src/storage/rollup.ts";
import { TaskThread } from "./task-thread.ts";

/** What a thread is started with. */
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

/** How long the thread that makes rollups is kept for the next one. */
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
