/**
 * Dates and clocks of time zones, from nothing but what `Intl` formats for single instants: the plain model of docs/time-zones.md,
 * "Days and hours". Slow and simple: it looks at minute after minute.
 */
import { localTimeByIntl } from "../support/time-zones.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** No offset is larger, and no day of two zones is longer than these together. */
const AROUND_MS = 50 * HOUR_MS;

/** Longer than any clock goes back, other than for a new time zone. */
const BACK_MS = 3 * HOUR_MS;

export interface PlainCalendar {
  readonly zoneAt: (ms: number) => string;
  /** `YYYY-MM-DD` */
  readonly dateOf: (ms: number) => string;
  /** What the clock shows: `YYYY-MM-DD HH:MM:SS`. */
  readonly clockAt: (ms: number) => string;
  /** The hours that the clock shows on a date, as `HH`; all for a date without instants. */
  readonly hoursOf: (date: string) => readonly string[];
  /** The minutes that it shows, as `HH:MM`. */
  readonly minutesOf: (date: string) => readonly string[];
  /** The first instant of a date at which its clock shows that long after midnight or later, else the end of the date. */
  readonly whenClockShows: (date: string, sinceMidnightMs: number) => number;
}

const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, "0"));

const MINUTES = HOURS.flatMap((hour) => Array.from({ length: 60 }, (_, minute) => `${hour}:${String(minute).padStart(2, "0")}`));

const utcText = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace("T", " ");

export const plainUtc: PlainCalendar = {
  zoneAt: () => "UTC",
  dateOf: (ms) => utcText(ms).slice(0, 10),
  clockAt: utcText,
  hoursOf: () => HOURS,
  minutesOf: () => MINUTES,
  whenClockShows: (date, sinceMidnightMs) => Date.parse(date) + Math.min(sinceMidnightMs, DAY_MS),
};

/** What is remembered of a function of one argument. */
function remembered<Argument, Result>(compute: (argument: Argument) => Result): (argument: Argument) => Result {
  const known = new Map<Argument, Result>();
  return (argument) => {
    const found = known.get(argument);
    if (found !== undefined) return found;
    const result = compute(argument);
    known.set(argument, result);
    return result;
  };
}

/** The latest date that the clock of the zone has shown: that of a midnight stays when the clock goes back behind it. */
function dateIn(zone: string, ms: number): string {
  const now = localTimeByIntl(zone, ms);
  if (now.slice(11, 13) < "20") return now.slice(0, 10);
  const minuteMs = Math.floor(ms / MINUTE_MS) * MINUTE_MS;
  const dates = Array.from({ length: BACK_MS / MINUTE_MS }, (_, i) => localTimeByIntl(zone, minuteMs - i * MINUTE_MS).slice(0, 10));
  return [now.slice(0, 10), ...dates].sort().at(-1) ?? "";
}

/** The milliseconds from a date's midnight to what the clock shows. */
const sinceMidnightOf = (clock: string, ms: number, date: string): number =>
  Date.parse(`${clock.replace(" ", "T")}Z`) + (((ms % 1000) + 1000) % 1000) - Date.parse(date);

const dayBefore = (date: string): string => new Date(Date.parse(date) - DAY_MS).toISOString().slice(0, 10);

/** A zone, and later ones with the first date of each. */
export function plainCalendar(first: string, ...changes: readonly (readonly [firstDate: string, zone: string])[]): PlainCalendar {
  const changeAt = (ms: number) => changes.findLast(([firstDate, zone]) => dateIn(zone, ms) >= firstDate);
  const zoneAt = (ms: number) => changeAt(ms)?.[1] ?? first;
  const dateOf = remembered((ms: number): string => {
    const change = changeAt(ms);
    const next = changes[change ? changes.indexOf(change) + 1 : 0];
    const date = dateIn(zoneAt(ms), ms);
    return next && date >= next[0] ? dayBefore(next[0]) : date;
  });
  const clockAt = (ms: number) => localTimeByIntl(zoneAt(ms), ms);
  /** Instants of a date, in steps. */
  const instantsOf = (date: string, stepMs: number): number[] => {
    const beginMs = Date.parse(date) - AROUND_MS;
    return Array.from({ length: (2 * AROUND_MS + DAY_MS) / stepMs }, (_, i) => beginMs + i * stepMs).filter((ms) => dateOf(ms) === date);
  };
  /** The first minute of a later date: also of a date without instants. */
  const endOf = (date: string): number => {
    let ms = Date.parse(date) - AROUND_MS;
    while (dateOf(ms) <= date) ms += MINUTE_MS;
    return ms;
  };
  const beginsOfMinutes = remembered((date: string) => instantsOf(date, MINUTE_MS));
  return {
    zoneAt,
    dateOf,
    clockAt,
    hoursOf: remembered((date) => {
      const shown = new Set(instantsOf(date, 15 * MINUTE_MS).map((ms) => clockAt(ms).slice(11, 13)));
      return shown.size === 0 ? HOURS : HOURS.filter((hour) => shown.has(hour));
    }),
    minutesOf: remembered((date) => {
      const shown = new Set(beginsOfMinutes(date).map((ms) => clockAt(ms).slice(11, 16)));
      return shown.size === 0 ? MINUTES : MINUTES.filter((minute) => shown.has(minute));
    }),
    whenClockShows(date, sinceMidnightMs) {
      const minutes = beginsOfMinutes(date);
      for (const ms of minutes) {
        const missing = sinceMidnightMs - sinceMidnightOf(clockAt(ms), ms, date);
        if (missing < MINUTE_MS) return ms + Math.max(0, missing);
      }
      return endOf(date);
    },
  };
}

/** How long ago it was midnight of the current date, by the clock. */
export const sinceMidnight = (nowMs: number, { clockAt, dateOf }: PlainCalendar): number =>
  sinceMidnightOf(clockAt(nowMs), nowMs, dateOf(nowMs));
