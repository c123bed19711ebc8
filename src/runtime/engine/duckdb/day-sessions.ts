/** Numbers for sessions within a day, given as rows come in: later questions group by one number instead of sorting all events. */
import { VisitorIndex } from "./visitor-index.ts";
import { floatsOf, wordsOf } from "./int64-words.ts";

/** Where a visitor's last event of the day is known from. */
export interface KnownVisitor {
  readonly visitorId: bigint;
  readonly timestampMs: bigint;
  readonly session: number;
}

const NEVER = Number.NEGATIVE_INFINITY;

const VISITORS_AT_FIRST = 32;

/** Of each visitor, its latest session so far. */
class LatestSessions {
  session = new Int32Array(VISITORS_AT_FIRST);
  startMs = new Float64Array(VISITORS_AT_FIRST);
  endMs = new Float64Array(VISITORS_AT_FIRST);
  /** Where the one before it ended. */
  previousEndMs = new Float64Array(VISITORS_AT_FIRST);

  begin(visitor: number, session: number, atMs: number, previousEndMs: number): void {
    if (visitor >= this.session.length) this.#grow();
    this.session[visitor] = session;
    this.startMs[visitor] = atMs;
    this.endMs[visitor] = atMs;
    this.previousEndMs[visitor] = previousEndMs;
  }

  #grow(): void {
    const larger = this.session.length * 2;
    const { session, startMs, endMs, previousEndMs } = this;
    (this.session = new Int32Array(larger)).set(session);
    (this.startMs = new Float64Array(larger)).set(startMs);
    (this.endMs = new Float64Array(larger)).set(endMs);
    (this.previousEndMs = new Float64Array(larger)).set(previousEndMs);
  }
}

/** The sessions of one day in one block. Rows come in order of sequence number, which nearly always is that of time. */
export class DaySessions {
  readonly #visitors = new VisitorIndex();
  readonly #latest = new LatestSessions();
  readonly #gapMs: number;
  readonly #nextSession: () => number;
  #inOrder = true;

  constructor(gapMs: number, nextSession: () => number, known: readonly KnownVisitor[]) {
    this.#gapMs = gapMs;
    this.#nextSession = nextSession;
    const words = wordsOf(BigUint64Array.from(known, ({ visitorId }) => visitorId));
    known.forEach(({ timestampMs, session }, i) => {
      const visitor = this.#visitors.placeOf(words[2 * i] ?? 0, words[2 * i + 1] ?? 0);
      // Of what came before that event nothing is known, so nothing earlier is taken for a part of its session.
      this.#latest.begin(visitor, session, Number(timestampMs), Number(timestampMs));
    });
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
    const sessions = new Int32Array(visitorIds.length);
    const words = wordsOf(visitorIds);
    const times = floatsOf(timestampsMs);
    for (let row = 0; row < sessions.length; row++) {
      const known = this.#visitors.count;
      const visitor = this.#visitors.placeOf(words[2 * row] ?? 0, words[2 * row + 1] ?? 0);
      const timeMs = times[row] ?? 0;
      sessions[row] = visitor === known ? this.#begin(visitor, timeMs, NEVER) : this.#sessionOf(visitor, timeMs);
    }
    return sessions;
  }

  #sessionOf(visitor: number, timeMs: number): number {
    const { session, startMs, endMs } = this.#latest;
    const lastEndMs = endMs[visitor] ?? NEVER;
    if (timeMs - lastEndMs > this.#gapMs) return this.#begin(visitor, timeMs, lastEndMs);
    if (timeMs > lastEndMs) endMs[visitor] = timeMs;
    if (timeMs < (startMs[visitor] ?? NEVER)) this.#lengthenToThePast(visitor, timeMs);
    return session[visitor] ?? 0;
  }

  #begin(visitor: number, timeMs: number, previousEndMs: number): number {
    const session = this.#nextSession();
    this.#latest.begin(visitor, session, timeMs, previousEndMs);
    return session;
  }

  #lengthenToThePast(visitor: number, timeMs: number): void {
    const { startMs, previousEndMs } = this.#latest;
    const meetsIt = (startMs[visitor] ?? NEVER) - timeMs <= this.#gapMs;
    const meetsThePrevious = timeMs - (previousEndMs[visitor] ?? NEVER) <= this.#gapMs;
    if (meetsIt && !meetsThePrevious) startMs[visitor] = timeMs;
    else this.#inOrder = false;
  }
}

/** The statement that numbers the sessions of a day anew in a table of events, in order of time, from the first number that is free. */
export const renumberedSql = (table: string, isOfDay: string, gapMs: number, numbersGiven: number): string => `
  UPDATE ${table} SET session = renumbered.session
  FROM (
    SELECT sequence_number, CAST(${numbersGiven} + sum(CASE WHEN gap_ms <= ${gapMs} THEN 0 ELSE 1 END)
      OVER (ORDER BY visitor_id, timestamp, sequence_number ROWS UNBOUNDED PRECEDING) AS INTEGER) AS session
    FROM (
      SELECT sequence_number, visitor_id, timestamp,
        timestamp - lag(timestamp) OVER (PARTITION BY visitor_id ORDER BY timestamp, sequence_number) AS gap_ms
      FROM ${table} WHERE ${isOfDay}
    ) AS spaced
  ) AS renumbered
  WHERE ${table}.sequence_number = renumbered.sequence_number`;
