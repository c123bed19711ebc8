/** Numbers for sessions within a day, given as rows come in: later questions group by one number instead of sorting all events. */

interface LastEvent {
  timestampMs: bigint;
  session: number;
}

/** Where a visitor's last event of the day is known from. */
export interface KnownVisitor {
  readonly visitorId: bigint;
  readonly timestampMs: bigint;
  readonly session: number;
}

/** The sessions of one day in one block. Rows come in order of arrival, which nearly always is that of time. */
export class DaySessions {
  readonly #visitors = new Map<bigint, LastEvent>();
  readonly #gapMs: bigint;
  readonly #nextSession: () => number;
  #inOrder = true;

  constructor(gapMs: number, nextSession: () => number, known: readonly KnownVisitor[]) {
    this.#gapMs = BigInt(gapMs);
    this.#nextSession = nextSession;
    for (const { visitorId, timestampMs, session } of known) this.#visitors.set(visitorId, { timestampMs, session });
  }

  /** False once a visitor's event came after a later one of theirs (the clock was set back): then the numbers given are wrong. */
  get inOrder(): boolean {
    return this.#inOrder;
  }

  /** The session of each row. */
  assign(visitorIds: BigUint64Array, timestampsMs: BigInt64Array): Int32Array {
    return Int32Array.from(visitorIds, (visitorId, row) => this.#sessionOf(visitorId, timestampsMs[row] ?? 0n));
  }

  #sessionOf(visitorId: bigint, timestampMs: bigint): number {
    const last = this.#visitors.get(visitorId);
    if (!last) {
      const session = this.#nextSession();
      this.#visitors.set(visitorId, { timestampMs, session });
      return session;
    }
    if (timestampMs < last.timestampMs) this.#inOrder = false;
    if (timestampMs - last.timestampMs > this.#gapMs) last.session = this.#nextSession();
    last.timestampMs = timestampMs;
    return last.session;
  }
}
