/** DuckDB-WASM behind the engine port: blocks are tables of numbers in a compressed in-memory database. */
import { eventOf } from "../../storage/event-text.ts";
import { columnsOfEvents, decodeEvents } from "../../storage/parquet-events.ts";
import { DAY_MS, type SiteId } from "../../storage/event.ts";
import { columnsFromIpc, eventRowsFromIpc, ipcFromEvents, ipcFromProperties, ipcFromTexts, rowsFromIpc } from "./arrow-batches.ts";
import { applyPerVisitor } from "../behavioral/visitor-function.ts";
import { DaySessions, type KnownVisitor } from "./day-sessions.ts";
import { isFatal, isOutOfMemory, type DuckdbBindings } from "./duckdb-bindings.ts";
import {
  EngineFullError,
  EngineLostError,
  type Block,
  type BlockSource,
  type Engine,
  type EngineExtension,
  type EngineQuery,
  type EngineUsage,
  type Loaded,
  type NumberColumns,
  type SqlParameter,
  type SqlRow,
} from "./engine.ts";
import { TEXT_COLUMNS, batchOf, type SiteNumbers } from "./event-batch.ts";
import { InsertParts, dayPartOf, type DayPart } from "./insert-parts.ts";
import { SiteProperties } from "./site-properties.ts";
import { reasonOf } from "../log.ts";
import { SiteTexts } from "./site-texts.ts";

export interface DuckdbEngineOptions {
  readonly bindings: DuckdbBindings;
  /** Open connections to the one database: the first loads, the others each serve a query at a time. */
  readonly connections: readonly number[];
  /** Lets other work of the same thread go on: messages, other queries. */
  readonly yieldToOthers: () => Promise<void>;
}

/** Rows added since the last checkpoint after which it pays to compress them. */
const ROWS_BEFORE_CHECKPOINT = 50_000;

/** Autoload goes off first: reaching for a missing extension would wait for the network without end. */
const OPENING_STATEMENTS = [
  "SET autoinstall_known_extensions = false",
  "SET autoload_known_extensions = false",
  "ATTACH ':memory:' AS store (COMPRESS)",
];

const EVENT_TABLE_COLUMNS = [
  ...TEXT_COLUMNS.map(({ name }) => `${name} INTEGER`),
  "revenue_amount BIGINT",
  "visitor_id UBIGINT",
  "timestamp BIGINT",
  "arrival INTEGER",
  "session INTEGER",
].join(", ");

const ofDay = (day: number): string => `timestamp >= ${day * DAY_MS} AND timestamp < ${(day + 1) * DAY_MS}`;

/** How a query that has relations of its own begins: they join the engine's. */
const WITH = "WITH ";

const EMPTY_BLOCK = "block_none";

type Files = Extract<BlockSource, { readonly files: unknown }>["files"];

/** What a file holds, or why it cannot be read. */
function decoded(bytes: Uint8Array): DayPart | { readonly reason: string } {
  try {
    return dayPartOf(decodeEvents(bytes));
  } catch (error) {
    return { reason: reasonOf(error) };
  }
}

/** Tells running out of memory from every other failure. */
function rethrown(error: unknown): never {
  if (isOutOfMemory(error) && !isFatal(error)) throw new EngineFullError("the query engine has too little memory for this");
  throw error;
}

interface Site extends SiteNumbers {
  readonly textsTable: string;
  readonly propertiesTable: string;
  readonly blocks: Set<number>;
  sessionsMade: number;
}

interface Table {
  readonly name: string;
  readonly siteId: SiteId;
  /** Days since the epoch of which it has rows. */
  readonly days: Set<number>;
  rows: number;
  /** Of the day whose rows came last: more of them are likely to follow. */
  lastSessions: { readonly day: number; readonly sessions: DaySessions } | null;
}

export class DuckdbEngine implements Engine {
  readonly generation = 0;
  readonly #bindings: DuckdbBindings;
  readonly #loading: number;
  readonly #idle: number[];
  readonly #awaitingConnection: ((connection: number) => void)[] = [];
  readonly #yieldToOthers: () => Promise<void>;
  readonly #tables = new Map<number, Table>();
  readonly #sites = new Map<SiteId, Site>();
  readonly #extensions = new Set<EngineExtension["name"]>();
  #sitesMade = 0;
  #running = 0;
  #rowsSinceCheckpoint = 0;

  constructor({ bindings, connections, yieldToOthers }: DuckdbEngineOptions) {
    const [loading, ...querying] = connections;
    if (loading === undefined || querying.length === 0) throw new Error("the engine needs two connections");
    this.#bindings = bindings;
    this.#loading = loading;
    this.#idle = querying;
    this.#yieldToOthers = yieldToOthers;
    for (const statement of OPENING_STATEMENTS) this.#run(statement);
    for (const connection of connections) this.#bindings.runQuery(connection, "USE store");
    this.#run(`CREATE TABLE ${EMPTY_BLOCK} (${EVENT_TABLE_COLUMNS})`);
  }

  #run(statement: string): Uint8Array {
    return this.#bindings.runQuery(this.#loading, statement);
  }

  append(block: Block, source: BlockSource): Promise<Loaded> {
    return this.#append(block, source).catch(rethrown);
  }

  async #append(block: Block, source: BlockSource): Promise<Loaded> {
    const site = this.#siteOf(block);
    const unreadable = "files" in source ? await this.#insertFiles(block, site, source.files) : [];
    if ("events" in source) this.#insert(block, site, [dayPartOf(columnsOfEvents(source.events.map(eventOf)))]);
    this.#checkpointWhenIdle();
    return { ...this.#usage(), unreadable };
  }

  /** Gives back those that cannot be read. */
  async #insertFiles(block: Block, site: Site, files: Files): Promise<Loaded["unreadable"]> {
    const unreadable: { key: string; reason: string }[] = [];
    const waiting = new InsertParts();
    for (const { key, bytes } of files) {
      const part = decoded(bytes);
      if ("reason" in part) {
        unreadable.push({ key, ...part });
      } else {
        if (!waiting.hasRoomFor(part)) this.#insert(block, site, waiting.takeAll());
        waiting.add(part);
      }
      await this.#yieldToOthers();
    }
    this.#insert(block, site, waiting.takeAll());
    return unreadable;
  }

  #siteOf({ id, siteId }: Block): Site {
    let site = this.#sites.get(siteId);
    if (!site) {
      site = this.#createSite();
      this.#sites.set(siteId, site);
    }
    if (!this.#tables.has(id)) {
      const name = `block_${id}`;
      this.#run(`CREATE TABLE ${name} (${EVENT_TABLE_COLUMNS})`);
      this.#tables.set(id, { name, siteId, days: new Set(), rows: 0, lastSessions: null });
      site.blocks.add(id);
    }
    return site;
  }

  #createSite(): Site {
    const number = ++this.#sitesMade;
    const [textsTable, propertiesTable] = [`texts_${number}`, `properties_${number}`];
    this.#run(`CREATE TABLE ${textsTable} (code INTEGER, text VARCHAR)`);
    this.#run(`CREATE TABLE ${propertiesTable} (props INTEGER, key INTEGER, value INTEGER)`);
    return { textsTable, propertiesTable, texts: new SiteTexts(), properties: new SiteProperties(), blocks: new Set(), sessionsMade: 0 };
  }

  #insert(block: Block, site: Site, parts: readonly DayPart[]): void {
    const table = this.#tables.get(block.id);
    const batch = batchOf(parts.map(({ events }) => events), site);
    if (!table || batch.rows === 0) return;
    this.#insertNumbers(site);
    const sessionNumbers = new Int32Array(batch.rows);
    const toRenumber = new Set<number>();
    let begin = 0;
    for (const { day, events } of parts) {
      const sessions = this.#sessionsOf(block, table, site, day);
      sessionNumbers.set(sessions.assign(events.visitorIds, events.timestampsMs), begin);
      if (!sessions.inOrder) toRenumber.add(day);
      begin += events.rows;
    }
    this.#insertIpc(table.name, ipcFromEvents(batch, sessionNumbers, table.rows));
    table.rows += batch.rows;
    for (const { day } of parts) table.days.add(day);
    this.#rowsSinceCheckpoint += batch.rows;
    for (const day of toRenumber) this.#renumberSessions(block, table, site, day);
  }

  /** Texts and properties that were given numbers get their rows before any event refers to them. */
  #insertNumbers({ texts, textsTable, properties, propertiesTable }: Site): void {
    const added = texts.added();
    if (added.texts.length > 0) this.#insertIpc(textsTable, ipcFromTexts(added.firstCode, added.texts));
    texts.confirmAdded();
    if (properties.added().length > 0) this.#insertIpc(propertiesTable, ipcFromProperties(properties.added()));
    properties.confirmAdded();
  }

  #sessionsOf({ sessionGapMs }: Block, table: Table, site: Site, day: number): DaySessions {
    if (table.lastSessions?.day === day) return table.lastSessions.sessions;
    const known = table.days.has(day) ? this.#knownVisitors(table, day) : [];
    const sessions = new DaySessions(sessionGapMs, () => ++site.sessionsMade, known);
    table.lastSessions = { day, sessions };
    return sessions;
  }

  #knownVisitors({ name }: Table, day: number): KnownVisitor[] {
    const rows = rowsFromIpc([
      this.#run(`SELECT visitor_id, max(timestamp) AS timestamp_ms, max(session) AS session FROM ${name} WHERE ${ofDay(day)} GROUP BY visitor_id`),
    ]);
    return rows.map((row) => ({
      visitorId: BigInt(row.visitor_id ?? 0),
      timestampMs: BigInt(row.timestamp_ms ?? 0),
      session: Number(row.session),
    }));
  }

  /** The clock was set back during the day: its sessions are made anew, in order of time. Reads and writes the whole day. */
  #renumberSessions({ sessionGapMs }: Block, table: Table, site: Site, day: number): void {
    this.#run(`
      UPDATE ${table.name} SET session = renumbered.session
      FROM (
        SELECT arrival, CAST(${site.sessionsMade} + sum(CASE WHEN gap_ms <= ${sessionGapMs} THEN 0 ELSE 1 END)
          OVER (ORDER BY visitor_id, timestamp, arrival ROWS UNBOUNDED PRECEDING) AS INTEGER) AS session
        FROM (
          SELECT arrival, visitor_id, timestamp,
            timestamp - lag(timestamp) OVER (PARTITION BY visitor_id ORDER BY timestamp, arrival) AS gap_ms
          FROM ${table.name} WHERE ${ofDay(day)}
        ) AS spaced
      ) AS renumbered
      WHERE ${table.name}.arrival = renumbered.arrival`);
    // At most one session a row, so no number is given twice.
    site.sessionsMade += table.rows;
    table.lastSessions = null;
  }

  #insertIpc(name: string, bytes: Uint8Array): void {
    this.#bindings.insertArrowFromIPCStream(this.#loading, bytes, { name, create: false });
  }

  /** Fresh rows lie uncompressed until a checkpoint, which no other transaction may overlap. */
  #checkpointWhenIdle(): void {
    if (this.#running > 0 || this.#rowsSinceCheckpoint < ROWS_BEFORE_CHECKPOINT) return;
    this.#run("CHECKPOINT store");
    this.#rowsSinceCheckpoint = 0;
  }

  #usage(): EngineUsage {
    const [row] = rowsFromIpc([this.#run("SELECT sum(memory_usage_bytes)::BIGINT AS bytes FROM duckdb_memory() WHERE tag IN ('BASE_TABLE', 'IN_MEMORY_TABLE', 'OVERFLOW_STRINGS', 'METADATA')")]);
    let textBytes = 0;
    for (const { texts } of this.#sites.values()) textBytes += texts.bytes;
    return { residentBytes: Number(row?.bytes ?? 0) + textBytes };
  }

  async drop(blocks: readonly number[]): Promise<EngineUsage> {
    for (const id of blocks) {
      const table = this.#tables.get(id);
      if (!table) continue;
      this.#run(`DROP TABLE ${table.name}`);
      this.#tables.delete(id);
      this.#dropSiteWithout(table.siteId, id);
    }
    return this.#usage();
  }

  /** A site's texts go with its last block. */
  #dropSiteWithout(siteId: SiteId, block: number): void {
    const site = this.#sites.get(siteId);
    site?.blocks.delete(block);
    if (!site || site.blocks.size > 0) return;
    this.#run(`DROP TABLE ${site.textsTable}`);
    this.#run(`DROP TABLE ${site.propertiesTable}`);
    this.#sites.delete(siteId);
  }

  async query(query: EngineQuery, signal: AbortSignal): Promise<SqlRow[]> {
    return rowsFromIpc(await this.#answer(query, signal));
  }

  async queryNumbers(query: EngineQuery, signal: AbortSignal): Promise<NumberColumns> {
    const pieces = await this.#answer(query, signal);
    if (!query.perVisitor) return columnsFromIpc(pieces);
    return { value: await applyPerVisitor(query.perVisitor, eventRowsFromIpc(pieces), this.#yieldToOthers, signal) };
  }

  async loadExtension({ name, definitions, check }: EngineExtension): Promise<void> {
    if (this.#extensions.has(name)) return;
    this.#run("BEGIN");
    try {
      for (const statement of [...definitions, check]) this.#run(statement);
      this.#run("COMMIT");
    } catch (error) {
      this.#run("ROLLBACK");
      throw error;
    }
    this.#extensions.add(name);
  }

  async #answer(query: EngineQuery, signal: AbortSignal): Promise<Uint8Array[]> {
    const connection = await this.#takeConnection();
    try {
      signal.throwIfAborted();
      return await this.#results(connection, query, signal);
    } catch (error) {
      return rethrown(error);
    } finally {
      this.#giveBack(connection);
      this.#checkpointWhenIdle();
    }
  }

  async #takeConnection(): Promise<number> {
    const connection = this.#idle.pop() ?? (await new Promise<number>((resolve) => this.#awaitingConnection.push(resolve)));
    this.#running++;
    return connection;
  }

  #giveBack(connection: number): void {
    this.#running--;
    const next = this.#awaitingConnection.shift();
    if (next) next(connection);
    else this.#idle.push(connection);
  }

  /**
   * Works on the query piece by piece (about a tenth of a second each), so that it can be aborted and
   * others get their turn. Parameters are bound by EXECUTE, which is the way to both in this build;
   * they are numbers only, so nothing of them can be taken for SQL.
   */
  async #results(connection: number, query: EngineQuery, signal: AbortSignal): Promise<Uint8Array[]> {
    const bindings = this.#bindings;
    bindings.runQuery(connection, `PREPARE question AS ${this.#withRelations(query)}`);
    const values = query.parameters.map((parameter) => this.#literal(query.siteId, parameter));
    const execute = values.length > 0 ? `EXECUTE question(${values.join(", ")})` : "EXECUTE question";
    let head = bindings.startPendingQuery(connection, execute, false);
    while (head === null) {
      await this.#yieldToOthers();
      if (signal.aborted) {
        bindings.cancelPendingQuery(connection);
        throw signal.reason;
      }
      head = bindings.pollPendingQuery(connection);
    }
    const pieces = [head];
    for (;;) {
      const piece = bindings.fetchQueryResults(connection);
      if (piece === null) continue;
      if (piece.length === 0) return pieces;
      pieces.push(piece);
    }
  }

  #withRelations({ siteId, blocks, sql }: EngineQuery): string {
    const names = blocks.map((id) => {
      const table = this.#tables.get(id);
      if (!table) throw new EngineLostError(`block ${id} is gone`);
      return table.name;
    });
    const events = (names.length > 0 ? names : [EMPTY_BLOCK]).map((name) => `SELECT * FROM ${name}`).join(" UNION ALL ");
    const site = this.#sites.get(siteId);
    const texts = site ? `SELECT * FROM ${site.textsTable}` : "SELECT 0 AS code, '' AS text WHERE false";
    const properties = site ? `SELECT * FROM ${site.propertiesTable}` : "SELECT 0 AS props, 0 AS key, 0 AS value WHERE false";
    // Inlined, or every query would first copy all columns of all rows.
    const relations = `WITH ${Object.entries({ events, texts, properties })
      .map(([name, relation]) => `${name} AS NOT MATERIALIZED (${relation})`)
      .join(", ")}`;
    const question = sql.trimStart();
    return question.startsWith(WITH) ? `${relations}, ${question.slice(WITH.length)}` : `${relations} ${question}`;
  }

  #literal(siteId: SiteId, parameter: SqlParameter): string {
    if (typeof parameter === "object") return String(this.#sites.get(siteId)?.texts.lookUp(parameter.text) ?? -1);
    if (typeof parameter === "bigint" || Number.isFinite(parameter)) return String(parameter);
    throw new TypeError(`a query parameter is no finite number: ${parameter}`);
  }

  async close(): Promise<void> {
    // The database lives and dies with the memory that the adapter gave it.
  }
}
