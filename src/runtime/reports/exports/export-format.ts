/** The file format of an export: what differs between CSV and JSON. */

export interface ExportFormat {
  /** File name extension, without the dot. */
  readonly extension: string;
  readonly contentType: string;
  /** Before the first row. */
  opening(columns: readonly string[]): string;
  /** The text around the values of a row: one piece before each of them and one after the last. */
  frame(columns: readonly string[]): readonly string[];
  /** Between two rows. */
  readonly separator: string;
  /** After the last row. */
  readonly closing: string;
  /** A value that was not recorded. */
  readonly unrecorded: string;
  text(value: string): string;
  /** A number given by its digits, so that none is lost. */
  number(digits: string): string;
  /** A serialized JSON object. */
  json(value: string): string;
}
