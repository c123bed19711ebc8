/** Dates and times in a time zone, from the browser's copy of the IANA database (`Intl`). */
import { dayAfter } from "../../src/shared/periods.ts";
import { daysBetween } from "./range.ts";

export const UTC = "UTC";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const PARTS = { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;

const formats = new Map<string, Intl.DateTimeFormat>();

/** Old browsers may not know a new zone: they show UTC dates. */
function newFormat(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat("en-US-u-ca-gregory", { ...PARTS, timeZone });
  } catch {
    return newFormat(UTC);
  }
}

function formatIn(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone) ?? newFormat(timeZone);
  formats.set(timeZone, known);
  return known;
}

/** `2026-03-29 03:10`, as the service writes minutes. */
export function localTime(timeZone: string, ms: number): string {
  const parts: Record<string, string> = {};
  for (const { type, value } of formatIn(timeZone).formatToParts(ms)) parts[type] = value;
  const { year = "", month, day, hour, minute } = parts;
  return `${year.padStart(4, "0")}-${month}-${day} ${hour}:${minute}`;
}

export const localDate = (timeZone: string, ms: number): string => localTime(timeZone, ms).slice(0, 10);

/**
 * The current date of a site whose date was `date` at `atMs`: advances at each midnight of the zone. It may lag behind the zone before a
 * change of zone.
 */
export const dateSince = (date: string, atMs: number, timeZone: string, ms: number): string =>
  dayAfter(date, daysBetween(localDate(timeZone, atMs), localDate(timeZone, ms)) - 1);

const EARLIEST_START_MINUTES = -14 * 60;
const LATEST_START_MINUTES = 13 * 60;

/** The first minute of a date in the zone, which may be 14 hours ahead of UTC or 12 behind, and may skip midnight. */
export function startOf(date: string, timeZone: string): number {
  const at = (minutes: number) => Date.parse(date) + minutes * MINUTE_MS;
  let [before, found] = [EARLIEST_START_MINUTES - 1, LATEST_START_MINUTES];
  while (found - before > 1) {
    const middle = Math.floor((before + found) / 2);
    if (localDate(timeZone, at(middle)) < date) before = middle;
    else found = middle;
  }
  return at(found);
}

/** Hours of a date that have begun by then. Hours that the clock shows twice count once, as in an hourly series. */
export function hoursBegun(date: string, timeZone: string, nowMs: number): number {
  const startMs = startOf(date, timeZone);
  if (nowMs < startMs) return 0;
  const untilMs = Math.min(nowMs, startOf(dayAfter(date, 1), timeZone) - 1);
  const hourAt = (ms: number) => localTime(timeZone, ms).slice(0, "2026-03-29 03".length);
  const hours = new Set([hourAt(untilMs)]);
  for (let ms = startMs; ms < untilMs; ms += HOUR_MS) hours.add(hourAt(ms));
  return hours.size;
}

const asUtcMs = (time: string): number => Date.parse(`${time.replace(" ", "T")}Z`);

/** `count` minutes of the zone's clock, from one shown at about `nearMs`. The clock may jump between two of them. */
export function minutesFrom(timeZone: string, first: string, count: number, nearMs: number): string[] {
  const nearMinuteMs = Math.floor(nearMs / MINUTE_MS) * MINUTE_MS;
  const offsetMs = asUtcMs(localTime(timeZone, nearMinuteMs)) - nearMinuteMs;
  const firstMs = asUtcMs(first) - offsetMs;
  return Array.from({ length: count }, (_, i) => localTime(timeZone, firstMs + i * MINUTE_MS));
}

/** Names UTC beside each time. Other zones are named once per page. */
export const inZone = (time: string, timeZone: string): string => (timeZone === UTC ? `${time} UTC` : time);
