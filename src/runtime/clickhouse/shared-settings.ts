/** Settings of sites on all nodes of a database: the newest record of each site, and that of the calendar of all others. */
import type { EpochMs } from "../../storage/event.ts";
import { CLICKHOUSE_CHECK_MS_MAX, SETTINGS_INSERTED_CHARS_MAX, SETTINGS_READ_AGAIN_MS } from "../base/config/clickhouse-limits.ts";
import type { ClickhouseConnection } from "./connection.ts";
import { type EventTables, nodeTables } from "./schema.ts";

/** The key of the calendar of sites without a time zone of their own: no site's id is empty. */
export const DEFAULT_CALENDAR_KEY = "";

export interface SharedRecord {
  /** A site's id, or `DEFAULT_CALENDAR_KEY`. */
  readonly key: string;
  /** JSON; null after a removal. */
  readonly json: string | null;
  /** Clock of the node that made the change. The later of two records with the same key counts, or else the one added last. */
  readonly changedMs: EpochMs;
}

/** The setting keeps a server from responding before it has stored inserts. */
const STORED_AT_ONCE = { async_insert: 0 } as const;

const rowOf = ({ key, json, changedMs }: SharedRecord): string =>
  `${JSON.stringify({ site_id: key, record: json ?? "", changed_ms: changedMs })}\n`;

/** The data of as few inserts as their limit allows. */
function* insertsOf(records: readonly SharedRecord[]): Generator<Uint8Array> {
  let rows = "";
  for (const row of records.map(rowOf)) {
    if (rows !== "" && rows.length + row.length > SETTINGS_INSERTED_CHARS_MAX) {
      yield new TextEncoder().encode(rows);
      rows = "";
    }
    rows += row;
  }
  if (rows !== "") yield new TextEncoder().encode(rows);
}

export class SharedSettings {
  readonly #connection: ClickhouseConnection;
  readonly #table: string;
  /** The server's clock; 0 before the first reading. */
  #readMs = 0;

  constructor(connection: ClickhouseConnection, tables: EventTables) {
    this.#connection = connection;
    this.#table = nodeTables(tables).settings;
  }

  /**
   * Resolves once ClickHouse has them. After a rejection it may have some of them. They are data, because its logs have statements with
   * parameters.
   */
  async add(records: readonly SharedRecord[]): Promise<void> {
    const sql = `INSERT INTO ${this.#table} (site_id, record, changed_ms) FORMAT JSONEachRow`;
    for (const data of insertsOf(records))
      await this.#connection.insert({ sql, settings: STORED_AT_ONCE, timeoutMs: CLICKHOUSE_CHECK_MS_MAX }, data);
  }

  /** All at first, later those that were added since, and some that were returned before. They count as returned once `use` resolves. */
  async read(use: (records: readonly SharedRecord[]) => Promise<void>): Promise<void> {
    const rows = await this.#connection.rows({
      sql: `SELECT site_id, record, changed_ms, stored_ms FROM ${this.#table} FINAL WHERE stored_ms >= {since:Int64} ORDER BY site_id`,
      parameters: { since: this.#readMs - SETTINGS_READ_AGAIN_MS },
      timeoutMs: CLICKHOUSE_CHECK_MS_MAX,
    });
    await use(
      rows.map(({ site_id: key, record, changed_ms: changedMs }) => ({
        key: String(key),
        json: record === "" ? null : String(record),
        changedMs: Number(changedMs),
      })),
    );
    this.#readMs = rows.reduce((latest, row) => Math.max(latest, Number(row["stored_ms"])), this.#readMs);
  }
}
