/**
 * The order of computations on the engine's thread: owners before guests, of whom one at a time computes. A computation that waits asks
 * again after each step of others, instead of awaiting a promise that another one resolves: workerd does not let one object wait for
 * another, and an abort ends every wait within one step.
 */

/** Steps of owners after which a guest has one, so that guests are slow but never stand still. */
const OWNER_STEPS_PER_GUEST_STEP = 4;

export interface Caller {
  /** Reads what is shared, by a link or of a public site. */
  readonly isGuest: boolean;
  readonly signal: AbortSignal;
}

/** A computation that runs in steps. */
export interface Turn extends Caller {
  /** Lets others compute. Resolves when it is this one's turn, and rejects with the signal's reason. */
  readonly next: () => Promise<void>;
  /** Resolves with the first result of `take`, which is called again after each step of others. Rejects with the signal's reason. */
  readonly until: <T>(take: () => T | undefined) => Promise<T>;
}

export class Turns {
  readonly #yieldToOthers: () => Promise<void>;
  /** Owners' computations that are not waiting. */
  #owners = 0;
  /** Steps of owners since the last one of a guest. */
  #ownerSteps = 0;
  /** Guests that want to compute, in order. The first one may be computing. */
  readonly #guests = new Set<Caller>();

  constructor(yieldToOthers: () => Promise<void>) {
    this.#yieldToOthers = yieldToOthers;
  }

  /** Runs a task that calls `next` between its steps. */
  async run<T>(caller: Caller, task: (turn: Turn) => Promise<T>): Promise<T> {
    caller.signal.throwIfAborted();
    const turn: Turn = {
      ...caller,
      next: () => (caller.isGuest ? this.#nextOfGuest(caller) : this.#nextOfOwner(caller)),
      until: (take) => this.#until(caller, take),
    };
    this.#begin(caller);
    try {
      return await task(turn);
    } finally {
      this.#end(caller);
    }
  }

  #begin({ isGuest }: Caller): void {
    if (!isGuest) this.#owners++;
  }

  #end(caller: Caller): void {
    if (caller.isGuest) this.#guests.delete(caller);
    else this.#owners--;
  }

  async #nextOfOwner({ signal }: Caller): Promise<void> {
    await this.#yieldToOthers();
    signal.throwIfAborted();
    this.#ownerSteps++;
  }

  async #nextOfGuest(guest: Caller): Promise<void> {
    // It gives its place away only after others could run: guests that were told in the same moment would compute all at once.
    await this.#yieldToOthers();
    this.#guests.delete(guest);
    this.#guests.add(guest);
    while (!this.#isTurnOf(guest)) {
      guest.signal.throwIfAborted();
      await this.#yieldToOthers();
    }
    guest.signal.throwIfAborted();
    this.#ownerSteps = 0;
  }

  #isTurnOf(guest: Caller): boolean {
    const [first] = this.#guests;
    return first === guest && (this.#owners === 0 || this.#ownerSteps >= OWNER_STEPS_PER_GUEST_STEP);
  }

  /** Whoever waits takes no turns: what it waits for may be held by guests. */
  async #until<T>(caller: Caller, take: () => T | undefined): Promise<T> {
    this.#end(caller);
    try {
      for (;;) {
        const taken = take();
        if (taken !== undefined) return taken;
        await this.#yieldToOthers();
        caller.signal.throwIfAborted();
      }
    } finally {
      this.#begin(caller);
    }
  }
}
