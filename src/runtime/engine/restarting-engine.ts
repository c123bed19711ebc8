/**
 * A query engine of several lives: the first call that needs it starts one. If a life ends, by a failure of the database or of its thread,
 * all that it held is gone with it; the next call starts another, and a query that was under way runs once more.
 */
import { AppError } from "../base/errors.ts";
import { type Log, reasonOf } from "../base/metrics/log.ts";
import { EngineClosedError, EngineLostError } from "../duckdb/engine.ts";
import type { Asker } from "../query/scope.ts";
import { type Change, type EngineState, type QueryEngine, UNSTARTED } from "../query/query-engine.ts";

/** Pause before a restart, so that an engine that cannot start does not spin. Short: queries wait for it before they fail with a 503. */
const RESTART_PAUSE_MS = 250;

const RETRY_SECS = 10;

const failedTwice = (cause: unknown): AppError =>
  new AppError(
    { code: "unavailable", retryAfterSecs: RETRY_SECS },
    "The query engine failed twice during this query. Try a shorter range, or again later.",
    { cause },
  );

interface RestartingEngineOptions {
  /** A new life. Its calls reject with `EngineLostError` once it has ended. */
  readonly start: () => Promise<QueryEngine>;
  readonly wait: (ms: number) => Promise<void>;
  readonly log: Log;
}

interface Life {
  readonly started: Promise<QueryEngine>;
  /** null until it has started. */
  engine: QueryEngine | null;
}

export class RestartingEngine implements QueryEngine {
  readonly #options: RestartingEngineOptions;
  #life: Life | null = null;
  /** Ends when the lives before have released what they held. */
  #closing: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  #isWanted = false;

  constructor(options: RestartingEngineOptions) {
    this.#options = options;
  }

  get state(): EngineState {
    return this.#life?.engine?.state ?? UNSTARTED;
  }

  get isWanted(): boolean {
    return this.#isWanted;
  }

  execute: QueryEngine["execute"] = (query, asker) => this.#twice(asker, (life, by) => life.execute(query, by));
  export: QueryEngine["export"] = (query, asker) => this.#twice(asker, (life, by) => life.export(query, by));

  health: QueryEngine["health"] = (signal) => this.#on((life) => life.health(signal));

  /** A life that has not begun, or has ended, reads what is stored then. */
  async changed(change: Change): Promise<void> {
    await (await this.#life?.started.catch(() => null))?.changed(change);
  }

  async #twice<Result>(asker: Asker, task: (life: QueryEngine, asker: Asker) => Promise<Result>): Promise<Result> {
    try {
      return await this.#on((life) => task(life, asker));
    } catch (error) {
      if (!(error instanceof EngineLostError)) throw error;
    }
    asker.signal.throwIfAborted();
    await this.#options.wait(RESTART_PAUSE_MS);
    asker.signal.throwIfAborted();
    try {
      return await this.#on((life) => task(life, { ...asker, isRepeated: true }));
    } catch (error) {
      throw error instanceof EngineLostError ? failedTwice(error) : error;
    }
  }

  async #on<Result>(task: (life: QueryEngine) => Promise<Result>): Promise<Result> {
    if (this.#isClosed) throw new EngineClosedError("the engine is closed");
    const life = (this.#life ??= this.#begin());
    try {
      return await task(await life.started);
    } catch (error) {
      if (error instanceof EngineLostError) this.#end(life, error);
      throw error;
    }
  }

  #begin(): Life {
    this.#isWanted = true;
    const life: Life = { started: this.#closing.then(() => this.#options.start()), engine: null };
    life.started.then(
      (engine) => (life.engine = engine),
      () => {
        if (this.#life === life) this.#life = null;
      },
    );
    return life;
  }

  /** Concurrent calls on the same life all fail; the first one counts. */
  #end(life: Life, error: EngineLostError): void {
    if (this.#life !== life) return;
    this.#life = null;
    if (this.#isClosed) return;
    const level = error.isExpected ? "info" : "error";
    this.#options.log[level]("the engine is restarted; queries load the events they need again", { reason: reasonOf(error) });
    this.#closing = Promise.resolve(life.engine?.close()).catch(() => {});
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await (await this.#life?.started.catch(() => null))?.close();
  }
}
