/** Time zones of all kinds, and local time as `Intl` formats it for one instant: the plain model of calendars. */
import { addDays, type Calendar } from "../../src/storage/calendar.ts";
import type { LocalDate } from "../../src/storage/event.ts";
import { TimeZone } from "../../src/storage/time-zone.ts";

/** With the clock changes of one hour, half an hour, at midnight and at 00:01, and with a skipped day. */
export const ZONES = [
  "Europe/Berlin",
  "America/New_York",
  "America/St_Johns",
  "America/Sao_Paulo",
  "Australia/Lord_Howe",
  "Asia/Kathmandu",
  "Pacific/Apia",
  "Pacific/Kiritimati",
  "Africa/Casablanca",
] as const;

export function zoneNamed(name: string): TimeZone {
  const zone = TimeZone.named(name);
  if (zone === null) throw new Error(`no zone ${name}`);
  return zone;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Sweden writes dates as ISO 8601 does. */
function swedishFormat(timeZone: string): Intl.DateTimeFormat {
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
  formats.set(timeZone, format);
  return format;
}

/** `YYYY-MM-DD HH:MM:SS` in the zone. */
export const localTimeByIntl = (zone: string, ms: number): string => swedishFormat(zone).format(ms);

/** Of a whole second. */
export const offsetByIntl = (zone: string, ms: number): number =>
  Date.parse(`${localTimeByIntl(zone, ms).replace(" ", "T").padStart(19, "0")}Z`) - ms;

/** Days follow each other without gaps, and every instant from a day's start to its end has its date. */
export function faultsOfDays(calendar: Calendar, first: LocalDate, count: number): string[] {
  return Array.from({ length: count }, (_, i) => addDays(first, i)).flatMap((date) => {
    const [startMs, endMs] = [calendar.startOf(date), calendar.startOf(addDays(date, 1))];
    if (endMs < startMs) return [`${date} ends before it starts`];
    if (endMs === startMs) return calendar.dateOf(startMs) > date ? [] : [`${date} has no length, and an instant`];
    const instants = [startMs, startMs + 1, Math.floor((startMs + endMs) / 2), endMs - 1];
    return instants.every((ms) => calendar.dateOf(ms) === date) && calendar.dateOf(startMs - 1) < date
      ? []
      : [`${date} has other instants`];
  });
}
