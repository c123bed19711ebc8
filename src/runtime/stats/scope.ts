/** Which events a figure is about: a site and a range, and the SQL that keeps to them. */
import type { SiteId } from "../../storage/event.ts";
import type { DateRange } from "./date-range.ts";
import { sql, type SqlText } from "./sql.ts";

export interface Scope {
  readonly siteId: SiteId;
  readonly range: DateRange;
}

/** The relation of the scope's events. */
export const eventsIn = ({ range }: Scope): SqlText =>
  sql`SELECT * FROM events WHERE timestamp >= ${range.startMs} AND timestamp < ${range.endMs}`;
