/** Asks the engine about a site's range: makes the range resident, and asks once more when the engine was lost on the way. */
import type { VisitorFunction } from "../behavioral/visitor-function.ts";
import { AppError } from "../errors.ts";
import { EngineFullError, EngineLostError, type Engine, type NumberColumns, type SqlRow } from "../engine/engine.ts";
import type { ResidentDays } from "../engine/resident-days.ts";
import type { SiteId } from "../../storage/event.ts";
import type { SiteRange } from "./scope.ts";
import { sql, type SqlText } from "./sql.ts";

export type Ask = (question: SqlText) => Promise<SqlRow[]>;

/** For results too long for rows: every column an INTEGER or BIGINT without NULL. */
export type AskNumbers = (question: SqlText) => Promise<NumberColumns>;

/** A number for each visitor, made of the events that the question gives (see `EngineQuery`). */
export type AskPerVisitor = (question: SqlText, perVisitor: VisitorFunction) => Promise<Int32Array>;

/** Whatever is asked about a range in one go. It may be begun anew, so it keeps nothing outside itself. */
export type Questions<T> = (ask: Ask, askNumbers: AskNumbers, askPerVisitor: AskPerVisitor) => Promise<T>;

/** Whether it fits depends on what else runs, so it may be tried again. */
const FULL_RETRY_SECS = 10;

const tooMuchForTheEngine = (): AppError =>
  new AppError(
    { code: "unavailable", retryAfterSecs: FULL_RETRY_SECS },
    "The query engine has too little memory for this range at the moment. Try a shorter range, or again later.",
  );

export class QueryRunner {
  readonly #engine: Engine;
  readonly #residents: ResidentDays;

  constructor(engine: Engine, residents: ResidentDays) {
    this.#engine = engine;
    this.#residents = residents;
  }

  /** Runs the questions over every event of the scope accepted before the call. */
  async over<T>({ siteId, range }: SiteRange, signal: AbortSignal, questions: Questions<T>): Promise<T> {
    const attempt = () =>
      this.#residents.withDays(siteId, range.firstDay, range.lastDay, (blocks) =>
        questions(
          ({ text, values }) => this.#engine.query({ siteId, blocks, sql: text, parameters: values }, signal),
          ({ text, values }) => this.#engine.queryNumbers({ siteId, blocks, sql: text, parameters: values }, signal),
          async ({ text, values }, perVisitor) => {
            const { value } = await this.#engine.queryNumbers({ siteId, blocks, sql: text, parameters: values, perVisitor }, signal);
            if (!(value instanceof Int32Array)) throw new TypeError("the engine gave no number for each visitor");
            return value;
          },
        ),
      );
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof EngineLostError) return attempt();
      if (error instanceof EngineFullError) throw tooMuchForTheEngine();
      throw error;
    }
  }

  /** Whether the engine answers a question that needs no data. */
  async isAnswering(signal: AbortSignal): Promise<boolean> {
    const { text, values } = sql`SELECT 1 AS one`;
    try {
      await this.#engine.query({ siteId: "health" as SiteId, blocks: [], sql: text, parameters: values }, signal);
      return true;
    } catch {
      return false;
    }
  }
}
