/** The port to the analytics engine: loads events and executes SQL over them, without exposing DuckDB. */
import type { SiteId, UtcDay } from "../../storage/event.ts";
import type { EventText } from "../../storage/event-text.ts";
import type { SqlParameter, SqlRow } from "../query/sql.ts";
import type { VisitorFunction } from "./duckdb/behavioral/visitor-function.ts";

/**
 * A run of a site's events that is loaded and dropped as one, in order of sequence number.
 * Within an engine an id is used once.
 */
export interface Block {
  readonly id: number;
  readonly siteId: SiteId;
  /** A longer pause between two events of a visitor starts a new session. */
  readonly sessionGapMs: number;
  /** Properties of its events that take more are not kept. */
  readonly propsBytesMax: number;
}

/** A Parquet file with events of one date. */
export interface BlockFile {
  readonly key: string;
  readonly date: UtcDay;
  readonly bytes: Uint8Array;
}

/** What goes into a block: whole files, or events of one date that are in no file yet. */
export type BlockSource = { readonly files: readonly BlockFile[] } | { readonly date: UtcDay; readonly events: readonly EventText[] };

/** What the engine holds after a change. */
export interface EngineUsage {
  readonly residentBytes: number;
  /** Of these, what texts take: those of a site stay until all else of the site is dropped. */
  readonly textBytes: number;
}

export interface Loaded extends EngineUsage {
  /** What the block's properties take, part of `residentBytes`; null when they are kept no longer. */
  readonly propsBytes: number | null;
  /** Files that could not be read, with the reason; the others were loaded. */
  readonly unreadable: readonly { readonly key: string; readonly reason: string }[];
}

/** Different patterns of a query: each takes a bit of a BIGINT. */
export const QUERY_PATTERNS_MAX = 62;

/**
 * Holds the partial aggregates of one query: the rows of each chunk of its range, which a later query reads together.
 * Within an engine an id is used once.
 */
export interface PartialTable {
  readonly id: number;
  readonly siteId: SiteId;
  /** The columns that the queries give. HUGEINT is for sums that 64 bits may not hold. */
  readonly columns: readonly { readonly name: string; readonly type: "BIGINT" | "HUGEINT" | "VARCHAR" }[];
}

/** Partial aggregates of one table, by their numbers. */
export interface PartialTableParts {
  readonly id: number;
  readonly parts: readonly number[];
}

/** What a query wants to know of the properties of its blocks' events. */
export interface PropertiesWanted {
  /** The values of this key, or the keys. */
  readonly key: string | null;
  /** What they may take together; more is an `EngineFullError`. */
  readonly bytesMax: number;
}

export interface EngineQuery {
  readonly siteId: SiteId;
  /** The blocks that the relation `events` consists of. */
  readonly blocks: readonly number[];
  /**
   * Reads two relations. `events`: an event a row, columns as in `EVENT_COLUMNS` with these types:
   * text columns hold the number of a text, 0 where not recorded; `timestamp` is a BIGINT of UTC
   * milliseconds; `day` an INTEGER, the event's date as days since 1970-01-01; `visitor_id` an unsigned BIGINT; `revenue_amount` a BIGINT of hundredths or NULL;
   * `sequence_number` an INTEGER that orders events of one day and equal timestamp; `session` an INTEGER that
   * the events of one visitor and day share that no longer pause than `sessionGapMs` parts.
   * The column `props` has numbers of its own: see `properties`. `texts`: `code`, `text`. Where partials are
   * named, `partials` has their rows. Where
   * parameters are patterns, `matches` has `code` and `patterns` of each text that matches any: a BIGINT with the bits of
   * those that it matches (see `WildcardPattern`). A query may begin with `WITH` and relations of its own. Parameters are `$1`, `$2`, …
   */
  readonly sql: string;
  readonly parameters: readonly SqlParameter[];
  readonly partials?: PartialTableParts;
  /**
   * Gives two more relations. `properties`: `props`, `code`, a row for each key that a number in the column `props` stands
   * for, or for its value of the key that is wanted. `property_texts`: `code`, `text`, where 0, for the text `(unknown)`,
   * has no row. The properties of all blocks have to be kept.
   */
  readonly properties?: PropertiesWanted;
  /**
   * What becomes of the rows, which are then `visitor_id`, `timestamp` and `met` (a BIGINT, a bit for each condition that
   * the event meets), a visitor's next to each other and in order of time and sequence number. The answer is `value` and
   * `visitors`: for how many visitors it is the function's value, a row for each that there is, in ascending order.
   * Not for `queryNumbers`.
   */
  readonly perVisitor?: VisitorFunction;
}

export interface StoredPartial extends EngineUsage {
  readonly rows: number;
  /** What the texts in these rows take. */
  readonly keptTextBytes: number;
}

/** Definitions that queries may use once they are loaded: all of them or, when one fails, none. */
export interface EngineExtension {
  readonly name: string;
  readonly version: string;
  /** SQL statements. */
  readonly definitions: readonly string[];
  /** A query that fails unless every definition works. */
  readonly check: string;
}

/** Columns of integers, by name, all equally long. */
export type NumberColumns = Readonly<Record<string, Int32Array | BigInt64Array>>;

export interface Engine {
  /** Adds rows to a block, making it when it is new. A new one keeps the properties of its events as the texts that they are. */
  append(block: Block, source: BlockSource): Promise<Loaded>;
  /** Keeps the properties of these blocks no longer, neither those that came nor those to come; unknown ones are fine. */
  dropProps(blocks: readonly number[]): Promise<EngineUsage>;
  /** The texts of numbers in the column `props`, for blocks whose properties are kept. */
  propsTexts(siteId: SiteId, numbers: readonly number[]): Promise<string[]>;
  /** Drops blocks; unknown ones are fine. No query reads them at that time. */
  drop(blocks: readonly number[]): Promise<EngineUsage>;
  /** Rows as plain values. Rejects with the signal's reason when aborted, and is usable afterwards. */
  query(query: EngineQuery, signal: AbortSignal): Promise<SqlRow[]>;
  /** As `query`, for results too long for rows: every column is an INTEGER or BIGINT without NULL. */
  queryNumbers(query: EngineQuery, signal: AbortSignal): Promise<NumberColumns>;
  /**
   * Adds the rows of a query to a partial table, making it when it is new. The number tells them from others; it is used once.
   * After a rejection, which is as that of `query`, nothing was added. The texts of the site stay as long as its partial tables.
   */
  storePartial(table: PartialTable, part: number, query: EngineQuery, signal: AbortSignal): Promise<StoredPartial>;
  /** Drops partials of a table, or the table; unknown ones are fine. No query reads them at that time. */
  dropPartials(id: number, parts: readonly number[] | "all"): Promise<EngineUsage>;
  /** Loads the extension, also whenever the engine starts anew; a second time does nothing. Rejects when it cannot. */
  loadExtension(extension: EngineExtension): Promise<void>;
  /** Counts the times everything loaded was lost, e.g. because the engine crashed and was restarted. */
  readonly generation: number;
  close(): Promise<void>;
}

/** Rejects calls that were running when the engine failed. They may be retried: the engine restarts. */
export class EngineLostError extends Error {
  override readonly name = "EngineLostError";
}

/** The request needs more memory than the engine has; loaded data is unchanged. */
export class EngineFullError extends Error {
  override readonly name = "EngineFullError";
}
