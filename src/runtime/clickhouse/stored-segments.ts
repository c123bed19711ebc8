/** This node's events in ClickHouse: rows by segment and by day. */
import { addDays, dayNumberOf } from "../../storage/calendar.ts";
import type { SiteId, LocalDate } from "../../storage/event.ts";
import type { ClickhouseConnection } from "./connection.ts";
import type { EventTables } from "./tables.ts";

const EPOCH = "1970-01-01" as LocalDate;

/** The rows of one segment of a site and day. */
export interface StoredSegment {
  readonly segment: number;
  readonly rows: number;
  /** Fewer than `rows` if an event is there twice. */
  readonly distinct: number;
}

export type StoredCounts = Omit<StoredSegment, "segment">;

export interface StoredSegmentsOptions {
  readonly connection: ClickhouseConnection;
  readonly tables: EventTables;
  /** The id of this node. */
  readonly node: string;
}

export class StoredSegments {
  readonly #options: StoredSegmentsOptions;

  constructor(options: StoredSegmentsOptions) {
    this.#options = options;
  }

  async sites(isSiteId: (text: string) => text is SiteId): Promise<SiteId[]> {
    const rows = await this.#rows(`SELECT DISTINCT site_id FROM events WHERE node = {node:String} ORDER BY site_id`, {});
    return rows.map(({ site_id: id }) => String(id)).filter(isSiteId);
  }

  /** Stored events by day, without those of the segments. */
  async days(siteId: SiteId, exceptSegments: readonly number[]): Promise<Map<LocalDate, StoredCounts>> {
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
