/** The behavioral extension: what queries about visitors' behavior need beyond SQL, and whether the engine has it. */
import { EngineFullError, EngineLostError, type Engine, type EngineExtension } from "../../engine.ts";
import { AppError } from "../../../errors.ts";
import { reasonOf, type Log } from "../../../metrics/log.ts";

/** Grows when a function changes what it gives. */
const VERSION = "1.0.0";

/**
 * The functions that are SQL. Those that SQL has no good word for are applied by the engine itself (`visitor-function.ts`).
 *
 * - `pause_before`: from the end of what came before until what begins now, of the same visitor; NULL for the first.
 * - `sessionize`: numbers the sessions of each visitor from 1. What comes after a longer pause than `gap` begins one.
 *   The two are functions of their own because a window function cannot contain another.
 * - `retention`: of a set of conditions met, a bit each, those that count: none without the first.
 * - `sequence_next_node`, `sequence_previous_node`: the value of the event after or before, in the same chain of events.
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

/** What the service knows of the extension. Core figures work without it. */
export class Behavioral {
  readonly #engine: Engine;
  readonly #log: Log;
  #loading: Promise<void> | null = null;
  #version: string | null = null;
  #missing = "is not loaded yet";

  constructor(engine: Engine, enabled: boolean, log: Log) {
    this.#engine = engine;
    this.#log = log;
    if (enabled) return;
    this.#loading = Promise.resolve();
    this.#missing = "is switched off by the option behavioral";
  }

  /**
   * Loads it, unless that is done: a host calls this at its start where the engine starts then, too, and every question that
   * depends on it does. Settles once it is known whether it is there. Never rejects.
   */
  load(): Promise<void> {
    return (this.#loading ??= this.#load());
  }

  async #load(): Promise<void> {
    try {
      await this.#engine.loadExtension(BEHAVIORAL_EXTENSION).catch((error: unknown) => {
        // An engine that died at its start is being started anew.
        if (error instanceof EngineLostError) return this.#engine.loadExtension(BEHAVIORAL_EXTENSION);
        throw error;
      });
      this.#version = BEHAVIORAL_EXTENSION.version;
    } catch (error) {
      const reason = reasonOf(error);
      if (error instanceof EngineLostError || error instanceof EngineFullError) {
        // That says nothing about the extension, so whoever asks next tries again.
        this.#loading = null;
        this.#log.warn("the behavioral extension is not loaded, because the engine is not up", { reason });
        return;
      }
      this.#missing = "could not be loaded; the server's log tells why";
      this.#log.error("the behavioral extension could not be loaded; all else works without it", { reason });
    }
  }

  /** Null while it is not loaded. */
  get version(): string | null {
    return this.#version;
  }

  async isAvailable(): Promise<boolean> {
    await this.load();
    return this.#version !== null;
  }

  /** Rejects with the 503 that explains what is missing. */
  async require(): Promise<void> {
    if (await this.isAvailable()) return;
    throw new AppError({ code: "extension_missing" }, `This needs the behavioral extension, which ${this.#missing}`);
  }
}
