/**
 * Computes all measures of the events of whole salt periods in one pass over their files, without SQL: a row group after the other, and
 * of each one column after the other. It keeps numbers of visitors for a salt period, times and pages of events for a day, and rows.
 */
import {
  DAY_MS,
  EVENT_COLUMNS,
  INTERACTIVE_COLUMN,
  isText,
  type LocalDate,
  MINUTE_MS,
  REVENUE_COLUMN,
  type SiteId,
  type TextEventColumn,
} from "../../../storage/event.ts";
import { dayNumberOf, periodOf } from "../../../storage/calendar.ts";
import { compareCodePoints } from "../../../storage/code-point-order.ts";
import type { Columns } from "../../../storage/columns.ts";
import type { ObjectKey } from "../../../storage/object-store.ts";
import { NO_PLACE, type TextColumn } from "../../../storage/parquet-columns.ts";
import { type DecodedEvents, openEventsOf } from "../../../storage/parquet-events.ts";
import { propertyMeasure, type Measures, type RollupOrigin } from "../../../storage/rollup.ts";
import type { OffsetChange } from "../../../storage/time-zone.ts";
import { UNRECORDED } from "../../../shared/filters.ts";
import { type ArrivalName, arrivalNames } from "../../arrivals/arrival-names.ts";
import type { ArrivalRules } from "../../arrivals/arrivals.ts";
import { floatsOf } from "../../base/bytes.ts";
import { PAGEVIEW } from "../../base/config/names.ts";
import { PROPERTY_KEYS_MAX, ROLLUP_PROPERTIES_MAX } from "../../base/config/report-limits.ts";
import { reasonOf } from "../../base/metrics/log.ts";
import { NO_INTERACTION, NO_PAGE, VisitorIndex } from "../tables/day-sessions.ts";
import { Combinations } from "../tables/dictionaries.ts";
import { ARRIVAL_COLUMNS, VISIT_COLUMNS, type VisitColumn } from "../tables/event-columns.ts";
import { parseProps } from "../tables/properties.ts";
import { type DayBounds, PeriodSessions, type SessionTable } from "./period-sessions.ts";
import { type Batch, type Bucket, type Grouped, type MeasureDefinition, type Summed, Tally, Texts, type VisitText } from "./tallies.ts";

export interface DayToRead extends DayBounds {
  readonly day: LocalDate;
  /** Oldest first. */
  readonly files: readonly ObjectKey[];
}

/** The events to compute measures of, and which: data, so that it reaches a thread. */
export interface EventsToRead {
  /** Days of whole salt periods, oldest first. */
  readonly days: readonly DayToRead[];
  /** Offsets of local time from UTC, oldest first; null if the days are those of UTC. */
  readonly offsets: readonly OffsetChange[] | null;
  readonly measures: readonly MeasureDefinition[];
  /** What the site says about arrivals. */
  readonly arrivalRules: ArrivalRules;
}

/** The content of a new rollup: rows computed from events. */
export interface ComputedMeasures {
  readonly measures: Measures;
  /** `measures` has all custom properties of the events. */
  readonly hasAllProperties: boolean;
}

/** The events of a salt period cannot be in a rollup: a file is missing or cannot be read, or they need more memory than there is. */
export class UnusableEventsError extends Error {
  readonly firstDay: LocalDate;
  readonly lastDay: LocalDate;

  constructor(days: readonly DayToRead[], reason: string) {
    super(reason);
    this.firstDay = days[0]?.day ?? ("" as LocalDate);
    this.lastDay = days.at(-1)?.day ?? this.firstDay;
  }
}

interface ComputationOptions {
  readonly readFile: (key: ObjectKey) => Promise<Uint8Array | null>;
  /** Rows of a measure; one with more is left out. */
  readonly rowsMax: number;
  /** Memory, besides a row group. Custom properties may take a part of it and are left out beyond that. */
  readonly bytesMax: number;
  /** Lets other work of the thread run. Called every few milliseconds. */
  readonly yieldToOthers: () => Promise<void>;
}

/** Rejects with an `UnusableEventsError`, or as `readFile` does. */
export async function computeMeasures(
  { siteId, sessionWindowMinutes, saltRotationDays }: RollupOrigin,
  { days, ...events }: EventsToRead,
  options: ComputationOptions,
): Promise<ComputedMeasures> {
  const isOneDay = saltRotationDays === 1;
  const computation = new Computation(siteId, { ...events, gapMs: sessionWindowMinutes * MINUTE_MS, isOneDay }, options);
  const periods = new Map<number, DayToRead[]>();
  for (const day of days) {
    const period = periodOf(day.day, saltRotationDays);
    const ofPeriod = periods.get(period);
    if (ofPeriod) ofPeriod.push(day);
    else periods.set(period, [day]);
  }
  for (const ofPeriod of periods.values()) await computation.addPeriod(ofPeriod);
  return computation.result();
}

const HOUR_MS = 60 * MINUTE_MS;
const DAY_HOURS = DAY_MS / HOUR_MS;

/** The hour of each row's date that the clock showed, as `HOUR_BUCKET` in SQL. */
function hoursOf(days: Int32Array, times: Float64Array, offsets: EventsToRead["offsets"]): Int32Array {
  const hours = new Int32Array(times.length);
  let [offsetMs, fromMs, beforeMs] = [0, 0, 0];
  for (let row = 0; row < hours.length; row++) {
    const timeMs = times[row] ?? 0;
    if (offsets === null) {
      hours[row] = Math.floor(timeMs / HOUR_MS);
      continue;
    }
    if (timeMs < fromMs || timeMs >= beforeMs) {
      const i = Math.max(
        0,
        offsets.findLastIndex((change) => change.fromMs <= timeMs),
      );
      fromMs = i === 0 ? Number.NEGATIVE_INFINITY : (offsets[i]?.fromMs ?? 0);
      beforeMs = offsets[i + 1]?.fromMs ?? Number.POSITIVE_INFINITY;
      offsetMs = offsets[i]?.offsetMs ?? 0;
    }
    hours[row] = (days[row] ?? 0) * DAY_HOURS + (Math.floor((timeMs + offsetMs) / HOUR_MS) % DAY_HOURS);
  }
  return hours;
}

const TEXT_COLUMNS: ReadonlyMap<Grouped, TextEventColumn> = new Map(EVENT_COLUMNS.filter(isText).map((column) => [column.name, column]));

function columnOf(name: Grouped): TextEventColumn {
  const column = TEXT_COLUMNS.get(name);
  if (!column) throw new Error(`events have no texts ${name}`);
  return column;
}

function rowsThat(rows: number, isWanted: (row: number) => boolean): Int32Array {
  const found = new Int32Array(rows);
  let count = 0;
  for (let row = 0; row < rows; row++) if (isWanted(row)) found[count++] = row;
  return found.slice(0, count);
}

const FIRST_CAPACITY = 64;

const TEXTS_OF_VISITS = VISIT_COLUMNS.filter((column) => column !== "arrival");

/** Numbers from -1 on, each in as few bytes as the largest needs: mostly one. Grows with what is added. */
class Numbers {
  count = 0;
  #stored: Uint8Array | Uint16Array | Uint32Array = new Uint8Array(FIRST_CAPACITY);

  get bytes(): number {
    return this.#stored.byteLength;
  }

  add(added: Int32Array): void {
    let largest = 0;
    for (const number of added) if (number >= largest) largest = number + 1;
    this.#makeRoom(this.count + added.length, largest);
    for (const number of added) this.#stored[this.count++] = number + 1;
  }

  #makeRoom(count: number, largest: number): void {
    const { length, BYTES_PER_ELEMENT: bytes } = this.#stored;
    const needed = largest < 2 ** 8 ? 1 : largest < 2 ** 16 ? 2 : 4;
    if (count <= length && needed <= bytes) return;
    const capacity = count <= length ? length : Math.max(count, 2 * length);
    const width = Math.max(needed, bytes);
    const larger = width === 1 ? new Uint8Array(capacity) : width === 2 ? new Uint16Array(capacity) : new Uint32Array(capacity);
    larger.set(this.#stored);
    this.#stored = larger;
  }

  at(places: Int32Array): Int32Array {
    return places.map((place) => (this.#stored[place] ?? 0) - 1);
  }
}

/** The values of a column. */
class FirstTexts {
  readonly #texts = new Texts();
  readonly #places = new Numbers();

  get bytes(): number {
    return this.#texts.bytes + this.#places.bytes;
  }

  add({ texts, places }: TextColumn, at: Int32Array): void {
    const numbers = texts.map((text) => this.#texts.numberOf(text));
    this.#places.add(at.map((row) => numbers[places[row] ?? NO_PLACE] ?? NO_PLACE));
  }

  of(marks: Int32Array): TextColumn {
    return { texts: this.#texts.texts, places: this.#places.at(marks) };
  }
}

/**
 * What the visits of a salt period began with. Events that no other one of their visitor precedes within the session gap may be the first of
 * a session; these have marks, and their values are kept.
 */
class Beginnings {
  readonly #gapMs: number;
  readonly #nameOf: ReturnType<typeof arrivalNames>;
  readonly #columns: ReadonlyMap<Grouped, { readonly column: Exclude<VisitColumn, "arrival">; readonly values: FirstTexts }>;
  readonly #arrivalTexts = new Texts();
  readonly #arrivals = new Combinations(ARRIVAL_COLUMNS.length);
  readonly #arrivalOf = new Numbers();
  /** The names of arrivals. */
  readonly #names = new Map<VisitText, { readonly names: Texts; readonly places: number[] }>();
  /** The time of each visitor's event before, on the same day. */
  #beforeMs = new Float64Array(FIRST_CAPACITY).fill(Number.NEGATIVE_INFINITY);
  #visitorCount = 0;

  /** `needed`: what visits are grouped by. */
  constructor(siteId: SiteId, rules: ArrivalRules, gapMs: number, needed: ReadonlySet<Grouped>) {
    this.#gapMs = gapMs;
    this.#nameOf = arrivalNames(rules, siteId);
    const columns = TEXTS_OF_VISITS.map((column) => [`visit_${column}` as const, { column, values: new FirstTexts() }] as const);
    this.#columns = new Map(columns.filter(([name]) => needed.has(name)));
  }

  get bytes(): number {
    let bytes = this.#arrivalTexts.bytes + this.#arrivals.bytes + this.#arrivalOf.bytes + this.#beforeMs.byteLength;
    for (const { values } of this.#columns.values()) bytes += values.bytes;
    return bytes;
  }

  /** The marks of events; `NO_PLACE` for those that are the first of no session. `visitorCount`: those of the salt period so far. */
  add(rows: EventRows, visitorCount: number): Int32Array {
    const at = this.#possibleFirsts(rows, visitorCount);
    const marks = new Int32Array(rows.rows).fill(NO_PLACE);
    at.forEach((row, i) => (marks[row] = this.#arrivalOf.count + i));
    for (const { column, values } of this.#columns.values()) values.add(rows.text(column), at);
    this.#arrivalOf.add(this.#arrivalsOf(rows, at));
    return marks;
  }

  #possibleFirsts({ rows, visitors, times }: EventRows, visitorCount: number): Int32Array {
    if (visitorCount > this.#beforeMs.length) {
      const larger = new Float64Array(Math.ceil(1.25 * visitorCount)).fill(Number.NEGATIVE_INFINITY);
      larger.set(this.#beforeMs);
      this.#beforeMs = larger;
    }
    this.#visitorCount = visitorCount;
    return rowsThat(rows, (row) => {
      const [visitor, timeMs] = [visitors[row] ?? 0, times[row] ?? 0];
      const pauseMs = timeMs - (this.#beforeMs[visitor] ?? 0);
      this.#beforeMs[visitor] = timeMs;
      return pauseMs < 0 || pauseMs > this.#gapMs;
    });
  }

  #arrivalsOf(rows: EventRows, at: Int32Array): Int32Array {
    const arrivals = new Int32Array(at.length);
    for (const [i, column] of ARRIVAL_COLUMNS.entries()) {
      const { texts, places } = rows.text(column);
      const codes = texts.map((text) => (text === UNRECORDED ? 0 : this.#arrivalTexts.numberOf(text) + 1));
      this.#arrivals.add(
        arrivals,
        i,
        at.map((row) => codes[places[row] ?? NO_PLACE] ?? 0),
      );
    }
    return arrivals;
  }

  /** Sessions end with the day. */
  endDay(): void {
    this.#beforeMs.fill(Number.NEGATIVE_INFINITY, 0, this.#visitorCount);
  }

  /** The values of sessions with these marks. */
  text(column: VisitText, marks: Int32Array): TextColumn {
    const known = this.#columns.get(column);
    return known ? known.values.of(marks) : this.#namesOf(column, marks);
  }

  #namesOf(column: VisitText, marks: Int32Array): TextColumn {
    const known = this.#names.get(column) ?? { names: new Texts(), places: [] };
    this.#names.set(column, known);
    const { names, places } = known;
    while (places.length < this.#arrivals.count) {
      const name = this.#nameOfArrival(column.slice("visit_".length) as ArrivalName, places.length);
      places.push(name === null ? NO_PLACE : names.numberOf(name));
    }
    return { texts: names.texts, places: this.#arrivalOf.at(marks).map((arrival) => places[arrival] ?? NO_PLACE) };
  }

  #nameOfArrival(name: ArrivalName, arrival: number): string | null {
    const texts = this.#arrivals.codesOf(arrival).map((code) => this.#arrivalTexts.texts[code - 1] ?? null);
    const [referrer = null, utmSource = null, utmMedium = null, clickId = null] = texts;
    return this.#nameOf(name, { referrer, utmSource, utmMedium, clickId });
  }
}

const isOfFirstEvent = (column: Grouped): column is VisitText =>
  column.startsWith("visit_") && column !== "visit_entry_page" && column !== "visit_exit_page";

/** The events of a row group. */
class EventRows implements Batch {
  readonly rows: number;
  readonly visitors: Int32Array;
  readonly times: Float64Array;
  /** 1 for each page view, 0 for each other event. */
  readonly pageviews: Uint8Array;
  readonly #events: DecodedEvents;
  readonly #days: Int32Array;
  readonly #offsets: EventsToRead["offsets"];
  readonly #texts = new Map<Grouped, TextColumn>();

  constructor(events: DecodedEvents, visitors: Int32Array, day: number, offsets: EventsToRead["offsets"]) {
    this.rows = events.rows;
    this.visitors = visitors;
    this.times = floatsOf(events.timestampsMs);
    this.#events = events;
    this.#days = new Int32Array(events.rows).fill(day);
    this.#offsets = offsets;
    const { texts, places } = this.text("event_name");
    const isPageview = texts.map((name) => Number(name === PAGEVIEW));
    this.pageviews = new Uint8Array(events.rows);
    for (let row = 0; row < events.rows; row++) this.pageviews[row] = isPageview[places[row] ?? NO_PLACE] ?? 0;
  }

  text(column: Grouped): TextColumn {
    const known = this.#texts.get(column);
    if (known) return known;
    const decoded = this.#events.text(columnOf(column));
    this.#texts.set(column, decoded);
    return decoded;
  }

  buckets(bucket: Bucket): Int32Array {
    return bucket === "day" ? this.#days : hoursOf(this.#days, this.times, this.#offsets);
  }

  sums(column: Summed): Uint8Array {
    if (column === "pageviews") return this.pageviews;
    throw new Error(`events have no ${column}`);
  }

  /** 1 for each event that says that it is no interaction. */
  withoutInteraction(): Uint8Array {
    return this.#events.number(INTERACTIVE_COLUMN).recorded;
  }

  /** The events with revenue. */
  withRevenue(): Batch {
    const { numbers, recorded } = this.#events.number(REVENUE_COLUMN);
    return new SelectedRows(
      this,
      rowsThat(this.rows, (row) => recorded[row] === 1),
      numbers,
    );
  }

  /** The events other than page views. */
  custom(): Batch {
    return new SelectedRows(
      this,
      rowsThat(this.rows, (row) => this.pageviews[row] === 0),
    );
  }
}

const picked = ({ texts, places }: TextColumn, at: Int32Array): TextColumn => ({ texts, places: at.map((row) => places[row] ?? NO_PLACE) });

/** Some events of a row group. */
class SelectedRows implements Batch {
  readonly rows: number;
  readonly visitors: Int32Array;
  readonly #all: EventRows;
  readonly #at: Int32Array;
  readonly #amounts: BigInt64Array | undefined;
  readonly #values: TextColumn | undefined;

  constructor(all: EventRows, at: Int32Array, amounts?: BigInt64Array, values?: TextColumn) {
    this.rows = at.length;
    this.visitors = at.map((row) => all.visitors[row] ?? 0);
    this.#all = all;
    this.#at = at;
    this.#amounts = amounts;
    this.#values = values;
  }

  text(column: Grouped): TextColumn {
    return this.#values ?? picked(this.#all.text(column), this.#at);
  }

  buckets(bucket: Bucket): Int32Array {
    const buckets = this.#all.buckets(bucket);
    return this.#at.map((row) => buckets[row] ?? 0);
  }

  sums(column: Summed): Uint8Array | BigInt64Array {
    if (column === "total") return BigInt64Array.from(this.#at, (row) => this.#amounts?.[row] ?? 0n);
    const sums = this.#all.sums(column);
    return Uint8Array.from(this.#at, (row) => sums[row] ?? 0);
  }
}

class SessionRows implements Batch {
  readonly rows: number;
  readonly visitors: Int32Array;
  readonly #sessions: SessionTable;
  readonly #pages: readonly string[];
  readonly #beginnings: Beginnings;
  readonly #offsets: EventsToRead["offsets"];
  readonly #bounces: Uint8Array;
  readonly #durations: Float64Array;

  constructor(sessions: SessionTable, pages: readonly string[], beginnings: Beginnings, offsets: EventsToRead["offsets"]) {
    const { visitors, interactions, pageviews, firstMs, lastMs } = sessions;
    this.rows = visitors.length;
    this.visitors = visitors;
    this.#sessions = sessions;
    this.#pages = pages;
    this.#beginnings = beginnings;
    this.#offsets = offsets;
    this.#bounces = new Uint8Array(this.rows);
    this.#durations = new Float64Array(this.rows);
    for (let row = 0; row < this.rows; row++) {
      this.#bounces[row] = Number(interactions[row] === 1 && pageviews[row] === 1);
      this.#durations[row] = (lastMs[row] ?? 0) - (firstMs[row] ?? 0);
    }
  }

  text(column: Grouped): TextColumn {
    const { entryPages, exitPages, marks } = this.#sessions;
    if (isOfFirstEvent(column)) return this.#beginnings.text(column, marks);
    const isEntry = column === "entry_page" || column === "visit_entry_page";
    return { texts: this.#pages, places: isEntry ? entryPages : exitPages };
  }

  buckets(bucket: Bucket): Int32Array {
    const { days, firstMs } = this.#sessions;
    return bucket === "day" ? days : hoursOf(days, firstMs, this.#offsets);
  }

  sums(column: Summed): Uint8Array | Int32Array | Float64Array {
    if (column === "pageviews") return this.#sessions.pageviews;
    if (column === "events") return this.#sessions.events;
    return column === "bounces" ? this.#bounces : this.#durations;
  }
}

/** Characters of properties that are parsed at a time: a few milliseconds. */
const PARSED_CHARS = 500_000;

/** Rows that are counted at a time: a few milliseconds. */
const COUNTED_ROWS = 200_000;

/** A file, however small, takes as long to open as it takes to count this many rows. */
const FILE_ROWS = 50_000;

/** The part of the memory that custom properties may take. */
const PROPERTIES_SHARE = 1 / 4;

/** Values of a key in the properties of a row group. */
class FoundValues {
  readonly texts: string[] = [];
  /** The value of each distinct props string. */
  readonly places: Int32Array;

  constructor(propsCount: number) {
    this.places = new Int32Array(propsCount).fill(NO_PLACE);
  }
}

/** The custom properties: the first keys, and the values of the very first. */
class Properties {
  readonly #keysMeasure: MeasureDefinition | undefined;
  readonly #valuesMeasure: MeasureDefinition | undefined;
  readonly #rowsMax: number;
  /** Ascending; at most `PROPERTY_KEYS_MAX`. */
  readonly #keys: string[] = [];
  readonly #known = new Set<string>();
  readonly #values = new Map<string, Tally>();
  /** There are keys without values. */
  #hasMore = false;

  constructor(measures: readonly MeasureDefinition[], rowsMax: number) {
    const ofProperties = measures.filter(({ over }) => over === "properties");
    this.#keysMeasure = ofProperties.find(({ by }) => by.includes("key"));
    this.#valuesMeasure = ofProperties.find(({ by }) => by.includes("value"));
    this.#rowsMax = rowsMax;
  }

  get bytes(): number {
    let bytes = 0;
    for (const { bytes: ofValues } of this.#values.values()) bytes += ofValues;
    return bytes;
  }

  async add(rows: EventRows, visitorCount: number, yieldToOthers: () => Promise<void>): Promise<void> {
    const { texts, places } = rows.text("props");
    if (texts.length === 0) return;
    const found = await this.#find(texts, yieldToOthers);
    const carrying = rowsThat(rows.rows, (row) => places[row] !== NO_PLACE);
    for (const [key, { texts: values, places: ofProps }] of found) {
      const valueOf = (row: number): number => ofProps[places[row] ?? 0] ?? NO_PLACE;
      const at = carrying.filter((row) => valueOf(row) !== NO_PLACE);
      this.#values.get(key)?.add(new SelectedRows(rows, at, undefined, { texts: values, places: at.map(valueOf) }), visitorCount);
    }
  }

  async #find(texts: readonly string[], yieldToOthers: () => Promise<void>): Promise<ReadonlyMap<string, FoundValues>> {
    const found = new Map<string, FoundValues>();
    let charsLeft = PARSED_CHARS;
    for (const [place, json] of texts.entries()) {
      for (const [key, value] of parseProps(json)) {
        if (!this.#countsValuesOf(key)) continue;
        let values = found.get(key);
        if (!values) found.set(key, (values = new FoundValues(texts.length)));
        values.places[place] = values.texts.push(value) - 1;
      }
      charsLeft -= json.length;
      if (charsLeft > 0) continue;
      charsLeft = PARSED_CHARS;
      await yieldToOthers();
    }
    return found;
  }

  /** A key that was once too late in the order stays so. */
  #countsValuesOf(key: string): boolean {
    if (this.#values.has(key)) return true;
    if (this.#known.has(key)) return false;
    const last = this.#keys.at(-1);
    if (this.#keys.length === PROPERTY_KEYS_MAX && last !== undefined && compareCodePoints(key, last) > 0) return false;
    const place = this.#insert(key);
    const next = this.#keys[ROLLUP_PROPERTIES_MAX];
    if (next !== undefined) {
      this.#hasMore = true;
      this.#values.delete(next);
    }
    if (place >= ROLLUP_PROPERTIES_MAX || !this.#valuesMeasure) return false;
    this.#values.set(key, new Tally({ ...this.#valuesMeasure, name: propertyMeasure(key) }, this.#rowsMax));
    return true;
  }

  #insert(key: string): number {
    let [low, high] = [0, this.#keys.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareCodePoints(this.#keys[middle] ?? "", key) < 0) low = middle + 1;
      else high = middle;
    }
    this.#keys.splice(low, 0, key);
    this.#known.add(key);
    if (this.#keys.length > PROPERTY_KEYS_MAX) this.#known.delete(this.#keys.pop() ?? "");
    return low;
  }

  endPeriod(): void {
    for (const tally of this.#values.values()) tally.endPeriod();
  }

  addTo(measures: Map<string, Columns>): boolean {
    if (this.#keysMeasure) measures.set(this.#keysMeasure.name, { [this.#keysMeasure.groupColumns[0] ?? ""]: this.#keys });
    let hasAll = !this.#hasMore;
    for (const key of this.#keys) {
      const tally = this.#values.get(key);
      if (!tally) continue;
      const rows = tally.rows();
      if (rows) measures.set(tally.measure.name, rows);
      else hasAll = false;
    }
    return hasAll;
  }
}

interface ComputationSettings extends Omit<EventsToRead, "days"> {
  readonly gapMs: number;
  readonly isOneDay: boolean;
}

class Computation {
  readonly #siteId: SiteId;
  readonly #offsets: EventsToRead["offsets"];
  readonly #options: ComputationOptions;
  readonly #ofEvents: readonly Tally[];
  readonly #ofSessions: readonly Tally[];
  readonly #sessions: PeriodSessions;
  /** null if they need too much memory. */
  #properties: Properties | null;
  #visitors = new VisitorIndex();
  /** The pages of the period's sessions. */
  #pages = new Texts();
  readonly #newBeginnings: () => Beginnings;
  #beginnings: Beginnings;
  #rowsLeft = COUNTED_ROWS;

  constructor(siteId: SiteId, { offsets, measures, arrivalRules, gapMs, isOneDay }: ComputationSettings, options: ComputationOptions) {
    const { rowsMax } = options;
    const talliesOver = (over: MeasureDefinition["over"]) =>
      measures.filter((measure) => measure.over === over).map((measure) => new Tally(measure, rowsMax));
    this.#siteId = siteId;
    this.#offsets = offsets;
    this.#options = options;
    const needed = new Set(measures.flatMap(({ by }) => by));
    this.#newBeginnings = () => new Beginnings(siteId, arrivalRules, gapMs, needed);
    this.#beginnings = this.#newBeginnings();
    this.#ofEvents = talliesOver("events");
    this.#ofSessions = talliesOver("sessions");
    this.#properties = new Properties(measures, rowsMax);
    this.#sessions = new PeriodSessions({ gapMs, isOneDay, onSessions: (sessions) => this.#addSessions(sessions) });
  }

  async addPeriod(days: readonly DayToRead[]): Promise<void> {
    for (const day of days) {
      for (const file of day.files) await this.#addFile(file, day, days);
      this.#sessions.endDay(dayNumberOf(day.day), day);
      this.#beginnings.endDay();
    }
    this.#sessions.endPeriod(this.#visitors.count);
    for (const tally of [...this.#ofEvents, ...this.#ofSessions]) tally.endPeriod();
    this.#properties?.endPeriod();
    this.#visitors = new VisitorIndex();
    this.#pages = new Texts();
    this.#beginnings = this.#newBeginnings();
  }

  async #addFile(file: ObjectKey, { day }: DayToRead, period: readonly DayToRead[]): Promise<void> {
    const bytes = await this.#options.readFile(file);
    if (!bytes) throw new UnusableEventsError(period, `${file} is missing`);
    try {
      await this.#worked(FILE_ROWS);
      for (const events of openEventsOf(this.#siteId, bytes)) {
        await this.#addEvents(events, dayNumberOf(day));
        this.#checkMemory(bytes.length, period);
      }
    } catch (error) {
      throw error instanceof UnusableEventsError ? error : new UnusableEventsError(period, `${file} cannot be read: ${reasonOf(error)}`);
    }
  }

  async #addEvents(events: DecodedEvents, day: number): Promise<void> {
    const rows = new EventRows(events, this.#visitors.indexesOf(events.visitorIds), day, this.#offsets);
    const { count } = this.#visitors;
    const batches = { all: rows, "custom event": rows.custom(), revenue: rows.withRevenue() };
    for (const tally of this.#ofEvents) {
      const batch = batches[tally.measure.where ?? "all"];
      if (batch.rows === 0) continue;
      tally.add(batch, count);
      await this.#worked(batch.rows);
    }
    if (this.#ofSessions.length > 0) {
      const marks = this.#beginnings.add(rows, count);
      this.#sessions.add({ visitors: rows.visitors, times: rows.times, pages: this.#pagesOf(rows), marks });
      await this.#worked(rows.rows);
    }
    await this.#properties?.add(rows, count, this.#options.yieldToOthers);
  }

  #pagesOf(rows: EventRows): Int32Array {
    const pages = this.#pages.numbersOf(rows.text("pathname"), false);
    const isPassive = rows.withoutInteraction();
    for (let row = 0; row < pages.length; row++) {
      if (rows.pageviews[row] === 0) pages[row] = isPassive[row] === 1 ? NO_INTERACTION : NO_PAGE;
    }
    return pages;
  }

  #addSessions(sessions: SessionTable): void {
    const rows = new SessionRows(sessions, this.#pages.texts, this.#beginnings, this.#offsets);
    if (rows.rows > 0) for (const tally of this.#ofSessions) tally.add(rows, this.#visitors.count);
  }

  async #worked(rows: number): Promise<void> {
    this.#rowsLeft -= rows;
    if (this.#rowsLeft > 0) return;
    this.#rowsLeft = COUNTED_ROWS;
    await this.#options.yieldToOthers();
  }

  #checkMemory(fileBytes: number, period: readonly DayToRead[]): void {
    const { bytesMax } = this.#options;
    let bytes = fileBytes + this.#visitors.bytes + this.#pages.bytes + this.#beginnings.bytes + this.#sessions.bytes(this.#visitors.count);
    for (const tally of this.#ofEvents) bytes += tally.bytes;
    for (const tally of this.#ofSessions) bytes += tally.bytes;
    if ((this.#properties?.bytes ?? 0) > bytesMax * PROPERTIES_SHARE) this.#properties = null;
    if (bytes + (this.#properties?.bytes ?? 0) > bytesMax) {
      throw new UnusableEventsError(period, "the events of a salt period need more memory than making a rollup may take");
    }
  }

  result(): ComputedMeasures {
    const measures = new Map<string, Columns>();
    for (const tally of [...this.#ofEvents, ...this.#ofSessions]) {
      const rows = tally.rows();
      if (rows) measures.set(tally.measure.name, rows);
    }
    return { measures, hasAllProperties: this.#properties?.addTo(measures) ?? false };
  }
}
