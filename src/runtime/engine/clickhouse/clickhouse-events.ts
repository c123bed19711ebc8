/** The events of this node in ClickHouse: inserted as Parquet, each segment of a site and day at most once, and deleted by day. */
import { dayNumberOf } from "../../../storage/calendar.ts";
import { EVENT_COLUMNS, type ColumnKind, type EventColumn } from "../../../storage/event-columns.ts";
import type { EventReplica } from "../../../storage/event-replica.ts";
import type { SiteId, UtcDay } from "../../../storage/event.ts";
import type { ClickhouseConnection } from "./connection.ts";
import { EVENTS_TABLE } from "./schema.ts";

/** The type of each kind of column in a file. */
const FILE_TYPES: Readonly<Record<ColumnKind, string>> = {
  text: "Nullable(String)",
  json: "Nullable(String)",
  cents: "Nullable(Decimal(12, 2))",
  visitor: "UInt64",
  timestamp: "DateTime64(3, \\'UTC\\')",
};

const COLUMNS: readonly EventColumn[] = EVENT_COLUMNS.filter(({ name }) => name !== "site_id");

const STRUCTURE = COLUMNS.map(({ name, kind }) => `${name} ${FILE_TYPES[kind]}`).join(", ");

/** The value that the table has for a column of a file. */
function stored({ name, kind }: EventColumn): string {
  if (kind === "text") return `ifNull(${name}, '(unknown)')`;
  if (kind === "cents") return `toInt64(${name} * 100)`;
  if (kind === "timestamp") return `toUnixTimestamp64Milli(${name})`;
  return name;
}

const INSERT = `
  INSERT INTO ${EVENTS_TABLE} (site_id, day, node, segment, row, ${COLUMNS.map(({ name }) => name).join(", ")})
  SELECT {site:String}, {day:Int32}, {node:String}, {segment:UInt64}, rowNumberInAllBlocks(), ${COLUMNS.map(stored).join(", ")}
  FROM input('${STRUCTURE}')
  FORMAT Parquet`;

/** One thread and one block: rows keep the order of the file, and an insert is stored whole or not at all. */
const IN_ONE_BLOCK = {
  max_threads: 1,
  max_insert_threads: 1,
  input_format_parquet_preserve_order: 1,
  max_block_size: 100_000_000,
  min_insert_block_size_rows: 100_000_000,
  min_insert_block_size_bytes: 0,
} as const;

export interface ClickhouseEventsOptions {
  readonly connection: ClickhouseConnection;
  /** The id of this node. */
  readonly node: string;
}

export class ClickhouseEvents implements EventReplica {
  readonly #options: ClickhouseEventsOptions;

  constructor(options: ClickhouseEventsOptions) {
    this.#options = options;
  }

  async insert({ siteId, day, segment, parquet, isRepeated }: Parameters<EventReplica["insert"]>[0]): Promise<void> {
    const { connection, node } = this.#options;
    const parameters = { site: siteId, day: dayNumberOf(day), node, segment };
    // The server forgets a token after some thousand inserts of other events.
    if (isRepeated && (await this.#has(parameters))) return;
    const token = [node, segment, siteId, day].join(" ");
    await connection.insertParquet({ sql: INSERT, parameters, settings: { ...IN_ONE_BLOCK, insert_deduplication_token: token } }, parquet);
  }

  async #has(parameters: Readonly<Record<string, string | number>>): Promise<boolean> {
    const found = await this.#options.connection.rows({
      sql: `SELECT 1 FROM ${EVENTS_TABLE}
        WHERE site_id = {site:String} AND day = {day:Int32} AND node = {node:String} AND segment = {segment:UInt64} LIMIT 1`,
      parameters,
    });
    return found.length > 0;
  }

  async delete(siteId: SiteId, firstDay: UtcDay, lastDay: UtcDay, exceptSegments: readonly number[]): Promise<void> {
    const { connection, node } = this.#options;
    await connection.execute({
      sql: `DELETE FROM ${EVENTS_TABLE}
        WHERE site_id = {site:String} AND day >= {first:Int32} AND day <= {last:Int32} AND node = {node:String}
          AND NOT has({except:Array(UInt64)}, segment)`,
      parameters: {
        site: siteId,
        first: dayNumberOf(firstDay),
        last: dayNumberOf(lastDay),
        node,
        except: `[${exceptSegments.join(",")}]`,
      },
      settings: { lightweight_deletes_sync: 2 },
    });
  }
}
