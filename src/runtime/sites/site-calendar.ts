/**
 * How a calendar is recorded: its first zone and every later change. A change takes effect at a coming date, so that no date comes back
 * and the days of the past stay as they are (docs/time-zones.md, "Changing the time zone").
 */
import { dateOfChange, utcCalendar, ZonedCalendar, type Calendar } from "../../storage/calendar.ts";
import { isLocalDate, type EpochMs, type LocalDate } from "../../storage/event.ts";
import { TimeZone } from "../../storage/time-zone.ts";
import { isObject } from "../base/config/json-fields.ts";
import { ZONE_CHANGES_MAX } from "../base/config/limits.ts";
import { invalidInput } from "../base/errors.ts";

/** A JSON object: it is stored as it is. */
export interface CalendarRecord {
  /** An IANA name, as are all here. */
  readonly timeZone: string;
  /** By ascending date, each for another zone than the one before. */
  readonly changes: readonly { readonly firstDate: LocalDate; readonly timeZone: string }[];
}

export const UTC_RECORD: CalendarRecord = { timeZone: "UTC", changes: [] };

function zoneNamed(name: string): TimeZone {
  const zone = TimeZone.named(name);
  if (zone === null) throw new Error(`this host does not know the time zone "${name}"`);
  return zone;
}

/** Throws if the host does not know a zone. */
export function calendarFrom({ timeZone, changes }: CalendarRecord): Calendar {
  if (timeZone === "UTC" && changes.length === 0) return utcCalendar;
  return new ZonedCalendar(
    zoneNamed(timeZone),
    changes.map(({ firstDate, timeZone: name }) => ({ firstDate, zone: zoneNamed(name) })),
  );
}

/** The zone that was set last; `Calendar.zoneAt` tells which one is in force. */
export const timeZoneOf = ({ timeZone, changes }: CalendarRecord): string => changes.at(-1)?.timeZone ?? timeZone;

/** The changes whose first date has begun: nothing takes these back. */
function begunOf(record: CalendarRecord, nowMs: EpochMs): CalendarRecord {
  const calendar = calendarFrom(record);
  return { ...record, changes: record.changes.filter(({ firstDate }) => calendar.startOf(firstDate) <= nowMs) };
}

/**
 * The record after a zone is set: at once without events, otherwise from the first date after today that begins in the zone after now. A
 * change whose date has not come is replaced. 400 if there were too many changes; throws if the host does not know the zone.
 */
export function withTimeZone(record: CalendarRecord, timeZone: string, nowMs: EpochMs, hasEvents: boolean): CalendarRecord {
  const zone = zoneNamed(timeZone);
  if (!hasEvents) return { timeZone, changes: [] };
  if (timeZoneOf(record) === timeZone) return record;
  const begun = begunOf(record, nowMs);
  if (timeZoneOf(begun) === timeZone) return begun;
  if (begun.changes.length >= ZONE_CHANGES_MAX) throw invalidInput(`the time zone can be changed ${ZONE_CHANGES_MAX} times at most`);
  const firstDate = dateOfChange(calendarFrom(begun), zone, nowMs);
  return { ...begun, changes: [...begun.changes, { firstDate, timeZone }] };
}

const isZone = (value: unknown): value is string => typeof value === "string" && TimeZone.named(value) !== null;

function parseChanges(value: unknown): CalendarRecord["changes"] | null {
  if (!Array.isArray(value) || value.length > ZONE_CHANGES_MAX) return null;
  const changes: { firstDate: LocalDate; timeZone: string }[] = [];
  for (const change of value as readonly unknown[]) {
    if (!isObject(change)) return null;
    const { firstDate, timeZone } = change;
    const isDate = typeof firstDate === "string" && isLocalDate(firstDate) && firstDate > (changes.at(-1)?.firstDate ?? "");
    if (!isDate || !isZone(timeZone)) return null;
    changes.push({ firstDate, timeZone });
  }
  return changes;
}

/** Null if a value read from JSON is no record of a calendar, or one with a zone that the host does not know. */
export function parseCalendarRecord(value: unknown): CalendarRecord | null {
  if (!isObject(value) || !isZone(value["timeZone"])) return null;
  const changes = parseChanges(value["changes"]);
  return changes && { timeZone: value["timeZone"], changes };
}
