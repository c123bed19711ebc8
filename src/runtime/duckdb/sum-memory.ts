/** Bounds the memory of sums: the rows of all that are under way, of which guests have a share. */
import { PART_ROWS_SHARE_MAX, SUM_ROW_BYTES, SUM_ROWS_ALLOWED_MIN, SUM_ROWS_MAX } from "../base/config/limits.ts";
import { GUEST_SLOTS_SHARE_MAX } from "../base/config/report-limits.ts";

/** Sums have more rows than fit into their memory. */
export class TooManyRowsError extends Error {
  override readonly name = "TooManyRowsError";

  constructor() {
    super("the rows of the sum do not fit into its share of the memory");
  }
}

export class SumMemory {
  /** Rows of all sums, and so of one. */
  readonly rowsMax: number;
  #rows = 0;
  #guestRows = 0;

  constructor(budgetBytes: number) {
    const rowsOfShare = Math.floor((budgetBytes * PART_ROWS_SHARE_MAX) / SUM_ROW_BYTES);
    this.rowsMax = Math.min(SUM_ROWS_MAX, Math.max(SUM_ROWS_ALLOWED_MIN, rowsOfShare));
  }

  /** Runs a task that reserves rows before it has them. They are free again at its end. */
  async run<T>(isGuest: boolean, task: (reserve: (rows: number) => void) => Promise<T>): Promise<T> {
    let reserved = 0;
    const reserve = (rows: number) => {
      const guestRows = this.#guestRows + (isGuest ? rows : 0);
      if (this.#rows + rows > this.rowsMax || guestRows > this.rowsMax * GUEST_SLOTS_SHARE_MAX) throw new TooManyRowsError();
      this.#rows += rows;
      this.#guestRows = guestRows;
      reserved += rows;
    };
    try {
      return await task(reserve);
    } finally {
      this.#rows -= reserved;
      if (isGuest) this.#guestRows -= reserved;
    }
  }
}
