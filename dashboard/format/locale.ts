/** Number, money, duration and date formatting for the reader's locale. Owner of all Intl formatters but those of regions and time zones. */
import { UNRECORDED } from "../../src/shared/filters.ts";
import { localTime } from "../state/time-zone.ts";
import { language, type Plural } from "../words/language.ts";
import { fill, pluralForm, words } from "../words/words.ts";

/** Browsers may list a tag that Intl rejects, e.g. `en-US@posix`. */
function isSupported(tag: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(tag).length > 0;
  } catch {
    return false;
  }
}

/** The reader's locale of the page's language, e.g. `de-AT`: 12.7% beside English text, 12,7 % beside German. */
export const LOCALE: string =
  navigator.languages.find((tag) => tag.toLowerCase().split("-")[0] === language && isSupported(tag)) ?? language;

const integer = new Intl.NumberFormat(LOCALE);
const compact = new Intl.NumberFormat(LOCALE, { notation: "compact", maximumFractionDigits: 1 });
const oneDigit = new Intl.NumberFormat(LOCALE, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const alternatives = new Intl.ListFormat(LOCALE, { type: "disjunction" });
const twoDigits = new Intl.NumberFormat(LOCALE, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const percent = new Intl.NumberFormat(LOCALE, { style: "percent", maximumFractionDigits: 1 });
const exactPercent = new Intl.NumberFormat(LOCALE, { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 });
const wholePercent = new Intl.NumberFormat(LOCALE, { style: "percent", maximumFractionDigits: 0 });

/** `compactCount` writes smaller numbers in full. */
const COMPACT_FROM = 10_000;

export const formatCount = (count: number): string => integer.format(count);
/** `1 visitor`, `2 visitors`: the form for the count, with the count in it. */
export const countOf = (count: number, forms: Plural): string => pluralForm(forms, count).replace("{count}", integer.format(count));
/** `9,999`, `12.9K` */
export const compactCount = (count: number): string => (count < COMPACT_FROM ? integer : compact).format(count);
export const formatAverage = (average: number): string => oneDigit.format(average);

/** The least fraction that is not written as 0.0%. */
const FRACTION_MIN = 0.0005;
const LEAST = `<${percent.format(2 * FRACTION_MIN)}`;
const ALMOST_ALL = `>${percent.format(1 - 2 * FRACTION_MIN)}`;

/** Takes a fraction from 0 to 1. Shows a decimal only below 10%. What is not nothing is never `0%`. */
export function formatShare(share: number): string {
  if (share > 0 && share < FRACTION_MIN) return LEAST;
  return (share >= 0.1 || share === 0 ? wholePercent : percent).format(share);
}

/** Takes a fraction from 0 to 1. Shows one decimal, but for `0%` and `100%`, which are exact. */
export function formatRate(rate: number): string {
  if (rate === 0 || rate === 1) return wholePercent.format(rate);
  if (rate < FRACTION_MIN) return LEAST;
  return rate > 1 - FRACTION_MIN ? ALMOST_ALL : exactPercent.format(rate);
}

/** A rate on an axis, whose steps are round: `5%`, `2.5%` */
export const formatRateTick = (rate: number): string => percent.format(rate);

/** Nobody compares larger ones. */
const GROWTH_MAX = 9.99;

const growthIn =
  (format: Intl.NumberFormat) =>
  (growth: number): string =>
    growth > GROWTH_MAX ? `>${wholePercent.format(GROWTH_MAX)}` : format.format(growth);

/** Takes any fraction: `12.0%`, `>999%` */
export const formatGrowth = growthIn(exactPercent);
/** `12%` */
export const formatWholeGrowth = growthIn(wholePercent);
/** A difference of rates: `6.6 pts` */
export const formatPoints = (difference: number): string => fill(words.kit.points, { difference: oneDigit.format(100 * difference) });

const BYTE_UNITS = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;

/** `512 byte`, `8.4 MB`, `1.2 GB`, in powers of 1024 */
export function formatBytes(bytes: number): string {
  const power = Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log2(Math.max(bytes, 1)) / 10));
  const format = new Intl.NumberFormat(LOCALE, { style: "unit", unit: BYTE_UNITS[power] ?? "byte", maximumFractionDigits: 1 });
  return format.format(bytes / 1024 ** power);
}

export function formatDuration(secs: number): string {
  const rounded = Math.round(secs);
  const [hours, minutes, seconds] = [Math.floor(rounded / 3600), Math.floor((rounded % 3600) / 60), rounded % 60];
  if (hours > 0) return `${hours}h ${String(minutes).padStart(2, "0")}m`;
  return minutes > 0 ? `${minutes}m ${String(seconds).padStart(2, "0")}s` : `${seconds}s`;
}

/** Events may have an amount without a currency (docs/http-api.md, "Revenue"). */
export const formatMoney = (amount: number, currency: string): string =>
  (currency === UNRECORDED ? twoDigits : new Intl.NumberFormat(LOCALE, { style: "currency", currency })).format(amount);

/** Money above a chart and on its axis, without cents where nobody reads them: `€0`, `€12.40`, `€1,240`, `€12.9K` */
export const compactMoney = (amount: number, currency: string): string =>
  new Intl.NumberFormat(LOCALE, {
    style: "currency",
    currency,
    ...(Math.abs(amount) < COMPACT_FROM
      ? (Math.abs(amount) >= 100 || Number.isInteger(amount)) && { maximumFractionDigits: 0 }
      : { notation: "compact", maximumFractionDigits: 1 }),
  }).format(amount);

/** Labels are times of the site's clock, which the browser's zone must not shift. */
const utc = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(LOCALE, { timeZone: "UTC", ...options });

const dayAndMonth = utc({ day: "numeric", month: "short" });
const day = utc({ day: "numeric", month: "short", year: "numeric" });
const dayWithWeekday = utc({ weekday: "short", day: "numeric", month: "short", year: "numeric" });
const shortDayWithWeekday = utc({ weekday: "short", day: "numeric", month: "short" });
const longDay = utc({ day: "numeric", month: "long" });
const month = utc({ month: "short", year: "numeric" });
const longMonth = utc({ month: "long" });
const dateAndTime = utc({ dateStyle: "medium", timeStyle: "short" });
const monthAndYear = utc({ month: "long", year: "numeric" });
const weekday = { short: utc({ weekday: "short" }), long: utc({ weekday: "long" }) };
const hour = utc({ hour: "numeric", minute: "2-digit" });

/** Labels of buckets are `2026-03-15` or `2026-03-15 14:00`. */
const isHourBucket = (label: string): boolean => label.length > "2026-03-15".length;
const dateOf = (label: string): Date => new Date(isHourBucket(label) ? `${label.replace(" ", "T")}:00Z` : `${label}T00:00:00Z`);

export const formatShortDay = (label: string): string => dayAndMonth.format(dateOf(label));
/** `11 November` */
export const formatLongDay = (label: string): string => longDay.format(dateOf(label));
/** `Nov 2026` */
export const formatMonth = (label: string): string => month.format(dateOf(label));
/** `November` */
export const formatLongMonth = (label: string): string => longMonth.format(dateOf(label));
/** `November 2026` */
export const formatMonthAndYear = (label: string): string => monthAndYear.format(dateOf(label));
export const formatWeekday = (label: string, length: keyof typeof weekday): string => weekday[length].format(dateOf(label));
export const formatHour = (label: string): string => hour.format(dateOf(label));
export const formatBucket = (label: string): string =>
  isHourBucket(label) ? `${formatShortDay(label)}, ${formatHour(label)}` : dayWithWeekday.format(dateOf(label));

/** Formats an instant in a time zone, and names the zone. */
export const formatTimestamp = (iso: string, timeZone: string): string =>
  `${dateAndTime.format(dateOf(localTime(timeZone, Date.parse(iso))))} ${timeZone}`;

/** `Thu, 19 Nov`, `23 Sep – 22 Oct`. Omits the year if it is that of `today`. */
export function formatShortRange(start: string, end: string, today: string): string {
  const isThisYear = [start, end].every((date) => date.slice(0, 4) === today.slice(0, 4));
  if (start === end) return (isThisYear ? shortDayWithWeekday : dayWithWeekday).format(dateOf(start));
  return (isThisYear ? dayAndMonth : day).formatRange(dateOf(start), dateOf(end));
}

export const formatRange = (start: string, end: string): string =>
  start === end ? dayWithWeekday.format(dateOf(start)) : day.formatRange(dateOf(start), dateOf(end));

/** `Germany, France or Italy` */
export const anyOf = (texts: readonly string[]): string => alternatives.format(texts);

/** Parts: an `element` is one of the texts, a `literal` stands between them. */
export const partsOfAny = (texts: readonly string[]) => alternatives.formatToParts(texts);
