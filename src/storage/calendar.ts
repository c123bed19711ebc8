/** The date of an instant. An event's date is assigned once, on acceptance, and decides its partition from then on. */
import { DAY_MS, type EpochMs, type LocalDate, startOfDayMs, utcDateOf } from "./event.ts";
import type { OffsetChange, TimeZone } from "./time-zone.ts";

/** A calendar as data: its first time zone, and every later change. A JSON object: it is stored as it is, and crosses between threads. */
export interface CalendarRecord {
  /** An IANA name, as are all here. */
  readonly timeZone: string;
  /** Ascending by date, each to another zone than the one before. */
  readonly changes: readonly { readonly firstDate: LocalDate; readonly timeZone: string }[];
}

/** Days follow each other without gaps: each begins when the one before it ends. */
export interface Calendar {
  /** What the calendar can be made of again. */
  readonly record: CalendarRecord;
  /** The date that an instant falls on. */
  dateOf(timestampMs: EpochMs): LocalDate;
  /** The first instant of a date. */
  startOf(date: LocalDate): EpochMs;
  /** Offsets to add to UTC for local time, from the first instant on; oldest first. */
  offsetsBetween(startMs: EpochMs, endMs: EpochMs): readonly OffsetChange[];
  /** The IANA name of the time zone at an instant. */
  zoneAt(timestampMs: EpochMs): string;
}

/** The name of the zone of sites without another. */
export const UTC = "UTC";

export const UTC_RECORD: CalendarRecord = { timeZone: UTC, changes: [] };

/** The calendar of every site without a time zone. */
export const utcCalendar: Calendar = {
  record: UTC_RECORD,
  dateOf: utcDateOf,
  startOf: startOfDayMs,
  offsetsBetween: (startMs) => [{ fromMs: startMs, offsetMs: 0 }],
  zoneAt: () => UTC,
};

/** Local times are looked up this far around a date: no offset is larger, and no change of zone moves a date further. */
const AROUND_MS = 2 * DAY_MS;

/** The first instant at which it is the date's midnight or later in the zone. Midnight itself may be skipped, or come twice. */
function startOfDateIn(zone: TimeZone, date: LocalDate): EpochMs {
  const midnight = startOfDayMs(date);
  const changes = zone.offsetsBetween(midnight - AROUND_MS, midnight + AROUND_MS);
  for (const [i, { fromMs, offsetMs }] of changes.entries()) {
    const startMs = Math.max(fromMs, midnight - offsetMs);
    if (startMs < (changes[i + 1]?.fromMs ?? Number.POSITIVE_INFINITY)) return startMs;
  }
  throw new Error("unreachable: the last offset has no end");
}

/** The zone's midnights begin the days from this date on. */
export interface ZoneChange {
  readonly firstDate: LocalDate;
  readonly zone: TimeZone;
}

interface Section {
  readonly zone: TimeZone;
  readonly firstDay: number;
  readonly startMs: EpochMs;
}

/** The section begins where its first date does in its zone, but never after the one that follows it. */
function sectionsOf(changes: readonly ZoneChange[]): readonly Section[] {
  const sections: Section[] = [];
  for (const { zone, firstDate } of changes.toReversed()) {
    const startMs = Math.min(startOfDateIn(zone, firstDate), sections[0]?.startMs ?? Number.POSITIVE_INFINITY);
    sections.unshift({ zone, firstDay: dayNumberOf(firstDate), startMs });
  }
  return sections;
}

/**
 * Days of a zone, and from some dates on those of other zones. The day before a change ends when the first date of the new zone begins.
 * A date that would begin after the change has no instants, as 2011-12-30 in Samoa has none.
 */
export class ZonedCalendar implements Calendar {
  readonly record: CalendarRecord;
  readonly #first: TimeZone;
  /** Oldest first. */
  readonly #sections: readonly Section[];
  /** The day that was asked for last: consecutive events mostly have the same. */
  #day: { readonly startMs: EpochMs; readonly endMs: EpochMs; readonly date: LocalDate } | null = null;

  /** Changes by ascending date. */
  constructor(first: TimeZone, changes: readonly ZoneChange[] = []) {
    this.record = { timeZone: first.name, changes: changes.map(({ firstDate, zone }) => ({ firstDate, timeZone: zone.name })) };
    this.#first = first;
    this.#sections = sectionsOf(changes);
  }

  startOf(date: LocalDate): EpochMs {
    const day = dayNumberOf(date);
    const i = this.#sections.findLastIndex(({ firstDay }) => firstDay <= day);
    const startMs = startOfDateIn(this.#sections[i]?.zone ?? this.#first, date);
    return Math.min(startMs, this.#sections[i + 1]?.startMs ?? Number.POSITIVE_INFINITY);
  }

  dateOf(timestampMs: EpochMs): LocalDate {
    const day = this.#day;
    if (day && timestampMs >= day.startMs && timestampMs < day.endMs) return day.date;
    let date = utcDateOf(timestampMs + this.#zoneAt(timestampMs).offsetAt(timestampMs));
    while (this.startOf(date) > timestampMs) date = addDays(date, -1);
    while (this.startOf(addDays(date, 1)) <= timestampMs) date = addDays(date, 1);
    this.#day = { startMs: this.startOf(date), endMs: this.startOf(addDays(date, 1)), date };
    return date;
  }

  offsetsBetween(startMs: EpochMs, endMs: EpochMs): readonly OffsetChange[] {
    const cuts = [startMs, ...this.#sections.map((section) => section.startMs).filter((ms) => ms > startMs && ms < endMs)];
    const offsets = cuts.flatMap((cutMs, i) => this.#zoneAt(cutMs).offsetsBetween(cutMs, cuts[i + 1] ?? endMs));
    return offsets.filter(({ offsetMs }, i) => offsetMs !== offsets[i - 1]?.offsetMs);
  }

  zoneAt(timestampMs: EpochMs): string {
    return this.#zoneAt(timestampMs).name;
  }

  #zoneAt(timestampMs: EpochMs): TimeZone {
    return this.#sections.findLast(({ startMs }) => startMs <= timestampMs)?.zone ?? this.#first;
  }
}

/** More than any zone was ever off: Manila was 15:56:08 behind Greenwich until 1844, Metlakatla 15:13:42 ahead until 1867. */
const OFFSET_MS_MAX = (2 * DAY_MS) / 3;

/**
 * The span from the first to the last instant that a date can have in a calendar: it ends when the next one begins, in its zone or in a
 * later one.
 */
export function widestDay(date: LocalDate): { readonly startMs: EpochMs; readonly endMs: EpochMs } {
  const midnight = startOfDayMs(date);
  return { startMs: midnight - OFFSET_MS_MAX, endMs: midnight + DAY_MS + OFFSET_MS_MAX };
}

/** The first date after the current one that begins in the zone after an instant: a day that has begun keeps its events. */
export function dateOfChange(calendar: Calendar, zone: TimeZone, nowMs: EpochMs): LocalDate {
  let date = addDays(calendar.dateOf(nowMs), 1);
  while (startOfDateIn(zone, date) <= nowMs) date = addDays(date, 1);
  return date;
}

/** Dates in order: the number of days since 1970-01-01, negative before it. */
export const dayNumberOf = (date: LocalDate): number => startOfDayMs(date) / DAY_MS;

const dateOfDayNumber = (dayNumber: number): LocalDate => utcDateOf(dayNumber * DAY_MS);

/** The date `days` later; earlier if negative. */
export const addDays = (date: LocalDate, days: number): LocalDate => dateOfDayNumber(dayNumberOf(date) + days);

/** Days from the first date to the last. */
export const daysBetween = (first: LocalDate, last: LocalDate): number => dayNumberOf(last) - dayNumberOf(first);

/** The salt period of a date: periods are runs of `periodDays` dates, counted from 1970-01-01 on. */
export const periodOf = (date: LocalDate, periodDays: number): number => Math.floor(dayNumberOf(date) / periodDays);

/** The first date of a salt period. */
export const firstDateOfPeriod = (period: number, periodDays: number): LocalDate => dateOfDayNumber(period * periodDays);
