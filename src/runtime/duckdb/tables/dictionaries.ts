/** The dictionaries of a site: codes of texts and of custom properties, which event tables hold in their place. */
import { DroppedError } from "../engine.ts";
import { UNRECORDED } from "../../../shared/filters.ts";

/** The code of "not recorded" in every string column. */
export const NOT_RECORDED = 0;

/** Not the code of any string: matches no event. */
const NO_STRING = -1;

/** Memory of an entry in addition to its characters: the slot of the map, the header of the string, the row in `texts`. */
const ENTRY_BYTES = 96;

export type Entry = readonly [text: string, code: number];

class Dictionary {
  protected readonly codes = new Map<string, number>();
  #chars = 0;

  protected add(text: string, code: number): number {
    this.codes.set(text, code);
    this.#chars += text.length;
    return code;
  }

  get size(): number {
    return this.codes.size;
  }

  /** Characters of all texts. */
  get chars(): number {
    return this.#chars;
  }

  get bytes(): number {
    return this.#chars * 2 + this.size * ENTRY_BYTES;
  }

  /** Entries in the order in which they were added. An iteration also yields those that are added while it runs. */
  entries(): Iterable<Entry> {
    return this.codes;
  }
}

/**
 * Dictionary encoding of a site's strings: the engine's tables hold integer codes. Measured with DuckDB-WASM 1.32, rows load five
 * times and group 1.4 times as fast as with strings; docs/scaling.md, "What an event takes", has the memory. Rows
 * that leave the engine get their strings here. Query parameters are integers only, so no string from a client is ever part of a statement.
 */
export class StringDictionary extends Dictionary {
  readonly #texts: string[] = [];
  #confirmed = 0;

  /** The code of a string; assigns one if it is new. A recorded `(unknown)` counts as not recorded. */
  codeOf(text: string | null): number {
    if (text === null) return NOT_RECORDED;
    const known = this.codes.get(text);
    if (known !== undefined) return known;
    return text === UNRECORDED ? NOT_RECORDED : this.add(text, this.#texts.push(text));
  }

  /** The code of a string in a query. Assigns none. */
  lookUp(text: string): number {
    return text === UNRECORDED ? NOT_RECORDED : (this.codes.get(text) ?? NO_STRING);
  }

  stringOf(code: number): string | undefined {
    return this.#texts[code - 1];
  }

  /** The strings added since the last `confirmAdded`, in order of their codes. */
  added(): { firstCode: number; strings: readonly string[] } {
    return { firstCode: this.#confirmed + 1, strings: this.#texts.slice(this.#confirmed) };
  }

  /** Must be called once the added strings are in the table. */
  confirmAdded(): void {
    this.#confirmed = this.#texts.length;
  }
}

/** More than any code. */
const CODES = 2 ** 31;

/** The combinations that are one number below 2^53 together with a code. */
const NUMBERED_MAX = 2 ** 22;

const keyOf = (combination: number, code: number): number | string =>
  combination < NUMBERED_MAX ? combination * CODES + code : `${combination} ${code}`;

/** Memory of a combination: the slot of its map, and what it consists of. */
const COMBINATION_BYTES = 64;

/** Numbers for the combinations of codes that a few columns have in a row; 0 for rows where none of them is recorded. */
export class Combinations {
  /** The numbers of combinations that end with a column, by the combination before it and its code. */
  readonly #numbers: readonly Map<number | string, number>[];
  readonly #before = [0];
  readonly #columns = [0];
  readonly #codes = [NOT_RECORDED];

  constructor(columnCount: number) {
    this.#numbers = Array.from({ length: columnCount }, () => new Map());
  }

  /** Numbers so far, 0 included. */
  get count(): number {
    return this.#codes.length;
  }

  get bytes(): number {
    return this.count * COMBINATION_BYTES;
  }

  /** Replaces the combinations of rows by those that have the codes of the next column, too. Columns come in their order. */
  add(combinations: Int32Array, column: number, codes: Int32Array): void {
    for (let row = 0; row < combinations.length; row++) {
      const code = codes[row] ?? NOT_RECORDED;
      if (code !== NOT_RECORDED) combinations[row] = this.#with(combinations[row] ?? 0, column, code);
    }
  }

  #with(combination: number, column: number, code: number): number {
    const numbers = this.#numbers[column];
    const key = keyOf(combination, code);
    const known = numbers?.get(key);
    if (known !== undefined) return known;
    const number = this.#codes.push(code) - 1;
    this.#before.push(combination);
    this.#columns.push(column);
    numbers?.set(key, number);
    return number;
  }

  /** The code of each column of a combination. */
  codesOf(combination: number): number[] {
    const codes = this.#numbers.map(() => NOT_RECORDED);
    for (let at = combination; at > 0; at = this.#before[at] ?? 0) codes[this.#columns[at] ?? 0] = this.#codes[at] ?? NOT_RECORDED;
    return codes;
  }
}

/** Blocks reserve codes in pages of this size. */
const PAGE_CODES = 4096;

/** The number of pages that fit into an INTEGER column. */
const PAGES_MAX = 2 ** 31 / PAGE_CODES - 1;

export class BlockProps extends Dictionary {
  readonly pages: number[] = [];
  readonly #reservePage: (strings: readonly string[]) => number;
  #page: string[] = [];

  constructor(reservePage: (strings: readonly string[]) => number) {
    super();
    this.#reservePage = reservePage;
  }

  /** The code of a string; assigns one if it is new. No other block of the site uses that code. */
  codeOf(props: string): number {
    const known = this.codes.get(props);
    if (known !== undefined) return known;
    if (this.size % PAGE_CODES === 0) this.pages.push(this.#reservePage((this.#page = [])));
    return this.add(props, (this.pages.at(-1) ?? 0) * PAGE_CODES + NOT_RECORDED + this.#page.push(props));
  }
}

/**
 * Codes for the distinct props strings of a site, by block. A props string is the JSON of an event's custom properties as it is
 * stored. It stays unparsed until a property report reads it, so keys and values chosen by clients never enter the site's
 * `StringDictionary`.
 */
export class PropsDictionary {
  readonly #blocks = new Map<number, BlockProps>();
  readonly #pages = new Map<number, readonly string[]>();
  #nextPage = 0;

  /**
   * Cycles through all page numbers before it reuses one. A query may still hold codes of a dropped block, and must not find the
   * strings of another block under them.
   */
  readonly #reservePage = (strings: readonly string[]): number => {
    while (this.#pages.has(this.#nextPage)) this.#nextPage = (this.#nextPage + 1) % PAGES_MAX;
    const page = this.#nextPage;
    this.#nextPage = (page + 1) % PAGES_MAX;
    this.#pages.set(page, strings);
    return page;
  };

  addBlock(block: number): void {
    this.#blocks.set(block, new BlockProps(this.#reservePage));
  }

  /** The props of a block; undefined once they are dropped. */
  of(block: number): BlockProps | undefined {
    return this.#blocks.get(block);
  }

  /** The string of a code; undefined once its block is dropped. */
  stringOf(code: number): string | undefined {
    const at = code - NOT_RECORDED - 1;
    return this.#pages.get(Math.floor(at / PAGE_CODES))?.[at % PAGE_CODES];
  }

  dropBlock(block: number): void {
    for (const page of this.#blocks.get(block)?.pages ?? []) this.#pages.delete(page);
    this.#blocks.delete(block);
  }

  get bytes(): number {
    return [...this.#blocks.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  }
}

/** Entries of which each iteration yields those that no earlier one has yielded. */
export interface Entries extends Iterable<Entry> {
  readonly areAny: boolean;
  /** Characters of all entries, each counted as one longer, so that empty ones count. Lets other work run. */
  weigh(next: () => Promise<void>): Promise<number>;
}

/** Iterates over dictionaries that grow: each iteration yields the entries that no earlier one has yielded. */
export class UnseenEntries implements Entries {
  readonly #dictionaries: readonly Dictionary[];
  readonly #seen = new Map<Dictionary, number>();

  constructor(dictionaries: readonly Dictionary[]) {
    this.#dictionaries = dictionaries;
  }

  get areAny(): boolean {
    return this.#dictionaries.some((dictionary) => dictionary.size > this.#seenOf(dictionary));
  }

  async weigh(): Promise<number> {
    return this.#dictionaries.reduce((sum, { size, chars }) => sum + size + chars, 0);
  }

  #seenOf(dictionary: Dictionary): number {
    return this.#seen.get(dictionary) ?? 0;
  }

  *[Symbol.iterator](): Iterator<Entry> {
    for (const dictionary of this.#dictionaries) {
      const seen = this.#seenOf(dictionary);
      if (dictionary.size === seen) continue;
      let place = 0;
      for (const entry of dictionary.entries()) {
        if (place++ < seen) continue;
        this.#seen.set(dictionary, place);
        yield entry;
      }
    }
  }
}

/** Entries that are looked up before other work of the thread runs: a millisecond at most. */
const BATCH_ENTRIES = 10_000;

/** The entries of dictionaries that a guest's query may read, looked up one by one: how long it takes tells nothing of all others. */
export class ReadableEntries implements Entries {
  readonly #codes: Int32Array;
  readonly #textOf: (code: number) => string | undefined;
  #seen = 0;

  constructor(codes: Int32Array, textOf: (code: number) => string | undefined) {
    this.#codes = codes;
    this.#textOf = textOf;
  }

  get areAny(): boolean {
    return this.#seen < this.#codes.length;
  }

  async weigh(next: () => Promise<void>): Promise<number> {
    let weight = 0;
    for (const [at, code] of this.#codes.entries()) {
      if (code !== NOT_RECORDED) weight += this.#lookUp(code).length + 1;
      if ((at + 1) % BATCH_ENTRIES === 0) await next();
    }
    return weight;
  }

  #lookUp(code: number): string {
    const text = this.#textOf(code);
    if (text === undefined) throw new DroppedError("texts of the query were dropped");
    return text;
  }

  *[Symbol.iterator](): Iterator<Entry> {
    while (this.#seen < this.#codes.length) {
      const code = this.#codes[this.#seen++] ?? NOT_RECORDED;
      if (code !== NOT_RECORDED) yield [this.#lookUp(code), code];
    }
  }
}
