/** Runs one query in DuckDB: defines the relations it reads, and executes it in steps so that it can be aborted. */
import { columnsFromIpc } from "./arrow-batches.ts";
import { isFatal, isOutOfMemory, type DuckdbBindings } from "./duckdb-bindings.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import type { EngineSites } from "./engine-sites.ts";
import { EngineFullError, type EngineQuery, type EngineSelect } from "../engine.ts";
import type { SqlParameter } from "../../query/sql.ts";
import type { SiteId } from "../../../storage/event.ts";
import { NEW_ROWS, type PartialAggregateTables } from "./partial-aggregate-tables.ts";
import { QueryRelations, type ReadableCodes } from "./query-relations.ts";
import { QueryTests } from "./test-matches.ts";
import type { Turn } from "./turns.ts";

/** Bytes of a result that are fetched before other work of the thread runs: a few milliseconds. */
const FETCHED_BYTES = 1_000_000;

const NO_CODES = new Int32Array(0);

/** A query may begin with this and relations of its own. They are appended to the engine's. */
const WITH = "WITH ";

/** Turns an out-of-memory failure into the port's error; rethrows all others. */
export function rethrown(error: unknown): never {
  if (isOutOfMemory(error) && !isFatal(error)) throw new EngineFullError("the query needs more memory than the engine has");
  throw error;
}

export interface QueryRunnerOptions {
  readonly bindings: DuckdbBindings;
  readonly connections: ConnectionPool;
  /** Runs a statement on a connection outside the pool. */
  readonly run: (statement: string) => unknown;
  readonly insert: (table: string, ipc: Uint8Array) => void;
  readonly sites: EngineSites;
  readonly partialAggregates: PartialAggregateTables;
  /** The SELECTs of the relations that consist of these blocks. */
  readonly blockRelations: (siteId: SiteId, blocks: readonly number[]) => Readonly<Record<string, string>>;
}

/** The state of one execution of a query. */
interface Execution {
  readonly relations: QueryRelations;
  readonly tests: QueryTests;
  /** An INSERT that stores the rows of the query. */
  readonly into: string | undefined;
}

export class QueryRunner {
  readonly #options: QueryRunnerOptions;
  #queries = 0;

  constructor(options: QueryRunnerOptions) {
    this.#options = options;
  }

  /** The result as Arrow IPC. With `into`, an INSERT from the relation `NEW_ROWS`, it is the result of that statement. */
  async run(query: EngineQuery, turn: Turn, into?: string): Promise<Uint8Array[]> {
    try {
      const tests = new QueryTests(query.parameters);
      const readable = query.readable ? await this.#readableCodes(query, query.readable, tests, turn) : null;
      const relations = new QueryRelations(query, tests, readable, { queryNumber: ++this.#queries, ...this.#options });
      // Takes long, so others use the connections meanwhile.
      await relations.read(turn.next);
      return await this.#options.connections.run(turn, (connection) => this.#runOn(connection, query, turn, { relations, tests, into }));
    } catch (error) {
      return rethrown(error);
    }
  }

  /** Only what the query needs is looked up. */
  async #readableCodes(
    query: EngineQuery,
    { texts, props }: NonNullable<EngineQuery["readable"]>,
    tests: QueryTests,
    turn: Turn,
  ): Promise<ReadableCodes> {
    const exempt = new QueryTests([...texts.parameters, ...props.parameters]);
    const needsTexts = tests.texts.tests.some((test) => !exempt.texts.has(test));
    const needsProps = query.properties !== undefined || tests.properties.tests.some((test) => !exempt.properties.has(test));
    return {
      exempt,
      texts: needsTexts ? await this.#codesOf(query, texts, turn) : NO_CODES,
      props: needsProps ? await this.#codesOf(query, props, turn) : NO_CODES,
    };
  }

  /** Its steps are not bounded: the owner of the site chose what is shared. */
  async #codesOf({ siteId, blocks, partials }: EngineQuery, select: EngineSelect, turn: Turn): Promise<Int32Array> {
    const sql = `SELECT DISTINCT CAST(code AS INTEGER) AS code FROM (${select.sql}) AS readable`;
    const found = { siteId, blocks, sql, parameters: select.parameters, ...(partials && { partials }) };
    const { code } = columnsFromIpc(await this.run(found, turn));
    return (code as Int32Array | undefined) ?? NO_CODES;
  }

  async #runOn(connection: number, query: EngineQuery, turn: Turn, execution: Execution): Promise<Uint8Array[]> {
    const { relations } = execution;
    // An owner goes on at once: in workerd, a step of its own takes a timer.
    if (turn.isGuest) await turn.next();
    await relations.read(turn.next);
    try {
      relations.create();
      return await this.#execute(connection, query, turn, execution);
    } finally {
      this.#drop(connection, relations);
    }
  }

  #drop(connection: number, relations: QueryRelations): void {
    if (relations.isEmpty) return;
    try {
      // A prepared statement keeps the memory of the tables that it reads.
      this.#options.bindings.runQuery(connection, "PREPARE query AS SELECT 1");
      relations.drop();
    } catch {
      // An engine that cannot drop a table is broken. The failure of the query or the next call reports that.
    }
  }

  /**
   * Executes in steps of `ENGINE_STEP_MS`; other queries and the abort signal are served between them. In this build only
   * PREPARE and EXECUTE allow both an abort and parameters. Parameters are numbers, so none can be read as SQL.
   */
  async #execute(connection: number, query: EngineQuery, turn: Turn, execution: Execution): Promise<Uint8Array[]> {
    const { bindings } = this.#options;
    bindings.runQuery(connection, `PREPARE query AS ${this.#statement(query, execution)}`);
    const values = query.parameters.map((parameter) => this.#literal(query.siteId, parameter, execution.tests));
    const execute = values.length > 0 ? `EXECUTE query(${values.join(", ")})` : "EXECUTE query";
    try {
      return await this.#resultOf(connection, execute, turn);
    } catch (error) {
      if (turn.signal.aborted) this.#cancel(connection);
      throw error;
    }
  }

  async #resultOf(connection: number, execute: string, turn: Turn): Promise<Uint8Array[]> {
    const { bindings } = this.#options;
    let head = bindings.startPendingQuery(connection, execute, false);
    while (head === null) {
      await turn.next();
      head = bindings.pollPendingQuery(connection);
    }
    const chunks = [head];
    let bytesLeft = FETCHED_BYTES;
    for (;;) {
      const chunk = bindings.fetchQueryResults(connection);
      if (chunk === null) continue;
      if (chunk.length === 0) return chunks;
      chunks.push(chunk);
      bytesLeft -= chunk.length;
      if (bytesLeft > 0) continue;
      bytesLeft = FETCHED_BYTES;
      await turn.next();
    }
  }

  #cancel(connection: number): void {
    const { bindings } = this.#options;
    bindings.cancelPendingQuery(connection);
    // The rows that it wrote block checkpoints until the connection runs another statement.
    bindings.runQuery(connection, "SELECT 1");
  }

  /** This build does not parse a parenthesised query with a WITH below another WITH, so the lists of relations are joined. */
  #statement({ siteId, blocks, sql, partials }: EngineQuery, { relations: computed, into }: Execution): string {
    const { sites, partialAggregates, blockRelations } = this.#options;
    const site = sites.get(siteId);
    const relations = {
      ...blockRelations(siteId, blocks),
      texts: site ? `SELECT * FROM ${site.stringsTable}` : "SELECT 0 AS code, '' AS text WHERE false",
      ...(partials && { partials: partialAggregates.relationOf(partials) }),
      ...computed.sqlByName,
    };
    // DuckDB 1.4 materialises CTEs by default. Every query would first copy all columns of all rows.
    const opening = `WITH ${Object.entries(relations)
      .map(([name, relation]) => `${name} AS NOT MATERIALIZED (${relation})`)
      .join(", ")}`;
    const query = sql.trimStart();
    if (into) return `${opening}, ${NEW_ROWS} AS NOT MATERIALIZED (${query}) ${into}`;
    return query.startsWith(WITH) ? `${opening}, ${query.slice(WITH.length)}` : `${opening} ${query}`;
  }

  #literal(siteId: SiteId, parameter: SqlParameter, tests: QueryTests): string {
    if (typeof parameter === "object") {
      if ("test" in parameter) return String(tests.texts.of(parameter.test));
      if ("propertyTest" in parameter) return String(tests.properties.of(parameter.propertyTest));
      return String(this.#options.sites.get(siteId)?.strings.lookUp(parameter.text) ?? -1);
    }
    if (typeof parameter === "bigint" || Number.isFinite(parameter)) return String(parameter);
    throw new TypeError(`a query parameter must be a finite number, got ${parameter}`);
  }
}
