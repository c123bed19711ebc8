/** Numbers for sessions within a day, given as rows come in: later questions group by one number instead of sorting all events. */

/** A visitor's latest session so far. */
interface LatestSession {
  readonly session: number;
  startMs: bigint;
  endMs: bigint;
  /** Where the one before it ended; null when there was none. */
  readonly previousEndMs: bigint | null;
}

/** Where a visitor's last event of the day is known from. */
export interface KnownVisitor {
  readonly visitorId: bigint;
  readonly timestampMs: bigint;
  readonly session: number;
}

/** The sessions of one day in one block. Rows come in order of arrival, which nearly always is that of time. */
export class DaySessions {
  readonly #visitors = new Map<bigint, LatestSession>();
  readonly #gapMs: bigint;
  readonly #nextSession: () => number;
  #inOrder = true;

  constructor(gapMs: number, nextSession: () => number, known: readonly KnownVisitor[]) {
    this.#gapMs = BigInt(gapMs);
    this.#nextSession = nextSession;
    for (const { visitorId, timestampMs, session } of known) {
      // Of what came before that event nothing is known, so nothing earlier is taken for a part of its session.
      this.#visitors.set(visitorId, { session, startMs: timestampMs, endMs: timestampMs, previousEndMs: timestampMs });
    }
  }

  /**
   * False once an event came that belongs before its visitor's latest session (the clock was set back): then the numbers
   * given are wrong. Events that overtake each other by a little, as those of one page do, stay within their session.
   */
  get inOrder(): boolean {
    return this.#inOrder;
  }

  /** The session of each row. */
  assign(visitorIds: BigUint64Array, timestampsMs: BigInt64Array): Int32Array {
    return Int32Array.from(visitorIds, (visitorId, row) => this.#sessionOf(visitorId, timestampsMs[row] ?? 0n));
  }

  #sessionOf(visitorId: bigint, timestampMs: bigint): number {
    const latest = this.#visitors.get(visitorId);
    if (!latest || timestampMs - latest.endMs > this.#gapMs) return this.#begin(visitorId, timestampMs, latest?.endMs ?? null);
    if (timestampMs > latest.endMs) latest.endMs = timestampMs;
    if (timestampMs < latest.startMs) this.#lengthenToThePast(latest, timestampMs);
    return latest.session;
  }

  #begin(visitorId: bigint, timestampMs: bigint, previousEndMs: bigint | null): number {
    const session = this.#nextSession();
    this.#visitors.set(visitorId, { session, startMs: timestampMs, endMs: timestampMs, previousEndMs });
    return session;
  }

  #lengthenToThePast(latest: LatestSession, timestampMs: bigint): void {
    const { startMs, previousEndMs } = latest;
    const meetsIt = startMs - timestampMs <= this.#gapMs;
    const meetsThePrevious = previousEndMs !== null && timestampMs - previousEndMs <= this.#gapMs;
    if (meetsIt && !meetsThePrevious) latest.startMs = timestampMs;
    else this.#inOrder = false;
  }
}
