/**
 * Numbers the sessions of a UTC day while its events are loaded. Events of one visitor share a number until a pause longer than the
 * session gap. Queries group by that number instead of sorting all events by visitor and time. They join the parts of a session on
 * both sides of midnight themselves; those exist only if the salt period is longer than a day.
 */
import { floatsOf, wordsOf } from "../../base/bytes.ts";

const INITIAL_SLOTS = 64;

const EMPTY = -1;

/** The table doubles when it is half full. */
const SLOTS_PER_VISITOR = 2;

/** Ids are uniformly distributed hashes, but the table does not depend on it. */
const mixed = (low: number, high: number): number => Math.imul(low ^ Math.imul(high, 0x9e3779b1), 0x85ebca6b);

/** Maps visitor ids to indexes from 0 on. An open-addressing hash table, because a `Map` would need a BigInt for every row. */
export class VisitorIndex {
  count = 0;
  #slots = new Int32Array(INITIAL_SLOTS).fill(EMPTY);
  /** The low and the high word of each visitor's id. */
  #ids = new Int32Array(INITIAL_SLOTS);

  /** The index of the visitor whose id has these words; assigns the next one if the id is new. */
  indexOf(low: number, high: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    const hash = mixed(low, high);
    let slot = (hash ^ (hash >>> 15)) & mask;
    for (;;) {
      const index = slots[slot] ?? EMPTY;
      if (index === EMPTY) break;
      if (this.#ids[2 * index] === low && this.#ids[2 * index + 1] === high) return index;
      slot = (slot + 1) & mask;
    }
    const index = this.count++;
    this.#ids[2 * index] = low;
    this.#ids[2 * index + 1] = high;
    slots[slot] = index;
    if (this.count * SLOTS_PER_VISITOR >= slots.length) this.#grow();
    return index;
  }

  /** The index of the visitor of each row. */
  indexesOf(visitorIds: BigUint64Array): Int32Array {
    const indexes = new Int32Array(visitorIds.length);
    const words = wordsOf(visitorIds);
    for (let row = 0; row < indexes.length; row++) indexes[row] = this.indexOf(words[2 * row] ?? 0, words[2 * row + 1] ?? 0);
    return indexes;
  }

  get bytes(): number {
    return this.#slots.byteLength + this.#ids.byteLength;
  }

  #grow(): void {
    const ids = this.#ids;
    const count = this.count;
    this.#slots = new Int32Array(this.#slots.length * 2).fill(EMPTY);
    this.#ids = new Int32Array(this.#slots.length);
    this.count = 0;
    for (let index = 0; index < count; index++) this.indexOf(ids[2 * index] ?? 0, ids[2 * index + 1] ?? 0);
  }
}

/** A visitor's last event of the day that is loaded. */
export interface LastEvent {
  readonly visitorId: bigint;
  readonly timestampMs: bigint;
  readonly session: number;
}

const NEVER = Number.NEGATIVE_INFINITY;

const INITIAL_CAPACITY = 32;

/** The latest session of each visitor, by the visitor's index; 0 for a visitor without one. */
class LatestSessions {
  session = new Int32Array(INITIAL_CAPACITY);
  startMs = new Float64Array(INITIAL_CAPACITY);
  endMs = new Float64Array(INITIAL_CAPACITY);
  /** The end of the session before it. */
  previousEndMs = new Float64Array(INITIAL_CAPACITY);

  start(visitor: number, session: number, atMs: number, previousEndMs: number): void {
    while (visitor >= this.session.length) this.#grow();
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

/** Numbers the sessions of visitors on one day. Rows come in order of sequence number, which is nearly always the order of time. */
export class SessionNumbers {
  readonly #latest = new LatestSessions();
  readonly #gapMs: number;
  /** Returns numbers from 1 on. */
  readonly #nextSession: () => number;
  /**
   * False once an event belongs before its visitor's latest session, as after the clock was set back. The assigned numbers are
   * then wrong. Events of one page may arrive slightly out of order; they stay within their session.
   */
  inOrder = true;

  constructor(gapMs: number, nextSession: () => number) {
    this.#gapMs = gapMs;
    this.#nextSession = nextSession;
  }

  /** Continues a session that ends here. Its start is unknown, so no earlier event counts as part of it. */
  continueFrom(visitor: number, session: number, endMs: number): void {
    this.#latest.start(visitor, session, endMs, endMs);
  }

  assign(visitors: Int32Array, times: Float64Array): Int32Array {
    const sessions = new Int32Array(visitors.length);
    for (let row = 0; row < sessions.length; row++) sessions[row] = this.#sessionOf(visitors[row] ?? 0, times[row] ?? 0);
    return sessions;
  }

  #sessionOf(visitor: number, timeMs: number): number {
    const { session, startMs, endMs } = this.#latest;
    const latest = session[visitor] ?? 0;
    if (latest === 0) return this.#start(visitor, timeMs, NEVER);
    const lastEndMs = endMs[visitor] ?? NEVER;
    if (timeMs - lastEndMs > this.#gapMs) return this.#start(visitor, timeMs, lastEndMs);
    if (timeMs > lastEndMs) endMs[visitor] = timeMs;
    if (timeMs < (startMs[visitor] ?? NEVER)) this.#extendStart(visitor, timeMs);
    return latest;
  }

  #start(visitor: number, timeMs: number, previousEndMs: number): number {
    const session = this.#nextSession();
    this.#latest.start(visitor, session, timeMs, previousEndMs);
    return session;
  }

  #extendStart(visitor: number, timeMs: number): void {
    const { startMs, previousEndMs } = this.#latest;
    const isWithinGap = (startMs[visitor] ?? NEVER) - timeMs <= this.#gapMs;
    const isWithinGapOfPrevious = timeMs - (previousEndMs[visitor] ?? NEVER) <= this.#gapMs;
    if (isWithinGap && !isWithinGapOfPrevious) startMs[visitor] = timeMs;
    else this.inOrder = false;
  }
}

/** The sessions of one day in one block. */
export class DaySessions {
  readonly #visitors = new VisitorIndex();
  readonly #numbers: SessionNumbers;

  constructor(gapMs: number, nextSession: () => number, lastEvents: readonly LastEvent[]) {
    this.#numbers = new SessionNumbers(gapMs, nextSession);
    const visitors = this.#visitors.indexesOf(BigUint64Array.from(lastEvents, ({ visitorId }) => visitorId));
    lastEvents.forEach(({ timestampMs, session }, i) => this.#numbers.continueFrom(visitors[i] ?? 0, session, Number(timestampMs)));
  }

  /** See `SessionNumbers`. */
  get inOrder(): boolean {
    return this.#numbers.inOrder;
  }

  assign(visitorIds: BigUint64Array, timestampsMs: BigInt64Array): Int32Array {
    return this.#numbers.assign(this.#visitors.indexesOf(visitorIds), floatsOf(timestampsMs));
  }
}

/** Numbers the sessions of a day again, in order of time. `lastNumber` is the highest number in use. */
export const renumberSessionsSql = (table: string, day: number, gapMs: number, lastNumber: number): string => `
  UPDATE ${table} SET session = renumbered.session
  FROM (
    SELECT sequence_number, CAST(${lastNumber} + sum(CASE WHEN gap_ms <= ${gapMs} THEN 0 ELSE 1 END)
      OVER (ORDER BY visitor_id, timestamp, sequence_number ROWS UNBOUNDED PRECEDING) AS INTEGER) AS session
    FROM (
      SELECT sequence_number, visitor_id, timestamp,
        timestamp - lag(timestamp) OVER (PARTITION BY visitor_id ORDER BY timestamp, sequence_number) AS gap_ms
      FROM ${table} WHERE day = ${day}
    ) AS spaced
  ) AS renumbered
  WHERE ${table}.sequence_number = renumbered.sequence_number`;
