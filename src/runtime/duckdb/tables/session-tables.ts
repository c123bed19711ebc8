/**
 * The relation `sessions`, and the tables behind it: one per block, with the sessions of its days. All session reports read them,
 * whatever their filter, instead of grouping the events again. A day that is not in the table is grouped by the query itself, so the
 * relation is the same with and without tables.
 */
import { PAGEVIEW } from "../../base/config/names.ts";
import { DAY_MS, type SiteId } from "../../../storage/event.ts";
import { sizeGroups } from "../../../storage/size-groups.ts";
import { rowsFromIpc } from "./arrow-batches.ts";
import type { EngineSites } from "./engine-sites.ts";

/** More than the number of rows of any block. */
const SEQUENCE_NUMBERS = 2 ** 31;

/** Orders the events of a day by time and then by sequence number, in one number. */
const MOMENT = `(timestamp - CAST(day AS BIGINT) * ${DAY_MS}) * ${SEQUENCE_NUMBERS} + sequence_number`;

/** Events that one statement groups, unless a single day has more: about 50 ms. */
const GROUPED_ROWS_MAX = 200_000;

/** A block's event table. */
export interface BlockTable {
  readonly id: number;
  readonly name: string;
  readonly siteId: SiteId;
  /** The rows of each day. */
  readonly days: ReadonlyMap<number, number>;
  /** The day that got single events last. It is not stored, because the next event would outdate it. */
  readonly growingDay: number | null;
}

/** `pageview` is the code of that event name. Grouping by `day`, too, lets a query's range of days apply before the grouping. */
const groupedSql = (events: string, pageview: number): string => `
  SELECT
    session,
    min(visitor_id) AS visitor_id,
    day,
    min(timestamp) AS first_ms,
    max(timestamp) AS last_ms,
    CAST(count(*) AS INTEGER) AS events,
    CAST(count(*) FILTER (WHERE event_name = ${pageview}) AS INTEGER) AS pageviews,
    arg_min(pathname, ${MOMENT}) FILTER (WHERE event_name = ${pageview}) AS entry_page,
    arg_max(pathname, ${MOMENT}) FILTER (WHERE event_name = ${pageview}) AS exit_page
  FROM (${events}) AS grouped_events
  GROUP BY session, day`;

const eventsOf = ({ name }: BlockTable, days: readonly number[]): string => `SELECT * FROM ${name} WHERE day IN (${days.join(", ")})`;

const tableOf = ({ id }: BlockTable): string => `sessions_${id}`;

export interface SessionTablesOptions {
  readonly run: (statement: string) => Uint8Array;
  readonly sites: EngineSites;
  readonly noteRows: (rows: number) => void;
}

export class SessionTables {
  readonly #options: SessionTablesOptions;
  /** The days in each block's table. Blocks without a table have no entry. */
  readonly #stored = new Map<number, Set<number>>();

  constructor(options: SessionTablesOptions) {
    this.#options = options;
  }

  #missingDays({ id, days }: BlockTable): number[] {
    const stored = this.#stored.get(id);
    return [...days.keys()].filter((day) => !stored?.has(day));
  }

  #pageview(siteId: SiteId): number {
    return this.#options.sites.get(siteId)?.strings.lookUp(PAGEVIEW) ?? -1;
  }

  /** The relation `sessions` of these blocks. `noEvents` is an empty relation of events. */
  relationOf(siteId: SiteId, blocks: readonly BlockTable[], noEvents: string): string {
    const stored = blocks.filter(({ id }) => (this.#stored.get(id)?.size ?? 0) > 0).map((block) => `SELECT * FROM ${tableOf(block)}`);
    const missing = blocks.flatMap((block) => {
      const days = this.#missingDays(block);
      return days.length > 0 ? [eventsOf(block, days)] : [];
    });
    if (missing.length === 0 && stored.length > 0) return stored.join(" UNION ALL ");
    const grouped = groupedSql(missing.length > 0 ? missing.join(" UNION ALL ") : noEvents, this.#pageview(siteId));
    return [...stored, grouped].join(" UNION ALL ");
  }

  /**
   * The next days of the block to store, in one statement; false if there is nothing to store. Callers let other work run in between:
   * days may get rows then.
   */
  storeNext(block: BlockTable): boolean {
    const { run, noteRows } = this.#options;
    const missing = this.#missingDays(block).filter((day) => day !== block.growingDay);
    const [days] = sizeGroups(missing, (day) => block.days.get(day) ?? 0, GROUPED_ROWS_MAX);
    if (!days) return false;
    const grouped = groupedSql(eventsOf(block, days), this.#pageview(block.siteId));
    const stored = this.#stored.get(block.id);
    const result = run(stored ? `INSERT INTO ${tableOf(block)} ${grouped}` : `CREATE TABLE ${tableOf(block)} AS ${grouped}`);
    noteRows(Number(rowsFromIpc([result])[0]?.Count ?? 0));
    this.#stored.set(block.id, new Set([...(stored ?? []), ...days]));
    return true;
  }

  /** Must be called before rows of the day change. */
  forgetDay(block: BlockTable, day: number): void {
    if (this.#stored.get(block.id)?.delete(day)) this.#options.run(`DELETE FROM ${tableOf(block)} WHERE day = ${day}`);
  }

  drop(block: BlockTable): void {
    if (this.#stored.delete(block.id)) this.#options.run(`DROP TABLE ${tableOf(block)}`);
  }
}
