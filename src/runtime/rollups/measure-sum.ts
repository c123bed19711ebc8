/** The sum of a measure's rows: rows with the same keys and texts become one. */
import { compareCodePoints } from "../../storage/code-point-order.ts";
import { rowCountOf, type Columns } from "../../storage/columns.ts";
import { isGrouping, ROLLUP_COLUMNS, type RollupColumn } from "../../storage/rollup.ts";
import type { SqlRow } from "../query/sql.ts";
import type { Top } from "../query/top.ts";

type Values = Columns[string];

/** What a row is grouped by: a single value as it is, several values as one text. */
type GroupKey = string | number;

const valueAt = ({ kind }: RollupColumn, values: Values, row: number): GroupKey =>
  kind === "text" ? String(values[row]) : Number(values[row]);

/** How the groups of a column's rows are told apart. Lengths keep texts apart whatever characters they contain. */
function groupKeys(grouping: readonly RollupColumn[], columns: readonly Values[]): (row: number) => GroupKey {
  const [column, ...others] = grouping;
  const [values] = columns;
  if (!column || !values) return () => 0;
  if (others.length === 0) return (row) => valueAt(column, values, row);
  return (row) =>
    grouping
      .map((each, i) => String(valueAt(each, columns[i] ?? [], row)))
      .map((text) => `${text.length}:${text}`)
      .join("");
}

export class MeasureSum {
  #columns: readonly RollupColumn[] | null = null;
  readonly #groups = new Map<GroupKey, number>();
  /** The values of each group, by column. */
  readonly #keys = new Map<string, GroupKey[]>();
  readonly #counts = new Map<string, number[]>();
  readonly #amounts = new Map<string, bigint[]>();

  get rows(): number {
    return this.#groups.size;
  }

  /** Throws if the columns are not those of the rows added before. Without rows, there may be no columns. */
  add(added: Columns): void {
    if (rowCountOf(added) === 0) return;
    const columns = this.#columnsOf(added);
    const grouping = columns.filter(isGrouping);
    const places = this.#placesOf(grouping, added);
    for (const { name, kind } of columns) {
      const values = added[name] ?? [];
      if (kind === "count") addNumbers(this.#counts.get(name) ?? [], places, values);
      else if (kind === "amount") addAmounts(this.#amounts.get(name) ?? [], places, values);
    }
  }

  #columnsOf(added: Columns): readonly RollupColumn[] {
    const columns = (this.#columns ??= this.#begin(added));
    if (columns.length !== Object.keys(added).length || columns.some(({ name }) => !(name in added))) {
      throw new Error(`all rows of a measure must have the same columns, got ${Object.keys(added).join(", ")}`);
    }
    return columns;
  }

  #begin(added: Columns): readonly RollupColumn[] {
    const columns = ROLLUP_COLUMNS.filter(({ name }) => name in added);
    for (const { name, kind } of columns) {
      if (kind === "count") this.#counts.set(name, []);
      else if (kind === "amount") this.#amounts.set(name, []);
      else this.#keys.set(name, []);
    }
    return columns;
  }

  /** The group of each row. */
  #placesOf(grouping: readonly RollupColumn[], added: Columns): Int32Array {
    const values = grouping.map(({ name }) => added[name] ?? []);
    const keyOf = groupKeys(grouping, values);
    const places = new Int32Array(rowCountOf(added));
    for (let row = 0; row < places.length; row++) {
      const key = keyOf(row);
      let place = this.#groups.get(key);
      if (place === undefined) {
        this.#groups.set(key, (place = this.#groups.size));
        grouping.forEach((column, i) => this.#keys.get(column.name)?.push(valueAt(column, values[i] ?? [], row)));
      }
      places[row] = place;
    }
    return places;
  }

  /** In the order of `top`, as the engine returns them for the same rows. */
  toRows(top?: Top): SqlRow[] {
    const columns = this.#columns ?? [];
    const values = columns.map(({ name }) => this.#counts.get(name) ?? this.#keys.get(name) ?? this.#amounts.get(name)?.map(String) ?? []);
    return this.#placesIn(top).map((place) => Object.fromEntries(columns.map(({ name }, i) => [name, values[i]?.[place] ?? 0])));
  }

  /** The groups that are the result, in its order. */
  #placesIn(top: Top | undefined): number[] {
    const places = Array.from({ length: this.rows }, (_, place) => place);
    if (!top) return places;
    const texts = (this.#columns ?? []).filter(({ kind }) => kind === "text").map(({ name }) => this.#keys.get(name) ?? []);
    const byText = (a: number, b: number): number => {
      for (const column of texts) {
        const order = compareCodePoints(String(column[a]), String(column[b]));
        if (order !== 0) return order;
      }
      return 0;
    };
    const largestFirst = this.#largestFirst(top.by);
    return this.#candidates(places, top)
      .sort((a, b) => largestFirst(a, b) || byText(a, b))
      .slice(0, top.rowsMax);
  }

  #largestFirst(by: string | undefined): (a: number, b: number) => number {
    if (by === undefined) return () => 0;
    const amounts = this.#amounts.get(by);
    if (amounts) return (a, b) => compareAmounts(amounts[b] ?? 0n, amounts[a] ?? 0n);
    const numbers = this.#counts.get(by) ?? this.#keys.get(by) ?? [];
    return (a, b) => Number(numbers[b]) - Number(numbers[a]);
  }

  /** Leaves out what is certainly not among the largest: a sort of numbers is much faster than one of rows. */
  #candidates(places: number[], { by, rowsMax }: Top): number[] {
    const numbers = by === undefined ? undefined : this.#counts.get(by);
    if (!numbers || places.length <= rowsMax) return places;
    const least = Float64Array.from(numbers).sort()[places.length - rowsMax] ?? 0;
    return places.filter((place) => (numbers[place] ?? 0) >= least);
  }

  toColumns(): Columns {
    const columnOf = ({ name, kind }: RollupColumn): Values => {
      if (kind === "text") return (this.#keys.get(name) ?? []).map(String);
      if (kind === "amount") return (this.#amounts.get(name) ?? []).map(String);
      return Float64Array.from(this.#counts.get(name) ?? this.#keys.get(name) ?? [], Number);
    };
    return Object.fromEntries((this.#columns ?? []).map((column) => [column.name, columnOf(column)]));
  }
}

const compareAmounts = (a: bigint, b: bigint): number => (a < b ? -1 : Number(a > b));

function addNumbers(sums: number[], places: Int32Array, values: Values): void {
  for (let row = 0; row < places.length; row++) {
    const place = places[row] ?? 0;
    sums[place] = (sums[place] ?? 0) + Number(values[row]);
  }
}

function addAmounts(sums: bigint[], places: Int32Array, values: Values): void {
  for (let row = 0; row < places.length; row++) {
    const place = places[row] ?? 0;
    sums[place] = (sums[place] ?? 0n) + BigInt(values[row] ?? 0);
  }
}
