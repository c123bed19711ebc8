/** How a secret is held so that printing, logging or copying whatever contains it shows nothing. */

const REDACTED = "[redacted]";

/** The text is a private field: JSON, template strings, console output and structured clones never reach it. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The text itself. Call it where the secret is used, and keep the result in no field. */
  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  /** Node's `util.inspect`, and with it `console.log`, asks for this. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return REDACTED;
  }
}
