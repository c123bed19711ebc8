/** What is set for sites on all nodes of a database: the newest record of each site, and that of the calendar of all others. */
import type { EpochMs } from "../../../storage/event.ts";
import { CLICKHOUSE_CHECK_MS_MAX, SETTINGS_INSERTED_MAX, SETTINGS_READ_AGAIN_MS } from "../../config/clickhouse-limits.ts";
import type { ClickhouseConnection } from "./connection.ts";
import { nodeTables } from "./node-tables.ts";
import type { EventTables } from "./tables.ts";

/** The key of the calendar of sites without a time zone of their own: no site's id is empty. */
export const DEFAULT_CALENDAR_KEY = "";

export interface SharedRecord {
  /** A site's id, or `DEFAULT_CALENDAR_KEY`. */
  readonly key: string;
  /** JSON; null after a removal. */
  readonly json: string | null;
  /** By the clock of the node that made the change. Of two records with the same key, the later one counts. */
  readonly changedMs: EpochMs;
}

export class SharedSettings {
  readonly #connection: ClickhouseConnection;
  readonly #table: string;
  /** By the server's clock; 0 before the first reading. */
  #readMs = 0;

  constructor(connection: ClickhouseConnection, tables: EventTables) {
    this.#connection = connection;
    this.#table = nodeTables(tables).settings;
  }

  /** Resolves once ClickHouse has them. After a rejection it may have some of them. */
  async add(records: readonly SharedRecord[]): Promise<void> {
    for (let i = 0; i < records.length; i += SETTINGS_INSERTED_MAX) {
      const added = records.slice(i, i + SETTINGS_INSERTED_MAX);
      await this.#connection.execute({
        sql: `INSERT INTO ${this.#table} (site_id, record, changed_ms) SELECT row.1, row.2, row.3
          FROM (SELECT arrayJoin(arrayZip({keys:Array(String)}, {records:Array(String)}, {changed:Array(Int64)})) AS row)`,
        parameters: {
          keys: added.map(({ key }) => key),
          records: added.map(({ json }) => json ?? ""),
          changed: `[${added.map(({ changedMs }) => changedMs).join(",")}]`,
        },
        timeoutMs: CLICKHOUSE_CHECK_MS_MAX,
      });
    }
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
