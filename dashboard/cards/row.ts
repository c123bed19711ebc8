/** A row of a list, and what a click on it does. */

/** The filter of the value that a row stands for. */
export interface RowFilter {
  readonly dimension: string;
  readonly value: string;
}

export interface RowNumbers {
  readonly count: number;
  /** The count in the compared period, null until it is known. Without it, there is no change to show. */
  readonly before?: number | null;
  /** Of all visitors, from 0 to 1; null where that makes no sense. */
  readonly share: number | null;
  /** The number in full and what it counts, e.g. "12,345 visitors". */
  readonly countTitle: string;
  /** Shown instead of `count`. */
  readonly text?: string;
}

export interface Row extends RowNumbers {
  readonly key: string;
  readonly label: string;
  /** Before the label, such as a country's code. */
  readonly mark?: string;
  readonly title?: string;
  /** A page to open in a new tab. */
  readonly href?: string | null;
  readonly isChosen?: boolean;
  /** What a click does: it filters, or something else. */
  readonly filter?: RowFilter;
  readonly onChoose?: () => void;
}
