/** Iterates over dictionaries that grow: each iteration yields the entries that no earlier one has yielded. */

export type Entry = readonly [text: string, code: number];

export interface Dictionary {
  readonly size: number;
  /** Characters of all its texts. */
  readonly chars: number;
  /** Entries in the order in which they were added. */
  entries(): Iterable<Entry>;
}

/** Entries of which each iteration yields those that no earlier one has yielded. */
export interface Entries extends Iterable<Entry> {
  readonly areAny: boolean;
  /** Characters of all entries, each counted as one longer, so that empty ones count. Lets other work run. */
  weigh(next: () => Promise<void>): Promise<number>;
}

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
