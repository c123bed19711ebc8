/** Numbers, money, durations and dates in the reader's kind of English. Owner of every Intl formatter but those of region names and of time zones. */

import { localTime } from "../state/time-zone.ts";

/** Browsers may list a tag that Intl rejects, e.g. `en-US@posix`. */
function isSupported(tag: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(tag).length > 0;
  } catch {
    return false;
  }
}

/** The reader's kind of English, because the interface is in English: 12.7% beside English text, not 12,7 %. */
export const LOCALE: string = navigator.languages.find((tag) => /^en\b/i.test(tag) && isSupported(tag)) ?? "en";

const integer = new Intl.NumberFormat(LOCALE);
const compact = new Intl.NumberFormat(LOCALE, { notation: "compact", maximumFractionDigits: 1 });
const oneDigit = new Intl.NumberFormat(LOCALE, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const alternatives = new Intl.ListFormat(LOCALE, { type: "disjunction" });
const twoDigits = new Intl.NumberFormat(LOCALE, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const percent = new Intl.NumberFormat(LOCALE, { style: "percent", maximumFractionDigits: 1 });
const wholePercent = new Intl.NumberFormat(LOCALE, { style: "percent", maximumFractionDigits: 0 });
const compactPercent = new Intl.NumberFormat(LOCALE, { style: "percent", notation: "compact", maximumFractionDigits: 1 });

/** Smaller numbers are written in full by `compactCount`. */
const COMPACT_FROM = 10_000;

export const formatCount = (count: number): string => integer.format(count);
/** E.g. `1 visitor`, `2 visitors`. */
export const countOf = (count: number, noun: string): string => `${integer.format(count)} ${count === 1 ? noun : `${noun}s`}`;
/** E.g. `9,999`, `12.9K`. */
export const compactCount = (count: number): string => (count < COMPACT_FROM ? integer : compact).format(count);
export const formatAverage = (average: number): string => oneDigit.format(average);

/** Of a fraction from 0 to 1, with a decimal only below 10 %. */
export const formatShare = (share: number): string => (share >= 0.1 || share === 0 ? wholePercent : percent).format(share);
/** Of any fraction, in a few characters, e.g. `4.2%`, `42%`, `4.2K%`. */
export const formatShortRate = (rate: number): string => (rate < 10 ? formatShare(rate) : compactPercent.format(rate));
/** Of a fraction from 0 to 1, with one decimal. */
export const formatRate = (rate: number): string => percent.format(rate);

export function formatDuration(secs: number): string {
  const rounded = Math.round(secs);
  const [hours, minutes, seconds] = [Math.floor(rounded / 3600), Math.floor((rounded % 3600) / 60), rounded % 60];
  if (hours > 0) return `${hours}h ${String(minutes).padStart(2, "0")}m`;
  return minutes > 0 ? `${minutes}m ${String(seconds).padStart(2, "0")}s` : `${seconds}s`;
}

/** Events may have an amount without a currency (docs/http-api.md, "Revenue"). */
const UNKNOWN_CURRENCY = "(unknown)";

export const formatMoney = (amount: number, currency: string): string =>
  (currency === UNKNOWN_CURRENCY ? twoDigits : new Intl.NumberFormat(LOCALE, { style: "currency", currency })).format(amount);

/** Labels are written as they are: they stand for times of the site's clock, which no zone of the browser may change. */
const utc = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(LOCALE, { timeZone: "UTC", ...options });

const dayAndMonth = utc({ day: "numeric", month: "short" });
const day = utc({ day: "numeric", month: "short", year: "numeric" });
const dayWithWeekday = utc({ weekday: "short", day: "numeric", month: "short", year: "numeric" });
const longDay = utc({ day: "numeric", month: "long" });
const month = utc({ month: "short", year: "numeric" });
const longMonth = utc({ month: "long" });
const dateAndTime = utc({ dateStyle: "medium", timeStyle: "short" });
const monthAndYear = utc({ month: "long", year: "numeric" });
const weekday = { short: utc({ weekday: "short" }), long: utc({ weekday: "long" }) };
const hour = utc({ hour: "numeric", minute: "2-digit" });

/** A bucket of a series is labelled `2026-03-15` or `2026-03-15 14:00`. */
const isHourBucket = (label: string): boolean => label.length > "2026-03-15".length;
const dateOf = (label: string): Date => new Date(isHourBucket(label) ? `${label.replace(" ", "T")}:00Z` : `${label}T00:00:00Z`);

export const formatShortDay = (label: string): string => dayAndMonth.format(dateOf(label));
/** E.g. `11 November`. */
export const formatLongDay = (label: string): string => longDay.format(dateOf(label));
/** E.g. `Nov 2026`. */
export const formatMonth = (label: string): string => month.format(dateOf(label));
/** E.g. `November`. */
export const formatLongMonth = (label: string): string => longMonth.format(dateOf(label));
/** E.g. `November 2026`. */
export const formatMonthAndYear = (label: string): string => monthAndYear.format(dateOf(label));
export const formatWeekday = (label: string, length: keyof typeof weekday): string => weekday[length].format(dateOf(label));
export const formatHour = (label: string): string => hour.format(dateOf(label));
export const formatBucket = (label: string): string =>
  isHourBucket(label) ? `${formatShortDay(label)}, ${formatHour(label)}` : dayWithWeekday.format(dateOf(label));

/** An instant by the clock of a time zone, which is named. */
export const formatTimestamp = (iso: string, timeZone: string): string =>
  `${dateAndTime.format(dateOf(localTime(timeZone, Date.parse(iso))))} ${timeZone}`;

/** Both days are included. Without the year if it is that of `today`. */
export const formatShortRange = (start: string, end: string, today: string): string =>
  (start.slice(0, 4) === today.slice(0, 4) && start.slice(0, 4) === end.slice(0, 4) ? dayAndMonth : day).formatRange(
    dateOf(start),
    dateOf(end),
  );

/** Both days are included. */
export const formatRange = (start: string, end: string): string =>
  start === end ? dayWithWeekday.format(dateOf(start)) : day.formatRange(dateOf(start), dateOf(end));

/** `Germany, France or Italy` */
export const anyOf = (texts: readonly string[]): string => alternatives.format(texts);

/** The same in parts: an `element` is one of the texts, a `literal` what is between them. */
export const partsOfAny = (texts: readonly string[]) => alternatives.formatToParts(texts);
