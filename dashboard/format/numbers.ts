/** Numbers as the reader's language writes them. */
import { LOCALE } from "./locale.ts";

const whole = new Intl.NumberFormat(LOCALE);
const short = new Intl.NumberFormat(LOCALE, { notation: "compact", maximumFractionDigits: 1 });
const oneDigit = new Intl.NumberFormat(LOCALE, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(LOCALE, { style: "percent", maximumFractionDigits: 1 });
const wholePercent = new Intl.NumberFormat(LOCALE, { style: "percent", maximumFractionDigits: 0 });

/** From here on numbers are shortened where room is scarce. */
const SHORTENED_FROM = 10_000;

export const countText = (count: number): string => whole.format(count);
/** E.g. `1 visitor`, `2 visitors`. */
export const countOf = (count: number, one: string): string => `${whole.format(count)} ${count === 1 ? one : `${one}s`}`;
export const shortCount = (count: number): string => (count < SHORTENED_FROM ? whole.format(count) : short.format(count));
export const averageText = (average: number): string => oneDigit.format(average);

/** Of a fraction from 0 to 1. */
export const shareText = (share: number): string => (share >= 0.1 || share === 0 ? wholePercent : percent).format(share);
export const rateText = (rate: number): string => percent.format(rate);

export function durationText(secs: number): string {
  const rounded = Math.round(secs);
  const [hours, minutes, seconds] = [Math.floor(rounded / 3600), Math.floor((rounded % 3600) / 60), rounded % 60];
  if (hours > 0) return `${hours}h ${String(minutes).padStart(2, "0")}m`;
  return minutes > 0 ? `${minutes}m ${String(seconds).padStart(2, "0")}s` : `${seconds}s`;
}

const UNKNOWN_CURRENCY = "(unknown)";

export function moneyText(amount: number, currency: string): string {
  if (currency === UNKNOWN_CURRENCY)
    return new Intl.NumberFormat(LOCALE, { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(amount);
  return new Intl.NumberFormat(LOCALE, { style: "currency", currency }).format(amount);
}
