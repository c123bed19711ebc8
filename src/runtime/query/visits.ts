/** The three columns from which overview queries can be answered without DuckDB. */
import type { Columns } from "../../storage/columns.ts";
import type { Calendar } from "../../storage/calendar.ts";
import { TEXT_COLUMNS } from "../../storage/event.ts";
import type { DecodedEvents } from "../../storage/parquet-events.ts";
import { PAGEVIEW } from "../base/config/names.ts";
import type { DateRange } from "./date-range.ts";

/** Events of one day. */
export interface Visits {
  /** The number of the day since 1970-01-01. */
  readonly day: number;
  readonly timestampsMs: Float64Array;
  readonly visitorIds: BigUint64Array;
  /** 1 for each page view, 0 for each other event. */
  readonly pageviews: Uint8Array;
}

/** The rows of a query over the visits of a range: those that its SQL has, by column. */
export type RowsOfVisits = (visits: readonly Visits[], range: DateRange, calendar: Calendar) => Columns;

/** The texts that visits need of a file. */
export const VISIT_COLUMNS = TEXT_COLUMNS.filter(({ field }) => field === "eventName");

export function visitsOf(day: number, events: DecodedEvents): Visits {
  const [names] = VISIT_COLUMNS.map((column) => events.text(column));
  const isPageview = names?.texts.map((name) => name === PAGEVIEW) ?? [];
  return {
    day,
    timestampsMs: Float64Array.from(events.timestampsMs, Number),
    visitorIds: events.visitorIds,
    pageviews: Uint8Array.from(names?.places ?? [], (place) => Number(isPageview[place] ?? false)),
  };
}
