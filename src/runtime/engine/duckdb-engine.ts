/** DuckDB-WASM behind the engine port: blocks are tables of numbers in a compressed in-memory database. */
import { eventOf } from "../../storage/event-text.ts";
import { columnsOfEvents, readEvents } from "../../storage/parquet-events.ts";
import { DAY_MS, type SiteId } from "../../storage/event.ts";
import { columnsFromIpc, eventRowsFromIpc, ipcFromEvents, ipcFromMatches, ipcFromProperties, ipcFromTexts, rowsFromIpc } from "./arrow-batches.ts";
import { applyPerVisitor, talliesOf, type Tally, type VisitorFunction } from "../behavioral/visitor-function.ts";
import { DaySessions, renumberedSql, type KnownVisitor } from "./day-sessions.ts";
import { isFatal, isOutOfMemory, type DuckdbBindings } from "./duckdb-bindings.ts";
import { EngineConnections } from "./engine-connections.ts";
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
  type Summarised,
  type Summary,
} from "./engine.ts";
import { TEXT_COLUMNS, batchOf, type SiteNumbers } from "./event-batch.ts";
import { InsertParts, dayPartOf, type DayPart } from "./insert-parts.ts";
import { matchTexts, patternBit, patternsOf } from "./matched-texts.ts";
import { QueryTables } from "./query-tables.ts";
import { SiteProperties } from "./site-properties.ts";
import { SiteTexts } from "./site-texts.ts";
import { NEW_ROWS, SummaryTables } from "./summary-tables.ts";

export interface DuckdbEngineOptions {
  readonly bindings: DuckdbBindings;
  /** Open connections to the one database: the first loads, the others each serve a query at a time. */
  readonly connections: readonly number[];
  /** Lets other work of the same thread go on: messages, other queries. */
  readonly yieldToOthers: () => Promise<void>;
}

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

/** Tells running out of memory from every other failure. */
function rethrown(error: unknown): never {
  if (isOutOfMemory(error) && !isFatal(error)) throw new EngineFullError("the query engine has too little memory for this");
  throw error;
}

interface Site extends SiteNumbers {
  readonly textsTable: string;
  readonly propertiesTable: string;
  /** The names of its blocks and summaries. */
  readonly tables: Set<string>;
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

/** What is made for one query alone. */
interface OwnOfQuery {
  readonly relations: Readonly<Record<string, string>>;
  /** Whose bits the relation `matches` has. */
  readonly patterns: readonly string[];
  /** The end of the statement that keeps the query's rows. */
  readonly into: string | undefined;
}

export class DuckdbEngine implements Engine {
  readonly generation = 0;
  readonly #bindings: DuckdbBindings;
  readonly #loading: number;
  readonly #querying: EngineConnections;
  readonly #yieldToOthers: () => Promise<void>;
  readonly #tables = new Map<number, Table>();
  readonly #summaries = new SummaryTables((statement) => this.#run(statement));
  readonly #sites = new Map<SiteId, Site>();
  readonly #extensions = new Set<EngineExtension["name"]>();
  #sitesMade = 0;
  #queriesMade = 0;

  constructor({ bindings, connections, yieldToOthers }: DuckdbEngineOptions) {
    const [loading, ...querying] = connections;
    if (loading === undefined || querying.length === 0) throw new Error("the engine needs two connections");
    this.#bindings = bindings;
    this.#loading = loading;
    this.#querying = new EngineConnections({ connections: querying, checkpoint: () => this.#run("CHECKPOINT store") });
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
    this.#querying.checkpointWhenIdle();
    return { ...this.#usage(), unreadable };
  }

  /** Gives back those that cannot be read. */
  async #insertFiles(block: Block, site: Site, files: Files): Promise<Loaded["unreadable"]> {
    const unreadable: { key: string; reason: string }[] = [];
    const waiting = new InsertParts();
    for (const { key, bytes } of files) {
      for (const read of readEvents(bytes)) {
        if ("reason" in read) {
          unreadable.push({ key, ...read });
        } else {
          const part = dayPartOf(read);
          if (!waiting.hasRoomFor(part)) this.#insert(block, site, waiting.takeAll());
          waiting.add(part);
        }
        await this.#yieldToOthers();
      }
    }
    this.#insert(block, site, waiting.takeAll());
    return unreadable;
  }

  #siteOf({ id, siteId }: Block): Site {
    const site = this.#siteNamed(siteId);
    if (!this.#tables.has(id)) {
      const name = `block_${id}`;
      this.#run(`CREATE TABLE ${name} (${EVENT_TABLE_COLUMNS})`);
      this.#tables.set(id, { name, siteId, days: new Set(), rows: 0, lastSessions: null });
      site.tables.add(name);
    }
    return site;
  }

  #siteNamed(siteId: SiteId): Site {
    const known = this.#sites.get(siteId);
    if (known) return known;
    const number = ++this.#sitesMade;
    const [textsTable, propertiesTable] = [`texts_${number}`, `properties_${number}`];
    this.#run(`CREATE TABLE ${textsTable} (code INTEGER, text VARCHAR)`);
    this.#run(`CREATE TABLE ${propertiesTable} (props INTEGER, key INTEGER, value INTEGER)`);
    const site: Site = { textsTable, propertiesTable, texts: new SiteTexts(), properties: new SiteProperties(), tables: new Set(), sessionsMade: 0 };
    this.#sites.set(siteId, site);
    return site;
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
    this.#querying.noteRows(batch.rows);
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
    this.#run(renumberedSql(table.name, ofDay(day), sessionGapMs, site.sessionsMade));
    // At most one session a row, so no number is given twice.
    site.sessionsMade += table.rows;
    table.lastSessions = null;
  }

  #insertIpc(name: string, bytes: Uint8Array): void {
    this.#bindings.insertArrowFromIPCStream(this.#loading, bytes, { name, create: false });
  }

  #usage(): EngineUsage {
    const [row] = rowsFromIpc([this.#run("SELECT sum(memory_usage_bytes)::BIGINT AS bytes FROM duckdb_memory() WHERE tag IN ('BASE_TABLE', 'IN_MEMORY_TABLE', 'OVERFLOW_STRINGS', 'METADATA')")]);
    let textBytes = 0;
    for (const { texts } of this.#sites.values()) textBytes += texts.bytes;
    return { residentBytes: Number(row?.bytes ?? 0) + textBytes, textBytes };
  }

  async drop(blocks: readonly number[]): Promise<EngineUsage> {
    for (const id of blocks) {
      const table = this.#tables.get(id);
      if (!table) continue;
      this.#run(`DROP TABLE ${table.name}`);
      this.#tables.delete(id);
      this.#dropSiteWithout(table.siteId, table.name);
    }
    return this.#usage();
  }

  /** A site's texts go with its last block and its last summary. */
  #dropSiteWithout(siteId: SiteId, table: string): void {
    const site = this.#sites.get(siteId);
    site?.tables.delete(table);
    if (!site || site.tables.size > 0) return;
    this.#run(`DROP TABLE ${site.textsTable}`);
    this.#run(`DROP TABLE ${site.propertiesTable}`);
    this.#sites.delete(siteId);
  }

  async query(query: EngineQuery, signal: AbortSignal): Promise<SqlRow[]> {
    return query.perVisitor ? this.#tallies(query, query.perVisitor, signal) : rowsFromIpc(await this.#answer(query, signal));
  }

  async #tallies(query: EngineQuery, perVisitor: VisitorFunction, signal: AbortSignal): Promise<Tally[]> {
    const rows = eventRowsFromIpc(await this.#answer(query, signal));
    return talliesOf(await applyPerVisitor(perVisitor, rows, this.#yieldToOthers, signal));
  }

  async queryNumbers(query: EngineQuery, signal: AbortSignal): Promise<NumberColumns> {
    return columnsFromIpc(await this.#answer(query, signal));
  }

  summarise(summary: Summary, part: number, query: EngineQuery, signal: AbortSignal): Promise<Summarised> {
    return this.#summarise(summary, part, query, signal).catch(rethrown);
  }

  async #summarise(summary: Summary, part: number, query: EngineQuery, signal: AbortSignal): Promise<Summarised> {
    signal.throwIfAborted();
    this.#siteNamed(summary.siteId).tables.add(this.#summaries.open(summary));
    const rows = query.perVisitor
      ? this.#summaries.insertTallies(summary.id, part, await this.#tallies(query, query.perVisitor, signal))
      : Number(rowsFromIpc(await this.#answer(query, signal, this.#summaries.insertion(summary.id, part)))[0]?.Count);
    this.#querying.noteRows(rows);
    return { ...this.#usage(), rows };
  }

  async dropSummary(id: number, parts: readonly number[] | "all"): Promise<EngineUsage> {
    const dropped = this.#summaries.drop(id, parts);
    if (dropped) this.#dropSiteWithout(dropped.siteId, dropped.name);
    return this.#usage();
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

  async #answer(query: EngineQuery, signal: AbortSignal, into?: string): Promise<Uint8Array[]> {
    const connection = await this.#querying.take();
    const tables = new QueryTables({
      number: ++this.#queriesMade,
      run: (statement) => this.#run(statement),
      insert: (table, ipc) => this.#insertIpc(table, ipc),
    });
    try {
      signal.throwIfAborted();
      const patterns = patternsOf(query.parameters);
      if (patterns.length > 0) {
        const texts = this.#sites.get(query.siteId)?.texts ?? new SiteTexts();
        const matched = await matchTexts(texts, patterns, this.#yieldToOthers, signal);
        tables.add("matches", "code INTEGER, patterns BIGINT", matched.codes.length > 0 ? ipcFromMatches(matched) : null);
      }
      return await this.#results(connection, query, signal, { relations: tables.relations, patterns, into });
    } catch (error) {
      return rethrown(error);
    } finally {
      this.#dropQueryTables(connection, tables);
      this.#querying.giveBack(connection);
    }
  }

  #dropQueryTables(connection: number, tables: QueryTables): void {
    if (tables.isEmpty) return;
    try {
      // What is prepared holds the memory of the tables that it reads.
      this.#bindings.runQuery(connection, "PREPARE question AS SELECT 1");
      tables.drop();
    } catch {
      // An engine that cannot drop a table is broken, which the query's own failure or the next call tells.
    }
  }

  /**
   * Works on the query piece by piece (about a tenth of a second each), so that it can be aborted and
   * others get their turn. Parameters are bound by EXECUTE, which is the way to both in this build;
   * they are numbers only, so nothing of them can be taken for SQL.
   */
  async #results(connection: number, query: EngineQuery, signal: AbortSignal, own: OwnOfQuery): Promise<Uint8Array[]> {
    const bindings = this.#bindings;
    bindings.runQuery(connection, `PREPARE question AS ${this.#withRelations(query, own)}`);
    const values = query.parameters.map((parameter) => this.#literal(query.siteId, parameter, own.patterns));
    const execute = values.length > 0 ? `EXECUTE question(${values.join(", ")})` : "EXECUTE question";
    let head = bindings.startPendingQuery(connection, execute, false);
    while (head === null) {
      await this.#yieldToOthers();
      if (signal.aborted) {
        bindings.cancelPendingQuery(connection);
        // Until the next statement, what it has written stands in the way of checkpoints.
        bindings.runQuery(connection, "SELECT 1");
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

  /** The query behind the relations that it reads; with `into`, the statement that puts its rows there. */
  #withRelations({ siteId, blocks, sql, summary }: EngineQuery, { relations: own, into }: OwnOfQuery): string {
    const names = blocks.map((id) => {
      const table = this.#tables.get(id);
      if (!table) throw new EngineLostError(`block ${id} is gone`);
      return table.name;
    });
    const site = this.#sites.get(siteId);
    const relations = {
      events: (names.length > 0 ? names : [EMPTY_BLOCK]).map((name) => `SELECT * FROM ${name}`).join(" UNION ALL "),
      texts: site ? `SELECT * FROM ${site.textsTable}` : "SELECT 0 AS code, '' AS text WHERE false",
      properties: site ? `SELECT * FROM ${site.propertiesTable}` : "SELECT 0 AS props, 0 AS key, 0 AS value WHERE false",
      ...(summary && { pieces: this.#summaries.relationOf(summary) }),
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
      return String(this.#sites.get(siteId)?.texts.lookUp(parameter.text) ?? -1);
    }
    if (typeof parameter === "bigint" || Number.isFinite(parameter)) return String(parameter);
    throw new TypeError(`a query parameter is no finite number: ${parameter}`);
  }

  async close(): Promise<void> {
    // The database lives and dies with the memory that the adapter gave it.
  }
}
