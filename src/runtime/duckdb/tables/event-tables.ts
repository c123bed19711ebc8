/** The event tables, one per block: loads Parquet files and buffered events into them, and numbers the sessions of the new rows. */
import { eventOf } from "../../../storage/event-text.ts";
import { EVENT_COLUMNS, NUMBER_COLUMNS, TEXT_COLUMNS, type SiteId } from "../../../storage/event.ts";
import { columnsOfEvents, readEvents } from "../../../storage/parquet-events.ts";
import { dayNumberOf } from "../../../storage/calendar.ts";
import { EngineLostError, type Block, type BlockSource, type Loaded } from "../engine.ts";
import { ipcFromEvents, rowsFromIpc } from "./arrow-batches.ts";
import { DaySessions, type LastEvent, renumberSessionsSql } from "./day-sessions.ts";
import type { EngineSites, Site } from "./engine-sites.ts";
import { PendingInsert, batchOf, type DayEvents } from "./event-batch.ts";
import { SessionTables, type BlockTable } from "./session-tables.ts";

const TABLE_COLUMNS = [
  ...TEXT_COLUMNS.map(({ name }) => `${name} INTEGER`),
  ...NUMBER_COLUMNS.map(({ name }) => `${name} BIGINT`),
  "visitor_id UBIGINT",
  "timestamp BIGINT",
  "day INTEGER",
  "sequence_number INTEGER",
  "session INTEGER",
].join(", ");

/** Columns read from files for a block that keeps no properties. */
const COLUMNS_WITHOUT_PROPS = EVENT_COLUMNS.filter(({ kind }) => kind !== "json");

/** The relation `events` of a query over no block. */
const EMPTY_TABLE = "block_none";

const isOfDaySql = (day: number): string => `day = ${day}`;

type Files = Extract<BlockSource, { readonly files: unknown }>["files"];

interface EventTable extends BlockTable {
  /** Rows by days since the epoch. */
  readonly days: Map<number, number>;
  growingDay: number | null;
  rows: number;
  /** Sessions of the day that got rows last. It is the most likely to get more. */
  lastSessions: { readonly day: number; readonly sessions: DaySessions } | null;
}

export interface EventTablesOptions {
  readonly run: (statement: string) => Uint8Array;
  readonly insert: (table: string, ipc: Uint8Array) => void;
  readonly sites: EngineSites;
  readonly noteRows: (rows: number) => void;
  readonly yieldToOthers: () => Promise<void>;
}

export class EventTables {
  readonly #options: EventTablesOptions;
  readonly #tables = new Map<number, EventTable>();
  readonly #sessions: SessionTables;

  constructor(options: EventTablesOptions) {
    this.#options = options;
    this.#sessions = new SessionTables(options);
    options.run(`CREATE TABLE ${EMPTY_TABLE} (${TABLE_COLUMNS})`);
  }

  #table(id: number): EventTable {
    const table = this.#tables.get(id);
    if (!table) throw new EngineLostError(`block ${id} does not exist`);
    return table;
  }

  /** The relations `events` and `sessions` of the blocks. */
  relationsOf(siteId: SiteId, blocks: readonly number[]): { readonly events: string; readonly sessions: string } {
    const tables = blocks.map((id) => this.#table(id));
    const events = (tables.length > 0 ? tables.map(({ name }) => name) : [EMPTY_TABLE]).map((name) => `SELECT * FROM ${name}`);
    return {
      events: events.join(" UNION ALL "),
      sessions: this.#sessions.relationOf(siteId, tables, `SELECT * FROM ${EMPTY_TABLE}`),
    };
  }

  /**
   * Stores the sessions of the blocks' days, except for days that still grow. Rejects with the signal's reason if aborted; what is stored
   * by then stays.
   */
  async storeSessions(blocks: readonly number[], signal: AbortSignal): Promise<void> {
    for (const id of blocks) {
      while (this.#sessions.storeNext(this.#table(id))) {
        await this.#options.yieldToOthers();
        signal.throwIfAborted();
      }
    }
  }

  /** Adds events to a block; creates its table if it is new. */
  async load(block: Block, source: BlockSource): Promise<Pick<Loaded, "propsBytes" | "unreadable">> {
    const site = this.#open(block);
    const unreadable = "files" in source ? await this.#loadFiles(block, site, source.files) : [];
    if ("events" in source) {
      const day = dayNumberOf(source.date);
      this.#insert(block, site, [{ day, events: columnsOfEvents(source.events.map(eventOf)) }]);
      if (source.events.length > 0) this.#table(block.id).growingDay = day;
    }
    return { propsBytes: site.props.of(block.id)?.bytes ?? null, unreadable };
  }

  #open({ id, siteId }: Block): Site {
    const { run, sites } = this.#options;
    const site = sites.open(siteId);
    if (!this.#tables.has(id)) {
      const name = `block_${id}`;
      run(`CREATE TABLE ${name} (${TABLE_COLUMNS})`);
      this.#tables.set(id, { id, name, siteId, days: new Map(), growingDay: null, rows: 0, lastSessions: null });
      site.tables.add(name);
      site.props.addBlock(id);
    }
    return site;
  }

  /** Returns the files that cannot be read. */
  async #loadFiles(block: Block, site: Site, files: Files): Promise<Loaded["unreadable"]> {
    const unreadable: { key: string; reason: string }[] = [];
    const pending = new PendingInsert();
    for (const { key, date, bytes } of files) {
      for (const read of readEvents(bytes, block.siteId, site.props.of(block.id) ? EVENT_COLUMNS : COLUMNS_WITHOUT_PROPS)) {
        if ("reason" in read) {
          unreadable.push({ key, ...read });
        } else {
          const dayEvents = { day: dayNumberOf(date), events: read };
          if (!pending.hasRoomFor(dayEvents)) this.#insert(block, site, pending.takeAll());
          pending.add(dayEvents);
        }
        await this.#options.yieldToOthers();
      }
    }
    this.#insert(block, site, pending.takeAll());
    return unreadable;
  }

  #insert(block: Block, site: Site, days: readonly DayEvents[]): void {
    const { insert, noteRows, sites } = this.#options;
    const table = this.#tables.get(block.id);
    const batch = batchOf(
      days.map(({ events }) => events),
      { strings: site.strings, props: site.props.of(block.id) },
    );
    if (!table || batch.rows === 0) return;
    sites.insertStrings(site);
    if ((site.props.of(block.id)?.bytes ?? 0) > block.propsBytesMax) site.props.dropBlock(block.id);
    for (const { day } of days) this.#sessions.forgetDay(table, day);
    const { places, unordered } = this.#assignSessions(block, table, site, days);
    insert(table.name, ipcFromEvents(batch, places, table.rows));
    table.rows += batch.rows;
    for (const { day, events } of days) table.days.set(day, (table.days.get(day) ?? 0) + events.rows);
    noteRows(batch.rows);
    for (const day of unordered) this.#renumberSessions(block, table, site, day);
  }

  /** The day and session of each row, and the days whose sessions have to be numbered again. */
  #assignSessions(block: Block, table: EventTable, site: Site, days: readonly DayEvents[]) {
    const rows = days.reduce((sum, { events }) => sum + events.rows, 0);
    const places = { days: new Int32Array(rows), sessions: new Int32Array(rows) };
    const unordered = new Set<number>();
    let begin = 0;
    for (const { day, events } of days) {
      const ofDay = this.#sessionsOf(block, table, site, day);
      places.sessions.set(ofDay.assign(events.visitorIds, events.timestampsMs), begin);
      places.days.fill(day, begin, begin + events.rows);
      if (!ofDay.inOrder) unordered.add(day);
      begin += events.rows;
    }
    return { places, unordered };
  }

  #sessionsOf({ sessionGapMs }: Block, table: EventTable, site: Site, day: number): DaySessions {
    if (table.lastSessions?.day === day) return table.lastSessions.sessions;
    const lastEvents = table.days.has(day) ? this.#lastEvents(table, day) : [];
    const sessions = new DaySessions(sessionGapMs, () => ++site.sessionCount, lastEvents);
    table.lastSessions = { day, sessions };
    return sessions;
  }

  #lastEvents({ name }: EventTable, day: number): LastEvent[] {
    const sql = `SELECT visitor_id, max(timestamp) AS timestamp_ms, max(session) AS session FROM ${name} WHERE ${isOfDaySql(day)} GROUP BY visitor_id`;
    return rowsFromIpc([this.#options.run(sql)]).map((row) => ({
      visitorId: BigInt(row.visitor_id ?? 0),
      timestampMs: BigInt(row.timestamp_ms ?? 0),
      session: Number(row.session),
    }));
  }

  /** Needed for a day during which the clock was set back. Reads and writes the whole day. */
  #renumberSessions({ sessionGapMs }: Block, table: EventTable, site: Site, day: number): void {
    this.#options.run(renumberSessionsSql(table.name, isOfDaySql(day), sessionGapMs, site.sessionCount));
    // There is at most one session per row, so no later session gets one of these numbers.
    site.sessionCount += table.rows;
    table.lastSessions = null;
  }

  /** Drops blocks with their properties; unknown ones are fine. */
  drop(blocks: readonly number[]): void {
    const { run, sites } = this.#options;
    for (const id of blocks) {
      const table = this.#tables.get(id);
      if (!table) continue;
      this.#sessions.drop(table);
      run(`DROP TABLE ${table.name}`);
      this.#tables.delete(id);
      sites.get(table.siteId)?.props.dropBlock(id);
      sites.noteDropped(table.siteId, table.name);
    }
  }

  /** Drops the properties of blocks; unknown ones are fine. */
  dropProps(blocks: readonly number[]): void {
    for (const id of blocks) {
      const table = this.#tables.get(id);
      if (table) this.#options.sites.get(table.siteId)?.props.dropBlock(id);
    }
  }
}
