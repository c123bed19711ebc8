/** The headers of rollups, cached up to a number of characters: files never change. */
import type { ObjectKey } from "../../storage/object-store.ts";
import type { RollupHeader } from "../../storage/rollup.ts";
import { ROLLUP_HEADERS_CHARS_MAX, UNREADABLE_ROLLUPS_REMEMBERED_MAX } from "../config/rollup-limits.ts";
import type { Log } from "../metrics/log.ts";
import type { RollupCalculator } from "./rollup-calculator.ts";

interface Entry {
  readonly header: RollupHeader | null;
  readonly chars: number;
}

export class RollupHeaders {
  readonly #calculator: Pick<RollupCalculator, "headers">;
  readonly #log: Log;
  /** In order of last use. */
  readonly #entries = new Map<ObjectKey, Entry>();
  #chars = 0;
  readonly #reported = new Set<ObjectKey>();

  constructor(calculator: Pick<RollupCalculator, "headers">, log: Log) {
    this.#calculator = calculator;
    this.#log = log;
  }

  /** Without those that are missing or cannot be read. */
  async read(keys: readonly ObjectKey[]): Promise<ReadonlyMap<ObjectKey, RollupHeader>> {
    const found = new Map(keys.map((key) => [key, this.#cached(key)]));
    const missing = keys.filter((key) => found.get(key) === undefined);
    const read = missing.length === 0 ? [] : await this.#calculator.headers(missing);
    for (const [i, key] of missing.entries()) {
      const header = read[i] ?? null;
      found.set(key, header);
      this.#remember(key, header);
    }
    return new Map([...found].flatMap(([key, header]) => (header ? [[key, header] as const] : [])));
  }

  /** Reads these again at their next use. */
  forget(keys: Iterable<ObjectKey>): void {
    for (const key of keys) {
      this.#chars -= this.#entries.get(key)?.chars ?? 0;
      this.#entries.delete(key);
    }
  }

  #cached(key: ObjectKey): RollupHeader | null | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.header;
  }

  #remember(key: ObjectKey, header: RollupHeader | null): void {
    if (!header) this.#report(key);
    this.forget([key]);
    const chars = key.length + JSON.stringify(header).length;
    this.#entries.set(key, { header, chars });
    this.#chars += chars;
    for (const oldest of this.#entries.keys()) {
      if (this.#chars <= ROLLUP_HEADERS_CHARS_MAX) return;
      this.forget([oldest]);
    }
  }

  #report(key: ObjectKey): void {
    if (this.#reported.has(key)) return;
    if (this.#reported.size >= UNREADABLE_ROLLUPS_REMEMBERED_MAX) this.#reported.clear();
    this.#reported.add(key);
    this.#log.warn("a rollup is missing or cannot be read; reports read the events instead, and it is made again", { file: key });
  }
}
