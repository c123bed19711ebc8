/**
 * One query engine for all objects that run in the same isolate, because they share its memory: the platform puts objects of a Worker
 * into one isolate as it likes. When there is too much in the engine, objects without a running call lose what they have loaded, the
 * least recently used first, and load it again with their next query.
 */
import { isFatal } from "../../src/runtime/engine/duckdb/duckdb-bindings.ts";
import { EngineLostError, type Engine, type EngineUsage } from "../../src/runtime/engine/engine.ts";
import { shareOf } from "./engine-share.ts";

/** Memory for the work of queries, in addition to cached events. */
const WORKING_MEMORY_MB = 32;

const MEBIBYTE = 1024 * 1024;

/** Beyond this part of the memory for events, an object that loads more takes from those that are idle. */
const FILLED_SHARE = 0.5;

/** The object has to open another share. */
export class EngineTakenError extends EngineLostError {}

interface Share {
  engine: Engine | null;
  running: number;
  isLost: boolean;
}

const isUsage = (value: unknown): value is EngineUsage => typeof value === "object" && value !== null && "memoryBytes" in value;

export class SharedEngine {
  readonly #create: (memoryLimitMb: number) => Promise<Engine>;
  #started: Promise<Engine> | null = null;
  /** Of the engine that is started, the least recently used first. */
  readonly #shares = new Set<Share>();
  /** As the engine said last. */
  #memoryBytes = 0;

  constructor(create: (memoryLimitMb: number) => Promise<Engine>) {
    this.#create = create;
  }

  /** A share for an object. Its calls reject with `EngineTakenError` once the object has to open another one. */
  async open(eventsMemoryMb: number): Promise<Engine> {
    const started = (this.#started ??= this.#create(eventsMemoryMb + WORKING_MEMORY_MB));
    try {
      const engine = await started;
      const share: Share = { engine: null, running: 0, isLost: false };
      this.#shares.add(share);
      const budgetBytes = eventsMemoryMb * MEBIBYTE * FILLED_SHARE;
      const own = shareOf(engine, (call) => this.#run(share, started, call));
      share.engine = {
        ...own,
        append: async (block, source) => {
          if (this.#memoryBytes > budgetBytes) await this.#makeRoom(share, engine, budgetBytes);
          return own.append(block, source);
        },
      };
      return share.engine;
    } catch (error) {
      if (this.#started === started) this.#started = null;
      throw error;
    }
  }

  async #run<T>(share: Share, started: Promise<Engine>, call: () => Promise<T>): Promise<T> {
    if (share.isLost) throw new EngineTakenError("the engine was given to another object, or failed there");
    this.#shares.delete(share);
    this.#shares.add(share);
    share.running++;
    try {
      const result = await call();
      if (isUsage(result)) this.#memoryBytes = result.memoryBytes;
      return result;
    } catch (error) {
      if (isFatal(error) && this.#started === started) this.#loseAll();
      throw error;
    } finally {
      share.running--;
    }
  }

  /** The next call of any object starts another engine. */
  #loseAll(): void {
    for (const share of this.#shares) share.isLost = true;
    this.#shares.clear();
    this.#started = null;
    this.#memoryBytes = 0;
  }

  async #makeRoom(own: Share, engine: Engine, bytesMax: number): Promise<void> {
    for (const share of [...this.#shares]) {
      if (this.#memoryBytes <= bytesMax) return;
      if (share === own || share.running > 0 || share.isLost) continue;
      share.isLost = true;
      this.#shares.delete(share);
      await share.engine?.close();
      this.#memoryBytes = (await engine.drop([])).memoryBytes;
    }
  }
}
