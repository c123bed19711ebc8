/** The events of this node in ClickHouse: inserted as Parquet, each day of a segment at most once, and deleted by day. */
import { addDays, dayNumberOf } from "../../storage/calendar.ts";
import type { EventReplica, EventStore, ExpiredDays, ReplicatedEvents } from "../../storage/event-store.ts";
import { type ColumnKind, EVENT_COLUMNS, type EventColumn, type LocalDate, type SiteId, utcDateOf } from "../../storage/event.ts";
import type { SegmentLog } from "../../storage/segment.ts";
import {
  CLICKHOUSE_CHECK_MS_MAX,
  CLICKHOUSE_INSERT_EXECUTION_SECS_MAX,
  CLICKHOUSE_INSERT_MS_MAX,
  CLICKHOUSE_SITES_MAX,
} from "../base/config/clickhouse-limits.ts";
import { isSiteId } from "../base/config/names.ts";
import type { Counters } from "../base/metrics/metrics.ts";
import type { ClickhouseConnection } from "./connection.ts";
import { covers, type DeletedEvents, deletionOf, type ErasureRequest, type ErasureRequests, searchFor } from "./deletion.ts";
import type { EventTables } from "./schema.ts";

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

interface ClickhouseEventsOptions {
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
    const { connection, tables, node, counters, monotonicMs } = this.#options;
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
    const beganMs = monotonicMs();
    try {
      await connection.insert(statement, parquet, signal);
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

  /** Searches first: most starts find nothing. */
  async deleteSegments(siteId: SiteId, first: number, last: number): Promise<void> {
    const { connection, tables, node } = this.#options;
    const events: DeletedEvents = { node, days: { siteId, firstSegment: first, lastSegment: last }, exceptSegments: [] };
    const found = await connection.rows(searchFor(events, tables));
    if (found.length > 0) await this.#delete(events);
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

/** Called before the journal is opened. */
export async function withoutErasedDays(
  { events, requests }: { readonly events: EventReplica; readonly requests: Pick<ErasureRequests, "pending"> },
  segmentLog: Pick<SegmentLog, "list">,
): Promise<EventReplica> {
  const lastRecovered = (await segmentLog.list()).at(-1) ?? 0;
  let atStart: Promise<readonly ErasureRequest[]> | null = null;
  /** Rejects while ClickHouse does not respond: then the flush fails, and is tried again. */
  const requestedBefore = () =>
    (atStart ??= requests.pending().catch((error: unknown) => {
      atStart = null;
      throw error;
    }));
  async function erasedSites({ sites, day, segment }: ReplicatedEvents): Promise<readonly SiteId[]> {
    if (segment > lastRecovered) return [];
    const requested = await requestedBefore();
    return sites.filter((siteId) => requested.some((request) => covers(request, siteId, day)));
  }
  return {
    async insert(segmentEvents, signal) {
      await events.insert({ ...segmentEvents, exceptSites: await erasedSites(segmentEvents) }, signal);
    },
    delete: (...days) => events.delete(...days),
    deleteSegments: (...segments) => events.deleteSegments(...segments),
    deleteExpired: (...days) => events.deleteExpired(...days),
  };
}

const EPOCH = utcDateOf(0);

export interface StoredSegment {
  readonly segment: number;
  readonly rows: number;
  /** Fewer than `rows` if an event is there twice. */
  readonly distinct: number;
}

type StoredSegmentsOptions = Pick<ClickhouseEventsOptions, "connection" | "tables" | "node">;

export class StoredSegments {
  readonly #options: StoredSegmentsOptions;

  constructor(options: StoredSegmentsOptions) {
    this.#options = options;
  }

  async sites(): Promise<SiteId[]> {
    const rows = await this.#rows(`SELECT DISTINCT site_id FROM events WHERE node = {node:String} ORDER BY site_id`, {});
    return rows.map(({ site_id: id }) => String(id)).filter((text) => isSiteId(text));
  }

  /** Stored events by day, without those of the segments. */
  async days(siteId: SiteId, exceptSegments: readonly number[]): Promise<Map<LocalDate, Omit<StoredSegment, "segment">>> {
    const rows = await this.#rows(
      `SELECT day, count() AS rows, uniqExact(segment, row) AS distinct FROM events
        WHERE site_id = {site:String} AND node = {node:String} AND NOT has({except:Array(UInt64)}, segment) GROUP BY day`,
      { site: siteId, except: `[${exceptSegments.join(",")}]` },
    );
    return new Map(
      rows.map(({ day, rows: count, distinct }) => [addDays(EPOCH, Number(day)), { rows: Number(count), distinct: Number(distinct) }]),
    );
  }

  /** The segments of one day, oldest first. */
  async segments(siteId: SiteId, day: LocalDate): Promise<StoredSegment[]> {
    const rows = await this.#rows(
      `SELECT segment, count() AS rows, uniqExact(row) AS distinct FROM events
        WHERE site_id = {site:String} AND day = {day:Int32} AND node = {node:String} GROUP BY segment ORDER BY segment`,
      { site: siteId, day: dayNumberOf(day) },
    );
    return rows.map(({ segment, rows: count, distinct }) => ({
      segment: Number(segment),
      rows: Number(count),
      distinct: Number(distinct),
    }));
  }

  /** `events` in the SQL is the table. */
  #rows(sql: string, parameters: Readonly<Record<string, string | number>>) {
    const { connection, tables, node } = this.#options;
    const ofTable = sql.replace("FROM events", `FROM ${tables.all}`);
    return connection.rows({ sql: ofTable, parameters: { ...parameters, node }, settings: tables.readSettings });
  }
}

/** The part of `EventStore` that knows this node alone. */
export type EventCatalog = Pick<EventStore, "sites" | "days">;

interface ClickhouseCatalogOptions extends Pick<ClickhouseEventsOptions, "connection" | "tables"> {
  readonly eventStore: EventCatalog;
}

/** Sites and their days with events, on all nodes: from ClickHouse, and from this node's own store. */
export function clickhouseCatalog({ connection, tables, eventStore }: ClickhouseCatalogOptions): EventCatalog {
  const rows = (sql: string, parameters: Readonly<Record<string, string | number>>) =>
    connection.rows({ sql, parameters, settings: tables.readSettings, timeoutMs: CLICKHOUSE_CHECK_MS_MAX });

  async function endsOf(site: SiteId): Promise<LocalDate[]> {
    const sql = `SELECT min(day) AS first, max(day) AS last, count() AS events FROM ${tables.all}
      WHERE site_id = {site:String} HAVING events > 0`;
    const [row] = await rows(sql, { site });
    return row ? [row["first"], row["last"]].map((day) => addDays(EPOCH, Number(day))) : [];
  }

  return {
    /** Contains at most `CLICKHOUSE_SITES_MAX` sites of other nodes. Rejects while ClickHouse does not respond. */
    async sites() {
      const found = await rows(`SELECT DISTINCT site_id FROM ${tables.all} LIMIT {max:UInt32}`, { max: CLICKHOUSE_SITES_MAX });
      const known = found.map((row) => String(row["site_id"])).filter((text) => isSiteId(text));
      // Afterwards, so that a site whose first event has come meanwhile is among them.
      return new Set([...known, ...(await eventStore.sites())]);
    },
    /** Oldest first; of other nodes' days, only the first and the last. Only days of this node while ClickHouse does not respond. */
    async days(siteId) {
      const others = endsOf(siteId).catch((): LocalDate[] => []);
      return [...new Set([...(await eventStore.days(siteId)), ...(await others)])].sort();
    },
  };
}
