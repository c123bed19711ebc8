/**
 * CSV as products, databases and spreadsheets write it (RFC 4180, and less strict): separated by commas, semicolons or tabs, quoted or not,
 * with columns in any order. A quotation mark that is never closed costs its own row only.
 */
import { IMPORT_LINE_BYTES_MAX } from "../../base/config/limits.ts";
import { unescaped } from "./clickhouse-values.ts";
import type { BadRow, Row } from "../rows.ts";
import type { Opening } from "./file.ts";
import { badRow, linesOf } from "./text.ts";

const SEPARATORS = [",", ";", "\t"] as const;

/** Databases escape tabs and line breaks with backslashes, and write `\\N` for null; spreadsheets quote as in CSV. */
function unescapedField(field: string): string {
  if (field.startsWith('"') && field.endsWith('"') && field.length > 1) return field.slice(1, -1).replaceAll('""', '"');
  return field === "\\N" ? field : unescaped(field);
}

/** Reads one record, which may take several lines. */
class RecordReader {
  readonly #separator: string;
  #fields: string[] = [];
  /** The quoted value that has not ended yet; null outside of quotes. */
  #open: string[] | null = null;

  constructor(separator: string) {
    this.#separator = separator;
  }

  /** The fields if the record ends with this line, else null. */
  push(line: string): readonly string[] | null {
    if (this.#separator === "\t") return line.split("\t").map(unescapedField);
    if (this.#open === null && !line.includes('"')) return this.#finished(line.split(this.#separator));
    for (let at = 0; at <= line.length;) {
      if (this.#open === null && line[at] !== '"') at = this.#plain(line, at);
      else {
        const end = this.#quoted(line, this.#open === null ? at + 1 : at);
        if (end === null) return null;
        at = end;
      }
    }
    return this.#finished([]);
  }

  /** Gives up a record that has no end. */
  reset(): void {
    this.#fields = [];
    this.#open = null;
  }

  #finished(rest: string[]): readonly string[] {
    const fields = this.#fields.length === 0 ? rest : [...this.#fields, ...rest];
    this.reset();
    return fields;
  }

  /** Where the next field begins, as for `#quoted`. */
  #plain(line: string, at: number): number {
    const found = line.indexOf(this.#separator, at);
    const end = found === -1 ? line.length : found;
    this.#fields.push(line.slice(at, end));
    return end + 1;
  }

  /** null if the value does not end in this line. */
  #quoted(line: string, from: number): number | null {
    const parts = (this.#open ??= []);
    for (let at = from; ;) {
      const mark = line.indexOf('"', at);
      if (mark === -1) {
        parts.push(line.slice(at), "\n");
        return null;
      }
      parts.push(line.slice(at, mark));
      const after = line[mark + 1];
      if (after === undefined || after === this.#separator) {
        this.#fields.push(parts.join(""));
        this.#open = null;
        return mark + 2;
      }
      // Two marks are one. One alone belongs to the value: some writers do not double them.
      parts.push('"');
      at = mark + (after === '"' ? 2 : 1);
    }
  }
}

export interface CsvHeader {
  readonly separator: string;
  /** Names in lower case, without blanks around. */
  readonly columns: readonly string[];
  /** Names as they are spelled. */
  readonly names: readonly string[];
}

/** The file's first line as a header: by the separator that divides it into most columns. null if it is too long to be one. */
export function csvHeaderOf({ text, isWhole }: Opening): CsvHeader | null {
  const end = /[\r\n]/.exec(text)?.index;
  if (end === undefined && !isWhole) return null;
  const line = text.slice(0, end);
  const headers = SEPARATORS.map((separator) => {
    const names = namesIn(line, separator);
    return { separator, names, columns: names.map((name) => name.toLowerCase()) };
  });
  return headers.reduce((best, header) => (header.columns.length > best.columns.length ? header : best));
}

const namesIn = (line: string, separator: string): readonly string[] =>
  (new RecordReader(separator).push(line) ?? []).map((name) => name.trim());

/** Bytes of a held line beside its text. */
const LINE_COST = 64;

export interface CsvRow {
  /** The number of its first line. */
  readonly line: number;
  readonly fields: readonly string[];
}

export const isBadRow = (row: CsvRow | BadRow): row is BadRow => "kind" in row;

/** Reads the file row by row. */
export const readCsv = (opening: Opening, header: CsvHeader, rowFrom: (row: CsvRow) => Row): AsyncGenerator<readonly Row[]> =>
  readCsvRows(opening, header, (row) => [rowFrom(row)]);

/** Reads a file of which a row yields several. */
export async function* readCsvRows(
  opening: Opening,
  header: CsvHeader,
  rowsFrom: (row: CsvRow) => readonly Row[],
): AsyncGenerator<readonly Row[]> {
  for await (const rows of csvRows(opening, header)) yield rows.flatMap((row) => (isBadRow(row) ? [row] : rowsFrom(row)));
}

/** The rows below the header, in batches. Empty lines are skipped. */
export async function* csvRows(opening: Opening, { separator, columns }: CsvHeader): AsyncGenerator<readonly (CsvRow | BadRow)[]> {
  const record = new RecordReader(separator);
  /** The lines of the record that has not ended yet. */
  let held: { line: number; text: string }[] = [];
  let heldBytes = 0;
  const rows: (CsvRow | BadRow)[] = [];
  const add = (line: number, fields: readonly string[]): void => {
    if (line === 1 || (fields.length === 1 && fields[0] === "")) return;
    // Some spreadsheets end rows with separators.
    const [own, rest] = [fields.slice(0, columns.length), fields.slice(columns.length)];
    if (own.length === columns.length && rest.every((field) => field === "")) rows.push({ line, fields: own });
    else rows.push(badRow(line, "wrong_field_count", fields.join(separator)));
  };
  const release = (): void => {
    record.reset();
    // Each by itself: a line is read twice at most.
    for (const { line, text } of held) {
      const fields = record.push(text);
      if (fields) add(line, fields);
      else rows.push(badRow(line, "unclosed_quote", text));
      record.reset();
    }
    held = [];
    heldBytes = 0;
  };
  for await (const lines of linesOf(opening)) {
    for (const { line, text, isTooLong } of lines) {
      if (isTooLong) {
        release();
        rows.push(badRow(line, "line_too_long", text));
        continue;
      }
      const fields = record.push(text);
      if (fields) {
        add(held[0]?.line ?? line, fields);
        held = [];
        heldBytes = 0;
        continue;
      }
      held.push({ line, text });
      heldBytes += text.length + LINE_COST;
      if (heldBytes > IMPORT_LINE_BYTES_MAX) release();
    }
    yield rows.splice(0);
  }
  release();
  if (rows.length > 0) yield rows;
}

/** Reads values by the names of their columns. */
export class Columns {
  readonly #indexes: ReadonlyMap<string, number>;

  constructor({ columns }: CsvHeader) {
    // The first of two columns of one name.
    this.#indexes = new Map(columns.map((name, i) => [name, i] as const).toReversed());
  }

  has(name: string): boolean {
    return this.#indexes.has(name);
  }

  /** "" if there is no such column. */
  value(fields: readonly string[], name: string): string {
    return fields[this.#indexes.get(name) ?? -1] ?? "";
  }

  /** The value of the first of the columns that exists; "" if none does. */
  reader(...names: readonly string[]): (fields: readonly string[]) => string {
    const index = names.map((name) => this.#indexes.get(name)).find((found) => found !== undefined);
    return index === undefined ? () => "" : (fields) => fields[index] ?? "";
  }
}
