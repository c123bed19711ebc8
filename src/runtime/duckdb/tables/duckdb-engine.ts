/**
 * The engine port on DuckDB-WASM: a compressed database in memory. Facts about DuckDB-WASM 1.32 (DuckDB 1.4.3) behind this:
 * - Only the core is built in. To autoload an extension waits for the network without end, so autoload is switched off first.
 * - A database in a file loses data in this build, so all of it is in memory.
 * - An attached database with COMPRESS takes a fraction of the memory.
 */
import type { Columns } from "../../../storage/columns.ts";
import { UNRECORDED } from "../../../shared/filters.ts";
import type { SiteId } from "../../../storage/event.ts";
import {
  DroppedError,
  type Block,
  type BlockFile,
  type BlockSource,
  type Engine,
  type EngineQuery,
  type EngineUsage,
  type Loaded,
} from "../engine.ts";
import { reasonOf } from "../../base/metrics/log.ts";
import type { EventValue, SqlRow } from "../../query/sql.ts";
import { BEHAVIORAL_CHECK, BEHAVIORAL_MACROS } from "../behavioral.ts";
import { columnsFromIpc, eventRowsFromIpc, rowsFromIpc } from "./arrow.ts";
import { applyPerVisitor, talliesOf, type Tally, type VisitorFunction } from "../../query/behavioral/visitor-function.ts";
import { ConnectionPool, type DuckdbBindings, isOutOfMemory, type Turn, Turns } from "./connections.ts";
import { EngineSites, EventTables } from "./event-tables.ts";
import { QueryRunner, rethrown } from "./query-runner.ts";

export interface DuckdbEngineOptions {
  readonly bindings: DuckdbBindings;
  /** Open connections to the one database. The first loads events; each of the others serves one query at a time. */
  readonly connections: readonly number[];
  /** Lets other work of the thread run: messages, other queries. */
  readonly yieldToOthers: () => Promise<void>;
}

const OPENING_STATEMENTS = [
  "SET autoinstall_known_extensions = false",
  "SET autoload_known_extensions = false",
  "ATTACH ':memory:' AS store (COMPRESS)",
];

const MEMORY_USAGE_SQL = `
  SELECT sum(memory_usage_bytes)::BIGINT AS bytes FROM duckdb_memory()
  WHERE tag IN ('BASE_TABLE', 'IN_MEMORY_TABLE', 'OVERFLOW_STRINGS', 'METADATA')`;

const columnsOfTallies = (tallies: readonly Tally[]): Columns => ({
  value: Float64Array.from(tallies, ({ value }) => value),
  visitors: Float64Array.from(tallies, ({ visitors }) => visitors),
});

/** Work whose failures are those of the port. */
const reported = <T>(work: () => Promise<T>): Promise<T> => work().catch(rethrown);

export class DuckdbEngine implements Engine {
  readonly #bindings: DuckdbBindings;
  readonly #loading: number;
  readonly #connections: ConnectionPool;
  readonly #turns: Turns;
  readonly #sites: EngineSites;
  readonly #eventTables: EventTables;
  readonly #queries: QueryRunner;
  readonly #behavioralFailure: string | null;

  constructor({ bindings, connections, yieldToOthers }: DuckdbEngineOptions) {
    const [loading, ...querying] = connections;
    if (loading === undefined || querying.length === 0) throw new Error("the engine needs at least two connections");
    this.#bindings = bindings;
    this.#loading = loading;
    this.#connections = new ConnectionPool({ connections: querying, checkpoint: () => this.#run("CHECKPOINT store") });
    this.#turns = new Turns(yieldToOthers);
    for (const statement of OPENING_STATEMENTS) this.#run(statement);
    for (const connection of connections) this.#bindings.runQuery(connection, "USE store");
    this.#behavioralFailure = this.#createMacros();
    const loader = {
      run: (statement: string) => this.#run(statement),
      insert: (name: string, ipc: Uint8Array) => this.#bindings.insertArrowFromIPCStream(this.#loading, ipc, { name, create: false }),
      yieldToOthers,
    };
    this.#sites = new EngineSites(loader);
    this.#eventTables = new EventTables({ ...loader, sites: this.#sites, grown: this.#connections });
    this.#queries = new QueryRunner({
      ...loader,
      bindings,
      connections: this.#connections,
      sites: this.#sites,
      blockRelations: (query, columns) => this.#eventTables.relationsOf(query, columns),
    });
  }

  /** All of them or none. Reports without them work in any case, so a failure does not stop the start, except too little memory. */
  #createMacros(): string | null {
    this.#run("BEGIN");
    try {
      for (const statement of [...BEHAVIORAL_MACROS, BEHAVIORAL_CHECK]) this.#run(statement);
      this.#run("COMMIT");
      return null;
    } catch (error) {
      // The engine itself has failed, and starts again.
      if (isOutOfMemory(error)) throw error;
      this.#run("ROLLBACK");
      return reasonOf(error);
    }
  }

  #run(statement: string): Uint8Array {
    return this.#bindings.runQuery(this.#loading, statement);
  }

  append(block: Block, source: BlockSource): Promise<Loaded> {
    return reported(async () => {
      const loaded = await this.#eventTables.load(block, source);
      this.#connections.checkpointWhenIdle();
      return { ...this.#usage(), ...loaded };
    });
  }

  #usage(): EngineUsage {
    const [row] = rowsFromIpc([this.#run(MEMORY_USAGE_SQL)]);
    const { stringBytes, propsBytes } = this.#sites;
    return { memoryBytes: Number(row?.bytes ?? 0) + this.#eventTables.bytes + stringBytes + propsBytes, textBytes: stringBytes };
  }

  addColumns(block: number, columns: readonly EventValue[], files: readonly BlockFile[]): Promise<Loaded> {
    return reported(async () => {
      const loaded = await this.#eventTables.addColumns(block, columns, files);
      this.#connections.checkpointWhenIdle();
      return { ...this.#usage(), ...loaded, unreadable: [] };
    });
  }

  async drop(blocks: readonly number[]): Promise<EngineUsage> {
    this.#eventTables.drop(blocks);
    return this.#usage();
  }

  async dropProps(blocks: readonly number[]): Promise<EngineUsage> {
    this.#eventTables.dropProps(blocks);
    return this.#usage();
  }

  async propsTexts(siteId: SiteId, codes: readonly number[]): Promise<string[]> {
    const dictionary = this.#sites.get(siteId)?.props;
    return codes.map((code) => {
      const props = dictionary?.stringOf(code);
      if (props === undefined) throw new DroppedError("the properties of some events were dropped");
      return props;
    });
  }

  query(query: EngineQuery, signal: AbortSignal): Promise<SqlRow[]> {
    return this.#inTurns(query, signal, async (turn) =>
      query.perVisitor ? this.#tallies(query, query.perVisitor, turn) : rowsFromIpc(await this.#queries.run(query, turn)),
    );
  }

  #inTurns<T>({ isGuest = false }: EngineQuery, signal: AbortSignal, task: (turn: Turn) => Promise<T>): Promise<T> {
    return this.#turns.run({ isGuest, signal }, task);
  }

  async #tallies(query: EngineQuery, perVisitor: VisitorFunction, turn: Turn): Promise<Tally[]> {
    const rows = eventRowsFromIpc(await this.#queries.run(query, turn));
    return talliesOf(await applyPerVisitor(perVisitor, rows, turn.next));
  }

  queryColumns(query: EngineQuery, signal: AbortSignal): Promise<Columns> {
    return this.#inTurns(query, signal, async (turn) => {
      if (query.perVisitor) return columnsOfTallies(await this.#tallies(query, query.perVisitor, turn));
      const columns = columnsFromIpc(await this.#queries.run(query, turn));
      return query.texts ? this.#withTexts(columns, query.siteId, query.texts) : columns;
    });
  }

  /** The texts are the dictionary's own strings, so that rows take no further memory for them. */
  #withTexts(columns: Columns, siteId: SiteId, names: readonly string[]): Columns {
    const strings = this.#sites.get(siteId)?.strings;
    const textsOf = (codes: Columns[string] = []) => Array.from(codes as Int32Array, (code) => strings?.stringOf(code) ?? UNRECORDED);
    return { ...columns, ...Object.fromEntries(names.map((name) => [name, textsOf(columns[name])])) };
  }

  async behavioralFailure(): Promise<string | null> {
    return this.#behavioralFailure;
  }

  async close(): Promise<void> {} // The adapter owns the memory of the database. It frees both together.
}
