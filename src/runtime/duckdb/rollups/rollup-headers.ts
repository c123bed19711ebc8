/** The headers of rollups, cached up to a number of characters: files never change. */
import type { ObjectKey } from "../../../storage/object-store.ts";
import { LruMap } from "../../../storage/lru-map.ts";
import type { RollupHeader } from "../../../storage/rollup.ts";
import { ROLLUP_HEADERS_CHARS_MAX, UNREADABLE_ROLLUPS_REMEMBERED_MAX } from "../../base/config/report-limits.ts";
import type { Log } from "../../base/metrics/log.ts";
import type { RollupCalculator } from "./rollup-calculator.ts";

interface Entry {
  readonly header: RollupHeader | null;
  readonly chars: number;
}

export class RollupHeaders {
  readonly #calculator: Pick<RollupCalculator, "headers">;
  readonly #log: Log;
  readonly #entries = new LruMap<ObjectKey, Entry>({ max: ROLLUP_HEADERS_CHARS_MAX, weightOf: ({ chars }) => chars });
  readonly #reading = new Map<ObjectKey, Promise<RollupHeader | null>>();
  readonly #reported = new Set<ObjectKey>();

  constructor(calculator: Pick<RollupCalculator, "headers">, log: Log) {
    this.#calculator = calculator;
    this.#log = log;
  }

  /** Leaves out rollups that are missing or cannot be read. Concurrent calls share the reading of a header. */
  async read(keys: readonly ObjectKey[]): Promise<ReadonlyMap<ObjectKey, RollupHeader>> {
    const missing = keys.filter((key) => !this.#entries.has(key) && !this.#reading.has(key));
    if (missing.length > 0) this.#start(missing);
    const headers = await Promise.all(
      keys.map(async (key) => [key, this.#entries.get(key)?.header ?? (await this.#reading.get(key))] as const),
    );
    return new Map(headers.flatMap(([key, header]) => (header ? [[key, header] as const] : [])));
  }

  #start(keys: readonly ObjectKey[]): void {
    const all = this.#calculator.headers(keys);
    for (const [i, key] of keys.entries()) {
      const reading = all
        .then((headers) => {
          const header = headers[i] ?? null;
          // Unless it was forgotten meanwhile.
          if (this.#reading.get(key) === reading) this.#remember(key, header);
          return header;
        })
        .finally(() => {
          if (this.#reading.get(key) === reading) this.#reading.delete(key);
        });
      this.#reading.set(key, reading);
    }
  }

  /** Reads these again at their next use. */
  forget(keys: Iterable<ObjectKey>): void {
    for (const key of keys) {
      this.#reading.delete(key);
      this.#entries.delete(key);
    }
  }

  #remember(key: ObjectKey, header: RollupHeader | null): void {
    if (!header) this.#report(key);
    this.#entries.set(key, { header, chars: key.length + JSON.stringify(header).length });
  }

  #report(key: ObjectKey): void {
    if (this.#reported.has(key)) return;
    if (this.#reported.size >= UNREADABLE_ROLLUPS_REMEMBERED_MAX) this.#reported.clear();
    this.#reported.add(key);
    this.#log.warn("a rollup is missing or cannot be read; reports read the events instead, and it is made again", { file: key });
  }
}
