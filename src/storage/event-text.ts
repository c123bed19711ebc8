/** An event as one text: its values as a JSON array in column order. What the journal writes, memory keeps and threads hand on. */
import { EVENT_COLUMNS } from "./event-columns.ts";
import { utcDayOf, type SiteId, type StoredEvent, type UtcDay } from "./event.ts";

/** Made by `eventText`, or read from a journal that it was written to. */
export type EventText = string & { readonly brand: "EventText" };

/** What is kept of an event until it is in a file: for the garbage collector a text is one thing, an event with its values a dozen. */
export interface BufferedEvent {
  readonly siteId: SiteId;
  readonly day: UtcDay;
  readonly text: EventText;
}

export const bufferedEvent = (event: StoredEvent): BufferedEvent => ({
  siteId: event.siteId,
  day: utcDayOf(event.timestampMs),
  text: eventText(event),
});

export const eventText = (event: StoredEvent): EventText =>
  JSON.stringify(EVENT_COLUMNS.map(({ field, kind }) => (kind === "visitor" ? String(event[field]) : event[field]))) as EventText;

/** The event of a text, also of one from an earlier version, which has fewer columns. Throws where it is none. */
export function eventOf(text: string): StoredEvent {
  const values: unknown = JSON.parse(text);
  if (!Array.isArray(values)) throw new TypeError("an event's text holds an array");
  const event: Partial<Record<keyof StoredEvent, unknown>> = {};
  EVENT_COLUMNS.forEach(({ field, kind }, i) => {
    const value: unknown = values[i] ?? null;
    event[field] = kind === "visitor" ? BigInt(String(value)) : value;
  });
  return event as unknown as StoredEvent;
}
