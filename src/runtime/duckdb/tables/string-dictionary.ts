/**
 * Dictionary encoding of a site's strings: the engine's tables hold integer codes. Measured with DuckDB-WASM 1.32, rows load five
 * times and group 1.4 times as fast as with strings; docs/scaling.md, "What an event takes", has the memory. A table with the columns
 * `code` and `text` (the relation `texts`) decodes the rows of a result after aggregation. Query parameters are integers only, so no
 * string from a client is ever part of a statement.
 */

/** The code of "not recorded" in every string column. */
export const NOT_RECORDED = 0;

/** Stands for "not recorded" in reports, and selects it in filters (docs/http-api.md, "Filters"). */
export const UNKNOWN = "(unknown)";

/** Not the code of any string: matches no event. */
const NO_STRING = -1;

/** Memory of an entry in addition to its characters: the slot of the map, the header of the string, the row in `texts`. */
const ENTRY_BYTES = 96;

export class StringDictionary {
  readonly #codes = new Map<string, number>();
  /** Texts in order of their codes. */
  readonly #texts: string[] = [];
  #confirmed = 0;
  #bytes = 0;

  /** The code of a string; assigns one if it is new. A recorded `(unknown)` counts as not recorded. */
  codeOf(text: string | null): number {
    if (text === null) return NOT_RECORDED;
    const known = this.#codes.get(text);
    if (known !== undefined) return known;
    if (text === UNKNOWN) return NOT_RECORDED;
    const code = this.#codes.size + 1;
    this.#codes.set(text, code);
    this.#texts.push(text);
    this.#bytes += text.length * 2 + ENTRY_BYTES;
    return code;
  }

  /** The code of a string in a query. Assigns none. */
  lookUp(text: string): number {
    return text === UNKNOWN ? NOT_RECORDED : (this.#codes.get(text) ?? NO_STRING);
  }

  /** The string of a code; undefined for `NOT_RECORDED`. */
  stringOf(code: number): string | undefined {
    return this.#texts[code - 1];
  }

  get size(): number {
    return this.#codes.size;
  }

  /** Characters of all strings. */
  get chars(): number {
    return (this.#bytes - this.#codes.size * ENTRY_BYTES) / 2;
  }

  /** All strings with their codes. An iteration also yields strings that are added while it runs. */
  entries(): Iterable<readonly [text: string, code: number]> {
    return this.#codes;
  }

  /** The strings added since the last `confirmAdded`, in order of their codes. */
  added(): { firstCode: number; strings: readonly string[] } {
    return { firstCode: this.#confirmed + 1, strings: this.#texts.slice(this.#confirmed) };
  }

  /** Must be called once the added strings are in the table. */
  confirmAdded(): void {
    this.#confirmed = this.#texts.length;
  }

  get bytes(): number {
    return this.#bytes;
  }
}
