/** Asks the engine about a site's range: makes the range resident, and asks once more when the engine was lost on the way. */
import { EngineLostError, type Engine, type SqlRow } from "../engine/engine.ts";
import type { ResidentDays } from "../engine/resident-days.ts";
import type { SiteId } from "../../storage/event.ts";
import type { Scope } from "./scope.ts";
import { sql, type SqlText } from "./sql.ts";

export type Ask = (question: SqlText) => Promise<SqlRow[]>;

export class QueryRunner {
  readonly #engine: Engine;
  readonly #residents: ResidentDays;

  constructor(engine: Engine, residents: ResidentDays) {
    this.#engine = engine;
    this.#residents = residents;
  }

  /** Runs the questions over every event of the scope accepted before the call. */
  async over<T>({ siteId, range }: Scope, signal: AbortSignal, questions: (ask: Ask) => Promise<T>): Promise<T> {
    const attempt = () =>
      this.#residents.withDays(siteId, range.firstDay, range.lastDay, (blocks) =>
        questions(({ text, values }) =>
          this.#engine.query({ siteId, blocks, sql: text, parameters: values }, signal),
        ),
      );
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof EngineLostError)) throw error;
      return attempt();
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
