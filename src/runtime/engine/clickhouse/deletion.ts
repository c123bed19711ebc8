/** The statements that delete events of this node: first from every result, then from the disks. */
import { dayNumberOf } from "../../../storage/calendar.ts";
import type { SiteId, UtcDay } from "../../../storage/event.ts";
import type { ClickhouseStatement } from "./connection.ts";
import type { EventTables } from "./tables.ts";

/** Which events of a node. */
export interface DeletedEvents {
  readonly node: string;
  /** Null for those of all sites. */
  readonly siteId: SiteId | null;
  readonly firstDay: UtcDay;
  readonly lastDay: UtcDay;
  /** Segments whose events are kept: they are in the journal. */
  readonly exceptSegments: readonly number[];
  /** Later segments are kept, too. */
  readonly lastSegment?: number;
}

function conditionOf({ node, siteId, firstDay, lastDay, exceptSegments, lastSegment }: DeletedEvents): ClickhouseStatement {
  const site = siteId === null ? "" : "site_id = {site:String} AND ";
  const until = lastSegment === undefined ? "" : " AND segment <= {until:UInt64}";
  return {
    sql:
      `${site}day >= {first:Int32} AND day <= {last:Int32} AND node = {node:String} ` +
      `AND NOT has({except:Array(UInt64)}, segment)${until}`,
    parameters: {
      ...(siteId !== null && { site: siteId }),
      first: dayNumberOf(firstDay),
      last: dayNumberOf(lastDay),
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
