/** The entries of dictionaries that a guest's query may read, looked up one by one: how long it takes tells nothing of all others. */
import { EngineLostError } from "../engine.ts";
import { NOT_RECORDED } from "./string-dictionary.ts";
import type { Entries, Entry } from "./unseen-entries.ts";

/** Entries that are looked up before other work of the thread runs: a millisecond at most. */
const BATCH_ENTRIES = 10_000;

export class ReadableEntries implements Entries {
  /** Different ones. */
  readonly #codes: Int32Array;
  readonly #textOf: (code: number) => string | undefined;
  #seen = 0;

  constructor(codes: Int32Array, textOf: (code: number) => string | undefined) {
    this.#codes = codes;
    this.#textOf = textOf;
  }

  get areAny(): boolean {
    return this.#seen < this.#codes.length;
  }

  async weigh(next: () => Promise<void>): Promise<number> {
    let weight = 0;
    for (const [at, code] of this.#codes.entries()) {
      if (code !== NOT_RECORDED) weight += this.#lookUp(code).length + 1;
      if ((at + 1) % BATCH_ENTRIES === 0) await next();
    }
    return weight;
  }

  #lookUp(code: number): string {
    const text = this.#textOf(code);
    if (text === undefined) throw new EngineLostError("texts of the query were dropped");
    return text;
  }

  *[Symbol.iterator](): Iterator<Entry> {
    while (this.#seen < this.#codes.length) {
      const code = this.#codes[this.#seen++] ?? NOT_RECORDED;
      if (code !== NOT_RECORDED) yield [this.#lookUp(code), code];
    }
  }
}
