/** The behavioral extension: the SQL macros of funnels, retention and flows, and whether the engine has loaded them. */
import { EngineClosedError, EngineFullError, EngineLostError, type Engine, type EngineExtension } from "./engine.ts";
import { AppError } from "../base/errors.ts";
import { reasonOf, type Log } from "../base/metrics/log.ts";

/** To be raised when a function changes its results. */
const VERSION = "1.0.0";

/**
 * The functions that SQL expresses well. Automata over the events of a visitor are in `visitor-function.ts`. Each macro costs as much
 * as its window or group; a window over a million events is a sort of about 0.25 s, so queries filter before they sort.
 *
 * - `pause_before`: time from the end of the visitor's previous row to the beginning of this one; NULL for the first.
 * - `sessionize`: numbers the sessions of each visitor from 1. A pause longer than `gap` starts a new session. It takes the pause as
 *   an argument because a window function cannot contain another.
 * - `retention`: the conditions met, one bit each; 0 if the first one is not met.
 * - `sequence_next_node`, `sequence_previous_node`: the value of the next or previous event in the same chain.
 */
const DEFINITIONS = [
  `CREATE MACRO pause_before(visitor, begins, ends, tie) AS
    begins - lag(ends) OVER (PARTITION BY visitor ORDER BY begins, tie)`,
  `CREATE MACRO sessionize(visitor, begins, tie, pause, gap) AS
    sum(CASE WHEN pause <= gap THEN 0 ELSE 1 END) OVER (PARTITION BY visitor ORDER BY begins, tie ROWS UNBOUNDED PRECEDING)`,
  `CREATE MACRO retention(met) AS CASE WHEN met & 1 = 1 THEN met ELSE 0 END`,
  `CREATE MACRO sequence_next_node(node, chain, moment, tie) AS lead(node) OVER (PARTITION BY chain ORDER BY moment, tie)`,
  `CREATE MACRO sequence_previous_node(node, chain, moment, tie) AS lag(node) OVER (PARTITION BY chain ORDER BY moment, tie)`,
];

const CHECK = `
  SELECT sessionize(v, t, a, pause, 10), retention(5), sequence_next_node(t, v, t, a), sequence_previous_node(t, v, t, a)
  FROM (SELECT *, pause_before(v, t, t, a) AS pause FROM (VALUES (1, 100, 0), (1, 110, 1)) AS events(v, t, a)) AS spaced`;

export const BEHAVIORAL_EXTENSION: EngineExtension = {
  name: "behavioral",
  version: VERSION,
  definitions: DEFINITIONS,
  check: CHECK,
};

/** Loads the extension and knows whether it is available. All other reports work without it. */
export class Behavioral {
  readonly #engine: Pick<Engine, "loadExtension">;
  readonly #log: Log;
  /** Whether it is still unknown if the extension is available. */
  #isPending: boolean;
  #loading: Promise<void> | null = null;
  #version: string | null = null;
  #missing = "is not loaded yet";

  constructor(engine: Pick<Engine, "loadExtension">, enabled: boolean, log: Log) {
    this.#engine = engine;
    this.#log = log;
    this.#isPending = enabled;
    if (enabled) return;
    this.#loading = Promise.resolve();
    this.#missing = "is switched off by the option behavioral";
  }

  /**
   * Loads the extension once. Resolves when it is known whether the extension is available; never rejects. Reports that need it
   * call this. A host whose engine starts with the process calls it then.
   */
  load(): Promise<void> {
    return (this.#loading ??= this.#load());
  }

  async #load(): Promise<void> {
    try {
      await this.#engine.loadExtension(BEHAVIORAL_EXTENSION).catch((error: unknown) => {
        // The engine failed while it started, and is starting again.
        if (error instanceof EngineLostError) return this.#engine.loadExtension(BEHAVIORAL_EXTENSION);
        throw error;
      });
      this.#version = BEHAVIORAL_EXTENSION.version;
      this.#isPending = false;
    } catch (error) {
      if (error instanceof EngineClosedError) return;
      const reason = reasonOf(error);
      if (error instanceof EngineLostError || error instanceof EngineFullError) {
        // The engine failed, not the extension. The next call tries again.
        this.#loading = null;
        this.#log.warn("the behavioral extension is not loaded, because the engine is not up", { reason });
        return;
      }
      this.#isPending = false;
      this.#missing = "could not be loaded; the server's log tells why";
      this.#log.error("the behavioral extension could not be loaded; all else works without it", { reason });
    }
  }

  /** Null while it is not loaded. */
  get version(): string | null {
    return this.#version;
  }

  /** Whether the engine has not yet started, or has failed, so that it is unknown if the extension is available. */
  get isPending(): boolean {
    return this.#isPending;
  }

  async isAvailable(): Promise<boolean> {
    await this.load();
    return this.#version !== null;
  }

  /** Rejects with a 503 that says why the extension is not available. */
  async require(): Promise<void> {
    if (await this.isAvailable()) return;
    throw new AppError({ code: "extension_missing" }, `This needs the behavioral extension, which ${this.#missing}`);
  }
}
