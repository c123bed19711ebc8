/**
 * The sum of rows, whatever they were computed from: rows with the same keys and texts become one. The same class selects what a query
 * wants of the sum: a search, an order, a page, or a number of rows.
 */
import { UNRECORDED } from "../../shared/filters.ts";
import { compareCodePoints } from "../../storage/code-point-order.ts";
import { type Columns, rowCountOf } from "../../storage/columns.ts";
import { isGrouping, ROLLUP_COLUMNS, type RollupColumn } from "../../storage/rollup.ts";
import type { OrderKey, Top } from "./plan.ts";
import type { SqlRow, SqlValue } from "./sql.ts";
import { compiledTest, searchTest, stepsPerChar, TooManyStepsError } from "./text-matching.ts";

/** Rows that are added or read before other work runs: a few milliseconds. */
const BATCH_ROWS = 16_384;

/** Rows that are sorted before other work runs. */
const RUN_ROWS = 4096;

/** Comparisons of a sort count as rows. */
const COMPARISONS_PER_ROW = 2;

type Added = Columns[string];

/** Texts, numbers below 2^53, or amounts of any size. */
type Values = string[] | Float64Array | bigint[];

/** The group of a row: a single value as it is, several values as one text. */
type GroupKey = string | number;

type Compare = (a: number, b: number) => number;

const numbersOf = (values: Added | undefined): Float64Array | Int32Array =>
  values instanceof Float64Array || values instanceof Int32Array ? values : Float64Array.from(values ?? [], Number);

/** The values of a first part, without a copy if they need no conversion. */
function valuesOf({ kind }: RollupColumn, values: Added | undefined): Values {
  if (kind === "text") return values as string[];
  if (kind === "amount") return Array.from((values ?? []) as readonly string[], BigInt);
  return values instanceof Float64Array ? values : Float64Array.from(values ?? [], Number);
}

/** The keys of the groups of some rows. Lengths keep texts apart whatever characters they contain. */
function groupKeys(grouping: readonly RollupColumn[], columns: readonly (Added | Values | undefined)[]): (row: number) => GroupKey {
  const [column, ...others] = grouping;
  const [values] = columns;
  if (!column || !values) return () => 0;
  if (others.length === 0) return column.kind === "text" ? (row) => String(values[row]) : (row) => Number(values[row]);
  return (row) => {
    let key = "";
    for (const each of columns) {
      const text = String(each?.[row]);
      key += `${text.length}:${text}`;
    }
    return key;
  };
}

const compareAmounts = (a: bigint, b: bigint): number => (a < b ? -1 : Number(a > b));

interface RowSumOptions {
  /** Rows have those of these columns that the first ones have. A search looks in the first column of texts. */
  readonly columns?: readonly RollupColumn[];
  /** Lets other work run. The calls of the sum reject as it does. */
  readonly next?: () => Promise<void>;
  /** Called with the number of rows that the sum grows by, before it does. Throws if there are too many. */
  readonly reserve?: (rows: number) => void;
  /** The search rejects with `TooManyStepsError` if it takes more. */
  readonly searchStepsMax?: number;
}

export class RowSum {
  readonly #options: Required<RowSumOptions>;
  #columns: readonly RollupColumn[] | null = null;
  readonly #values = new Map<string, Values>();
  /** The row of each group; null while there are only the rows of one part, which have different groups. */
  #groups: Map<GroupKey, number> | null = null;
  #rows = 0;
  /** Rows read since other work ran. */
  #rowsRead = 0;

  constructor(options: RowSumOptions = {}) {
    this.#options = {
      columns: ROLLUP_COLUMNS,
      next: () => Promise.resolve(),
      reserve: () => {},
      searchStepsMax: Number.POSITIVE_INFINITY,
      ...options,
    };
  }

  get rows(): number {
    return this.#rows;
  }

  /**
   * Adds rows with different groups, and never changes them. Rejects if the columns are not those of the rows before. Without rows, there
   * may be no columns.
   */
  async add(added: Columns): Promise<void> {
    const count = rowCountOf(added);
    if (count === 0) return;
    if (!this.#columns) return this.#begin(added, count);
    const columns = this.#columns;
    if (columns.length !== Object.keys(added).length || columns.some(({ name }) => !(name in added))) {
      throw new Error(`all rows of a sum must have the same columns, got ${Object.keys(added).join(", ")}`);
    }
    this.#groups ??= await this.#index(columns);
    const grouping = columns.filter(isGrouping);
    const keyOf = groupKeys(
      grouping,
      grouping.map(({ name }) => added[name]),
    );
    const read = new Map(
      columns.map(({ name, kind }) => [name, kind === "text" || kind === "amount" ? (added[name] ?? []) : numbersOf(added[name])]),
    );
    for (let begin = 0; begin < count; begin += BATCH_ROWS) {
      const end = Math.min(begin + BATCH_ROWS, count);
      const places = this.#placesOf(this.#groups, keyOf, begin, end);
      for (const column of columns) this.#addValues(column, places, read.get(column.name) ?? [], begin);
      await this.#letOthersRun(end - begin);
    }
  }

  async #letOthersRun(rowsRead: number): Promise<void> {
    this.#rowsRead += rowsRead;
    if (this.#rowsRead < BATCH_ROWS) return;
    this.#rowsRead = 0;
    await this.#options.next();
  }

  #begin(added: Columns, count: number): void {
    this.#options.reserve(count);
    this.#columns = this.#options.columns.filter(({ name }) => name in added);
    for (const column of this.#columns) this.#values.set(column.name, valuesOf(column, added[column.name]));
    this.#rows = count;
  }

  /** Groups the rows of the first part, and copies them, because they change from now on. */
  async #index(columns: readonly RollupColumn[]): Promise<Map<GroupKey, number>> {
    const grouping = columns.filter(isGrouping);
    const keyOf = groupKeys(
      grouping,
      grouping.map(({ name }) => this.#values.get(name)),
    );
    const groups = new Map<GroupKey, number>();
    for (let row = 0; row < this.#rows; row++) {
      groups.set(keyOf(row), row);
      if ((row + 1) % BATCH_ROWS === 0) await this.#letOthersRun(BATCH_ROWS);
    }
    for (const [name, values] of this.#values) this.#values.set(name, values.slice());
    return groups;
  }

  /** The places of added rows in the sum. New groups get new ones. */
  #placesOf(groups: Map<GroupKey, number>, keyOf: (row: number) => GroupKey, begin: number, end: number): Int32Array {
    const places = new Int32Array(end - begin);
    for (let row = begin; row < end; row++) {
      const key = keyOf(row);
      let place = groups.get(key);
      if (place === undefined) groups.set(key, (place = groups.size));
      places[row - begin] = place;
    }
    if (groups.size > this.#rows) this.#options.reserve(groups.size - this.#rows);
    this.#rows = groups.size;
    return places;
  }

  #addValues({ name, kind }: RollupColumn, places: Int32Array, added: Added, begin: number): void {
    const values = this.#values.get(name);
    if (kind === "text" && Array.isArray(values)) {
      const texts = values as string[];
      for (const [i, place] of places.entries()) if (place === texts.length) texts.push(String(added[begin + i]));
    } else if (kind === "amount" && Array.isArray(values)) {
      const sums = values as bigint[];
      for (const [i, place] of places.entries()) sums[place] = (sums[place] ?? 0n) + BigInt(added[begin + i] ?? 0);
    } else {
      const numbers = this.#roomFor(name, values as Float64Array);
      const isSummed = kind === "count";
      for (let i = 0; i < places.length; i++) {
        const place = places[i] ?? 0;
        const number = Number(added[begin + i]);
        numbers[place] = isSummed ? (numbers[place] ?? 0) + number : number;
      }
    }
  }

  #roomFor(name: string, numbers: Float64Array): Float64Array {
    if (numbers.length >= this.#rows) return numbers;
    const larger = new Float64Array(2 * this.#rows);
    larger.set(numbers);
    this.#values.set(name, larger);
    return larger;
  }

  /** The rows in the order of `top`; without it all of them, in no particular order. */
  async toRows(top?: Top): Promise<SqlRow[]> {
    const columns = (this.#columns ?? []).map(({ name, kind }) => ({ name, kind, values: this.#values.get(name) ?? [] }));
    const rows: SqlRow[] = [];
    for (const place of await this.#placesIn(top)) {
      const row: Record<string, SqlValue> = {};
      for (const { name, kind, values } of columns) row[name] = kind === "amount" ? String(values[place]) : (values[place] ?? 0);
      if (rows.push(row) % BATCH_ROWS === 0) await this.#letOthersRun(BATCH_ROWS);
    }
    return rows;
  }

  /** Number of rows of the result without `rowsMax` and `offset`. */
  async countRows(top?: Top): Promise<number> {
    return (await this.#wantedPlaces(top)).length;
  }

  /** The groups that are the result, in its order. */
  async #placesIn(top: Top | undefined): Promise<ArrayLike<number> & Iterable<number>> {
    const places = await this.#wantedPlaces(top);
    if (!top) return places;
    const { by, isReversed = false, rowsMax, offset = 0 } = top;
    const byKey = this.#orderOf(by, isReversed);
    const byText = this.#textOrder(by === undefined && isReversed);
    return (await this.#firstOf(places, offset + rowsMax, (a, b) => byKey(a, b) || byText(a, b))).slice(offset);
  }

  async #wantedPlaces(top: Top = { rowsMax: 0 }): Promise<Int32Array> {
    const [texts] = this.#texts();
    const { values, search, unknownLabel = UNRECORDED } = top;
    const places = new Int32Array(this.#rows);
    let wanted = 0;
    if (!texts || (!values && search === undefined)) {
      for (let place = 0; place < places.length; place++) places[place] = place;
      return places;
    }
    const isListed = values && compiledTest({ kind: "is", values });
    const test = search === undefined ? undefined : searchTest(search);
    if (test) await this.#checkSteps(texts, stepsPerChar(test));
    const isFound = test && compiledTest(test);
    for (let place = 0; place < places.length; place++) {
      const text = texts[place] ?? "";
      if ((isListed?.(text) ?? true) && (isFound?.(text === UNRECORDED ? unknownLabel : text) ?? true)) places[wanted++] = place;
      if ((place + 1) % BATCH_ROWS === 0) await this.#letOthersRun(BATCH_ROWS);
    }
    return places.subarray(0, wanted);
  }

  async #checkSteps(texts: readonly string[], perChar: number): Promise<void> {
    if (this.#options.searchStepsMax === Number.POSITIVE_INFINITY) return;
    let steps = 0;
    for (let place = 0; place < this.#rows; place++) {
      steps += ((texts[place]?.length ?? 0) + 1) * perChar;
      if ((place + 1) % BATCH_ROWS === 0) await this.#letOthersRun(BATCH_ROWS);
    }
    if (steps > this.#options.searchStepsMax) throw new TooManyStepsError(`the search takes ${steps} steps`);
  }

  /** The first of these places in an order. Of each run, only what comes before the last one that is wanted so far is sorted. */
  async #firstOf(places: Int32Array, count: number, compare: Compare): Promise<number[]> {
    const runRows = Math.max(RUN_ROWS, count);
    let first: number[] = [];
    for (let begin = 0; begin < places.length; begin += runRows) {
      const last = first.length < count ? undefined : first[count - 1];
      const run: number[] = [];
      for (const place of places.subarray(begin, begin + runRows)) {
        if (last === undefined || compare(place, last) < 0) run.push(place);
        if ((place + 1) % RUN_ROWS === 0) await this.#letOthersRun(RUN_ROWS);
      }
      if (run.length > 0) first = await this.#merged(first, await this.#sorted(run, count, compare), count, compare);
    }
    return first;
  }

  async #sorted(places: number[], count: number, compare: Compare): Promise<number[]> {
    if (places.length <= RUN_ROWS) {
      await this.#letOthersRun(places.length * COMPARISONS_PER_ROW);
      return places.sort(compare);
    }
    const half = places.length >> 1;
    const [a, b] = [await this.#sorted(places.slice(0, half), count, compare), await this.#sorted(places.slice(half), count, compare)];
    return this.#merged(a, b, count, compare);
  }

  async #merged(a: readonly number[], b: readonly number[], count: number, compare: Compare): Promise<number[]> {
    if (a.length === 0) return b.slice(0, count);
    const merged: number[] = [];
    const length = Math.min(count, a.length + b.length);
    for (let i = 0, k = 0; merged.length < length;) {
      const [left, right] = [a[i], b[k]];
      if (right === undefined || (left !== undefined && compare(left, right) <= 0)) {
        merged.push(left ?? 0);
        i++;
      } else {
        merged.push(right);
        k++;
      }
      if (merged.length % BATCH_ROWS === 0) await this.#letOthersRun(BATCH_ROWS);
    }
    return merged;
  }

  #texts(): readonly (readonly string[])[] {
    return (this.#columns ?? []).filter(({ kind }) => kind === "text").map(({ name }) => this.#values.get(name) as string[]);
  }

  #textOrder(isDescending: boolean): Compare {
    const texts = this.#texts();
    const ascending: Compare = (a, b) => {
      for (const column of texts) {
        const order = compareCodePoints(column[a] ?? "", column[b] ?? "");
        if (order !== 0) return order;
      }
      return 0;
    };
    return isDescending ? (a, b) => ascending(b, a) : ascending;
  }

  /** Largest first, or smallest first. */
  #orderOf(by: OrderKey | undefined, isReversed: boolean): Compare {
    const values = typeof by === "string" ? this.#values.get(by) : undefined;
    if (Array.isArray(values)) {
      const amounts = values as bigint[];
      return (a, b) => (isReversed ? -1 : 1) * compareAmounts(amounts[b] ?? 0n, amounts[a] ?? 0n);
    }
    const numberOf = this.#numberOf(by);
    return (a, b) => (isReversed ? numberOf(a) - numberOf(b) : numberOf(b) - numberOf(a));
  }

  #numberOf(by: OrderKey | undefined): (place: number) => number {
    if (by === undefined) return () => 0;
    if (typeof by !== "string") {
      const [part, whole] = [this.#numberOf(by.part), this.#numberOf(by.whole)];
      return (place) => part(place) / whole(place);
    }
    const numbers = this.#values.get(by) ?? [];
    return (place) => Number(numbers[place]);
  }

  toColumns(): Columns {
    const columnOf = ({ name, kind }: RollupColumn): Added => {
      const values = this.#values.get(name) ?? [];
      if (kind === "amount") return Array.from(values, String);
      return values instanceof Float64Array ? values.slice(0, this.#rows) : (values as string[]);
    };
    return Object.fromEntries((this.#columns ?? []).map((column) => [column.name, columnOf(column)]));
  }
}
