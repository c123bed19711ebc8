/** Loaded values, the most recently used ones up to a size. Concurrent loads of a key are one load, and failures are not cached. */

interface Entry<Value> {
  readonly value: Promise<Value>;
  /** Null while it loads. */
  bytes: number | null;
}

export class LoadCache<Value> {
  readonly #bytesMax: number;
  readonly #bytesOf: (value: Value) => number;
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry<Value>>();
  #bytes = 0;

  constructor(bytesMax: number, bytesOf: (value: Value) => number) {
    this.#bytesMax = bytesMax;
    this.#bytesOf = bytesOf;
  }

  get(key: string, load: () => Promise<Value>): Promise<Value> {
    const entry = this.#entries.get(key) ?? this.#load(key, load);
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  #load(key: string, load: () => Promise<Value>): Entry<Value> {
    const entry: Entry<Value> = { value: load(), bytes: null };
    entry.value.then(
      (value) => {
        const bytes = this.#bytesOf(value);
        if (bytes > this.#bytesMax) {
          this.#entries.delete(key);
          return;
        }
        entry.bytes = bytes;
        this.#bytes += bytes;
        this.#evict();
      },
      () => this.#entries.delete(key),
    );
    return entry;
  }

  #evict(): void {
    for (const [key, { bytes }] of this.#entries) {
      if (this.#bytes <= this.#bytesMax) return;
      if (bytes === null) continue;
      this.#entries.delete(key);
      this.#bytes -= bytes;
    }
  }
}
