/** The file format of an export: what differs between CSV and JSON. */

export interface ExportFormat {
  /** File name extension, without the dot. */
  readonly extension: string;
  readonly contentType: string;
  /** The text before the first row. */
  opening(columns: readonly string[]): string;
  /** The text around the values of a row: one string before each value and one after the last. */
  frame(columns: readonly string[]): readonly string[];
  /** The text between two rows. */
  readonly separator: string;
  /** The text after the last row. */
  readonly closing: string;
  /** The formatted value that was not recorded. */
  readonly unrecorded: string;
  /** Formats a text. */
  text(value: string): string;
  /** Formats a decimal number, given as digits so that it stays exact. */
  number(digits: string): string;
  /** Formats a serialized JSON object. */
  json(value: string): string;
}
