/** The times of server logs, as milliseconds since 1970. NaN for what is none. */
import type { EpochMs } from "../../../../storage/event.ts";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** The time of the common log format, `02/Jan/2006:15:04:05 -0700`. */
const COMMON_TIME = /(\d{1,2})\/([A-Z][a-z]{2})\/(\d{4}):(\d\d):(\d\d):(\d\d)(?:\.\d{1,9})? ([+-])(\d\d):?(\d\d)/;

/** ISO 8601, also with a blank or slashes as Go writes it; UTC where it has no zone. */
const ISO_TIME = /^(\d{4})[-/](\d\d)[-/](\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?(?: ?(?:Z|UTC|([+-])(\d\d):?(\d\d)?))?$/;

/** Checks each part: `Date.UTC` takes 31 February for 3 March. */
function utcMs(year: number, month: number, day: number, hour: number, minute: number, second: number): EpochMs {
  if (month < 1 || month > 12 || hour > 23 || minute > 59 || second > 60) return Number.NaN;
  const startMs = Date.UTC(year, month - 1, day);
  // A leap second counts as the one before it.
  return new Date(startMs).getUTCDate() === day ? startMs + ((hour * 60 + minute) * 60 + Math.min(second, 59)) * 1000 : Number.NaN;
}

const offsetMs = (sign: string | undefined, hours = "0", minutes = "0"): number =>
  (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -60_000 : 60_000);

/** Brackets around it are allowed. */
export function commonTimeOf(text: string): EpochMs {
  const found = COMMON_TIME.exec(text);
  if (found === null) return Number.NaN;
  const [, day, month = "", year, hour, minute, second, sign, hours, minutes] = found;
  const atMs = utcMs(Number(year), MONTHS.indexOf(month) + 1, Number(day), Number(hour), Number(minute), Number(second));
  return atMs - offsetMs(sign, hours, minutes);
}

export function isoTimeOf(text: string): EpochMs {
  const found = ISO_TIME.exec(text);
  if (found === null) return Number.NaN;
  const [, year, month, day, hour, minute, second, fraction = "", sign, hours, minutes] = found;
  const atMs = utcMs(Number(year), Number(month), Number(day), Number(hour), Number(minute), Number(second));
  return atMs + Number(fraction.slice(0, 3).padEnd(3, "0")) - offsetMs(sign, hours, minutes);
}

/** Ends of the ranges in which seconds, milliseconds and microseconds since 1970 lie for centuries; what follows are nanoseconds. */
const [SECONDS_END, MILLISECONDS_END, MICROSECONDS_END] = [1e11, 1e14, 1e17] as const;

/** Seconds, milliseconds, microseconds or nanoseconds since 1970, told apart by their size. */
export function unixTimeOf(value: number): EpochMs {
  if (value < SECONDS_END) return Math.round(value * 1000);
  if (value < MILLISECONDS_END) return Math.round(value);
  return Math.floor(value < MICROSECONDS_END ? value / 1000 : value / 1e6);
}

/** Any of these. */
export function timeOf(value: unknown): EpochMs {
  if (typeof value === "number") return unixTimeOf(value);
  if (typeof value !== "string" || value === "") return Number.NaN;
  if (/^\d+(?:\.\d+)?$/.test(value)) return unixTimeOf(Number(value));
  const isoMs = isoTimeOf(value);
  return Number.isNaN(isoMs) ? commonTimeOf(value) : isoMs;
}
