/**
 * Tables of small records: API keys, share links, sites, and the items of sites. A table is read once at the start and kept in memory. A
 * damaged record stops the start with a message that names it. A change counts once it is durable; one that cannot be stored leaves what was
 * there before, also for the next start.
 */
import { changeJsonRecord, type JsonObject, readRecord, type RecordStore, replaceJsonRecord } from "../../storage/record-store.ts";
import { severalAtOnce } from "../../storage/object-store.ts";
import { SITE_RECORDS_MAX_AT_ONCE } from "./config/admin-limits.ts";
import type { Log } from "./metrics/log.ts";
import { SerialQueue } from "./queue.ts";

export interface RecordKind<T, Key extends string = string> {
  readonly folder: string;
  readonly keyOf: (value: T) => Key;
  /** The name of a record in the folder: 64 hexadecimal digits. */
  readonly hashOf: (key: Key) => string;
  readonly json: (value: T) => object;
  /** Throws with the fault if the object is not what `json` makes. */
  readonly parse: (json: JsonObject) => T;
}

const nameOf = <Key extends string>({ folder, hashOf }: Pick<RecordKind<never, Key>, "folder" | "hashOf">, key: Key): string =>
  `${folder}/${hashOf(key)}.json`;

/** null if the folder has no record of this name: the name is another file's, or the record is gone. Rejects if it is damaged. */
export async function readTableRecord<T, Key extends string>(
  records: Pick<RecordStore, "read">,
  name: string,
  kind: Pick<RecordKind<T, Key>, "folder" | "keyOf" | "hashOf" | "parse">,
): Promise<T | null> {
  if (!name.startsWith(`${kind.folder}/`) || !/^[a-z]+\/[0-9a-f]{64}\.json$/.test(name)) return null;
  return readRecord(records, name, (json) => {
    const value = kind.parse(json);
    if (nameOf(kind, kind.keyOf(value)) !== name) throw new Error("it belongs under another name");
    return value;
  });
}

interface RecordTableParts {
  readonly records: RecordStore;
  readonly log: Log;
  readonly changesWaitingMax: number;
}

/** What belongs to sites, and follows one that gets another id. */
export interface SiteBelongings<Site extends string = string> {
  /** True if the site has any, which keeps its id from being another site's new one. */
  hasSite(siteId: Site): boolean;
  /** Runs a task while nothing of this kind changes; 429 when too many wait. */
  inTurn<Result>(task: () => Promise<Result>, signal: AbortSignal): Promise<Result>;
  /** Gives what a site has to its new id, at once in memory. Of two changes, the later one counts: an interrupted move may have made one. */
  moveSite(from: Site, to: Site): void;
  /** Makes that durable. May be repeated. */
  saveMoved(from: Site, to: Site): Promise<void>;
}

export class RecordTable<T, Key extends string = string> {
  readonly #kind: RecordKind<T, Key>;
  readonly #records: RecordStore;
  readonly #values = new Map<Key, T>();
  readonly #queue: SerialQueue;

  private constructor(kind: RecordKind<T, Key>, { records, changesWaitingMax }: RecordTableParts) {
    this.#kind = kind;
    this.#records = records;
    this.#queue = new SerialQueue({ waitingMax: changesWaitingMax, retryAfterSecs: 1 });
  }

  /** Rejects when a record is damaged: skipping it would lose what it says, such as that a key is revoked. */
  static async open<T, Key extends string>(kind: RecordKind<T, Key>, parts: RecordTableParts): Promise<RecordTable<T, Key>> {
    const table = new RecordTable(kind, parts);
    await severalAtOnce(await parts.records.list(`${kind.folder}/`), SITE_RECORDS_MAX_AT_ONCE, async (name) => {
      const value = await readTableRecord(parts.records, name, kind);
      if (value !== null) table.#values.set(kind.keyOf(value), value);
      else parts.log.warn(`a file among the ${kind.folder} is ignored, because its name is not the name of a record`, { name });
    });
    return table;
  }

  get size(): number {
    return this.#values.size;
  }

  keys(): Iterable<Key> {
    return this.#values.keys();
  }

  values(): Iterable<T> {
    return this.#values.values();
  }

  get(key: Key): T | null {
    return this.#values.get(key) ?? null;
  }

  /** Runs changes one after another; 429 when too many wait. One whose signal aborts while it waits is not started. */
  inTurn<Result>(change: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    return this.#queue.run(change, signal);
  }

  /** Makes a value durable and then lets it count; null removes the record. */
  async put(key: Key, value: T | null): Promise<void> {
    await this.store(key, value);
    this.set(key, value);
  }

  /** Makes a value durable, which does not count before `set`. If that fails, the value that counts is written again. */
  store(key: Key, value: T | null): Promise<void> {
    const jsonOf = (each: T | null) => each && this.#kind.json(each);
    return changeJsonRecord(this.#records, nameOf(this.#kind, key), { from: jsonOf(this.get(key)), to: jsonOf(value) });
  }

  /** Lets a value count at once, stored or not. */
  set(key: Key, value: T | null): void {
    if (value === null) this.#values.delete(key);
    else this.#values.set(key, value);
  }

  /** Stores the value that counts now. If it was removed meanwhile, it stays removed. */
  async save(key: Key): Promise<void> {
    const value = this.get(key);
    if (value !== null) await replaceJsonRecord(this.#records, nameOf(this.#kind, key), this.#kind.json(value));
  }
}
