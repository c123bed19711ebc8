/**
 * The rows of measures, counted without SQL: groups of a batch's rows, their sums, and their distinct visitors. Typed arrays hold all that
 * grows with events. Visitor numbers are forgotten at the end of a salt period; groups and sums last.
 */
import { UNRECORDED } from "../../../shared/filters.ts";
import type { ArrivalName } from "../../arrivals/arrival-names.ts";
import type { Columns } from "../../../storage/columns.ts";
import { compareCodePoints } from "../../../storage/code-point-order.ts";
import type { ColumnName } from "../../../storage/event.ts";
import { NO_PLACE, type TextColumn } from "../../../storage/parquet-columns.ts";
import type { LargestOfEach } from "../../query/plan.ts";
import type { VisitColumn } from "../tables/event-columns.ts";

/**
 * A number or text that rows are grouped by. `key` and `value`: of custom properties. `entry_page`, `exit_page`: only of sessions with a page
 * view. `visit_…`: of every session, `(unknown)` without a page view.
 */
export type Grouped = "day" | "hour" | SessionPage | `visit_${SessionPage}` | "key" | "value" | VisitText | ColumnName;

type SessionPage = "entry_page" | "exit_page";

/** What a session has by its first event: a value, or a name of its arrival. */
export type VisitText = `visit_${Exclude<VisitColumn, "arrival"> | ArrivalName}`;

/** What the SQL of a measure computes, as data: rollups are made from it in one pass over the events, and `verify` from the SQL. */
export interface Aggregation {
  readonly over: "events" | "sessions" | "properties";
  /** One for each of the query's `keys`, `codes` and `names`. Only rows with a page, a key or a value count in these. */
  readonly by: readonly Grouped[];
  /** Leaves out all other events. */
  readonly where?: "custom event" | "revenue";
}

/** A measure as data: its name, its aggregation and the columns of its rows. */
export interface MeasureDefinition extends Aggregation {
  readonly name: string;
  /** The columns of `by`. */
  readonly groupColumns: readonly string[];
  readonly counts: readonly string[];
  readonly amounts: readonly string[];
  readonly largestOfEach?: LargestOfEach;
}

export type Bucket = "day" | "hour";

/** Summed per group, by the name of the column. */
export type Summed = "pageviews" | "events" | "bounces" | "duration_ms" | "total";

/** Rows to count, of one salt period: events or sessions. */
export interface Batch {
  readonly rows: number;
  /** A number for each visitor of the salt period, from 0 on. */
  readonly visitors: Int32Array;
  text(column: Grouped): TextColumn;
  /** Days or hours since 1970. */
  buckets(bucket: Bucket): Int32Array;
  sums(column: Summed): Uint8Array | Int32Array | Float64Array | BigInt64Array;
}

const ROW_COUNTS: ReadonlySet<string> = new Set(["events", "transactions", "sessions"]);
const VISITOR_COUNTS: ReadonlySet<string> = new Set(["visitors", "paying_visitors"]);
const SUMS: ReadonlySet<string> = new Set<Summed>(["pageviews", "bounces", "duration_ms", "total"]);

const INITIAL_SLOTS = 64;

/** Slots are at most half full. */
const SLOTS_PER_PAIR = 2;

const EMPTY = -1;

/** More than the number of any visitor: a pair of a group and a visitor is one number below 2^53. */
const VISITOR_NUMBERS = 2 ** 32;

/** A set of pairs of a group and a visitor: an open-addressing hash table. */
class Pairs {
  #slots = new Float64Array(INITIAL_SLOTS).fill(EMPTY);
  #count = 0;

  get bytes(): number {
    return this.#slots.byteLength;
  }

  /** False if the pair is in the set already. */
  add(group: number, visitor: number): boolean {
    const slots = this.#slots;
    const mask = slots.length - 1;
    const pair = group * VISITOR_NUMBERS + visitor;
    const hash = Math.imul(visitor ^ Math.imul(group, 0x9e3779b1), 0x85ebca6b);
    for (let slot = (hash ^ (hash >>> 15)) & mask; ; slot = (slot + 1) & mask) {
      const found = slots[slot];
      if (found === pair) return false;
      if (found !== EMPTY) continue;
      slots[slot] = pair;
      if (++this.#count * SLOTS_PER_PAIR > slots.length) this.#grow();
      return true;
    }
  }

  #grow(): void {
    const pairs = this.#slots;
    this.#slots = new Float64Array(pairs.length * 2).fill(EMPTY);
    this.#count = 0;
    for (const pair of pairs) if (pair !== EMPTY) this.add(Math.floor(pair / VISITOR_NUMBERS), pair % VISITOR_NUMBERS);
  }

  clear(): void {
    if (this.#count === 0) return;
    this.#count = 0;
    this.#slots = new Float64Array(INITIAL_SLOTS).fill(EMPTY);
  }
}

/** No group has a higher number: see `ROLLUP_MEASURE_ROWS_MAX`. */
const GROUPS_MAX = 0xffff;

const doubled = (length: number, needed: number): number => {
  let size = Math.max(INITIAL_SLOTS, length);
  while (size < needed) size *= 2;
  return size;
};

/** Counts the distinct visitors of groups. Most visitors are in one group of a column only, so the table holds just their further ones. */
class DistinctVisitors {
  /** The first group of each visitor plus 1; 0 for a visitor without a group. */
  #first = new Uint16Array(INITIAL_SLOTS);
  readonly #others = new Pairs();
  #visitorCount = 0;

  get bytes(): number {
    return this.#first.byteLength + this.#others.bytes;
  }

  add(groups: Int32Array, { visitors }: Batch, counts: Float64Array, visitorCount: number): void {
    if (visitorCount > this.#first.length) {
      const larger = new Uint16Array(doubled(this.#first.length, visitorCount));
      larger.set(this.#first);
      this.#first = larger;
    }
    this.#visitorCount = visitorCount;
    const first = this.#first;
    for (let row = 0; row < groups.length; row++) {
      const group = groups[row] ?? EMPTY;
      if (group === EMPTY) continue;
      const visitor = visitors[row] ?? 0;
      const known = first[visitor] ?? 0;
      if (known === group + 1) continue;
      if (known === 0) first[visitor] = group + 1;
      else if (!this.#others.add(group, visitor)) continue;
      counts[group] = (counts[group] ?? 0) + 1;
    }
  }

  endPeriod(): void {
    this.#first.fill(0, 0, this.#visitorCount);
    this.#visitorCount = 0;
    this.#others.clear();
  }

  clear(): void {
    this.#first = new Uint16Array(INITIAL_SLOTS);
    this.endPeriod();
  }
}

/** Memory of a text and its entry in a map without its characters. */
const TEXT_BYTES = 96;

/** Distinct texts, numbered from 0. A recorded `(unknown)` counts as not recorded. */
export class Texts {
  readonly texts: string[] = [];
  bytes = 0;
  readonly #numbers = new Map<string, number>();

  numberOf(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const number = this.texts.push(text) - 1;
    this.#numbers.set(text, number);
    this.bytes += TEXT_BYTES + text.length;
    return number;
  }

  /** The numbers of the texts of rows; of those without one `EMPTY`, or that of `(unknown)`. */
  numbersOf({ texts, places }: TextColumn, isNeeded: boolean): Int32Array {
    const numbers = new Int32Array(places.length);
    const known = new Int32Array(texts.length).fill(EMPTY);
    let unknown = EMPTY;
    for (let row = 0; row < numbers.length; row++) {
      const place = places[row] ?? NO_PLACE;
      if (place === NO_PLACE) {
        if (unknown === EMPTY && !isNeeded) unknown = this.numberOf(UNRECORDED);
        numbers[row] = unknown;
        continue;
      }
      const number = known[place] ?? EMPTY;
      numbers[row] = number === EMPTY ? (known[place] = this.numberOf(texts[place] ?? "")) : number;
    }
    return numbers;
  }
}

/** The groups of a measure's rows, numbered from 0 in the order of their first row. */
interface Groups {
  readonly count: number;
  readonly bytes: number;
  /** The group of each row, or `EMPTY`. */
  of(batch: Batch): Int32Array;
  /** What the groups are grouped by. */
  columns(): readonly Columns[string][];
}

/** A single group, which exists without rows. */
class OneGroup implements Groups {
  readonly count = 1;
  readonly bytes = 0;

  of({ rows }: Batch): Int32Array {
    return new Int32Array(rows);
  }

  columns(): [] {
    return [];
  }
}

class NumberGroups implements Groups {
  readonly #numbers: number[] = [];
  readonly #groups = new Map<number, number>();
  readonly #numbersOf: (batch: Batch) => Int32Array | Float64Array;

  constructor(numbersOf: (batch: Batch) => Int32Array | Float64Array) {
    this.#numbersOf = numbersOf;
  }

  get count(): number {
    return this.#numbers.length;
  }

  get bytes(): number {
    return this.count * TEXT_BYTES;
  }

  of(batch: Batch): Int32Array {
    const numbers = this.#numbersOf(batch);
    const groups = new Int32Array(numbers.length);
    // Neighbours are mostly of one hour.
    let [last, group] = [Number.NaN, 0];
    for (let row = 0; row < groups.length; row++) {
      const number = numbers[row] ?? 0;
      if (number !== last) [last, group] = [number, this.#groups.get(number) ?? this.#add(number)];
      groups[row] = group;
    }
    return groups;
  }

  #add(number: number): number {
    const group = this.#numbers.push(number) - 1;
    this.#groups.set(number, group);
    return group;
  }

  columns(): readonly Columns[string][] {
    return [Float64Array.from(this.#numbers)];
  }
}

class TextGroups implements Groups {
  readonly #texts = new Texts();
  readonly #column: Grouped;
  readonly #isNeeded: boolean;

  constructor(column: Grouped) {
    this.#column = column;
    this.#isNeeded = column === "entry_page" || column === "exit_page" || column === "value";
  }

  get count(): number {
    return this.#texts.texts.length;
  }

  get bytes(): number {
    return this.#texts.bytes;
  }

  of(batch: Batch): Int32Array {
    return this.#texts.numbersOf(batch.text(this.#column), this.#isNeeded);
  }

  columns(): readonly Columns[string][] {
    return [this.#texts.texts];
  }
}

/** More than the number of any text of a pair: two are one number below 2^53. */
const TEXT_NUMBERS = 2 ** 26;

/** Pairs of texts. */
class TextPairGroups implements Groups {
  readonly #pairs: NumberGroups;
  readonly #firsts: TextGroups;
  readonly #seconds: TextGroups;

  constructor(first: Grouped, second: Grouped) {
    this.#firsts = new TextGroups(first);
    this.#seconds = new TextGroups(second);
    this.#pairs = new NumberGroups((batch) => {
      const [firsts, seconds] = [this.#firsts.of(batch), this.#seconds.of(batch)];
      return Float64Array.from(firsts, (number, row) => number * TEXT_NUMBERS + (seconds[row] ?? 0));
    });
  }

  get count(): number {
    return this.#pairs.count;
  }

  get bytes(): number {
    return this.#pairs.bytes + this.#firsts.bytes + this.#seconds.bytes;
  }

  of(batch: Batch): Int32Array {
    return this.#pairs.of(batch);
  }

  columns(): readonly Columns[string][] {
    const [[firsts = []], [seconds = []], [pairs = []]] = [this.#firsts.columns(), this.#seconds.columns(), this.#pairs.columns()];
    const numbers = Array.from(pairs, Number);
    return [
      numbers.map((pair) => String(firsts[Math.floor(pair / TEXT_NUMBERS)])),
      numbers.map((pair) => String(seconds[pair % TEXT_NUMBERS])),
    ];
  }
}

/** The texts of each day or hour. */
class BucketTextGroups implements Groups {
  readonly #bucket: Bucket;
  readonly #texts: TextGroups;
  /** The group of each text plus 1, by bucket; 0 for a text without one. */
  readonly #groups = new Map<number, Int32Array<ArrayBuffer>>();
  readonly #buckets: number[] = [];
  readonly #numbers: number[] = [];

  constructor(bucket: Bucket, column: Grouped) {
    this.#bucket = bucket;
    this.#texts = new TextGroups(column);
  }

  get count(): number {
    return this.#numbers.length;
  }

  get bytes(): number {
    let bytes = this.#texts.bytes + this.count * 2 * Float64Array.BYTES_PER_ELEMENT;
    for (const groups of this.#groups.values()) bytes += groups.byteLength;
    return bytes;
  }

  of(batch: Batch): Int32Array {
    const [texts, buckets] = [this.#texts.of(batch), batch.buckets(this.#bucket)];
    const groups = new Int32Array(texts.length);
    let [last, known] = [Number.NaN, new Int32Array()];
    for (let row = 0; row < groups.length; row++) {
      const [text, bucket] = [texts[row] ?? EMPTY, buckets[row] ?? 0];
      if (bucket !== last) [last, known] = [bucket, this.#groupsOf(bucket)];
      groups[row] = (known[text] ||= this.#add(bucket, text)) - 1;
    }
    return groups;
  }

  #groupsOf(bucket: number): Int32Array<ArrayBuffer> {
    const known = this.#groups.get(bucket) ?? new Int32Array();
    if (known.length >= this.#texts.count) return known;
    const larger = new Int32Array(doubled(known.length, this.#texts.count));
    larger.set(known);
    this.#groups.set(bucket, larger);
    return larger;
  }

  #add(bucket: number, text: number): number {
    this.#buckets.push(bucket);
    return this.#numbers.push(text);
  }

  columns(): readonly Columns[string][] {
    const [texts = []] = this.#texts.columns();
    return [Float64Array.from(this.#buckets), this.#numbers.map((number) => String(texts[number]))];
  }
}

/** The rows with the largest count of each key, equal ones in order of their text. */
function largestRows(columns: Columns, { key, by, text, rowsMax }: LargestOfEach): number[] {
  const [keys = [], counts = [], texts = []] = [columns[key], columns[by], columns[text]];
  const difference = (values: Columns[string], a: number, b: number) => Number(values[a]) - Number(values[b]);
  const rows = Array.from({ length: keys.length }, (_, row) => row).sort(
    (a, b) => difference(keys, a, b) || difference(counts, b, a) || compareCodePoints(String(texts[a]), String(texts[b])),
  );
  let place = 0;
  return rows.filter((row, i) => {
    place = keys[row] === keys[rows[i - 1] ?? row] ? place + 1 : 1;
    return place <= rowsMax;
  });
}

const pickedRows = (values: Columns[string], rows: readonly number[]): Columns[string] =>
  Array.isArray(values) ? rows.map((row) => String(values[row])) : Float64Array.from(rows, (row) => Number(values[row]));

function groupsBy({ name, by }: MeasureDefinition): Groups {
  const [first, second, ...others] = by;
  if (others.length > 0) throw new Error(`the measure ${name} is grouped by more than two columns`);
  if (first === undefined) return new OneGroup();
  const isBucket = first === "day" || first === "hour";
  if (second !== undefined) return isBucket ? new BucketTextGroups(first, second) : new TextPairGroups(first, second);
  return isBucket ? new NumberGroups((batch) => batch.buckets(first)) : new TextGroups(first);
}

/** The rows of one measure. */
export class Tally {
  readonly measure: MeasureDefinition;
  readonly #rowsMax: number;
  /** null once the measure has more rows than a rollup may have of one. */
  #groups: Groups | null;
  readonly #counts = new Map<string, Float64Array>();
  readonly #amounts = new Map<string, bigint[]>();
  readonly #visitors = new DistinctVisitors();

  constructor(measure: MeasureDefinition, rowsMax: number) {
    if (rowsMax >= GROUPS_MAX) throw new Error(`a measure has fewer than ${GROUPS_MAX} rows`);
    this.measure = measure;
    this.#rowsMax = rowsMax;
    this.#groups = groupsBy(measure);
    const { name, counts, amounts } = measure;
    const unknown = [...counts, ...amounts].find((column) => ![ROW_COUNTS, VISITOR_COUNTS, SUMS].some((known) => known.has(column)));
    if (unknown !== undefined) throw new Error(`the measure ${name} counts ${unknown}, which is not known`);
    for (const column of counts) this.#counts.set(column, new Float64Array(INITIAL_SLOTS));
    for (const column of amounts) this.#amounts.set(column, []);
  }

  get bytes(): number {
    if (!this.#groups) return 0;
    let { bytes } = this.#groups;
    for (const counts of this.#counts.values()) bytes += counts.byteLength;
    return bytes + this.#visitors.bytes;
  }

  /** `visitorCount`: those of the salt period so far. */
  add(batch: Batch, visitorCount: number): void {
    const groups = this.#groups?.of(batch);
    if (!groups || !this.#hasRoom()) return;
    for (const [column, counts] of this.#counts) {
      if (this.#countsRows(column)) countRows(groups, counts);
      else if (VISITOR_COUNTS.has(column)) this.#visitors.add(groups, batch, counts, visitorCount);
      else addNumbers(groups, batch.sums(column as Summed) as Float64Array, counts);
    }
    for (const [column, sums] of this.#amounts) addAmounts(groups, batch.sums(column as Summed) as BigInt64Array, sums);
  }

  /** A session has several events. */
  #countsRows(column: string): boolean {
    return ROW_COUNTS.has(column) && !(column === "events" && this.measure.over === "sessions");
  }

  #hasRoom(): boolean {
    const count = this.#groups?.count ?? 0;
    if (count > this.#rowsMax && !this.measure.largestOfEach) {
      this.#groups = null;
      this.#counts.clear();
      this.#visitors.clear();
      return false;
    }
    for (const [column, counts] of this.#counts) {
      if (count <= counts.length) continue;
      const larger = new Float64Array(doubled(counts.length, count));
      larger.set(counts);
      this.#counts.set(column, larger);
    }
    return true;
  }

  endPeriod(): void {
    this.#visitors.endPeriod();
  }

  /** null if there are too many. */
  rows(): Columns | null {
    if (!this.#groups) return null;
    const { groupColumns, counts, amounts, largestOfEach } = this.measure;
    const { count } = this.#groups;
    const grouped = this.#groups.columns();
    const columns: Record<string, Columns[string]> = {};
    groupColumns.forEach((column, i) => (columns[column] = grouped[i] ?? []));
    for (const column of counts) columns[column] = (this.#counts.get(column) ?? new Float64Array(count)).slice(0, count);
    for (const column of amounts) columns[column] = (this.#amounts.get(column) ?? []).map(String);
    if (!largestOfEach) return columns;
    const kept = largestRows(columns, largestOfEach);
    return Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, pickedRows(values, kept)]));
  }
}

function countRows(groups: Int32Array, sums: Float64Array): void {
  for (let row = 0; row < groups.length; row++) {
    const group = groups[row] ?? EMPTY;
    if (group !== EMPTY) sums[group] = (sums[group] ?? 0) + 1;
  }
}

function addNumbers(groups: Int32Array, added: Uint8Array | Int32Array | Float64Array, sums: Float64Array): void {
  for (let row = 0; row < groups.length; row++) {
    const group = groups[row] ?? EMPTY;
    if (group !== EMPTY) sums[group] = (sums[group] ?? 0) + (added[row] ?? 0);
  }
}

function addAmounts(groups: Int32Array, added: BigInt64Array, sums: bigint[]): void {
  for (let row = 0; row < groups.length; row++) {
    const group = groups[row] ?? EMPTY;
    if (group !== EMPTY) sums[group] = (sums[group] ?? 0n) + (added[row] ?? 0n);
  }
}
