/** A program with its stores, which is started, fails or dies while it makes rollups, and is started again. */
import { createInlineRollupCalculator, type RollupCalculator } from "../../src/runtime/duckdb/rollups/rollup-calculator.ts";
import type { ObjectKey, ObjectStore } from "../../src/storage/object-store.ts";
import { ROLLUPS_FOLDER } from "../../src/storage/rollup.ts";
import { createInProcessTarget, type InProcessParts, type InProcessTarget } from "../support/in-process-target.ts";
import { createLosableEngine, type LosableEngine } from "../support/losable-engine.ts";
import { memoryStores } from "../support/mortal-stores.ts";
import type { RollupHistory, Settings } from "./rollup-histories.ts";

/** What the programs did, over all histories: a test of rollups is worth nothing if none are used. */
export const met = { answersFromRollups: 0, staleDays: 0, rollupsMade: 0, interruptions: 0 };

/** A failure at the nth change of a rollup. */
export interface Strike {
  left: number;
  readonly isDeadly: boolean;
  readonly isDone: boolean;
}

/** The object store as one process has it: it may fail at a rollup, and a dead process changes nothing. */
class ObjectsOfProcess {
  isDead = false;
  strike: Strike | null = null;
  readonly objects: ObjectStore;

  constructor(backing: ObjectStore) {
    const change = async (key: ObjectKey, make: () => Promise<void>): Promise<void> => {
      if (this.isDead) throw new Error("the process is dead");
      const { strike } = this;
      if (!strike || !key.startsWith(`${ROLLUPS_FOLDER}/`) || --strike.left > 0) return make();
      this.strike = null;
      met.interruptions++;
      if (strike.isDone) await make();
      if (strike.isDeadly) this.isDead = true;
      throw new Error("told to fail");
    };
    this.objects = {
      ...backing,
      put: (key, bytes) => change(key, () => backing.put(key, bytes)),
      delete: (key) => change(key, () => backing.delete(key)),
    };
  }
}

/** Counts the totals that rollups are part of. */
function counting(calculator: RollupCalculator): RollupCalculator {
  return {
    ...calculator,
    rows(measure, rollups) {
      if (rollups.length > 0) met.answersFromRollups++;
      return calculator.rows(measure, rollups);
    },
  };
}

/** One life of a program. */
interface Life {
  readonly target: InProcessTarget;
  readonly process: ObjectsOfProcess;
  /** Ends the life of the engine, if it has begun. */
  readonly loseEngine: () => void;
}

export class Program {
  readonly stores = memoryStores();
  readonly #history: RollupHistory;
  readonly #hasRollups: boolean;
  #life: Life | null = null;

  constructor(history: RollupHistory, hasRollups: boolean) {
    this.#history = history;
    this.#hasRollups = hasRollups;
  }

  get life(): Life {
    if (!this.#life) throw new Error("the program is not started");
    return this.#life;
  }

  get target(): InProcessTarget {
    return this.life.target;
  }

  async start(settings: Settings, startMs: number): Promise<void> {
    const { retentionDays, weightBytesMin, measureRowsMax, cacheBytesMax, engineMemoryMb } = this.#history;
    const process = new ObjectsOfProcess(this.stores.objects);
    let database: LosableEngine | null = null;
    const environment = {
      SVC_ROLLUPS: String(this.#hasRollups && settings.rollups),
      SVC_SESSION_WINDOW_MINUTES: String(settings.sessionWindowMinutes),
      SVC_VISITOR_SALT_ROTATION_DAYS: String(settings.rotationDays),
      SVC_COMPACT_AFTER_FILES: String(settings.compactAfterFiles),
      SVC_RETENTION_DAYS: String(retentionDays),
      SVC_MAX_CONCURRENT_QUERIES: "0",
    };
    const limits = { fileBytesMax: cacheBytesMax, unpackedBytesMax: cacheBytesMax, measureBytesMax: cacheBytesMax, measureRowsMax };
    const parts: InProcessParts = {
      ...this.stores,
      objects: process.objects,
      openDatabase: async () => (database = await createLosableEngine()),
      startMs,
      rollupCalculator: counting(createInlineRollupCalculator(process.objects, limits)),
      rollupWeightBytesMin: weightBytesMin,
      ...(engineMemoryMb !== null && this.#hasRollups && { engineMemoryMb }),
    };
    this.#life = { target: await createInProcessTarget(environment, parts), process, loseEngine: () => database?.lose() };
  }

  /** Ends the life: in good order, or at once. */
  async end(isCrash: boolean): Promise<void> {
    const { target, process } = this.life;
    if (isCrash) process.isDead = true;
    await target.services.settled();
    met.rollupsMade += target.services.counters.rollupsMade;
    if (isCrash) await target.services.queryEngine.close();
    else await target.close();
  }
}
