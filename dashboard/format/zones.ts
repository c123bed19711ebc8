/** Names of time zones that this browser knows. */
import { LOCALE } from "./locale.ts";

/** Names that IANA has replaced and browsers still list. */
const REPLACED: Readonly<Record<string, string>> = {
  "America/Buenos_Aires": "America/Argentina/Buenos_Aires",
  "America/Godthab": "America/Nuuk",
  "America/Indianapolis": "America/Indiana/Indianapolis",
  "America/Louisville": "America/Kentucky/Louisville",
  "Asia/Calcutta": "Asia/Kolkata",
  "Asia/Katmandu": "Asia/Kathmandu",
  "Asia/Rangoon": "Asia/Yangon",
  "Asia/Saigon": "Asia/Ho_Chi_Minh",
  "Atlantic/Faeroe": "Atlantic/Faroe",
  "Europe/Kiev": "Europe/Kyiv",
  "Pacific/Enderbury": "Pacific/Kanton",
  "Pacific/Ponape": "Pacific/Pohnpei",
  "Pacific/Truk": "Pacific/Chuuk",
};

const currentName = (name: string): string => REPLACED[name] ?? name;

export function isKnown(name: string): boolean {
  try {
    return Intl.DateTimeFormat(LOCALE, { timeZone: name }) !== null;
  } catch {
    return false;
  }
}

export const ownZone = (): string => currentName(Intl.DateTimeFormat().resolvedOptions().timeZone);

/** `America/New York` */
export const zoneLabel = (name: string): string => name.replaceAll("_", " ");

/** UTC, the browser's zone and the chosen one, then all by name. */
export function zoneNames(chosen: string | null = null): string[] {
  const listed = Intl.supportedValuesOf("timeZone").map(currentName).toSorted();
  return [...new Set(["UTC", ownZone(), ...(chosen === null ? [] : [chosen]), ...listed])].filter(isKnown);
}
