/** Sites and their days with events, on all nodes: from ClickHouse, and from this node's own store. */
import { addDays } from "../../storage/calendar.ts";
import { utcDateOf, type SiteId, type LocalDate } from "../../storage/event.ts";
import type { EventStore } from "../../storage/event-store.ts";
import { CLICKHOUSE_CHECK_MS_MAX, CLICKHOUSE_SITES_MAX } from "../base/config/clickhouse-limits.ts";
import { isSiteId } from "../base/config/names.ts";
import type { ClickhouseConnection } from "./connection.ts";
import type { EventTables } from "./tables.ts";

/** The part of `EventStore` that knows this node alone. */
export type EventCatalog = Pick<EventStore, "sites" | "days">;

export interface ClickhouseCatalogOptions {
  readonly connection: ClickhouseConnection;
  readonly tables: EventTables;
  readonly eventStore: EventCatalog;
}

const EPOCH = utcDateOf(0);

export class ClickhouseCatalog implements EventCatalog {
  readonly #options: ClickhouseCatalogOptions;

  constructor(options: ClickhouseCatalogOptions) {
    this.#options = options;
  }

  /** Contains at most `CLICKHOUSE_SITES_MAX` sites of other nodes. Rejects while ClickHouse does not respond. */
  async sites(): Promise<ReadonlySet<SiteId>> {
    const rows = await this.#rows(`SELECT DISTINCT site_id FROM ${this.#options.tables.all} LIMIT {max:UInt32}`, {
      max: CLICKHOUSE_SITES_MAX,
    });
    const found = rows.map((row) => String(row["site_id"])).filter((text) => isSiteId(text));
    // Afterwards, so that a site whose first event has come meanwhile is among them.
    return new Set([...found, ...(await this.#options.eventStore.sites())]);
  }

  /** Oldest first; of other nodes' days, only the first and the last. Only days of this node while ClickHouse does not respond. */
  async days(siteId: SiteId): Promise<LocalDate[]> {
    const others = this.#ends(siteId).catch((): LocalDate[] => []);
    return [...new Set([...(await this.#options.eventStore.days(siteId)), ...(await others)])].sort();
  }

  async #ends(site: SiteId): Promise<LocalDate[]> {
    const sql = `SELECT min(day) AS first, max(day) AS last, count() AS events FROM ${this.#options.tables.all}
      WHERE site_id = {site:String} HAVING events > 0`;
    const [row] = await this.#rows(sql, { site });
    return row ? [row["first"], row["last"]].map((day) => addDays(EPOCH, Number(day))) : [];
  }

  #rows(sql: string, parameters: Readonly<Record<string, string | number>>) {
    const { connection, tables } = this.#options;
    return connection.rows({ sql, parameters, settings: tables.readSettings, timeoutMs: CLICKHOUSE_CHECK_MS_MAX });
  }
}
