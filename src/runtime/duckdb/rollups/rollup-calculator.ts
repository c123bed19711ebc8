/** The port to the arithmetic of rollups: reads, adds and encodes them. In a thread on Node, so that it does not delay ingestion. */
import type { Columns } from "../../../storage/columns.ts";
import type { ObjectKey } from "../../../storage/object-store.ts";
import type { Measures, RollupHeader, RollupOrigin } from "../../../storage/rollup.ts";
import type { SqlRow } from "../../query/sql.ts";
import type { Top } from "../../query/top.ts";

/** The content of a new rollup: rows computed from events. */
export interface ComputedMeasures {
  readonly measures: Measures;
  /** `measures` has all custom properties of the events. */
  readonly hasAllProperties: boolean;
}

export interface TotalRequest {
  readonly measure: string;
  /** Rollups that have the measure, or all properties if it is one of a property. */
  readonly rollups: readonly ObjectKey[];
  /** Further rows of the measure, with the same columns: those of events that are in no rollup. */
  readonly added: readonly Columns[];
  /** Selects the rows to return; all of them by default, in no particular order. */
  readonly top?: Top;
  /** Replaces the rows by one row `row_count`: their number without `rowsMax` and `offset`. */
  readonly isCounted?: true;
}

export interface RollupCalculator {
  /**
   * Headers in the order of the keys; null for an object that is missing, damaged or of another format. Rejects if none can be read at all.
   */
  headers(keys: readonly ObjectKey[]): Promise<readonly (RollupHeader | null)[]>;
  /** The sums of a measure's rows: numbers for keys and counts, texts for texts and amounts. Rejects if a rollup cannot be read. */
  total(request: TotalRequest): Promise<SqlRow[]>;
  /**
   * The file of a new rollup, the sum of other rollups and of rows computed from events, which together are its parts. It lacks
   * measures that any part lacks or that have too many rows, properties beyond a number, and hours that no report asks for.
   * Equal parts make equal bytes on the same platform. Rejects if a rollup cannot be read.
   */
  make(origin: RollupOrigin, rollups: readonly ObjectKey[], computed: readonly ComputedMeasures[]): Promise<Uint8Array>;
  close(): Promise<void>;
}
