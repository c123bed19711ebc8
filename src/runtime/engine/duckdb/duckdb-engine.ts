/** DuckDB-WASM behind the engine port: blocks are tables of numbers in a compressed in-memory database. */
import { eventOf } from "../../../storage/event-text.ts";
import { EVENT_COLUMNS } from "../../../storage/event-columns.ts";
import { columnsOfEvents, readEvents } from "../../../storage/parquet-events.ts";
import { DAY_MS, type SiteId } from "../../../storage/event.ts";
import { columnsFromIpc, eventRowsFromIpc, ipcFromEvents, rowsFromIpc } from "./arrow-batches.ts";
import { applyPerVisitor, talliesOf, type Tally, type VisitorFunction } from "./behavioral/visitor-function.ts";
import { DaySessions, renumberedSql, type KnownVisitor } from "./day-sessions.ts";
import type { DuckdbBindings } from "./duckdb-bindings.ts";
import { EngineConnections } from "./engine-connections.ts";
import { EngineQueries, rethrown } from "./engine-queries.ts";
import { EngineSites, type Site } from "./engine-sites.ts";
import {
  EngineLostError,
  type Block,
  type BlockSource,
  type Engine,
  type EngineExtension,
  type EngineQuery,
  type EngineUsage,
  type Loaded,
  type NumberColumns,
  type SqlRow,
  type Summarised,
  type PartialTableRef,
} from "../engine.ts";
import { TEXT_COLUMNS, batchOf } from "./event-batch.ts";
import { InsertParts, dayPartOf, type DayPart } from "./insert-parts.ts";
import { PartialAggregateTables } from "./partial-aggregate-tables.ts";

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
  "sequence_number INTEGER",
  "session INTEGER",
].join(", ");

/** What is read of a file for a block whose properties nobody wants. */
const COLUMNS_WITHOUT_PROPS = EVENT_COLUMNS.filter(({ kind }) => kind !== "json");

const ofDay = (day: number): string => `timestamp >= ${day * DAY_MS} AND timestamp < ${(day + 1) * DAY_MS}`;

const EMPTY_BLOCK = "block_none";

type Files = Extract<BlockSource, { readonly files: unknown }>["files"];

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
  readonly #querying: EngineConnections;
  readonly #yieldToOthers: () => Promise<void>;
  readonly #tables = new Map<number, Table>();
  readonly #partialAggregates = new PartialAggregateTables((statement) => this.#run(statement));
  readonly #sites: EngineSites;
  readonly #queries: EngineQueries;
  readonly #extensions = new Set<EngineExtension["name"]>();

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
    const loader = {
      run: (statement: string) => this.#run(statement),
      insert: (table: string, ipc: Uint8Array) => this.#insertIpc(table, ipc),
    };
    this.#sites = new EngineSites(loader);
    const blockTables = (blocks: readonly number[]) => (blocks.length > 0 ? blocks.map((id) => this.#tableNameOf(id)) : [EMPTY_BLOCK]);
    this.#queries = new EngineQueries({
      bindings,
      connections: this.#querying,
      yieldToOthers,
      ...loader,
      sites: this.#sites,
      partialAggregates: this.#partialAggregates,
      blockTables,
    });
  }

  #tableNameOf(block: number): string {
    const table = this.#tables.get(block);
    if (!table) throw new EngineLostError(`block ${block} is gone`);
    return table.name;
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
    return { ...this.#usage(), propsBytes: site.props.of(block.id)?.bytes ?? null, unreadable };
  }

  /** Gives back those that cannot be read. */
  async #insertFiles(block: Block, site: Site, files: Files): Promise<Loaded["unreadable"]> {
    const unreadable: { key: string; reason: string }[] = [];
    const waiting = new InsertParts();
    for (const { key, bytes } of files) {
      for (const read of readEvents(bytes, site.props.of(block.id) ? EVENT_COLUMNS : COLUMNS_WITHOUT_PROPS)) {
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
    const site = this.#sites.open(siteId);
    if (!this.#tables.has(id)) {
      const name = `block_${id}`;
      this.#run(`CREATE TABLE ${name} (${EVENT_TABLE_COLUMNS})`);
      this.#tables.set(id, { name, siteId, days: new Set(), rows: 0, lastSessions: null });
      site.tables.add(name);
      site.props.keep(id);
    }
    return site;
  }

  #insert(block: Block, site: Site, parts: readonly DayPart[]): void {
    const table = this.#tables.get(block.id);
    const batch = batchOf(
      parts.map(({ events }) => events),
      { texts: site.texts, props: site.props.of(block.id) },
    );
    if (!table || batch.rows === 0) return;
    this.#sites.insertTexts(site);
    if ((site.props.of(block.id)?.bytes ?? 0) > block.propsBytesMax) site.props.drop(block.id);
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

  #sessionsOf({ sessionGapMs }: Block, table: Table, site: Site, day: number): DaySessions {
    if (table.lastSessions?.day === day) return table.lastSessions.sessions;
    const known = table.days.has(day) ? this.#knownVisitors(table, day) : [];
    const sessions = new DaySessions(sessionGapMs, () => ++site.sessionsMade, known);
    table.lastSessions = { day, sessions };
    return sessions;
  }

  #knownVisitors({ name }: Table, day: number): KnownVisitor[] {
    const rows = rowsFromIpc([
      this.#run(
        `SELECT visitor_id, max(timestamp) AS timestamp_ms, max(session) AS session FROM ${name} WHERE ${ofDay(day)} GROUP BY visitor_id`,
      ),
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
    const [row] = rowsFromIpc([
      this.#run(
        "SELECT sum(memory_usage_bytes)::BIGINT AS bytes FROM duckdb_memory() WHERE tag IN ('BASE_TABLE', 'IN_MEMORY_TABLE', 'OVERFLOW_STRINGS', 'METADATA')",
      ),
    ]);
    const { textBytes, propsBytes } = this.#sites;
    return { residentBytes: Number(row?.bytes ?? 0) + textBytes + propsBytes, textBytes };
  }

  async drop(blocks: readonly number[]): Promise<EngineUsage> {
    for (const id of blocks) {
      const table = this.#tables.get(id);
      if (!table) continue;
      this.#run(`DROP TABLE ${table.name}`);
      this.#tables.delete(id);
      this.#sites.get(table.siteId)?.props.drop(id);
      this.#sites.noteDropped(table.siteId, table.name);
    }
    return this.#usage();
  }

  async dropProps(blocks: readonly number[]): Promise<EngineUsage> {
    for (const id of blocks) {
      const table = this.#tables.get(id);
      if (table) this.#sites.get(table.siteId)?.props.drop(id);
    }
    return this.#usage();
  }

  async propsTexts(siteId: SiteId, numbers: readonly number[]): Promise<string[]> {
    const props = this.#sites.get(siteId)?.props;
    return numbers.map((number) => {
      const text = props?.textOf(number);
      if (text === undefined) throw new EngineLostError("properties of events are gone");
      return text;
    });
  }

  async query(query: EngineQuery, signal: AbortSignal): Promise<SqlRow[]> {
    return query.perVisitor ? this.#tallies(query, query.perVisitor, signal) : rowsFromIpc(await this.#queries.answer(query, signal));
  }

  async #tallies(query: EngineQuery, perVisitor: VisitorFunction, signal: AbortSignal): Promise<Tally[]> {
    const rows = eventRowsFromIpc(await this.#queries.answer(query, signal));
    return talliesOf(await applyPerVisitor(perVisitor, rows, this.#yieldToOthers, signal));
  }

  async queryNumbers(query: EngineQuery, signal: AbortSignal): Promise<NumberColumns> {
    return columnsFromIpc(await this.#queries.answer(query, signal));
  }

  summarise(summary: PartialTableRef, part: number, query: EngineQuery, signal: AbortSignal): Promise<Summarised> {
    return this.#summarise(summary, part, query, signal).catch(rethrown);
  }

  async #summarise(summary: PartialTableRef, part: number, query: EngineQuery, signal: AbortSignal): Promise<Summarised> {
    signal.throwIfAborted();
    this.#sites.open(summary.siteId).tables.add(this.#partialAggregates.open(summary));
    const rows = query.perVisitor
      ? this.#partialAggregates.insertTallies(summary.id, part, await this.#tallies(query, query.perVisitor, signal))
      : Number(rowsFromIpc(await this.#queries.answer(query, signal, this.#partialAggregates.insertion(summary.id, part)))[0]?.Count);
    this.#querying.noteRows(rows);
    return { ...this.#usage(), rows, keptTextBytes: this.#partialAggregates.textBytesOf(summary.id, part) };
  }

  async dropSummary(id: number, parts: readonly number[] | "all"): Promise<EngineUsage> {
    const dropped = this.#partialAggregates.drop(id, parts);
    if (dropped) this.#sites.noteDropped(dropped.siteId, dropped.name);
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

  async close(): Promise<void> {
    // The database lives and dies with the memory that the adapter gave it.
  }
}
