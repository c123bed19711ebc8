/**
 * Text: its length in Unicode code points and in UTF-8 bytes, well-formed text that UTF-8 can hold, characters that nobody sees, and patterns
 * with the wildcard `*`.
 */

/** Bytes of UTF-8 that one UTF-16 unit takes at most. */
const UTF8_BYTES_PER_UNIT_MAX = 3;

const encoder = new TextEncoder();

const LONE_SURROGATE = /\p{Surrogate}/gu;

/** True if `text` has more than `charsMax` code points. Counts them only when the number of UTF-16 units does not decide. */
export function exceedsChars(text: string, charsMax: number): boolean {
  if (text.length <= charsMax) return false;
  // A code point takes at most two units.
  if (text.length > charsMax * 2) return true;
  return unitsOfChars(text, charsMax) < text.length;
}

/** True if `text` has more than `bytesMax` bytes of UTF-8. The cost is bounded by `bytesMax`, however long the text is. */
export function exceedsBytes(text: string, bytesMax: number): boolean {
  if (text.length > bytesMax) return true;
  return text.length * UTF8_BYTES_PER_UNIT_MAX > bytesMax && encoder.encode(text).length > bytesMax;
}

/** The first `charsMax` code points of `text`. */
export const cutToChars = (text: string, charsMax: number): string =>
  text.length <= charsMax ? text : text.slice(0, unitsOfChars(text, charsMax));

/** `text` with U+FFFD for every lone surrogate, as `String.prototype.toWellFormed` (ES2024) does. */
export const wellFormed = (text: string): string => text.replace(LONE_SURROGATE, "\uFFFD");

/** The UTF-16 units of the first `charsMax` code points of `text`. */
function unitsOfChars(text: string, charsMax: number): number {
  let units = 0;
  for (let chars = 0; chars < charsMax && units < text.length; chars++) {
    units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1;
  }
  return units;
}

/**
 * A character that people do not see, and that can reorder, hide or end a text, as a part of patterns with the flag `u`: control,
 * bidirectional and invisible ones, and what is no character (UTS 36, 2.10; UTS 39, 3.1). Joiners and the two styles of emoji stay:
 * scripts and emoji need them.
 */
export const HIDDEN_CHARACTER = "(?:(?![\\u200C\\u200D\\uFE0E\\uFE0F])[\\p{C}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}])";

const HIDDEN_CHARACTERS = new RegExp(HIDDEN_CHARACTER, "gu");

/** The text with `shown` for each hidden character. */
export const withHiddenAs = (text: string, shown: string): string => text.replaceAll(HIDDEN_CHARACTERS, shown);

/** `*` stands for any number of characters, including none. Every other character stands for itself. */
const WILDCARD = "*";

/**
 * Matches in time proportional to the length of the string times the length of the pattern. Each literal part is searched from
 * the end of the first match of the part before it; for patterns with no other wildcard that never needs a second try.
 * DuckDB's LIKE backtracks, exponentially in the number of wildcards, and its regular expressions take time and memory for each
 * wildcard that a pattern may have.
 */
export class WildcardPattern {
  readonly #first: string;
  readonly #middle: readonly string[];
  /** null if the pattern has no wildcard. */
  readonly #last: string | null;

  constructor(pattern: string) {
    const [first = "", ...others] = pattern.split(WILDCARD);
    this.#first = first;
    this.#last = others.pop() ?? null;
    this.#middle = others.filter((part) => part !== "");
  }

  matches(text: string): boolean {
    if (this.#last === null) return text === this.#first;
    const lastAt = text.length - this.#last.length;
    if (lastAt < this.#first.length || !text.startsWith(this.#first) || !text.endsWith(this.#last)) return false;
    let from = this.#first.length;
    for (const part of this.#middle) {
      const at = text.indexOf(part, from);
      if (at === -1 || at + part.length > lastAt) return false;
      from = at + part.length;
    }
    return true;
  }
}
