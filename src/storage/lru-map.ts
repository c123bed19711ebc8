/** A map with a limit: beyond it, the entries that were not used for longest are evicted. */

interface LruMapOptions<Key, Value> {
  /** The maximum weight of all entries. Without it, only `evictOldest` evicts. */
  readonly max?: number;
  /** 1 by default, so that `max` is a number of entries. Must not change while the entry is in the map. */
  readonly weightOf?: (value: Value, key: Key) => number;
  /** Not called for entries that are deleted or replaced. */
  readonly onEvict?: (value: Value, key: Key) => void;
}

export class LruMap<Key, Value> {
  readonly #max: number;
  readonly #weightOf: (value: Value, key: Key) => number;
  readonly #onEvict: (value: Value, key: Key) => void;
  /** Least recently used first: a Map iterates in the order of insertion. */
  readonly #entries = new Map<Key, Value>();
  #weight = 0;

  constructor({ max = Number.POSITIVE_INFINITY, weightOf = () => 1, onEvict = () => {} }: LruMapOptions<Key, Value>) {
    this.#max = max;
    this.#weightOf = weightOf;
    this.#onEvict = onEvict;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The weight of all entries. */
  get weight(): number {
    return this.#weight;
  }

  [Symbol.iterator](): IterableIterator<[Key, Value]> {
    return this.#entries[Symbol.iterator]();
  }

  has(key: Key): boolean {
    return this.#entries.has(key);
  }

  /** Looks an entry up without counting that as a use. */
  peek(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  /** An entry that alone exceeds the limit is evicted at once, and no other. */
  set(key: Key, value: Value): void {
    this.delete(key);
    const weight = this.#weightOf(value, key);
    if (weight > this.#max) return this.#onEvict(value, key);
    this.#entries.set(key, value);
    this.#weight += weight;
    while (this.#weight > this.#max) this.evictOldest();
  }

  delete(key: Key): boolean {
    const value = this.#entries.get(key);
    if (value !== undefined) this.#weight -= this.#weightOf(value, key);
    return this.#entries.delete(key);
  }

  evictOldest(): void {
    for (const [key, value] of this.#entries) {
      this.delete(key);
      return this.#onEvict(value, key);
    }
  }

  clear(): void {
    this.#entries.clear();
    this.#weight = 0;
  }
}
