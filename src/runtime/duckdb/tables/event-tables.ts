/** The event tables, one per block: loads Parquet files and buffered events into them, and numbers the sessions of the new rows. */
import { dayNumberOf } from "../../../storage/calendar.ts";
import { DAY_MS, EVENT_COLUMNS, eventOf, NUMBER_COLUMNS, type SiteId, TEXT_COLUMNS } from "../../../storage/event.ts";
import { columnsOfEvents, readEvents } from "../../../storage/parquet-events.ts";
import { sizeGroups } from "../../../storage/partitions.ts";
import { PAGEVIEW } from "../../base/config/names.ts";
import { type Block, type BlockSource, DroppedError, type Loaded } from "../engine.ts";
import { batchOf, type DayEvents, ipcFromEvents, ipcFromStrings, PendingInsert, rowsFromIpc } from "./arrow.ts";
import { DaySessions, type LastEvent, renumberSessionsSql } from "./day-sessions.ts";
import { PropsDictionary, StringDictionary } from "./dictionaries.ts";

/** More than the number of rows of any block. */
const SEQUENCE_NUMBERS = 2 ** 31;

/** Orders the events of a day by time and then by sequence number, in one number. */
const MOMENT = `(timestamp - CAST(day AS BIGINT) * ${DAY_MS}) * ${SEQUENCE_NUMBERS} + sequence_number`;

/** Events that one statement groups, unless a single day has more: about 50 ms. */
const GROUPED_ROWS_MAX = 200_000;

interface BlockTable {
  readonly id: number;
  readonly name: string;
  readonly siteId: SiteId;
  readonly days: ReadonlyMap<number, number>;
  /** The day that got single events last. It is not stored, because the next event would outdate it. */
  readonly growingDay: number | null;
}

/** `pageview` is the code of that event name. Grouping by `day`, too, lets a query's range of days apply before the grouping. */
const groupedSql = (events: string, pageview: number): string => `
  SELECT
    session,
    min(visitor_id) AS visitor_id,
    day,
    min(timestamp) AS first_ms,
    max(timestamp) AS last_ms,
    CAST(count(*) AS INTEGER) AS events,
    CAST(count(*) FILTER (WHERE event_name = ${pageview}) AS INTEGER) AS pageviews,
    arg_min(pathname, ${MOMENT}) FILTER (WHERE event_name = ${pageview}) AS entry_page,
    arg_max(pathname, ${MOMENT}) FILTER (WHERE event_name = ${pageview}) AS exit_page
  FROM (${events}) AS grouped_events
  GROUP BY session, day`;

const eventsOf = ({ name }: BlockTable, days: readonly number[]): string => `SELECT * FROM ${name} WHERE day IN (${days.join(", ")})`;

const tableOf = ({ id }: BlockTable): string => `sessions_${id}`;

/**
 * The relation `sessions`, and the tables behind it: one per block, with the sessions of its days. All session reports read them,
 * whatever their filter, instead of grouping the events again. A day that is not in the table is grouped by the query itself, so the
 * relation is the same with and without tables.
 */
class SessionTables {
  readonly #options: Pick<EventTablesOptions, "run" | "sites" | "noteRows">;
  /** The days in each block's table. Blocks without a table have no entry. */
  readonly #stored = new Map<number, Set<number>>();

  constructor(options: Pick<EventTablesOptions, "run" | "sites" | "noteRows">) {
    this.#options = options;
  }

  #missingDays({ id, days }: BlockTable): number[] {
    const stored = this.#stored.get(id);
    return [...days.keys()].filter((day) => !stored?.has(day));
  }

  #pageview(siteId: SiteId): number {
    return this.#options.sites.get(siteId)?.strings.lookUp(PAGEVIEW) ?? -1;
  }

  /** The relation `sessions` of these blocks. `noEvents` is an empty relation of events. */
  relationOf(siteId: SiteId, blocks: readonly BlockTable[], noEvents: string): string {
    const stored = blocks.filter(({ id }) => (this.#stored.get(id)?.size ?? 0) > 0).map((block) => `SELECT * FROM ${tableOf(block)}`);
    const missing = blocks.flatMap((block) => {
      const days = this.#missingDays(block);
      return days.length > 0 ? [eventsOf(block, days)] : [];
    });
    if (missing.length === 0 && stored.length > 0) return stored.join(" UNION ALL ");
    const grouped = groupedSql(missing.length > 0 ? missing.join(" UNION ALL ") : noEvents, this.#pageview(siteId));
    return [...stored, grouped].join(" UNION ALL ");
  }

  /**
   * The next days of the block to store, in one statement; false if there is nothing to store. Callers let other work run in between:
   * days may get rows then.
   */
  storeNext(block: BlockTable): boolean {
    const { run, noteRows } = this.#options;
    const missing = this.#missingDays(block).filter((day) => day !== block.growingDay);
    const [days] = sizeGroups(missing, (day) => block.days.get(day) ?? 0, GROUPED_ROWS_MAX);
    if (!days) return false;
    const grouped = groupedSql(eventsOf(block, days), this.#pageview(block.siteId));
    const stored = this.#stored.get(block.id);
    const result = run(stored ? `INSERT INTO ${tableOf(block)} ${grouped}` : `CREATE TABLE ${tableOf(block)} AS ${grouped}`);
    noteRows(Number(rowsFromIpc([result])[0]?.Count ?? 0));
    this.#stored.set(block.id, new Set([...(stored ?? []), ...days]));
    return true;
  }

  /** Must be called before rows of the day change. */
  forgetDay(block: BlockTable, day: number): void {
    if (this.#stored.get(block.id)?.delete(day)) this.#options.run(`DELETE FROM ${tableOf(block)} WHERE day = ${day}`);
  }

  drop(block: BlockTable): void {
    if (this.#stored.delete(block.id)) this.#options.run(`DROP TABLE ${tableOf(block)}`);
  }
}

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

type Files = Extract<BlockSource, { readonly files: unknown }>["files"];

interface EventTable extends BlockTable {
  /** Rows by days since the epoch. */
  readonly days: Map<number, number>;
  growingDay: number | null;
  rows: number;
  /** Sessions of the day that got rows last. It is the most likely to get more. */
  lastSessions: { readonly day: number; readonly sessions: DaySessions } | null;
}

interface EventTablesOptions {
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
    if (!table) throw new DroppedError(`block ${id} does not exist`);
    return table;
  }

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
    const sql = `SELECT visitor_id, max(timestamp) AS timestamp_ms, max(session) AS session FROM ${name} WHERE day = ${day} GROUP BY visitor_id`;
    return rowsFromIpc([this.#options.run(sql)]).map((row) => ({
      visitorId: BigInt(row.visitor_id ?? 0),
      timestampMs: BigInt(row.timestamp_ms ?? 0),
      session: Number(row.session),
    }));
  }

  /** Needed for a day during which the clock was set back. Reads and writes the whole day. */
  #renumberSessions({ sessionGapMs }: Block, table: EventTable, site: Site, day: number): void {
    this.#options.run(renumberSessionsSql(table.name, day, sessionGapMs, site.sessionCount));
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

interface Site {
  readonly strings: StringDictionary;
  readonly stringsTable: string;
  readonly props: PropsDictionary;
  readonly tables: Set<string>;
  sessionCount: number;
}

/** The connection that loads data. */
export interface Loader {
  readonly run: (statement: string) => unknown;
  readonly insert: (table: string, ipc: Uint8Array) => void;
}

/** The engine's data of a site besides its event tables: dictionaries, and the number of its sessions. */
export class EngineSites {
  readonly #loader: Loader;
  readonly #sites = new Map<SiteId, Site>();
  #tablesCreated = 0;

  constructor(loader: Loader) {
    this.#loader = loader;
  }

  get(siteId: SiteId): Site | undefined {
    return this.#sites.get(siteId);
  }

  open(siteId: SiteId): Site {
    const known = this.#sites.get(siteId);
    if (known) return known;
    const stringsTable = `texts_${++this.#tablesCreated}`;
    this.#loader.run(`CREATE TABLE ${stringsTable} (code INTEGER, text VARCHAR)`);
    const site = {
      stringsTable,
      strings: new StringDictionary(),
      props: new PropsDictionary(),
      tables: new Set<string>(),
      sessionCount: 0,
    };
    this.#sites.set(siteId, site);
    return site;
  }

  /** Inserts the strings with new codes. To be called before events that refer to them are inserted. */
  insertStrings({ strings, stringsTable }: Site): void {
    const added = strings.added();
    if (added.strings.length > 0) this.#loader.insert(stringsTable, ipcFromStrings(added.firstCode, added.strings));
    strings.confirmAdded();
  }

  /** A table of the site was dropped. The dictionaries are dropped with the last one. */
  noteDropped(siteId: SiteId, table: string): void {
    const site = this.#sites.get(siteId);
    site?.tables.delete(table);
    if (!site || site.tables.size > 0) return;
    this.#loader.run(`DROP TABLE ${site.stringsTable}`);
    this.#sites.delete(siteId);
  }

  get stringBytes(): number {
    return [...this.#sites.values()].reduce((sum, { strings }) => sum + strings.bytes, 0);
  }

  get propsBytes(): number {
    return [...this.#sites.values()].reduce((sum, { props }) => sum + props.bytes, 0);
  }
}
