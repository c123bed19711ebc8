/** Reads the events of a range, oldest chunk first, for results that are not aggregates. */
import type { NumberColumns } from "../../storage/columns.ts";
import type { DateRange } from "./date-range.ts";
import type { SqlText } from "./sql.ts";

/** Looks up the texts of codes, given in ascending order. */
export type TextsOf = (codes: readonly number[]) => Promise<ReadonlyMap<number, string>>;

/** A query whose rows are read as columns. No value is NULL. */
export interface ScanQuery {
  readonly sql: SqlText;
  /** Columns with codes of texts, of type INTEGER. */
  readonly texts: readonly string[];
  /** Columns of type INTEGER or BIGINT. */
  readonly numbers: readonly string[];
}

/** A chunk of events that stays loaded while a reader reads it. */
export interface ScanChunk {
  readonly range: DateRange;
  /** The result of a query over the chunk's range. */
  columns(query: ScanQuery): Promise<NumberColumns>;
  /** The texts of codes in the column `props`, which are valid for this chunk only. */
  readonly propsTextsOf: TextsOf;
}

/** Reads one range once. A scan that restarts opens another reader. */
export interface ScanReader<Result> {
  /** Reserves memory in which a backend holds texts for this reader. Throws an `AppError` if there is too little. */
  reserve(bytes: number): void;
  /** Resolves to false if no further chunk is needed. */
  readChunk(chunk: ScanChunk): Promise<boolean>;
  /** Called after the last chunk. `textsOf` looks up the codes of all other columns of all chunks. */
  finish(textsOf: TextsOf): Promise<Result>;
}
