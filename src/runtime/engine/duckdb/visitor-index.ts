/** Numbers from 0 on for visitor ids: a table of our own, because a `Map` would make an object of every row's 64 bits. */

const SLOTS_AT_FIRST = 64;

const EMPTY = -1;

/** A table that is fuller than half is made twice as large. */
const SLOTS_PER_VISITOR = 2;

/** Ids are hashes of which every bit is as good as the others, but nothing here depends on it. */
const mixed = (low: number, high: number): number => Math.imul(low ^ Math.imul(high, 0x9e3779b1), 0x85ebca6b);

export class VisitorIndex {
  #count = 0;
  /** Of each slot, the number of the visitor in it. */
  #slots = new Int32Array(SLOTS_AT_FIRST).fill(EMPTY);
  /** Of each visitor, the low and the high half of its id. */
  #ids = new Int32Array(SLOTS_AT_FIRST);

  get count(): number {
    return this.#count;
  }

  /** The number of the visitor whose id has these halves, given to it now if it has none. */
  placeOf(low: number, high: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    const hash = mixed(low, high);
    let slot = (hash ^ (hash >>> 15)) & mask;
    for (;;) {
      const place = slots[slot] ?? EMPTY;
      if (place === EMPTY) break;
      if (this.#ids[2 * place] === low && this.#ids[2 * place + 1] === high) return place;
      slot = (slot + 1) & mask;
    }
    const place = this.#count++;
    this.#ids[2 * place] = low;
    this.#ids[2 * place + 1] = high;
    slots[slot] = place;
    if (this.#count * SLOTS_PER_VISITOR >= slots.length) this.#grow();
    return place;
  }

  #grow(): void {
    const ids = this.#ids;
    const count = this.#count;
    this.#slots = new Int32Array(this.#slots.length * 2).fill(EMPTY);
    this.#ids = new Int32Array(this.#slots.length);
    this.#count = 0;
    for (let place = 0; place < count; place++) this.placeOf(ids[2 * place] ?? 0, ids[2 * place + 1] ?? 0);
  }
}
