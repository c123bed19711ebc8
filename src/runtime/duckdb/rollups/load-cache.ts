/** Loaded values, the most recently used ones up to a size. Concurrent loads of a key are one load, and failures are not cached. */

interface Entry<Value> {
  readonly value: Promise<Value>;
  /** Null while it loads. */
  loaded: { readonly value: Value; readonly bytes: number } | null;
}

export class LoadCache<Key, Value> {
  readonly #bytesMax: number;
  readonly #bytesOf: (value: Value) => number;
  readonly #onEvict: (value: Value) => void;
  /** Least recently used first. */
  readonly #entries = new Map<Key, Entry<Value>>();
  #bytes = 0;

  /** `onEvict` is also called with values that are too large to be cached. */
  constructor(bytesMax: number, bytesOf: (value: Value) => number, onEvict: (value: Value) => void = () => {}) {
    this.#bytesMax = bytesMax;
    this.#bytesOf = bytesOf;
    this.#onEvict = onEvict;
  }

  get(key: Key, load: () => Promise<Value>): Promise<Value> {
    const entry = this.#entries.get(key) ?? this.#load(key, load);
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  #load(key: Key, load: () => Promise<Value>): Entry<Value> {
    const entry: Entry<Value> = { value: load(), loaded: null };
    entry.value.then(
      (value) => {
        const bytes = this.#bytesOf(value);
        if (bytes > this.#bytesMax) {
          this.#entries.delete(key);
          this.#onEvict(value);
          return;
        }
        entry.loaded = { value, bytes };
        this.#bytes += bytes;
        this.#evict();
      },
      () => this.#entries.delete(key),
    );
    return entry;
  }

  #evict(): void {
    for (const [key, { loaded }] of this.#entries) {
      if (this.#bytes <= this.#bytesMax) return;
      if (!loaded) continue;
      this.#entries.delete(key);
      this.#bytes -= loaded.bytes;
      this.#onEvict(loaded.value);
    }
  }
}
