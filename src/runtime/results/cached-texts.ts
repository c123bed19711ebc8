/** Texts by key, in order of last use, and how many characters they take. */
import type { SiteId } from "../../storage/event.ts";

export interface CachedText {
  readonly siteId: SiteId;
  readonly text: string;
  readonly requestedAtMs: number;
}

/** A key may be longer than its result: filters and names of properties are part of it. */
export const charsOf = (key: string, { text }: CachedText): number => key.length + text.length;

export class CachedTexts {
  readonly #entries = new Map<string, CachedText>();
  #chars = 0;

  get size(): number {
    return this.#entries.size;
  }

  get chars(): number {
    return this.#chars;
  }

  get(key: string): CachedText | undefined {
    return this.#entries.get(key);
  }

  /** Becomes the one that was used last. */
  set(key: string, entry: CachedText): void {
    this.remove(key);
    this.#entries.set(key, entry);
    this.#chars += charsOf(key, entry);
  }

  remove(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#chars -= charsOf(key, entry);
  }

  /** Removes the one that was used longest ago. */
  removeOldest(): void {
    for (const key of this.#entries.keys()) return this.remove(key);
  }

  removeSite(siteId: SiteId): void {
    for (const [key, entry] of this.#entries) if (entry.siteId === siteId) this.remove(key);
  }
}
