/**
 * The engine of Durable Objects. `SharedEngine` is one query engine for all objects that run in the same isolate, because they share its
 * memory: the platform puts objects of a Worker into one isolate as it likes. When there is too much in the engine, objects without a
 * running call lose what they have loaded, the least recently used first, and load it again with their next query.
 *
 * The platform does not let an object wait for a promise that another one resolves, and may end an object in the middle of a call. So
 * whoever waits asks again by its own timer, and an object that has ended holds nothing for longer than `BEATS_MISSED_MAX` beats.
 */
import { EngineLostError, type Engine, type EngineQuery, type EngineUsage } from "../../src/runtime/duckdb/engine.ts";
import { isFatal } from "../../src/runtime/duckdb/tables/connections.ts";

let idsMade = 0;

/** Maps the block ids of a share to ids that are unique in the engine. */
function ownIds(): { idOf(id: number): number; all(): number[] } {
  const ids = new Map<number, number>();
  return {
    idOf(id) {
      const known = ids.get(id);
      if (known !== undefined) return known;
      ids.set(id, ++idsMade);
      return idsMade;
    },
    all: () => [...ids.values()],
  };
}

/** Runs a call of the engine, with a signal that also aborts when the share is lost. */
type Around = <T>(call: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** An engine with its own block ids, for one of several users. Closing it drops only what it loaded. `around` runs every other call. */
export function shareOf(engine: Engine, around: Around = (call, signal = new AbortController().signal) => call(signal)): Engine {
  const blocks = ownIds();
  const shared = (query: EngineQuery): EngineQuery => ({ ...query, blocks: query.blocks.map(blocks.idOf) });
  return {
    append: (block, source) => around(() => engine.append({ ...block, id: blocks.idOf(block.id) }, source)),
    addColumns: (id, columns, files) => around(() => engine.addColumns(blocks.idOf(id), columns, files)),
    dropProps: (ids) => around(() => engine.dropProps(ids.map(blocks.idOf))),
    propsTexts: (siteId, numbers) => around(() => engine.propsTexts(siteId, numbers)),
    drop: (ids) => around(() => engine.drop(ids.map(blocks.idOf))),
    query: (query, signal) => around((either) => engine.query(shared(query), either), signal),
    queryColumns: (query, signal) => around((either) => engine.queryColumns(shared(query), either), signal),
    behavioralFailure: () => around(() => engine.behavioralFailure()),
    async close() {
      await engine.drop(blocks.all());
    },
  };
}

/** Memory for the work of queries, in addition to cached events. */
const WORKING_MEMORY_MB = 32;

const MEBIBYTE = 1024 * 1024;

/** Share of the memory for events beyond which an object that loads more takes memory from idle objects. */
const FILLED_SHARE = 0.5;

const BEAT_MS = 500;

/** An object that gives no sign while another one gives so many has ended. Counted, because a busy isolate delays all of them alike. */
const BEATS_MISSED_MAX = 10;

/**
 * Interval of the checks whether another object has started the engine, and the number of checks after which that object counts as ended.
 */
const START_CHECK_MS = 50;
const START_CHECKS_MAX = 100;

export class EngineTakenError extends EngineLostError {
  override readonly isExpected = true;
}

const taken = (): EngineTakenError => new EngineTakenError("the engine was given to another object, or failed there");

interface Share {
  engine: Engine | null;
  readonly calls: Set<AbortController>;
  beats: number;
  isBeating: boolean;
  isLost: boolean;
}

const isUsage = (value: unknown): value is EngineUsage => typeof value === "object" && value !== null && "memoryBytes" in value;

interface SharedEngineOptions {
  readonly create: (memoryLimitMb: number) => Promise<Engine>;
  readonly beatMs?: number;
  /** Uses a timer of the calling object. */
  readonly wait?: (ms: number) => Promise<void>;
}

const untilTimer = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export class SharedEngine {
  readonly #options: Required<SharedEngineOptions>;
  #engine: Engine | null = null;
  /** A new object for each start. */
  #starting: object | null = null;
  /** The shares of `#engine`, least recently used first. */
  readonly #shares = new Set<Share>();
  #memoryBytes = 0;

  constructor(options: SharedEngineOptions) {
    this.#options = { beatMs: BEAT_MS, wait: untilTimer, ...options };
  }

  /** A share for an object. Its calls reject with `EngineTakenError` once the object must open another one. */
  async open(eventsMemoryMb: number): Promise<Engine> {
    const engine = await this.#started(eventsMemoryMb + WORKING_MEMORY_MB);
    const share: Share = { engine: null, calls: new Set(), beats: 0, isBeating: false, isLost: false };
    this.#shares.add(share);
    const budgetBytes = eventsMemoryMb * MEBIBYTE * FILLED_SHARE;
    const own = shareOf(engine, (call, signal) => this.#run(share, call, signal));
    share.engine = {
      ...own,
      append: async (block, source) => {
        await this.#makeRoom(share, engine, budgetBytes);
        return own.append(block, source);
      },
      addColumns: async (block, columns, files) => {
        await this.#makeRoom(share, engine, budgetBytes);
        return own.addColumns(block, columns, files);
      },
    };
    return share.engine;
  }

  /**
   * Starts the engine unless another object is starting it. If that one seems to have ended, one object takes over, and the others give
   * it as much time: engines that start at once need more memory than the isolate has.
   */
  async #started(memoryLimitMb: number): Promise<Engine> {
    let awaited = this.#starting;
    for (let checks = 0; this.#engine === null && this.#starting !== null && checks < START_CHECKS_MAX; checks++) {
      await this.#options.wait(START_CHECK_MS);
      if (this.#starting !== awaited) checks = 0;
      awaited = this.#starting;
    }
    return this.#engine ?? this.#start(memoryLimitMb);
  }

  async #start(memoryLimitMb: number): Promise<Engine> {
    const starting = {};
    this.#starting = starting;
    try {
      const engine = await this.#options.create(memoryLimitMb);
      // The isolate was busy for so long that another object took over, and its engine came first.
      if (this.#engine) await engine.close();
      else this.#engine = engine;
      return this.#engine;
    } finally {
      if (this.#starting === starting) this.#starting = null;
    }
  }

  async #run<T>(share: Share, call: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (share.isLost) throw taken();
    this.#shares.delete(share);
    this.#shares.add(share);
    const lost = new AbortController();
    share.calls.add(lost);
    // The beat of an earlier call may still wait for its timer, and goes on.
    if (!share.isBeating) void this.#beat(share);
    try {
      const result = await call(signal ? AbortSignal.any([signal, lost.signal]) : lost.signal);
      if (isUsage(result) && !share.isLost) this.#memoryBytes = result.memoryBytes;
      return result;
    } catch (error) {
      if (isFatal(error) && !share.isLost) this.#loseAll();
      throw error;
    } finally {
      share.calls.delete(lost);
    }
  }

  /** Runs in the share's object while it has calls: ends them when the share is lost, and looks for objects that have ended. */
  async #beat(share: Share): Promise<void> {
    share.isBeating = true;
    let seen = this.#beatsOfOthers(share);
    for (let beats = 1; share.calls.size > 0; beats++) {
      share.beats++;
      await this.#options.wait(this.#options.beatMs);
      if (share.isLost) for (const call of share.calls) call.abort(taken());
      if (share.isLost || beats % BEATS_MISSED_MAX > 0) continue;
      const now = this.#beatsOfOthers(share);
      // What an ended object holds, such as a connection or a place in a queue, is held in the engine, so that goes.
      if ([...seen].some(([other, count]) => now.get(other) === count)) this.#loseAll();
      seen = now;
    }
    share.isBeating = false;
  }

  #beatsOfOthers(own: Share): ReadonlyMap<Share, number> {
    return new Map([...this.#shares].filter((share) => share !== own && share.calls.size > 0).map((share) => [share, share.beats]));
  }

  /** The next call of any object starts another engine. */
  #loseAll(): void {
    for (const share of this.#shares) share.isLost = true;
    this.#shares.clear();
    this.#engine = null;
    this.#memoryBytes = 0;
  }

  async #makeRoom(own: Share, engine: Engine, bytesMax: number): Promise<void> {
    for (const share of [...this.#shares]) {
      if (this.#memoryBytes <= bytesMax) return;
      if (share === own || share.calls.size > 0 || share.isLost) continue;
      share.isLost = true;
      this.#shares.delete(share);
      await share.engine?.close();
      this.#memoryBytes = (await engine.drop([])).memoryBytes;
    }
  }
}
