/** An event as one text: its values in column order and its date, as a JSON array. What the journal writes, memory keeps and threads hand on. */
import { utcCalendar } from "./calendar.ts";
import { EVENT_COLUMNS, type ColumnKind } from "./event-columns.ts";
import type { EpochMs, SiteId, StoredEvent, UtcDay } from "./event.ts";

/** Where the date is: after the columns of the first version that wrote it. Columns that are added later come behind it. */
const DATE_AT = 25;

const FIELDS: readonly { readonly field: keyof StoredEvent; readonly kind: ColumnKind }[] = [
  ...EVENT_COLUMNS.slice(0, DATE_AT),
  { field: "date", kind: "text" },
  ...EVENT_COLUMNS.slice(DATE_AT),
];

/** Made by `eventText`, or read from a journal that it was written to. */
export type EventText = string & { readonly brand: "EventText" };

/** What is kept of an event until it is in a file: for the garbage collector a text is one thing, an event with its values a dozen. */
export interface BufferedEvent {
  readonly siteId: SiteId;
  readonly date: UtcDay;
  readonly text: EventText;
}

export const bufferedEvent = (event: StoredEvent): BufferedEvent => ({
  siteId: event.siteId,
  date: event.date,
  text: eventText(event),
});

export const eventText = (event: StoredEvent): EventText =>
  JSON.stringify(FIELDS.map(({ field, kind }) => (kind === "visitor" ? String(event[field]) : event[field]))) as EventText;

/** The event of a text, also of one from an earlier version, which has fewer columns or no date. Throws where it is none. */
export function eventOf(text: string): StoredEvent {
  const values: unknown = JSON.parse(text);
  if (!Array.isArray(values)) throw new TypeError("an event's text holds an array");
  const event: Partial<Record<keyof StoredEvent, unknown>> = {};
  FIELDS.forEach(({ field, kind }, i) => {
    const value: unknown = values[i] ?? null;
    event[field] = kind === "visitor" ? BigInt(String(value)) : value;
  });
  event.date ??= utcCalendar.dateOf(event.timestampMs as EpochMs);
  return event as unknown as StoredEvent;
}
