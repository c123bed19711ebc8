/** Wildcard patterns over texts: `*` stands for any characters, also none, and everything else for itself. */

const WILDCARD = "*";

/**
 * Matches in time proportional to the lengths of text and pattern multiplied, whatever they are: each literal part is
 * searched from where the one before it was first found, which for patterns with no other wildcard never needs a
 * second try.
 */
export class TextPattern {
  readonly #first: string;
  readonly #middle: readonly string[];
  /** Null where the pattern has no wildcard. */
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
