/** How a query is put to DuckDB: behind the relations that it reads, a step at a time, so that it can be aborted. */
import type { SiteId } from "../../../storage/event.ts";
import { ipcFromMatches, ipcFromPropertyRows, ipcFromTexts } from "./arrow-batches.ts";
import { isFatal, isOutOfMemory, type DuckdbBindings } from "./duckdb-bindings.ts";
import type { EngineConnections } from "./engine-connections.ts";
import type { EngineSites } from "./engine-sites.ts";
import { EngineFullError, EngineLostError, type EngineQuery, type SqlParameter } from "../engine.ts";
import { findProperties } from "./found-properties.ts";
import { matchTexts, patternBit, patternsOf } from "./matched-texts.ts";
import { QueryTables } from "./query-tables.ts";
import { StringDictionary } from "./string-dictionary.ts";
import { NEW_ROWS, type PartialAggregateTables } from "./partial-aggregate-tables.ts";

/** How a query that has relations of its own begins: they join the engine's. */
const WITH = "WITH ";

/** Tells running out of memory from every other failure. */
export function rethrown(error: unknown): never {
  if (isOutOfMemory(error) && !isFatal(error)) throw new EngineFullError("the query engine has too little memory for this");
  throw error;
}

export interface EngineQueriesOptions {
  readonly bindings: DuckdbBindings;
  readonly connections: EngineConnections;
  readonly yieldToOthers: () => Promise<void>;
  /** Runs a statement on a connection that no query has. */
  readonly run: (statement: string) => unknown;
  readonly insert: (table: string, ipc: Uint8Array) => void;
  readonly sites: EngineSites;
  readonly partialAggregates: PartialAggregateTables;
  /** The tables of these blocks, at least one. */
  readonly blockTables: (blocks: readonly number[]) => readonly string[];
}

/** What is made for one query alone. */
interface OwnOfQuery {
  readonly relations: Readonly<Record<string, string>>;
  /** Whose bits the relation `matches` has. */
  readonly patterns: readonly string[];
  /** The end of the statement that keeps the query's rows. */
  readonly into: string | undefined;
}

export class EngineQueries {
  readonly #options: EngineQueriesOptions;
  #made = 0;

  constructor(options: EngineQueriesOptions) {
    this.#options = options;
  }

  /** The result as Arrow IPC; with `into`, that of the statement which begins with the query and ends so. */
  async answer(query: EngineQuery, signal: AbortSignal, into?: string): Promise<Uint8Array[]> {
    const { connections, run, insert } = this.#options;
    const connection = await connections.take();
    const tables = new QueryTables({ number: ++this.#made, run, insert });
    try {
      signal.throwIfAborted();
      const patterns = patternsOf(query.parameters);
      await this.#addMatches(tables, query, patterns, signal);
      await this.#addProperties(tables, query, signal);
      return await this.#results(connection, query, signal, { relations: tables.relations, patterns, into });
    } catch (error) {
      return rethrown(error);
    } finally {
      this.#drop(connection, tables);
      connections.giveBack(connection);
    }
  }

  async #addMatches(tables: QueryTables, { siteId }: EngineQuery, patterns: readonly string[], signal: AbortSignal): Promise<void> {
    if (patterns.length === 0) return;
    const { sites, yieldToOthers } = this.#options;
    const matched = await matchTexts(sites.get(siteId)?.texts ?? new StringDictionary(), patterns, yieldToOthers, signal);
    tables.add("matches", "code INTEGER, patterns BIGINT", matched.codes.length > 0 ? ipcFromMatches(matched) : null);
  }

  async #addProperties(tables: QueryTables, { siteId, blocks, properties }: EngineQuery, signal: AbortSignal): Promise<void> {
    if (!properties) return;
    const { sites, yieldToOthers } = this.#options;
    const kept = blocks.map((id) => {
      const props = sites.get(siteId)?.props.of(id);
      if (!props) throw new EngineLostError(`the properties of block ${id} are not kept`);
      return props;
    });
    const found = await findProperties(kept, properties, yieldToOthers, signal);
    tables.add("properties", "props INTEGER, code INTEGER", found.props.length > 0 ? ipcFromPropertyRows(found) : null);
    tables.add("property_texts", "code INTEGER, text VARCHAR", found.texts.length > 0 ? ipcFromTexts(1, found.texts) : null);
  }

  #drop(connection: number, tables: QueryTables): void {
    if (tables.isEmpty) return;
    try {
      // What is prepared holds the memory of the tables that it reads.
      this.#options.bindings.runQuery(connection, "PREPARE question AS SELECT 1");
      tables.drop();
    } catch {
      // An engine that cannot drop a table is broken, which the query's own failure or the next call tells.
    }
  }

  /**
   * Works on the query chunk by chunk (about a tenth of a second each), so that it can be aborted and
   * others get their turn. Parameters are bound by EXECUTE, which is the way to both in this build;
   * they are numbers only, so nothing of them can be taken for SQL.
   */
  async #results(connection: number, query: EngineQuery, signal: AbortSignal, own: OwnOfQuery): Promise<Uint8Array[]> {
    const { bindings, yieldToOthers } = this.#options;
    bindings.runQuery(connection, `PREPARE question AS ${this.#withRelations(query, own)}`);
    const values = query.parameters.map((parameter) => this.#literal(query.siteId, parameter, own.patterns));
    const execute = values.length > 0 ? `EXECUTE question(${values.join(", ")})` : "EXECUTE question";
    let head = bindings.startPendingQuery(connection, execute, false);
    while (head === null) {
      await yieldToOthers();
      if (signal.aborted) {
        bindings.cancelPendingQuery(connection);
        // Until the next statement, what it has written stands in the way of checkpoints.
        bindings.runQuery(connection, "SELECT 1");
        throw signal.reason;
      }
      head = bindings.pollPendingQuery(connection);
    }
    const chunks = [head];
    for (;;) {
      const chunk = bindings.fetchQueryResults(connection);
      if (chunk === null) continue;
      if (chunk.length === 0) return chunks;
      chunks.push(chunk);
    }
  }

  /** The query behind the relations that it reads; with `into`, the statement that puts its rows there. */
  #withRelations({ siteId, blocks, sql, summary }: EngineQuery, { relations: own, into }: OwnOfQuery): string {
    const { sites, partialAggregates, blockTables } = this.#options;
    const site = sites.get(siteId);
    const relations = {
      events: blockTables(blocks)
        .map((name) => `SELECT * FROM ${name}`)
        .join(" UNION ALL "),
      texts: site ? `SELECT * FROM ${site.textsTable}` : "SELECT 0 AS code, '' AS text WHERE false",
      ...(summary && { chunks: partialAggregates.relationOf(summary) }),
      ...own,
    };
    // Inlined, or every query would first copy all columns of all rows.
    const opening = `WITH ${Object.entries(relations)
      .map(([name, relation]) => `${name} AS NOT MATERIALIZED (${relation})`)
      .join(", ")}`;
    const question = sql.trimStart();
    if (into) return `${opening}, ${NEW_ROWS} AS NOT MATERIALIZED (${question}) ${into}`;
    return question.startsWith(WITH) ? `${opening}, ${question.slice(WITH.length)}` : `${opening} ${question}`;
  }

  #literal(siteId: SiteId, parameter: SqlParameter, patterns: readonly string[]): string {
    if (typeof parameter === "object") {
      if ("pattern" in parameter) return String(patternBit(patterns, parameter.pattern));
      return String(this.#options.sites.get(siteId)?.texts.lookUp(parameter.text) ?? -1);
    }
    if (typeof parameter === "bigint" || Number.isFinite(parameter)) return String(parameter);
    throw new TypeError(`a query parameter is no finite number: ${parameter}`);
  }
}
