/** Patterns with the wildcard `*`, for paths in settings and in steps of reports. The matcher never backtracks. */

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
  /** Null if the pattern has no wildcard. */
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
