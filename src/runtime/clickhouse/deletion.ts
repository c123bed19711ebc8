/** The statements that delete events of this node: first from every result, then from the disks. */
import { dayNumberOf } from "../../storage/calendar.ts";
import type { ExpiredDays } from "../../storage/event-store.ts";
import { isLocalDate, type LocalDate, type SiteId } from "../../storage/event.ts";
import { CLICKHOUSE_CHECK_MS_MAX, ERASURE_RECENT_MS, ERASURE_REQUESTS_MAX } from "../base/config/clickhouse-limits.ts";
import { isSiteId } from "../base/config/names.ts";
import type { SqlRow } from "../query/sql.ts";
import type { ClickhouseConnection, ClickhouseStatement } from "./connection.ts";
import { type EventTables, nodeTables, type NodeTables, SERVER_MS } from "./schema.ts";

interface DaysOfSite {
  readonly siteId: SiteId;
  readonly firstDay: LocalDate;
  readonly lastDay: LocalDate;
}

/** A site's events of files with these numbers, on all days. */
interface SegmentsOfSite {
  readonly siteId: SiteId;
  readonly firstSegment: number;
  readonly lastSegment: number;
}

export interface DeletedEvents {
  readonly node: string;
  readonly days: DaysOfSite | SegmentsOfSite | ExpiredDays;
  /** Segments whose events are kept: they are in the journal. */
  readonly exceptSegments: readonly number[];
  /** Later segments are kept, too. */
  readonly lastSegment?: number;
}

/** A day before every other. */
const NEVER = -1_000_000;

const numberOf = (day: LocalDate | null): number => (day === null ? NEVER : dayNumberOf(day));

function conditionOfSite({ siteId, firstDay, lastDay }: DaysOfSite): ClickhouseStatement {
  return {
    sql: "site_id = {site:String} AND day >= {first:Int32} AND day <= {last:Int32}",
    parameters: { site: siteId, first: dayNumberOf(firstDay), last: dayNumberOf(lastDay) },
  };
}

function conditionOfSegments({ siteId, firstSegment, lastSegment }: SegmentsOfSite): ClickhouseStatement {
  return {
    sql: "site_id = {site:String} AND segment >= {firstSegment:UInt64} AND segment <= {lastSegment:UInt64}",
    parameters: { site: siteId, firstSegment, lastSegment },
  };
}

/** The first comparison is the one that skips what is stored of later days. */
function conditionOfExpired({ lastDay, exceptions }: ExpiredDays): ClickhouseStatement {
  const last = numberOf(lastDay);
  if (exceptions.size === 0) return { sql: "day <= {last:Int32}", parameters: { last } };
  const lastDays = [...exceptions.values()].map(numberOf);
  return {
    sql: "day <= {newest:Int32} AND day <= transform(site_id, {sites:Array(String)}, {lastDays:Array(Int32)}, {last:Int32})",
    parameters: { newest: Math.max(last, ...lastDays), sites: [...exceptions.keys()], lastDays: `[${lastDays.join(",")}]`, last },
  };
}

function conditionOf({ node, days, exceptSegments, lastSegment }: DeletedEvents): ClickhouseStatement {
  const ofDays = "firstSegment" in days ? conditionOfSegments(days) : "siteId" in days ? conditionOfSite(days) : conditionOfExpired(days);
  const until = lastSegment === undefined ? "" : " AND segment <= {until:UInt64}";
  return {
    sql: `${ofDays.sql} AND node = {node:String} AND NOT has({except:Array(UInt64)}, segment)${until}`,
    parameters: {
      ...ofDays.parameters,
      node,
      except: `[${exceptSegments.join(",")}]`,
      ...(lastSegment !== undefined && { until: lastSegment }),
    },
  };
}

/** Has a row if there are such events. */
export function searchFor(events: DeletedEvents, { all, readSettings }: EventTables): ClickhouseStatement {
  const { sql, parameters = {} } = conditionOf(events);
  return { sql: `SELECT 1 AS one FROM ${all} WHERE ${sql} LIMIT 1`, parameters, settings: readSettings };
}

/** Their number, and that of their days. */
export function countOf(events: DeletedEvents, { all, readSettings }: EventTables): ClickhouseStatement {
  const { sql, parameters = {} } = conditionOf(events);
  return { sql: `SELECT count() AS events, uniqExact(day) AS days FROM ${all} WHERE ${sql}`, parameters, settings: readSettings };
}

/**
 * The first resolves when no replica returns the events in any result: it masks their rows. The second makes the servers write the parts
 * without these rows, in the background, instead of leaving that to the next merge, which may never come. Parts without such rows are
 * not written again. The files of the old parts are removed eight minutes later (`old_parts_lifetime`).
 */
export function deletionOf(events: DeletedEvents, { stored, onCluster, changeSettings }: EventTables): readonly ClickhouseStatement[] {
  const { sql, parameters = {} } = conditionOf(events);
  return [
    {
      sql: `DELETE FROM ${stored} ${onCluster} WHERE ${sql}`,
      parameters,
      settings: { ...changeSettings, lightweight_deletes_sync: 2 },
    },
    { sql: `ALTER TABLE ${stored} ${onCluster} APPLY DELETED MASK`, settings: { ...changeSettings, mutations_sync: 0 } },
  ];
}

export interface ErasureRequest {
  readonly id: string;
  readonly siteId: SiteId;
  readonly firstDay: LocalDate;
  readonly lastDay: LocalDate;
}

/** Counts of erased events and days: each event counts once, each day once for each node. */
interface ErasedCounts {
  readonly events: number;
  readonly days: number;
}

interface Confirmations extends ErasedCounts {
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

/** Erasures that every node carries out, and which nodes have done so. */
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
