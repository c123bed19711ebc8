/** How a secret is held: printing, logging or copying the object that contains it shows nothing. */

const REDACTED = "[redacted]";

/** The text is a private field, which JSON, template strings, console output and structured clones never reach. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The text itself. Call it where the secret is used, and do not store the result. */
  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  /** For Node's `util.inspect`, and so for `console.log`. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return REDACTED;
  }
}
