/**
 * The calendar of sites without a time zone of their own: that of the option `time_zone`. Its history is a record, so that a changed option
 * takes effect at a coming date. There is none while the option has always been UTC.
 */
import type { EpochMs } from "../../storage/event.ts";
import type { RecordStore } from "../../storage/record-store.ts";
import { damagedRecord, readJsonRecord, replaceJsonRecord } from "../../storage/json-record.ts";
import type { Config } from "../base/config/config.ts";
import { ZONE_SETTLE_MS } from "../base/config/limits.ts";
import type { Log } from "../base/metrics/log.ts";
import { calendarFrom, parseCalendarRecord, timeZoneOf, UTC_RECORD, withTimeZone, type CalendarRecord } from "./site-calendar.ts";

export const CALENDAR_RECORD = "calendar.json";

export interface DefaultCalendarParts {
  readonly records: RecordStore;
  readonly config: Pick<Config, "timeZone">;
  /** Whether any site has events. Only a changed option asks. */
  readonly hasEvents: () => Promise<boolean>;
  readonly now: () => EpochMs;
  readonly log: Log;
}

/** As recorded. Rejects when the record is damaged. */
export async function readDefaultCalendar(records: Pick<RecordStore, "read">): Promise<CalendarRecord> {
  const stored = await readJsonRecord(records, CALENDAR_RECORD);
  const record = stored === null ? UTC_RECORD : parseCalendarRecord(stored);
  if (record === null) throw damagedRecord(CALENDAR_RECORD, "it holds no history of a time zone");
  return record;
}

/** Resolves once the record is durable. */
export const storeDefaultCalendar = (records: Pick<RecordStore, "write">, record: CalendarRecord): Promise<void> =>
  replaceJsonRecord(records, CALENDAR_RECORD, record);

/** As the option has it: the record itself if it has that zone already. `settleMs`: until all instances know it. */
export async function withOption(
  record: CalendarRecord,
  { config: { timeZone }, hasEvents, now }: Pick<DefaultCalendarParts, "config" | "hasEvents" | "now">,
  settleMs = 0,
): Promise<CalendarRecord> {
  if (timeZoneOf(record) === timeZone) return record;
  const isUsed = await hasEvents();
  return withTimeZone(record, timeZone, now() + ZONE_SETTLE_MS + settleMs, isUsed);
}

export function logDefaultCalendar(changed: CalendarRecord, { now, log }: Pick<DefaultCalendarParts, "now" | "log">): void {
  const timeZone = timeZoneOf(changed);
  const firstDate = changed.changes.at(-1)?.firstDate;
  const isComing = calendarFrom(changed).zoneAt(now()) !== timeZone && firstDate !== undefined;
  log.info("the time zone of days has changed", { timeZone, ...(isComing && { from: firstDate }) });
}

/** Rejects when the record is damaged or a change cannot be recorded. `settleMs`: as in `withOption`. */
export async function openDefaultCalendar(parts: DefaultCalendarParts, settleMs?: number): Promise<CalendarRecord> {
  const record = await readDefaultCalendar(parts.records);
  const changed = await withOption(record, parts, settleMs);
  if (changed === record) return record;
  await storeDefaultCalendar(parts.records, changed);
  logDefaultCalendar(changed, parts);
  return changed;
}
