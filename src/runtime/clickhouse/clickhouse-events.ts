/** The events of this node in ClickHouse: inserted as Parquet, each day of a segment at most once, and deleted by day. */
import { dayNumberOf } from "../../storage/calendar.ts";
import { type ColumnKind, EVENT_COLUMNS, type EventColumn, type LocalDate, type SiteId } from "../../storage/event.ts";
import type { EventReplica, ExpiredDays, ReplicatedEvents } from "../../storage/event-replica.ts";
import { CLICKHOUSE_INSERT_EXECUTION_SECS_MAX, CLICKHOUSE_INSERT_MS_MAX } from "../base/config/clickhouse-limits.ts";
import type { Counters } from "../base/metrics/counters.ts";
import type { ClickhouseConnection } from "./connection.ts";
import { type DeletedEvents, deletionOf, searchFor } from "./deletion.ts";
import type { EventTables } from "./tables.ts";

/** The type of each kind of column in a file. */
const FILE_TYPES: Readonly<Record<ColumnKind, string>> = {
  text: "Nullable(String)",
  json: "Nullable(String)",
  integer: "Nullable(Int64)",
  cents: "Nullable(Decimal(12, 2))",
  visitor: "UInt64",
  timestamp: "DateTime64(3, \\'UTC\\')",
};

const COLUMNS: readonly EventColumn[] = EVENT_COLUMNS;

const STRUCTURE = COLUMNS.map(({ name, kind }) => `${name} ${FILE_TYPES[kind]}`).join(", ");

/** The value that the table has for a column of a file. */
function stored({ name, kind }: EventColumn): string {
  if (name === "site_id") return name;
  if (kind === "text") return `ifNull(${name}, '(unknown)') AS ${name}`;
  if (kind === "cents") return `toInt64(${name} * 100) AS ${name}`;
  if (kind === "timestamp") return `toUnixTimestamp64Milli(${name}) AS ${name}`;
  return name;
}

const NAMES = COLUMNS.map(({ name }) => name).join(", ");

/** `row` counts the events of a site. */
const ROWS = `
  SELECT {day:Int32} AS day, {node:String} AS node, {segment:UInt64} AS segment,
    place - min(place) OVER (PARTITION BY site_id) AS row, ${COLUMNS.map(stored).join(", ")}
  FROM (SELECT *, rowNumberInAllBlocks() AS place FROM input('${STRUCTURE}'))`;

/** A repeated insert adds the rows that are missing: all or none of them, unless they are on several shards. */
const missingIn = (table: string): string => `
  AND (site_id, row) NOT IN (
    SELECT site_id, row FROM ${table}
    WHERE site_id >= {first:String} AND site_id <= {last:String} AND day = {day:Int32} AND node = {node:String}
      AND segment = {segment:UInt64})`;

const insertInto = (table: string, condition: string): string => `
  INSERT INTO ${table} (day, node, segment, row, ${NAMES})
  SELECT * FROM (${ROWS}) WHERE NOT has({except:Array(String)}, site_id) ${condition}
  FORMAT Parquet`;

const ROWS_MAX = 100_000_000;

/** One thread and one block: rows keep the order of the file, and an insert is stored whole or not at all. */
const IN_ONE_BLOCK = {
  max_threads: 1,
  max_insert_threads: 1,
  input_format_parquet_preserve_order: 1,
  max_block_size: ROWS_MAX,
  max_insert_block_size: ROWS_MAX,
  min_insert_block_size_rows: ROWS_MAX,
  min_insert_block_size_bytes: 0,
} as const;

/**
 * The server ignores an insert whose token it knows, whatever its rows are. By default that depends on the version and on the user's
 * profile (https://clickhouse.com/docs/guides/developer/deduplicating-inserts-on-retries). It must not run longer than it is waited for,
 * because tokens are known for a limited number of inserts.
 */
const AT_MOST_ONCE = {
  deduplicate_insert: "enable",
  deduplicate_insert_select: "enable_even_for_bad_queries",
} as const;

/**
 * The server remembers a token also after its rows are deleted, but the file of a demo or of a reindexed site may come again after a
 * deletion. Only the rows that are missing are inserted anyway.
 */
const WITHOUT_TOKEN = { deduplicate_insert: "disable", deduplicate_insert_select: "disable" } as const;

export interface ClickhouseEventsOptions {
  readonly connection: ClickhouseConnection;
  readonly tables: EventTables;
  /** The id of this node. */
  readonly node: string;
  readonly counters: Counters;
  readonly monotonicMs: () => number;
}

export class ClickhouseEvents implements EventReplica {
  readonly #options: ClickhouseEventsOptions;

  constructor(options: ClickhouseEventsOptions) {
    this.#options = options;
  }

  async insert(
    { sites, day, segment, isFile, parquet, isRepeated, token, exceptSites = [] }: ReplicatedEvents,
    signal?: AbortSignal,
  ): Promise<void> {
    const { connection, tables, node } = this.#options;
    const first = sites.reduce((least, site) => (site < least ? site : least));
    const last = sites.reduce((greatest, site) => (site > greatest ? site : greatest));
    // The same for a segment that was read back with events of more sites, which were not acknowledged.
    const insertToken = isFile ? token : [node, segment, day].join(" ");
    const once = insertToken === undefined ? WITHOUT_TOKEN : { ...AT_MOST_ONCE, insert_deduplication_token: insertToken };
    const statement = {
      sql: insertInto(tables.all, isRepeated ? missingIn(tables.all) : ""),
      parameters: { first, last, except: exceptSites, day: dayNumberOf(day), node, segment },
      settings: { ...IN_ONE_BLOCK, max_execution_time: CLICKHOUSE_INSERT_EXECUTION_SECS_MAX, ...once, ...tables.insertSettings },
      timeoutMs: CLICKHOUSE_INSERT_MS_MAX,
    };
    await this.#counted(() => connection.insert(statement, parquet, signal));
  }

  async #counted(insert: () => Promise<void>): Promise<void> {
    const { counters, monotonicMs } = this.#options;
    const beganMs = monotonicMs();
    try {
      await insert();
      counters.clickhouseInserts++;
    } catch (error) {
      counters.clickhouseInsertFailures++;
      throw error;
    } finally {
      counters.clickhouseInsertMs += monotonicMs() - beganMs;
    }
  }

  delete(siteId: SiteId, firstDay: LocalDate, lastDay: LocalDate, exceptSegments: readonly number[]): Promise<void> {
    return this.#delete({ node: this.#options.node, days: { siteId, firstDay, lastDay }, exceptSegments });
  }

  /** Searches first: most starts and most tries find nothing. */
  async deleteExpired(expired: ExpiredDays, exceptSegments: readonly number[]): Promise<void> {
    const { connection, tables, node } = this.#options;
    const events: DeletedEvents = { node, days: expired, exceptSegments };
    const found = await connection.rows(searchFor(events, tables));
    if (found.length > 0) await this.#delete(events);
  }

  async #delete(events: DeletedEvents): Promise<void> {
    const { connection, tables } = this.#options;
    for (const statement of deletionOf(events, tables)) await connection.execute(statement);
  }
}
