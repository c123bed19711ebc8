/** The interface of the analytics engine: loads events and executes SQL over them, without exposing DuckDB. */
import type { Columns } from "../../storage/columns.ts";
import type { EventText, LocalDate, SiteId } from "../../storage/event.ts";
import type { EventValue, SqlParameter, SqlRow } from "../query/sql.ts";
import type { VisitorFunction } from "../query/behavioral/visitor-function.ts";

/**
 * A group of a site's events that is loaded and dropped together. Rows are stored in ascending order of sequence number.
 * An id is used only once in the life of an engine.
 */
export interface Block {
  readonly id: number;
  readonly siteId: SiteId;
  /** A longer pause between two events of a visitor starts a new session. In milliseconds. */
  readonly sessionGapMs: number;
  /** The engine drops the block's properties once they exceed this size. */
  readonly propsBytesMax: number;
  /**
   * It takes single events, too, and has all columns. Other blocks take all files of a day at once, next to each other, and have those
   * columns that they are given.
   */
  readonly grows: boolean;
}

/** A Parquet file with the events of one date (docs/data-format.md, "Columns"). */
export interface BlockFile {
  /** The key in the object store (docs/data-format.md, "Partitions"). */
  readonly key: string;
  readonly date: LocalDate;
  readonly bytes: Uint8Array;
}

/** Content of a block: whole files, or events of one date that are not in a file yet. */
export type BlockSource =
  | {
      readonly files: readonly BlockFile[];
      /** The further columns (`tables/event-columns.ts`) that a new block gets. */
      readonly columns?: readonly EventValue[];
    }
  | { readonly date: LocalDate; readonly events: readonly EventText[] };

export interface EngineUsage {
  /** Tables, texts and properties. */
  readonly memoryBytes: number;
  /** The texts' part of `memoryBytes`. A site's texts are kept until all its blocks are dropped. */
  readonly textBytes: number;
}

export interface Loaded extends EngineUsage {
  /** The part of `memoryBytes` that the block's properties take; null if the block no longer keeps properties. */
  readonly propsBytes: number | null;
  /** Files that cannot be read, with the reason. All others are loaded. */
  readonly unreadable: readonly { readonly key: string; readonly reason: string }[];
}

/** The maximum number of different tests of texts in a query, of properties, and of texts in rules. Each takes one bit of a BIGINT. */
export const QUERY_TESTS_MAX = 62;

export interface PropertiesWanted {
  /** A property key, to read its values; null to read all keys. */
  readonly key: string | null;
  /** Only values, or keys, that contain this, ignoring case. */
  readonly search?: string;
  /** The size limit of the relations `properties` and `property_texts`. The query rejects with `EngineFullError` beyond it. */
  readonly bytesMax: number;
}

/** A SELECT with its parameters, as `EngineQuery` has them. */
export interface EngineSelect {
  readonly sql: string;
  readonly parameters: readonly SqlParameter[];
}

export interface EngineQuery {
  readonly siteId: SiteId;
  readonly blocks: readonly number[];
  /** Blocks that have none of these days are left out. */
  readonly range?: { readonly firstDay: LocalDate; readonly lastDay: LocalDate };
  /**
   * A `SELECT`, which may begin with `WITH`. Parameters are `$1`, `$2`, … It can read these relations:
   *
   * `events`: one row per event of `blocks`, which must have all columns that the statement names. The columns have the names in docs/data-format.md, "Columns", without `site_id`:
   * - text columns (INTEGER): a code of `texts`; 0 if the value was not recorded
   * - `arrival` (INTEGER): a number for each combination of referrer, source, medium and click id; 0 for none
   * - `props` (INTEGER): a code of `properties`; 0 if the event has no properties
   * - number columns (BIGINT): `revenue_amount` in hundredths of the currency's unit; NULL if the value was not recorded
   * - `visitor_id` (UBIGINT)
   * - `timestamp` (BIGINT): UTC milliseconds since 1970-01-01
   * - `day` (INTEGER): the date of the event in UTC, as days since 1970-01-01
   * - `sequence_number` (INTEGER): the order of events with the same day and timestamp
   * - `session` (INTEGER): the session of the event. Numbers are unique per visitor and day; see `Block.sessionGapMs`
   *
   * `sessions`: one row per session of a day of `blocks`:
   * - `session`, `visitor_id`, `day`: as in `events`
   * - `first_ms`, `last_ms` (BIGINT): the timestamps of its first and its last event
   * - `pageviews` (INTEGER): the number of its page views
   * - `interactions` (INTEGER): the number of its page views and of its other events that are interactions
   * - `entry_page`, `exit_page` (INTEGER): the `pathname` of its first and its last page view; NULL if it has none
   * - `visit_hostname`, `visit_utm_source`, … (INTEGER): the values of its first event; `visit_arrival` its arrival
   *
   * `texts`: `code` (INTEGER), `text` (VARCHAR). The site's texts; none has the code 0.
   *
   * `properties` and `property_texts`, only with the option `properties`: see there.
   *
   * `matches`, only if a parameter is a test of texts: `code` (INTEGER), `tests` (BIGINT). One row for each text that passes at least
   * one of these tests, with a bit set for each test that it passes.
   *
   * `matching_props`, only if a parameter is a test of a property: `props` (INTEGER), `tests` (BIGINT). The same for each `props` code,
   * by the value of the tested property. All blocks must have kept their properties.
   *
   * `matching_arrivals`, only if a parameter is a test of arrivals: `arrival` (INTEGER), `tests` (BIGINT). The same for the names of each
   * `arrival`.
   *
   * `matches_of_rules` and `matching_arrivals_of_rules`: the same for tests of rules of a lens (`TextTest.isOfRule`).
   *
   * `arrival_names`, only if a parameter is rules of arrivals: `rules` (INTEGER), `arrival` (INTEGER), and `source_name`, `referrer_name`,
   * `channel_name` (INTEGER), codes of `texts`: what the rules of that number make of each `arrival`.
   */
  readonly sql: string;
  readonly parameters: readonly SqlParameter[];
  /** Columns of the result with codes of `texts`, of type INTEGER, that `queryColumns` returns as texts: `(unknown)` for the code 0. */
  readonly texts?: readonly string[];
  /**
   * Adds two relations. All blocks must have kept their properties.
   *
   * `properties`: `props` (INTEGER), `code` (INTEGER). For each `props` code, one row per key of the object, or, if a key is
   * given, one row with its value, or none if the object lacks it. `code` is a code of `property_texts`.
   *
   * `property_texts`: `code` (INTEGER), `text` (VARCHAR). The keys or values. The code 0 stands for `(unknown)` and has no row.
   */
  readonly properties?: PropertiesWanted;
  /**
   * Applies a function to the events of each visitor. The query must then select `visitor_id`, `timestamp` and `met` (BIGINT, a
   * bit set for each condition that the event meets), with the rows of a visitor together, ordered by time and sequence
   * number. The result has a row for each value of the function, in ascending order: `value`, and `visitors`, the number of
   * visitors with that value.
   */
  readonly perVisitor?: VisitorFunction;
  /**
   * Asked by someone who reads what is shared. Such queries come after all others, have a part of what these share, and reject with
   * `TooManyStepsError` if their tests take too long.
   */
  readonly isGuest?: boolean;
  /**
   * The texts that the tests of the query may read, if not every text of the site: codes of `texts` and of `properties`, and arrivals, in
   * a column `code`. Nor does the option `properties` read others. So the time that a query takes reveals nothing about all other texts. Tests that
   * are parameters of these statements themselves read every text.
   */
  readonly readable?: { readonly texts: EngineSelect; readonly props: EngineSelect; readonly arrivals: EngineSelect };
}

export interface Engine {
  /** Adds rows to a block; creates the block if it is new. Calls for one block come one after the other. */
  append(block: Block, source: BlockSource): Promise<Loaded>;
  /**
   * Adds further columns to a block that does not grow: `files` are all files of its days, in the order in which they were appended.
   * Rejects with `DroppedError` if their rows are others than the block's.
   */
  addColumns(block: number, columns: readonly EventValue[], files: readonly BlockFile[]): Promise<Loaded>;
  /** Drops the properties of these blocks, and of all events added to them later. Ignores unknown blocks. */
  dropProps(blocks: readonly number[]): Promise<EngineUsage>;
  /** The JSON texts of codes in the column `props`, in the same order. Their blocks must have kept their properties. */
  propsTexts(siteId: SiteId, numbers: readonly number[]): Promise<string[]>;
  /** Drops blocks. Ignores unknown blocks. No running query may read them. */
  drop(blocks: readonly number[]): Promise<EngineUsage>;
  /**
   * Rows as plain values. Rejects with the signal's reason when aborted, and with `EngineFullError` when the query needs more
   * memory than there is; the engine stays usable in both cases.
   */
  query(query: EngineQuery, signal: AbortSignal): Promise<SqlRow[]>;
  /** Runs like `query`, for results with many rows: every column must be INTEGER, BIGINT, DOUBLE or VARCHAR, without NULL. */
  queryColumns(query: EngineQuery, signal: AbortSignal): Promise<Columns>;
  /** The reason why the macros of `behavioral.ts` do not work in this engine; null if they do. An engine creates them when it opens. */
  behavioralFailure(): Promise<string | null>;
  close(): Promise<void>;
}

/** The engine has failed, with all that it held. A new one takes its place, so the query may run once more. */
export class EngineLostError extends Error {
  override readonly name: string = "EngineLostError";
  /** It was taken away, and did not fail. */
  readonly isExpected: boolean = false;
}

/** Something that the query reads was dropped meanwhile, as when another one fails to load it. The query may run once more. */
export class DroppedError extends Error {
  override readonly name = "DroppedError";
}

/** The query has more tests than `QUERY_TESTS_MAX`. */
export class TooManyTestsError extends Error {
  override readonly name = "TooManyTestsError";
}

/** The instance is stopping and has closed its engine. */
export class EngineClosedError extends EngineLostError {
  override readonly name = "EngineClosedError";
}

/** The call needs more memory than the engine has. Loaded data is unchanged. */
export class EngineFullError extends Error {
  override readonly name = "EngineFullError";
}
