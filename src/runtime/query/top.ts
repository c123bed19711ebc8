/** The rows of a report that are its result, and their order. */

import type { ColumnName } from "./sql.ts";

/** A column, or the quotient of two columns, of which `whole` is never 0. */
export type OrderKey = string | { readonly part: string; readonly whole: string };

/** The first rows: largest first if there is a key, then by the texts in ascending order of their code points. */
export interface Top {
  readonly by?: OrderKey;
  /** Smallest first; without a key, the texts in descending order. */
  readonly isReversed?: boolean;
  readonly rowsMax: number;
  /** Rows that are left out before the first one. */
  readonly offset?: number;
  /** Only rows that have one of these in the first column of texts. */
  readonly values?: readonly string[];
  /** Only rows of which the first column of texts contains this, ignoring case. */
  readonly search?: string;
  /** The column that these texts are from. */
  readonly of?: ColumnName;
  /** The label in which the search looks for a text that was not recorded, in place of the default label. */
  readonly unknownLabel?: string;
}
