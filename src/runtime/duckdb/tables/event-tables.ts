/**
 * The event tables of blocks. A block has a table with what nearly every query reads, and one for each further column, loaded when a
 * query first reads it: their rows correspond by place. A block that grows has all columns in one table.
 */
import type { EventValue } from "../../query/sql.ts";
import { dayNumberOf } from "../../../storage/calendar.ts";
import { type EventColumn, eventOf, INTERACTIVE_COLUMN, type SiteId } from "../../../storage/event.ts";
import { columnsOfEvents, type DecodedEvents, readEvents } from "../../../storage/parquet-events.ts";
import { PAGEVIEW } from "../../base/config/names.ts";
import { type Block, type BlockFile, type BlockSource, DroppedError, type EngineQuery, type Loaded } from "../engine.ts";
import { ArrivalNames } from "./arrivals.ts";
import { countedFrom, ipcFromStrings, ipcsOf, type NumberValues, visitRowsFromIpc } from "./arrow.ts";
import { NO_INTERACTION, NO_PAGE } from "./day-sessions.ts";
import { Combinations, PropsDictionary, StringDictionary } from "./dictionaries.ts";
import {
  ARRIVAL_COLUMNS,
  BASE_NAMES,
  decodedFor,
  decodedOf,
  type Dictionaries,
  FURTHER_COLUMNS,
  type NamedColumns,
  namesOf,
  numbersOf,
  SEQUENCE_NUMBER,
  sqlOfColumns,
  timestampsOf,
  valuesOf,
  VISIT_COLUMNS,
  type VisitColumn,
  visitColumnOf,
  visitorIdsOf,
} from "./event-columns.ts";
import { type DayRows, type Grown, SESSION_COLUMNS, SessionTable } from "./session-tables.ts";

/** Rows that are inserted together, if there are so many: a row group of DuckDB, so that none is compressed twice. */
const ROWS_TOGETHER = 122_880;

/** Rows of which all columns are made before other work of the thread runs. All columns of a large day would take more memory than all else. */
const ROWS_AT_ONCE = 50_000;

const ALL_NAMES = [...BASE_NAMES, ...FURTHER_COLUMNS.flatMap(namesOf)];

/** The relations of a query over no block. */
const [NO_EVENTS, NO_SESSIONS] = ["block_none", "sessions_none"];

interface EventTable {
  readonly id: number;
  readonly name: string;
  readonly siteId: SiteId;
  readonly propsBytesMax: number;
  /** The further columns that are loaded, each in a table of its own; null of a block that grows. */
  readonly further: Set<EventValue> | null;
  /** Rows by days since the epoch, in the order of the rows. */
  readonly days: Map<number, number>;
  rows: number;
  readonly sessions: SessionTable;
}

const sessionsOf = ({ id }: Pick<EventTable, "id">): string => `sessions_${id}`;

const furtherTable = ({ name }: EventTable, column: EventValue): string => `${name}_${column}`;

/** Events of one day, in order of sequence number. */
interface DayEvents {
  /** Days since the epoch, by the date of their partition. */
  readonly day: number;
  readonly parts: readonly DecodedEvents[];
}

const rowsIn = (parts: readonly DecodedEvents[]): number => parts.reduce((sum, { rows }) => sum + rows, 0);

const rowsOf = ({ parts }: DayEvents): number => rowsIn(parts);

/** Consecutive parts, so many that they have `ROWS_AT_ONCE` rows if there are more. */
function* portionsOf(parts: readonly DecodedEvents[]): Iterable<readonly DecodedEvents[]> {
  let portion: DecodedEvents[] = [];
  for (const part of parts) {
    portion.push(part);
    if (rowsIn(portion) < ROWS_AT_ONCE) continue;
    yield portion;
    portion = [];
  }
  if (portion.length > 0) yield portion;
}

/** The events of a day's files, each of which is read as a whole or not at all. */
interface ReadDay extends DayEvents {
  readonly unreadable: Loaded["unreadable"];
}

/** Consecutive files of one date. */
function runsOfDays(files: readonly BlockFile[]): BlockFile[][] {
  const runs: BlockFile[][] = [];
  for (const file of files) {
    const run = runs.at(-1);
    if (run?.[0]?.date === file.date) run.push(file);
    else runs.push([file]);
  }
  return runs;
}

/** Gathers days until they are enough for an INSERT, which takes some milliseconds however few rows it brings. */
class Gathered {
  days: DayEvents[] = [];
  #rows = 0;

  add(day: DayEvents): void {
    this.days.push(day);
    this.#rows += rowsOf(day);
  }

  get areEnough(): boolean {
    return this.#rows >= ROWS_TOGETHER;
  }

  takeAll(): readonly DayEvents[] {
    const { days } = this;
    [this.days, this.#rows] = [[], 0];
    return days;
  }
}

type Codes = Int32Array | BigUint64Array;

type FurtherValues = Readonly<Record<string, NumberValues>>;

/** The values of a further column by name, for rows that begin at this one of the table. */
function furtherValues(column: EventValue, parts: readonly DecodedEvents[], begin: number, dictionaries: Dictionaries): FurtherValues {
  const values = valuesOf(column, parts, dictionaries);
  if (column !== "timestamp") return { [column]: values };
  return { [column]: values, [SEQUENCE_NUMBER]: countedFrom(begin, (values as BigInt64Array).length) };
}

/** What a query reads of a block: its base, joined with further columns by place. */
function joinedTables(table: EventTable, columns: readonly EventValue[]): string {
  const { further, name } = table;
  if (!further) return name;
  const missing = columns.filter((column) => !further.has(column));
  if (missing.length > 0) throw new DroppedError(`block ${table.id} does not have the columns ${missing.join(", ")}`);
  return [name, ...columns.map((column) => furtherTable(table, column))].join(" POSITIONAL JOIN ");
}

/** The sessions of a block with values of their first events. */
function visitsWith(table: EventTable, columns: readonly VisitColumn[]): string {
  const values = columns.map((column) => `firsts.${column} AS ${visitColumnOf(column)}`).join(", ");
  const firsts = `SELECT ${table.name}.rowid AS place, ${columns.join(", ")} FROM ${joinedTables(table, columns)}`;
  return `SELECT visits.*, ${values} FROM ${sessionsOf(table)} AS visits JOIN (${firsts}) AS firsts ON firsts.place = visits.first_event`;
}

type BlocksToRead = Pick<EngineQuery, "blocks" | "range">;

function hasDaysIn({ days }: EventTable, range: BlocksToRead["range"]): boolean {
  if (range === undefined) return true;
  const [first, last] = [dayNumberOf(range.firstDay), dayNumberOf(range.lastDay)];
  return [...days.keys()].some((day) => day >= first && day <= last);
}

const changed = ({ id }: EventTable): DroppedError => new DroppedError(`the files of block ${id} have other rows than it has`);

interface EventTablesOptions {
  readonly run: (statement: string) => Uint8Array;
  readonly insert: (table: string, ipc: Uint8Array) => void;
  readonly sites: EngineSites;
  readonly grown: Grown;
  readonly yieldToOthers: () => Promise<void>;
}

export class EventTables {
  readonly #options: EventTablesOptions;
  readonly #tables = new Map<number, EventTable>();

  constructor(options: EventTablesOptions) {
    this.#options = options;
    options.run(`CREATE TABLE ${NO_EVENTS} (${sqlOfColumns(ALL_NAMES)})`);
    const ofVisits = sqlOfColumns(VISIT_COLUMNS.map(visitColumnOf));
    options.run(`CREATE TABLE ${NO_SESSIONS} (${SESSION_COLUMNS}, ${ofVisits})`);
  }

  #table(id: number): EventTable {
    const table = this.#tables.get(id);
    if (!table) throw new DroppedError(`block ${id} does not exist`);
    return table;
  }

  /** The SELECTs of the relations that a query reads. `events` has the base and these columns, `sessions` those of visits. */
  relationsOf(
    { blocks, range }: BlocksToRead,
    { columns, ofVisits }: NamedColumns,
  ): { readonly events: string; readonly sessions: string } {
    const tables = blocks.map((id) => this.#table(id)).filter((table) => hasDaysIn(table, range));
    const further = FURTHER_COLUMNS.filter((column) => columns.has(column));
    const sessionsIn = (table: EventTable) => (ofVisits.length > 0 ? visitsWith(table, ofVisits) : `SELECT * FROM ${sessionsOf(table)}`);
    const names = [...BASE_NAMES, ...further.flatMap(namesOf)].join(", ");
    const events = tables.length > 0 ? tables.map((table) => joinedTables(table, further)) : [NO_EVENTS];
    const sessions = tables.length > 0 ? tables.map(sessionsIn) : [`SELECT * FROM ${NO_SESSIONS}`];
    return {
      events: events.map((joined) => `SELECT ${names} FROM ${joined}`).join(" UNION ALL "),
      sessions: sessions.join(" UNION ALL "),
    };
  }

  /** Adds events to a block; creates its tables if it is new. */
  async load(block: Block, source: BlockSource): Promise<Pick<Loaded, "propsBytes" | "unreadable">> {
    const site = this.#options.sites.open(block.siteId);
    const table = this.#tables.get(block.id) ?? this.#create(block, site, "files" in source ? (source.columns ?? []) : []);
    let unreadable: Loaded["unreadable"] = [];
    if ("files" in source) unreadable = await this.#loadFiles(table, site, source.files);
    else await this.#insert(table, site, [{ day: dayNumberOf(source.date), parts: [columnsOfEvents(source.events.map(eventOf))] }]);
    return { propsBytes: site.props.of(block.id)?.bytes ?? null, unreadable };
  }

  #create({ id, siteId, sessionGapMs, propsBytesMax, grows }: Block, site: Site, columns: readonly EventValue[]): EventTable {
    const name = `block_${id}`;
    const sessions = new SessionTable({
      ...this.#options,
      name: sessionsOf({ id }),
      gapMs: sessionGapMs,
      nextNumber: () => ++site.sessionCount,
    });
    const further = grows ? null : new Set<EventValue>();
    const table: EventTable = { id, name, siteId, propsBytesMax, further, days: new Map(), rows: 0, sessions };
    this.#options.run(`CREATE TABLE ${name} (${sqlOfColumns(further ? BASE_NAMES : ALL_NAMES)})`);
    this.#tables.set(id, table);
    site.tables.add(name);
    if (further) this.#createFurther(table, site, columns);
    else site.props.addBlock(id);
    return table;
  }

  #createFurther(table: EventTable, site: Site, columns: readonly EventValue[]): void {
    for (const column of columns) {
      this.#options.run(`CREATE TABLE ${furtherTable(table, column)} (${sqlOfColumns(namesOf(column))})`);
      table.further?.add(column);
      if (column === "props") site.props.addBlock(table.id);
    }
  }

  #dropFurther(table: EventTable, columns: readonly EventValue[]): void {
    const { run, sites } = this.#options;
    for (const column of columns) {
      if (column === "props") sites.get(table.siteId)?.props.dropBlock(table.id);
      if (table.further?.delete(column)) run(`DROP TABLE ${furtherTable(table, column)}`);
    }
  }

  async #read(siteId: SiteId, files: readonly BlockFile[], columns: readonly EventColumn[]): Promise<Omit<ReadDay, "day">> {
    const parts: DecodedEvents[] = [];
    const unreadable: { key: string; reason: string }[] = [];
    for (const { key, bytes } of files) {
      const ofFile: DecodedEvents[] = [];
      let reason: string | null = null;
      for (const read of readEvents(bytes, siteId, columns)) {
        if ("reason" in read) reason = read.reason;
        else ofFile.push(read);
        await this.#options.yieldToOthers();
      }
      if (reason === null) parts.push(...ofFile);
      else unreadable.push({ key, reason });
    }
    return { parts, unreadable };
  }

  async *#readDays(siteId: SiteId, files: readonly BlockFile[], columns: readonly EventColumn[]): AsyncGenerator<ReadDay, void> {
    for (const run of runsOfDays(files)) {
      const [first] = run;
      if (first) yield { day: dayNumberOf(first.date), ...(await this.#read(siteId, run, columns)) };
    }
  }

  async #loadFiles(table: EventTable, site: Site, files: readonly BlockFile[]): Promise<Loaded["unreadable"]> {
    const unreadable: { key: string; reason: string }[] = [];
    const gathered = new Gathered();
    for await (const read of this.#readDays(table.siteId, files, decodedFor(table.further ?? FURTHER_COLUMNS))) {
      unreadable.push(...read.unreadable);
      const isMoreOfADay = table.days.has(read.day) || gathered.days.some(({ day }) => day === read.day);
      if (isMoreOfADay) await this.#insert(table, site, gathered.takeAll());
      gathered.add(read);
      if (isMoreOfADay || gathered.areEnough) await this.#insert(table, site, gathered.takeAll());
    }
    await this.#insert(table, site, gathered.takeAll());
    if (table.further) table.sessions.close();
    return unreadable;
  }

  /** Inserts days that the block does not have, or more events of a single one. */
  async #insert(table: EventTable, site: Site, days: readonly DayEvents[]): Promise<void> {
    const parts = days.flatMap((day) => day.parts);
    const dictionaries = { strings: site.strings, arrivals: site.arrivals, props: undefined };
    const codes = (column: "event_name" | "pathname") => valuesOf(column, parts, dictionaries) as Int32Array;
    const [names, pathnames] = [codes("event_name"), codes("pathname")];
    const rows = names.length;
    if (rows === 0) return;
    this.#options.sites.insertStrings(site);
    const pageview = site.strings.lookUp(PAGEVIEW);
    const { recorded: isPassive } = numbersOf(INTERACTIVE_COLUMN, parts, rows);
    const otherThanPage = (row: number): number => (isPassive[row] === 1 ? NO_INTERACTION : NO_PAGE);
    const events = {
      visitorIds: visitorIdsOf(parts),
      timestampsMs: timestampsOf(parts),
      pages: names.map((name, row) => (name === pageview ? (pathnames[row] ?? NO_PAGE) : otherThanPage(row))),
      places: countedFrom(table.rows, rows),
    };
    const { sessions, dayOfRow, unnumbered } = await this.#numbered(table, days, events);
    const base = { day: dayOfRow, session: sessions, visitor_id: events.visitorIds, event_name: names, pathname: pathnames };
    if (table.further) {
      await this.#insertRows(table.name, base, rows);
      await this.#insertFurther(table, site, [...table.further], parts);
    } else await this.#insertWhole(table, site, base, parts);
    await table.sessions.save();
    table.rows += rows;
    this.#options.grown.noteRows(rows);
    this.#options.grown.noteColumns(table.name, (table.further ? BASE_NAMES : ALL_NAMES).length);
    for (const day of unnumbered) this.#renumber(table, site, day);
    this.#limitProps(table, site);
  }

  /** The session of each row, and the days whose sessions have to be numbered again once the rows are in the table. */
  async #numbered({ days: known, sessions: table }: EventTable, days: readonly DayEvents[], events: Omit<DayRows, "day">) {
    const rows = events.pages.length;
    const [sessions, dayOfRow] = [new Int32Array(rows), new Int32Array(rows)];
    const unnumbered: number[] = [];
    let begin = 0;
    for (const dayEvents of days) {
      const { day } = dayEvents;
      const end = begin + rowsOf(dayEvents);
      const ofDay = {
        day,
        visitorIds: events.visitorIds.subarray(begin, end),
        timestampsMs: events.timestampsMs.subarray(begin, end),
        pages: events.pages.subarray(begin, end),
        places: events.places.subarray(begin, end),
      };
      const numbers = known.has(day) ? table.continue(ofDay) : await table.begin(ofDay);
      if (numbers) sessions.set(numbers, begin);
      else unnumbered.push(day);
      dayOfRow.fill(day, begin, end);
      known.set(day, (known.get(day) ?? 0) + end - begin);
      begin = end;
    }
    return { sessions, dayOfRow, unnumbered };
  }

  async #insertRows(name: string, columns: Readonly<Record<string, NumberValues>>, rows: number, isKept = () => true): Promise<void> {
    let isFirst = true;
    for (const ipc of ipcsOf(columns, rows)) {
      if (!isFirst) await this.#options.yieldToOthers();
      isFirst = false;
      if (isKept()) this.#options.insert(name, ipc);
    }
  }

  /** Rows of a block that grows, with all columns. */
  async #insertWhole(table: EventTable, site: Site, base: Readonly<Record<string, Codes>>, parts: readonly DecodedEvents[]): Promise<void> {
    const { sites, yieldToOthers } = this.#options;
    let begin = 0;
    for (const portion of portionsOf(parts)) {
      if (begin > 0) await yieldToOthers();
      const dictionaries = { strings: site.strings, arrivals: site.arrivals, props: site.props.of(table.id) };
      const further = FURTHER_COLUMNS.map((column) => furtherValues(column, portion, table.rows + begin, dictionaries));
      sites.insertStrings(site);
      const end = begin + rowsIn(portion);
      const ofPortion = Object.fromEntries(Object.entries(base).map(([name, values]) => [name, values.subarray(begin, end)]));
      await this.#insertRows(table.name, Object.assign(ofPortion, ...further) as FurtherValues, end - begin);
      begin = end;
    }
  }

  /** The columns of rows that come after all others. Properties may be dropped meanwhile. */
  async #insertFurther(
    table: EventTable,
    site: Site,
    columns: readonly EventValue[],
    parts: readonly DecodedEvents[],
    begin = table.rows,
  ): Promise<void> {
    const { sites, yieldToOthers } = this.#options;
    const rows = rowsIn(parts);
    for (const column of columns) {
      if (rows > ROWS_AT_ONCE) await yieldToOthers();
      const values = furtherValues(column, parts, begin, {
        strings: site.strings,
        arrivals: site.arrivals,
        props: site.props.of(table.id),
      });
      sites.insertStrings(site);
      await this.#insertRows(furtherTable(table, column), values, rows, () => table.further?.has(column) ?? false);
      this.#options.grown.noteColumns(furtherTable(table, column), namesOf(column).length);
    }
  }

  /** Reads and writes a whole day of a block that grows. */
  #renumber({ id, name, sessions }: EventTable, site: Site, day: number): void {
    const { run, insert } = this.#options;
    const isPageview = `event_name = ${site.strings.lookUp(PAGEVIEW)}`;
    const page = `CASE WHEN ${isPageview} THEN pathname WHEN ${INTERACTIVE_COLUMN.name} IS NULL THEN ${NO_PAGE} ELSE ${NO_INTERACTION} END`;
    const { sequenceNumbers, ...rows } = visitRowsFromIpc([
      run(`SELECT visitor_id, timestamp, ${page} AS page, sequence_number FROM ${name} WHERE day = ${day} ORDER BY sequence_number`),
    ]);
    const renumbered = { sequence_number: sequenceNumbers, session: sessions.renumbered({ day, places: sequenceNumbers, ...rows }) };
    const numbers = `renumbered_${id}`;
    run(`CREATE TABLE ${numbers} (${sqlOfColumns(Object.keys(renumbered))})`);
    for (const ipc of ipcsOf(renumbered, sequenceNumbers.length)) insert(numbers, ipc);
    run(`UPDATE ${name} SET session = ${numbers}.session FROM ${numbers} WHERE ${name}.sequence_number = ${numbers}.sequence_number`);
    run(`DROP TABLE ${numbers}`);
  }

  #limitProps(table: EventTable, site: Site): void {
    if ((site.props.of(table.id)?.bytes ?? 0) > table.propsBytesMax) this.#dropFurther(table, ["props"]);
  }

  /**
   * Adds columns to a block that does not grow, from all files of its days, in the order of the days. Rejects with `DroppedError`, and
   * leaves the block as it was, if their rows are others than the block's.
   */
  async addColumns(id: number, columns: readonly EventValue[], files: readonly BlockFile[]): Promise<Pick<Loaded, "propsBytes">> {
    const table = this.#table(id);
    const site = this.#options.sites.open(table.siteId);
    const missing = columns.filter((column) => !table.further?.has(column));
    try {
      this.#createFurther(table, site, missing);
      await this.#fillFurther(table, site, missing, files);
      this.#limitProps(table, site);
    } catch (error) {
      this.#dropFurther(table, missing);
      throw error;
    }
    return { propsBytes: site.props.of(id)?.bytes ?? null };
  }

  async #fillFurther(table: EventTable, site: Site, columns: readonly EventValue[], files: readonly BlockFile[]): Promise<void> {
    const expected = [...table.days].filter(([, rows]) => rows > 0);
    const gathered = new Gathered();
    let begin = 0;
    const insertGathered = async () => {
      const parts = gathered.takeAll().flatMap((day) => day.parts);
      const rows = rowsIn(parts);
      if (rows === 0) return;
      await this.#insertFurther(table, site, columns, parts, begin);
      this.#options.grown.noteRows(rows);
      begin += rows;
    };
    for await (const read of this.#readDays(table.siteId, files, decodedOf(columns))) {
      const rows = rowsOf(read);
      if (rows === 0 && read.unreadable.length === 0) continue;
      const [day, ofBlock] = expected.shift() ?? [];
      if (read.unreadable.length > 0 || day !== read.day || ofBlock !== rows) throw changed(table);
      gathered.add(read);
      if (gathered.areEnough) await insertGathered();
    }
    if (expected.length > 0) throw changed(table);
    await insertGathered();
  }

  /** Memory besides that of the database. */
  get bytes(): number {
    return [...this.#tables.values()].reduce((sum, { sessions }) => sum + sessions.bytes, 0);
  }

  /** Drops blocks with their properties; unknown ones are fine. */
  drop(blocks: readonly number[]): void {
    const { run, sites } = this.#options;
    for (const id of blocks) {
      const table = this.#tables.get(id);
      if (!table) continue;
      this.#dropFurther(table, [...(table.further ?? ["props" as const])]);
      table.sessions.drop();
      run(`DROP TABLE ${table.name}`);
      this.#tables.delete(id);
      sites.noteDropped(table.siteId, table.name);
    }
  }

  /** Drops the properties of blocks; unknown ones are fine. */
  dropProps(blocks: readonly number[]): void {
    for (const id of blocks) {
      const table = this.#tables.get(id);
      if (table) this.#dropFurther(table, ["props"]);
    }
  }
}

export interface Site {
  readonly siteId: SiteId;
  readonly strings: StringDictionary;
  readonly stringsTable: string;
  readonly props: PropsDictionary;
  readonly arrivals: Combinations;
  readonly names: ArrivalNames;
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
    const [strings, arrivals] = [new StringDictionary(), new Combinations(ARRIVAL_COLUMNS.length)];
    const site = {
      siteId,
      stringsTable,
      strings,
      props: new PropsDictionary(),
      arrivals,
      names: new ArrivalNames({ siteId, strings, arrivals }),
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
    return [...this.#sites.values()].reduce((sum, { strings, arrivals, names }) => sum + strings.bytes + arrivals.bytes + names.bytes, 0);
  }

  get propsBytes(): number {
    return [...this.#sites.values()].reduce((sum, { props }) => sum + props.bytes, 0);
  }
}
