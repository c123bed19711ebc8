/** How an export's rows are written as a file: what CSV and JSON have to say about it. */

export interface ExportFormat {
  /** Of the file's name, without the dot. */
  readonly extension: string;
  readonly contentType: string;
  /** Before the first row. */
  opening(columns: readonly string[]): string;
  /** What stands around the values of a row: a chunk before each of them and one after the last. */
  frame(columns: readonly string[]): readonly string[];
  /** Between two rows. */
  readonly separator: string;
  /** After the last row. */
  readonly closing: string;
  /** A value that was not recorded. */
  readonly unrecorded: string;
  text(value: string): string;
  /** A number by its digits, so that none is lost. */
  number(digits: string): string;
  /** A JSON object that is text already. */
  json(value: string): string;
}
