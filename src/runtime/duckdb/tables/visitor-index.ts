/** Maps visitor ids to indexes from 0 on. An open-addressing hash table, because a `Map` would need a BigInt for every row. */

const INITIAL_SLOTS = 64;

const EMPTY = -1;

/** The table doubles when it is half full. */
const SLOTS_PER_VISITOR = 2;

/** Ids are uniformly distributed hashes, but the table does not depend on it. */
const mixed = (low: number, high: number): number => Math.imul(low ^ Math.imul(high, 0x9e3779b1), 0x85ebca6b);

export class VisitorIndex {
  #count = 0;
  /** The index of the visitor in each slot. */
  #slots = new Int32Array(INITIAL_SLOTS).fill(EMPTY);
  /** The low and the high word of each visitor's id. */
  #ids = new Int32Array(INITIAL_SLOTS);

  get count(): number {
    return this.#count;
  }

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
    const index = this.#count++;
    this.#ids[2 * index] = low;
    this.#ids[2 * index + 1] = high;
    slots[slot] = index;
    if (this.#count * SLOTS_PER_VISITOR >= slots.length) this.#grow();
    return index;
  }

  #grow(): void {
    const ids = this.#ids;
    const count = this.#count;
    this.#slots = new Int32Array(this.#slots.length * 2).fill(EMPTY);
    this.#ids = new Int32Array(this.#slots.length);
    this.#count = 0;
    for (let index = 0; index < count; index++) this.indexOf(ids[2 * index] ?? 0, ids[2 * index + 1] ?? 0);
  }
}
