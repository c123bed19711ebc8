/**
 * Calendars as records: the first time zone and every later change. A change takes effect at a coming date, so that no date comes back and
 * the days of the past stay as they are (docs/time-zones.md, "Changing the time zone"). Sites without a time zone of their own follow the
 * default calendar, which follows the option `time_zone`.
 */
import { type Calendar, type CalendarRecord, dateOfChange, UTC_RECORD, utcCalendar, ZonedCalendar } from "../../storage/calendar.ts";
import { type EpochMs, isLocalDate, type LocalDate, type SiteId } from "../../storage/event.ts";
import { TimeZone } from "../../storage/time-zone.ts";
import { isObject } from "../base/body.ts";
import { ZONE_CHANGES_MAX, ZONE_SETTLE_MS } from "../base/config/limits.ts";
import { invalidInput } from "../base/errors.ts";
import { readRecord, type RecordStore, replaceJsonRecord } from "../../storage/record-store.ts";
import type { Config } from "../base/config/config.ts";
import type { Log } from "../base/metrics/log.ts";

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

/** Throws if a value read from JSON is not a calendar, or names a zone that the host does not know. */
export function parseCalendarRecord(value: unknown): CalendarRecord {
  const changes = isObject(value) && isZone(value["timeZone"]) ? parseChanges(value["changes"]) : null;
  if (changes === null) throw new Error("it is not a calendar of time zones that this host knows");
  return { timeZone: (value as unknown as CalendarRecord).timeZone, changes };
}

export const CALENDAR_RECORD = "calendar.json";

interface DefaultCalendarParts {
  readonly records: RecordStore;
  readonly config: Pick<Config, "timeZone">;
  /** True if any site has events. Only a changed option asks. */
  readonly hasEvents: () => Promise<boolean>;
  readonly now: () => EpochMs;
  readonly log: Log;
}

/** Reads the record. Rejects if it is damaged. */
export const readDefaultCalendar = async (records: Pick<RecordStore, "read">): Promise<CalendarRecord> =>
  (await readRecord(records, CALENDAR_RECORD, parseCalendarRecord)) ?? UTC_RECORD;

/** Resolves once the record is durable. */
export const storeDefaultCalendar = (records: Pick<RecordStore, "write">, record: CalendarRecord): Promise<void> =>
  replaceJsonRecord(records, CALENDAR_RECORD, record);

/** Applies the option: returns the record itself if it has that zone already. `settleMs`: when all instances know it. */
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

/** Days begin at a whole quarter of an hour in every time zone, so between two quarters there is nothing to check. */
export const QUARTER_MS = 900_000;

interface NewDatesOptions {
  readonly calendarOf: (siteId: SiteId) => Calendar;
  readonly now: () => EpochMs;
}

export class NewDates {
  readonly #options: NewDatesOptions;
  #takenMs: EpochMs | null = null;

  constructor(options: NewDatesOptions) {
    this.#options = options;
  }

  /** True if some site may have a new date. Always before the first look. */
  get areDue(): boolean {
    const quarterOf = (ms: EpochMs): number => Math.floor(ms / QUARTER_MS);
    return this.#takenMs === null || quarterOf(this.#takenMs) !== quarterOf(this.#options.now());
  }

  /** Returns the sites whose date has changed since the last call; all at the first one. */
  take(siteIds: Iterable<SiteId>): SiteId[] {
    const { calendarOf, now } = this.#options;
    const [before, nowMs] = [this.#takenMs, now()];
    this.#takenMs = nowMs;
    return [...siteIds].filter((siteId) => {
      const calendar = calendarOf(siteId);
      return before === null || calendar.dateOf(before) !== calendar.dateOf(nowMs);
    });
  }
}
