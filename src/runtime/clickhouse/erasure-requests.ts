/** Erasures that every node carries out, and which nodes have done so. */
import { CLICKHOUSE_CHECK_MS_MAX, ERASURE_RECENT_MS, ERASURE_REQUESTS_MAX } from "../base/config/clickhouse-limits.ts";
import { isSiteId } from "../base/config/names.ts";
import { isLocalDate, type SiteId, type LocalDate } from "../../storage/event.ts";
import type { SqlRow } from "../query/sql.ts";
import type { ClickhouseConnection, ClickhouseStatement } from "./connection.ts";
import { nodeTables, SERVER_MS, type NodeTables } from "./node-tables.ts";
import type { EventTables } from "./tables.ts";

export interface ErasureRequest {
  readonly id: string;
  readonly siteId: SiteId;
  readonly firstDay: LocalDate;
  readonly lastDay: LocalDate;
}

/** Counts of erased events and days: each event counts once, each day once for each node. */
export interface ErasedCounts {
  readonly events: number;
  readonly days: number;
}

export interface Confirmations extends ErasedCounts {
  readonly nodes: ReadonlySet<string>;
}

export const covers = ({ siteId, firstDay, lastDay }: ErasureRequest, site: SiteId, day: LocalDate): boolean =>
  siteId === site && firstDay <= day && day <= lastDay;

/** Empty for a row that this version of the program would not have written. */
function requestIn({ id, site_id: siteId, first_day: firstDay, last_day: lastDay }: SqlRow): ErasureRequest[] {
  const [site, first, last] = [String(siteId), String(firstDay), String(lastDay)];
  return isSiteId(site) && isLocalDate(first) && isLocalDate(last)
    ? [{ id: String(id), siteId: site, firstDay: first, lastDay: last }]
    : [];
}

export class ErasureRequests {
  readonly #connection: ClickhouseConnection;
  readonly #tables: NodeTables;
  readonly #node: string;

  constructor(connection: ClickhouseConnection, tables: EventTables, node: string) {
    this.#connection = connection;
    this.#tables = nodeTables(tables);
    this.#node = node;
  }

  async add({ id, siteId, firstDay, lastDay }: ErasureRequest): Promise<void> {
    await this.#execute(
      `INSERT INTO ${this.#tables.requests} (id, site_id, first_day, last_day)
        SELECT {id:String}, {site:String}, {first:String}, {last:String}`,
      { id, site: siteId, first: firstDay, last: lastDay },
    );
  }

  /** The requests that this node has not confirmed, oldest first. */
  async pending(): Promise<ErasureRequest[]> {
    const rows = await this.#rows(
      `SELECT DISTINCT id, site_id, first_day, last_day, requested_ms FROM ${this.#tables.requests}
        WHERE id NOT IN (SELECT request FROM ${this.#tables.confirmations} WHERE node = {node:String})
        ORDER BY requested_ms, id LIMIT ${ERASURE_REQUESTS_MAX}`,
      { node: this.#node },
    );
    return rows.flatMap(requestIn);
  }

  /**
   * The requests of the last minutes: other nodes may have carried them out after this one, and reports have counted their events since.
   */
  async recent(): Promise<ErasureRequest[]> {
    const rows = await this.#rows(
      `SELECT DISTINCT id, site_id, first_day, last_day FROM ${this.#tables.requests}
        WHERE requested_ms > ${SERVER_MS} - ${ERASURE_RECENT_MS} LIMIT ${ERASURE_REQUESTS_MAX}`,
      {},
    );
    return rows.flatMap(requestIn);
  }

  async confirm(id: string, { events, days }: ErasedCounts): Promise<void> {
    await this.#execute(
      `INSERT INTO ${this.#tables.confirmations} (request, node, events, days)
        SELECT {id:String}, {node:String}, {events:UInt64}, {days:UInt64}`,
      { id, node: this.#node, events, days },
    );
  }

  async confirmations(id: string): Promise<Confirmations> {
    const rows = await this.#rows(`SELECT node, events, days FROM ${this.#tables.confirmations} FINAL WHERE request = {id:String}`, { id });
    const sum = (name: "events" | "days") => rows.reduce((total, row) => total + Number(row[name]), 0);
    return { nodes: new Set(rows.map(({ node }) => String(node))), events: sum("events"), days: sum("days") };
  }

  /** Number of requests that are not forgotten yet. */
  async count(): Promise<number> {
    const [row] = await this.#rows(`SELECT uniqExact(id) AS requests FROM ${this.#tables.requests}`, {});
    return Number(row?.["requests"] ?? 0);
  }

  /** Forgets requests of this age that all of these nodes have confirmed. */
  async forget(nodes: readonly string[], ageMs: number): Promise<void> {
    const { requests, confirmations } = this.#tables;
    const rows = await this.#rows(
      `SELECT DISTINCT id FROM ${requests} WHERE requested_ms < ${SERVER_MS} - {age:Int64} AND id IN (
        SELECT request FROM ${confirmations} WHERE has(splitByChar(' ', {nodes:String}), node)
        GROUP BY request HAVING uniqExact(node) = length(splitByChar(' ', {nodes:String})))
        LIMIT ${ERASURE_REQUESTS_MAX}`,
      { age: ageMs, nodes: textOf(nodes) },
    );
    if (rows.length === 0) return;
    const ids = textOf(rows.map(({ id }) => String(id)));
    // The requests first: those without confirmations would be carried out again.
    await this.#execute(`DELETE FROM ${requests} WHERE has(splitByChar(' ', {ids:String}), id)`, { ids });
    await this.#execute(`DELETE FROM ${confirmations} WHERE has(splitByChar(' ', {ids:String}), request)`, { ids });
  }

  #rows(sql: string, parameters: NonNullable<ClickhouseStatement["parameters"]>): Promise<SqlRow[]> {
    return this.#connection.rows({ sql, parameters, timeoutMs: CLICKHOUSE_CHECK_MS_MAX });
  }

  #execute(sql: string, parameters: NonNullable<ClickhouseStatement["parameters"]>): Promise<void> {
    return this.#connection.execute({ sql, parameters, timeoutMs: CLICKHOUSE_CHECK_MS_MAX });
  }
}

/** Ids are hexadecimal, so a list of them is a text, which needs no quotes. */
const textOf = (ids: readonly string[]): string => ids.join(" ");
