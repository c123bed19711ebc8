/** The behavioral extension: SQL macros of sessions, funnels, retention and flows. The engine creates them when it opens. */
import { AppError } from "../base/errors.ts";
import type { Log } from "../base/metrics/log.ts";
import type { Engine } from "./engine.ts";

/** Raise it when a function changes its results. */
export const BEHAVIORAL_VERSION = "1.0.0";

/**
 * The functions that SQL expresses well. Automata over the events of a visitor are in `visitor-function.ts`. Each costs as much as its
 * window or group; a window over a million events is a sort of about 0.25 s, so queries filter before they sort.
 *
 * - `pause_before`: time from the end of the visitor's previous row to the beginning of this one; NULL for the first.
 * - `sessionize`: numbers the sessions of each visitor from 1. A pause longer than `gap` starts a new session. It takes the pause as
 *   an argument because a window function cannot contain another.
 * - `retention`: the conditions met, one bit each; 0 if the first one is not met.
 * - `sequence_next_node`, `sequence_previous_node`: the value of the next or previous event in the same chain.
 */
export const BEHAVIORAL_MACROS = [
  `CREATE MACRO pause_before(visitor, begins, ends, tie) AS
    begins - lag(ends) OVER (PARTITION BY visitor ORDER BY begins, tie)`,
  `CREATE MACRO sessionize(visitor, begins, tie, pause, gap) AS
    sum(CASE WHEN pause <= gap THEN 0 ELSE 1 END) OVER (PARTITION BY visitor ORDER BY begins, tie ROWS UNBOUNDED PRECEDING)`,
  `CREATE MACRO retention(met) AS CASE WHEN met & 1 = 1 THEN met ELSE 0 END`,
  `CREATE MACRO sequence_next_node(node, chain, moment, tie) AS lead(node) OVER (PARTITION BY chain ORDER BY moment, tie)`,
  `CREATE MACRO sequence_previous_node(node, chain, moment, tie) AS lag(node) OVER (PARTITION BY chain ORDER BY moment, tie)`,
];

/** Fails unless every macro works. */
export const BEHAVIORAL_CHECK = `
  SELECT sessionize(v, t, a, pause, 10), retention(5), sequence_next_node(t, v, t, a), sequence_previous_node(t, v, t, a)
  FROM (SELECT *, pause_before(v, t, t, a) AS pause FROM (VALUES (1, 100, 0), (1, 110, 1)) AS events(v, t, a)) AS spaced`;

/** The start of the engine decides once if the macros work. Reports that do not use them never ask. */
export class Behavioral {
  readonly #engine: Pick<Engine, "behavioralFailure">;
  readonly #log: Log;
  #isLoaded: boolean | null;
  #asked: Promise<string | null> | null = null;
  #missing = "";

  constructor(engine: Pick<Engine, "behavioralFailure">, isEnabled: boolean, log: Log) {
    this.#engine = engine;
    this.#log = log;
    this.#isLoaded = isEnabled ? null : false;
    if (!isEnabled) this.#missing = "is switched off by the option behavioral";
  }

  /** null until the engine has started. */
  get isLoaded(): boolean | null {
    return this.#isLoaded;
  }

  /** Starts the engine if nothing has. Rejects with `EngineLostError` if it does not start. */
  async isAvailable(): Promise<boolean> {
    if (this.#isLoaded !== null) return this.#isLoaded;
    const failure = await (this.#asked ??= this.#engine.behavioralFailure());
    if (this.#isLoaded === null && failure !== null) {
      this.#missing = "could not be loaded; the server's log tells why";
      this.#log.error("the behavioral extension could not be loaded; all else works without it", { reason: failure });
    }
    return (this.#isLoaded = failure === null);
  }

  /** Rejects with a 503 that says why the extension is not available. */
  async require(): Promise<void> {
    if (await this.isAvailable()) return;
    throw new AppError({ code: "extension_missing" }, `This needs the behavioral extension, which ${this.#missing}`);
  }
}
