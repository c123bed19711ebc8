/** Loaded values, the most recently used ones up to a size. Concurrent loads of a key are one load, and failures are not cached. */
import { LruMap } from "../../../storage/lru-map.ts";

export class LoadCache<Key, Value> {
  readonly #loaded: LruMap<Key, Value>;
  readonly #loading = new Map<Key, Promise<Value>>();

  /** `onEvict` is also called with values that are too large to be cached. */
  constructor(bytesMax: number, bytesOf: (value: Value) => number, onEvict: (value: Value) => void = () => {}) {
    this.#loaded = new LruMap({ max: bytesMax, weightOf: bytesOf, onEvict });
  }

  async get(key: Key, load: () => Promise<Value>): Promise<Value> {
    return this.#loaded.get(key) ?? this.#loading.get(key) ?? this.#load(key, load);
  }

  async #load(key: Key, load: () => Promise<Value>): Promise<Value> {
    const loading = load();
    this.#loading.set(key, loading);
    try {
      const value = await loading;
      this.#loaded.set(key, value);
      return value;
    } finally {
      this.#loading.delete(key);
    }
  }
}
