/**
 * Makes the sessions of a UTC day while its events are loaded: their numbers, which events of a visitor share until a pause longer than
 * the session gap, and what each of them is. Queries read both instead of sorting and grouping all events. They join the parts of a
 * session on both sides of midnight themselves; those exist only if the salt period is longer than a day.
 */
import { wordsOf } from "../../base/bytes.ts";

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

  /** Writes the words of a visitor's id at a row. */
  copyId(index: number, words: Int32Array, row: number): void {
    words[2 * row] = this.#ids[2 * index] ?? 0;
    words[2 * row + 1] = this.#ids[2 * index + 1] ?? 0;
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

const NEVER = Number.NEGATIVE_INFINITY;

const INITIAL_CAPACITY = 32;

/** Events of a day, by column. */
export interface SessionRows {
  /** The index of each visitor. */
  readonly visitors: Int32Array;
  readonly times: Float64Array;
  /** The page that an event viewed, `NO_PAGE`, or `NO_INTERACTION`. */
  readonly pages: Int32Array;
  /** A number for each event, of which a session keeps that of its first. */
  readonly marks: Int32Array;
}

/** Stands in place of a page for an event other than a page view, and one that does not end a bounce. */
export const [NO_PAGE, NO_INTERACTION] = [-1, -2];

function grown<Values extends Int32Array<ArrayBuffer> | Float64Array<ArrayBuffer>>(values: Values, larger: Values): Values {
  larger.set(values);
  return larger;
}

/** The sessions of one day, by column, in the order of their first rows. */
export class DaySessions {
  count = 0;
  numbers = new Int32Array(INITIAL_CAPACITY);
  /** The index of the visitor. */
  visitors = new Int32Array(INITIAL_CAPACITY);
  firstMs = new Float64Array(INITIAL_CAPACITY);
  lastMs = new Float64Array(INITIAL_CAPACITY);
  events = new Int32Array(INITIAL_CAPACITY);
  /** Page views, and other events that are interactions. */
  interactions = new Int32Array(INITIAL_CAPACITY);
  pageviews = new Int32Array(INITIAL_CAPACITY);
  /** Pages of the first and the last page view, or `NO_PAGE`. Those of one time are in the order of their rows. */
  entryPages = new Int32Array(INITIAL_CAPACITY);
  exitPages = new Int32Array(INITIAL_CAPACITY);
  /** The mark of the first event. Those of one time are in the order of their rows. */
  marks = new Int32Array(INITIAL_CAPACITY);
  #entryMs = new Float64Array(INITIAL_CAPACITY);
  #exitMs = new Float64Array(INITIAL_CAPACITY);
  /** The end of the session of the same visitor before. */
  #previousEndMs = new Float64Array(INITIAL_CAPACITY);
  /** The place of each visitor's latest session, plus one. */
  #latest = new Int32Array(INITIAL_CAPACITY);
  readonly #gapMs: number;
  readonly #nextNumber: () => number;

  constructor(gapMs: number, nextNumber: () => number) {
    this.#gapMs = gapMs;
    this.#nextNumber = nextNumber;
  }

  /**
   * The session number of each row. null once an event belongs before its visitor's latest session, as after the clock was set back:
   * `sortedSessions` then has to make them anew. Events of one page may arrive slightly out of order; they stay within their session.
   */
  add({ visitors, times, pages, marks }: SessionRows): Int32Array | null {
    const numbers = new Int32Array(visitors.length);
    for (let row = 0; row < numbers.length; row++) {
      const session = this.#sessionOf(visitors[row] ?? 0, times[row] ?? 0, marks[row] ?? 0);
      if (session < 0) return null;
      numbers[row] = this.numbers[session] ?? 0;
      this.events[session] = (this.events[session] ?? 0) + 1;
      const page = pages[row] ?? NO_PAGE;
      if (page !== NO_INTERACTION) this.interactions[session] = (this.interactions[session] ?? 0) + 1;
      if (page >= 0) this.#view(session, times[row] ?? 0, page);
    }
    return numbers;
  }

  /** The session that the visitor's event belongs to; -1 if that is not the latest one. */
  #sessionOf(visitor: number, timeMs: number, mark: number): number {
    const latest = (this.#latest[visitor] ?? 0) - 1;
    if (latest < 0) return this.#begin(visitor, timeMs, mark, NEVER);
    const lastMs = this.lastMs[latest] ?? NEVER;
    if (timeMs - lastMs > this.#gapMs) return this.#begin(visitor, timeMs, mark, lastMs);
    if (timeMs > lastMs) this.lastMs[latest] = timeMs;
    const firstMs = this.firstMs[latest] ?? NEVER;
    if (timeMs >= firstMs) return latest;
    if (firstMs - timeMs > this.#gapMs || timeMs - (this.#previousEndMs[latest] ?? NEVER) <= this.#gapMs) return -1;
    this.firstMs[latest] = timeMs;
    this.marks[latest] = mark;
    return latest;
  }

  #begin(visitor: number, timeMs: number, mark: number, previousEndMs: number): number {
    while (visitor >= this.#latest.length) this.#latest = grown(this.#latest, new Int32Array(this.#latest.length * 2));
    const session = this.count++;
    if (session === this.numbers.length) this.#grow(session * 2);
    this.#latest[visitor] = session + 1;
    this.numbers[session] = this.#nextNumber();
    this.visitors[session] = visitor;
    this.firstMs[session] = timeMs;
    this.lastMs[session] = timeMs;
    this.marks[session] = mark;
    this.#previousEndMs[session] = previousEndMs;
    this.entryPages[session] = NO_PAGE;
    this.exitPages[session] = NO_PAGE;
    return session;
  }

  #view(session: number, timeMs: number, page: number): void {
    const views = this.pageviews[session] ?? 0;
    this.pageviews[session] = views + 1;
    if (views === 0 || timeMs < (this.#entryMs[session] ?? 0)) {
      this.#entryMs[session] = timeMs;
      this.entryPages[session] = page;
    }
    if (views > 0 && timeMs < (this.#exitMs[session] ?? 0)) return;
    this.#exitMs[session] = timeMs;
    this.exitPages[session] = page;
  }

  #grow(capacity: number): void {
    const integers = (values: Int32Array<ArrayBuffer>) => grown(values, new Int32Array(capacity));
    const floats = (values: Float64Array<ArrayBuffer>) => grown(values, new Float64Array(capacity));
    this.numbers = integers(this.numbers);
    this.visitors = integers(this.visitors);
    this.firstMs = floats(this.firstMs);
    this.lastMs = floats(this.lastMs);
    this.events = integers(this.events);
    this.interactions = integers(this.interactions);
    this.pageviews = integers(this.pageviews);
    this.entryPages = integers(this.entryPages);
    this.exitPages = integers(this.exitPages);
    this.marks = integers(this.marks);
    this.#entryMs = floats(this.#entryMs);
    this.#exitMs = floats(this.#exitMs);
    this.#previousEndMs = floats(this.#previousEndMs);
  }

  /** The places of the sessions that have an event at this time or later. */
  since(timeMs: number): Int32Array {
    const found = new Int32Array(this.count);
    let length = 0;
    for (let session = 0; session < this.count; session++) if ((this.lastMs[session] ?? NEVER) >= timeMs) found[length++] = session;
    return found.subarray(0, length);
  }

  get bytes(): number {
    return this.numbers.length * SESSION_BYTES + this.#latest.byteLength;
  }
}

/** Memory of a session in its columns. */
const SESSION_BYTES = 8 * Int32Array.BYTES_PER_ELEMENT + 5 * Float64Array.BYTES_PER_ELEMENT;

/** The sessions of rows in any order, and the number of each row's. */
export function sortedSessions({ visitors, times, pages, marks }: SessionRows, sessions: DaySessions): Int32Array {
  const order = Int32Array.from(times.keys()).sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0) || a - b);
  const inOrder = sessions.add({
    visitors: order.map((row) => visitors[row] ?? 0),
    times: Float64Array.from(order, (row) => times[row] ?? 0),
    pages: order.map((row) => pages[row] ?? 0),
    marks: order.map((row) => marks[row] ?? 0),
  });
  const numbers = new Int32Array(order.length);
  order.forEach((row, place) => (numbers[row] = inOrder?.[place] ?? 0));
  return numbers;
}
