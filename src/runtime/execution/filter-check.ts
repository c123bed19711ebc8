/** Compiles the regular expressions of filters where events are taken: one at a time, and events go first in between. */
import { checkSyntax, type Condition, type InTurn } from "../query/filters.ts";

export class FilterCheck {
  readonly #wait: (ms: number) => Promise<void>;
  #last: Promise<unknown> = Promise.resolve();

  /** `wait` resolves after so many milliseconds, and after what has arrived meanwhile. */
  constructor(wait: (ms: number) => Promise<void>) {
    this.#wait = wait;
  }

  /** 400 for what is no regular expression. For queries that have a slot, which bounds how many wait, and for what administrators save. */
  check(conditions: readonly Condition[]): Promise<void> {
    return checkSyntax(conditions, this.#inTurn);
  }

  readonly #inTurn: InTurn = (work) => {
    const turn = this.#last.then(() => this.#wait(0)).then(work);
    this.#last = turn.catch(() => {
      // The query whose work it is gets the error.
    });
    return turn;
  };
}
