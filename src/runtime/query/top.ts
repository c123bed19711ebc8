/** Which rows of a report are its result, and in which order. */

/** The first rows: largest first if `by` names a column, then by the texts in ascending order of their code points. */
export interface Top {
  readonly by?: string;
  readonly rowsMax: number;
}
