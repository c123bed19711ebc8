/** The serialized form of an event, in the journal, in memory and between threads: a JSON array of its values in column order and its date. */
import { type ColumnKind, EVENT_COLUMNS, type LocalDate, type SiteId, type StoredEvent } from "./event.ts";

/** The index of the date. Columns that were added later follow it, so that older lines stay readable. */
const DATE_AT = 25;

const FIELDS: readonly { readonly field: keyof StoredEvent; readonly kind: ColumnKind }[] = [
  ...EVENT_COLUMNS.slice(0, DATE_AT),
  { field: "date", kind: "text" },
  ...EVENT_COLUMNS.slice(DATE_AT),
];

/** Returned by `eventText`, or read from the journal. */
export type EventText = string & { readonly brand: "EventText" };

/** An unflushed event: serialized, because one string costs the garbage collector less than an object with a dozen values. */
export interface BufferedEvent {
  readonly siteId: SiteId;
  readonly date: LocalDate;
  readonly text: EventText;
}

export const bufferedEvent = (event: StoredEvent): BufferedEvent => ({
  siteId: event.siteId,
  date: event.date,
  text: eventText(event),
});

export const eventText = (event: StoredEvent): EventText =>
  JSON.stringify(FIELDS.map(({ field, kind }) => (kind === "visitor" ? String(event[field]) : event[field]))) as EventText;

/** Parses an event. Columns that its text lacks, because they were added later, are null. Throws if the text is not an event. */
export function eventOf(text: string): StoredEvent {
  const values: unknown = JSON.parse(text);
  if (!Array.isArray(values)) throw new TypeError("an event's text must be a JSON array");
  const event: Partial<Record<keyof StoredEvent, unknown>> = {};
  FIELDS.forEach(({ field, kind }, i) => {
    const value: unknown = values[i] ?? null;
    event[field] = kind === "visitor" ? BigInt(String(value)) : value;
  });
  if (event.date === null) throw new TypeError("an event's text must contain its date");
  return event as unknown as StoredEvent;
}
