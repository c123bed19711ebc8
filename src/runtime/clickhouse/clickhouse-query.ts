/** The ClickHouse statements of reports. On a cluster, each shard makes the rows of its visitors, and one server adds them up. */
import { RESULT_SETTINGS } from "./result-settings.ts";
import { clickhouseStatement } from "./dialect/statement.ts";
import type { ClickhouseStatement } from "./connection.ts";
import type { EventTables } from "./tables.ts";
import { LOOKED_UP_CHARS_MAX } from "../base/config/report-limits.ts";
import type { Calendar } from "../../storage/calendar.ts";
import type { SiteId } from "../../storage/event.ts";
import type { SiteRange } from "../query/scope.ts";
import { joinSql, resultColumn, sql, SqlText, textCode } from "../query/sql.ts";
import { totalSql, type AggregateQuery } from "../query/aggregate-query.ts";

/** A name from `EventTables`. */
const name = (text: string): SqlText => new SqlText([text]);

const eventsOf = (siteId: SiteId, table: string): SqlText =>
  sql`events AS (SELECT * FROM ${name(table)} WHERE site_id = ${textCode(siteId)})`;

/** A statement over a site's events. `rest` follows the definition of the relation `events`. */
export const scanStatement = (rest: SqlText, siteId: SiteId, { all, readSettings }: EventTables): ClickhouseStatement => ({
  ...clickhouseStatement(sql`WITH ${eventsOf(siteId, all)}, ${rest}`),
  settings: { ...RESULT_SETTINGS, ...readSettings },
});

/** The events that a query reads, and the calendar of their site. */
export interface CalendarRange extends SiteRange {
  readonly calendar: Calendar;
}

/**
 * A SELECT of the rows of `partial`: on a cluster, those of each shard, made where its events are. Reading the relation `events` instead
 * would send each event that matches to one server.
 */
export function rowsOfVisitors({ partial }: AggregateQuery, { siteId, range, calendar }: CalendarRange, tables: EventTables): SqlText {
  const { cluster, stored } = tables;
  if (cluster === null) return partial(range, calendar);
  const ofShard = sql`WITH ${eventsOf(siteId, stored)}, shard AS (${partial(range, calendar)}) SELECT * FROM shard`;
  return sql`SELECT * FROM cluster(${name(`\`${cluster}\``)}, view(${ofShard}))`;
}

/** The query's result, as the rest of a `scanStatement`. */
export function resultSql(query: AggregateQuery, read: CalendarRange, tables: EventTables): SqlText {
  const isPerShard = tables.cluster !== null && !query.comparesVisitors;
  if (!isPerShard) return sql`totals AS (${query.partial(read.range, read.calendar)}) ${totalSql(query)}`;
  return sql`shards AS (${rowsOfVisitors(query, read, tables)}), totals AS (${summed(query)}) ${totalSql(query)}`;
}

/** A visitor is on one shard, so that the rows of shards add up as those of ranges do (`AggregateQuery`). */
function summed({ keys, codes = [], names = [], counts, amounts = [] }: AggregateQuery): SqlText {
  const groups = [...keys, ...codes, ...names].map(resultColumn);
  const sums = [...counts, ...amounts].map(resultColumn).map((column) => sql`sum(${column}) AS ${column}`);
  const grouping = groups.length > 0 ? sql`GROUP BY ${joinSql(groups, ", ")}` : sql``;
  return sql`SELECT ${joinSql([...groups, ...sums], ", ")} FROM shards ${grouping}`;
}

/** The values in groups, none of which is too long for the address of a request. */
function inPortions(values: readonly string[]): string[][] {
  const portions: string[][] = [];
  let chars = Number.POSITIVE_INFINITY;
  for (const value of values) {
    const needed = encodeURIComponent(value).length;
    if (chars + needed > LOOKED_UP_CHARS_MAX) {
      portions.push([]);
      chars = 0;
    }
    portions.at(-1)?.push(value);
    chars += needed;
  }
  return portions;
}

/** Queries whose rows together are those of this one, if they need no order: parameters are part of a request's address. */
export function portionsOf(query: AggregateQuery): AggregateQuery[] {
  const { top } = query;
  if (!top?.values) return [query];
  return inPortions(top.values).map((values) => ({ ...query, top: { ...top, values } }));
}
