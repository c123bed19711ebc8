/** The statements that delete events of this node: first from every result, then from the disks. */
import { dayNumberOf } from "../../storage/calendar.ts";
import type { ExpiredDays } from "../../storage/event-replica.ts";
import type { SiteId, LocalDate } from "../../storage/event.ts";
import type { ClickhouseStatement } from "./connection.ts";
import type { EventTables } from "./tables.ts";

export interface DaysOfSite {
  readonly siteId: SiteId;
  readonly firstDay: LocalDate;
  readonly lastDay: LocalDate;
}

/** The events of a node to delete. */
export interface DeletedEvents {
  readonly node: string;
  readonly days: DaysOfSite | ExpiredDays;
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
  const ofDays = "siteId" in days ? conditionOfSite(days) : conditionOfExpired(days);
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
