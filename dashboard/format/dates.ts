/** Days and hours as the reader's language writes them, always in UTC. */
import { LOCALE } from "./locale.ts";
import type { Range } from "../state/range.ts";

const format = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(LOCALE, { timeZone: "UTC", ...options });

const dayAndMonth = format({ day: "numeric", month: "short" });
const weekdayAndDay = format({ weekday: "short", day: "numeric", month: "short", year: "numeric" });
const fullDay = format({ day: "numeric", month: "short", year: "numeric" });
const hour = format({ hour: "numeric", minute: "2-digit" });
const moment = format({ dateStyle: "medium", timeStyle: "short" });

/** Of a label of the service: `2026-03-15` or `2026-03-15 14:00`. */
export const instantOf = (label: string): Date => new Date(label.length > 10 ? `${label.replace(" ", "T")}:00Z` : `${label}T00:00:00Z`);

export const shortDay = (label: string): string => dayAndMonth.format(instantOf(label));
export const longDay = (label: string): string => weekdayAndDay.format(instantOf(label));
export const hourText = (label: string): string => hour.format(instantOf(label));
export const momentText = (isoText: string): string => `${moment.format(new Date(isoText))} UTC`;

export const labelText = (label: string): string => (label.length > 10 ? `${shortDay(label)}, ${hourText(label)} UTC` : longDay(label));

export const rangeText = ({ start, end }: Range): string =>
  start === end ? longDay(start) : fullDay.formatRange(instantOf(start), instantOf(end));
