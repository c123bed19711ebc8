/**
 * Changes that several instances share, each of which keeps all records itself. A change is published first and then stored. If it cannot be
 * stored here, the others get back what was there before. Of two changes of a key, the later one counts, on whichever instance it was made.
 */
import type { EpochMs } from "../../storage/event.ts";
import type { JsonObject } from "../../storage/record-store.ts";
import { LruMap } from "../../storage/lru-map.ts";
import { REMOVED_SITES_MAX } from "../base/config/admin-limits.ts";
import { AppError, storageUnavailable } from "../base/errors.ts";

export interface Change<T, Key extends string = string> {
  readonly key: Key;
  /** null after a removal. */
  readonly value: T | null;
  /** Ties go to the change published last. */
  readonly changedMs: EpochMs;
}

/** Gives changes to the other instances. A rejection refuses them, but some may have reached others, and come back from there. */
export type Publish<T, Key extends string = string> = (changes: readonly Change<T, Key>[]) => Promise<void>;

export interface SharedKind<T, Key extends string = string> {
  /** Precedes the keys in shared records. Keys of the kind without a prefix contain no slash. */
  readonly prefix: string;
  readonly json: (value: T) => JsonObject;
  /** Throws if it is not what `json` made for this key. */
  readonly parse: (json: JsonObject, key: Key, changedMs: EpochMs) => T;
  /** Throws if it is not a key of this kind. */
  readonly parseKey: (text: string) => Key;
}

export interface SharedTable<T, Key extends string = string> {
  readonly sharedKind: SharedKind<T, Key>;
  all(): Iterable<Change<T, Key>>;
  /** True if a published change counts instead of what is known here. */
  isReplacedBy(change: Change<T, Key>): boolean;
  /** Stores changes as far as they replace what is known here. Rejects if some cannot be stored. */
  receive(changes: readonly Change<T, Key>[], signal: AbortSignal): Promise<void>;
}

interface SharedChangesParts<T, Key extends string> {
  readonly publish: Publish<T, Key> | undefined;
  /** The value that counts here. */
  readonly valueOf: (key: Key) => T | null;
  readonly changedMsOf: (value: T) => EpochMs;
  readonly textOf: (value: T) => string;
}

export class SharedChanges<T, Key extends string = string> {
  readonly #parts: SharedChangesParts<T, Key>;
  /** Keeps earlier changes of other instances from bringing back what was removed here. */
  readonly #removedMs = new LruMap<Key, EpochMs>({ max: REMOVED_SITES_MAX, onEvict: (changedMs) => this.#noteLatest([{ changedMs }]) });
  /** Other instances may have a change of this time that is not known here: it was withdrawn, or a removal was evicted. */
  #unknownMs: EpochMs = 0;

  constructor(parts: SharedChangesParts<T, Key>) {
    this.#parts = parts;
  }

  /** Time of the last change or removal; 0 if unknown. */
  changedMsOf(key: Key): EpochMs {
    const value = this.#parts.valueOf(key);
    return value === null ? (this.#removedMs.peek(key) ?? 0) : this.#parts.changedMsOf(value);
  }

  /** The time for a new change: later than all known changes of the key, even if the clock of another instance is ahead. */
  nextMs(key: Key, nowMs: EpochMs): EpochMs {
    return Math.max(nowMs, this.changedMsOf(key) + 1, this.#unknownMs + 1);
  }

  isReplacedBy({ key, value, changedMs }: Change<T, Key>): boolean {
    const { valueOf, textOf } = this.#parts;
    const knownMs = this.changedMsOf(key);
    const text = (each: T | null) => each && textOf(each);
    return changedMs === knownMs ? text(value) !== text(valueOf(key)) : changedMs > knownMs;
  }

  /** Call it for each change that counts here. */
  noteApplied({ key, value, changedMs }: Change<T, Key>): void {
    if (value === null) this.#removedMs.set(key, changedMs);
  }

  /**
   * Publishes changes and has them stored. `store` removes from `open` what it has made durable; the rest is withdrawn if it fails. 503 if
   * they cannot be shared or stored.
   */
  async spread<Shared extends Change<T, Key>>(changes: readonly Shared[], store: (open: Set<Shared>) => Promise<void>): Promise<void> {
    await this.#publish(changes).catch((cause: unknown) => {
      this.#noteLatest(changes);
      throw storageUnavailable("The change could not be shared with the other nodes and may not count. Try again later.", cause);
    });
    const open = new Set(changes);
    try {
      await store(open);
    } catch (error) {
      await this.#withdraw([...open]);
      if (error instanceof AppError) throw error;
      throw storageUnavailable("The change could not be stored, and nothing is changed. Try again later.", error);
    }
  }

  /** If that fails too, the other instances keep the changes, and this one gets them from there. */
  async #withdraw(changes: readonly Change<T, Key>[]): Promise<void> {
    const withdrawn = changes.map(({ key, changedMs }) => ({ key, value: this.#parts.valueOf(key), changedMs: changedMs + 1 }));
    this.#noteLatest(withdrawn);
    await this.#publish(withdrawn).catch(() => {
      // The caller gets the error of the write.
    });
  }

  async #publish(changes: readonly Change<T, Key>[]): Promise<void> {
    await this.#parts.publish?.(changes);
  }

  /** There may be more changes than a function can have arguments. */
  #noteLatest(changes: readonly { readonly changedMs: EpochMs }[]): void {
    for (const { changedMs } of changes) this.#unknownMs = Math.max(this.#unknownMs, changedMs);
  }
}
