/** A connection whose server has the schema: it is prepared before the first statement, because the server may be down at the start. */
import type { SqlRow } from "../query/sql.ts";
import { unlessAborted } from "../base/queue.ts";
import { ClickhouseError, type ClickhouseConnection, type ClickhouseStatement } from "./connection.ts";

/** The server has lost the schema, or another one has taken its place. */
const UNKNOWN_TABLE = 60;
const UNKNOWN_DATABASE = 81;

export class PreparedConnection implements ClickhouseConnection {
  readonly #connection: ClickhouseConnection;
  readonly #prepare: () => Promise<void>;
  #prepared: Promise<void> | null = null;

  /** `prepare` is called once for all statements, and again after it has failed. */
  constructor(connection: ClickhouseConnection, prepare: () => Promise<void>) {
    this.#connection = connection;
    this.#prepare = prepare;
  }

  rows(statement: ClickhouseStatement, signal?: AbortSignal): Promise<SqlRow[]> {
    return this.#run(() => this.#connection.rows(statement, signal), signal);
  }

  execute(statement: ClickhouseStatement, signal?: AbortSignal): Promise<void> {
    return this.#run(() => this.#connection.execute(statement, signal), signal);
  }

  insert(statement: ClickhouseStatement, data: Uint8Array, signal?: AbortSignal): Promise<void> {
    return this.#run(() => this.#connection.insert(statement, data, signal), signal);
  }

  responds(timeoutMs: number): Promise<boolean> {
    return this.#connection.responds(timeoutMs);
  }

  async #run<T>(call: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    await this.#ready(signal);
    try {
      return await call();
    } catch (error) {
      if (error instanceof ClickhouseError && [UNKNOWN_TABLE, UNKNOWN_DATABASE].includes(error.code)) this.#prepared = null;
      throw error;
    }
  }

  #ready(signal: AbortSignal | undefined): Promise<void> {
    this.#prepared ??= this.#prepare().catch((error: unknown) => {
      this.#prepared = null;
      throw error;
    });
    return signal ? unlessAborted(this.#prepared, signal) : this.#prepared;
  }
}
