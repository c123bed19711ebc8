/** The time zones to choose from, and what time it is in each. */
import type { Choice } from "../kit/picker.tsx";
import { LOCALE } from "../format/locale.ts";

/** Names that the IANA database has replaced, and that browsers still list. */
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

function isKnown(name: string): boolean {
  try {
    return Intl.DateTimeFormat(LOCALE, { timeZone: name }) !== null;
  } catch {
    return false;
  }
}

/** Of this browser. */
const ownZone = (): string => currentName(Intl.DateTimeFormat().resolvedOptions().timeZone);

/** `America/New York`. */
export const zoneLabel = (name: string): string => name.replaceAll("_", " ");

const clocks = new Map<string, Intl.DateTimeFormat>();

/** E.g. `14:05 UTC+1`; undefined for a zone that this browser does not know. */
export function timeIn(name: string): string | undefined {
  if (!isKnown(name)) return undefined;
  const clock =
    clocks.get(name) ??
    new Intl.DateTimeFormat(LOCALE, { timeZone: name, hour: "numeric", minute: "2-digit", timeZoneName: "shortOffset" });
  clocks.set(name, clock);
  return clock.format().replace("GMT", "UTC");
}

/** The time is only formatted once it is shown. */
const choiceOf = (name: string): Choice => ({
  value: name,
  label: zoneLabel(name),
  get hint() {
    return timeIn(name);
  },
});

/** UTC, this browser's zone and the chosen one, then all by name. */
export function zoneChoices(chosen: string | null): Choice[] {
  const listed = Intl.supportedValuesOf("timeZone").map(currentName).toSorted();
  return [...new Set(["UTC", ownZone(), ...(chosen === null ? [] : [chosen]), ...listed])].filter(isKnown).map(choiceOf);
}

/** The service's rule: each part of a name begins with a capital letter. */
const NAME = /^[A-Z][A-Za-z0-9_+-]*(?:\/[A-Z][A-Za-z0-9_+-]*)*$/;

/** One of the choices, however it is spelled, or a name that browsers do not list, such as a replaced one; null if it is none. */
export function zoneNamed(typed: string, choices: readonly Choice[]): Choice | null {
  const name = typed.replaceAll(" ", "_");
  const listed = choices.find(({ value }) => value.toLowerCase() === name.toLowerCase());
  return listed ?? (NAME.test(name) && isKnown(name) ? choiceOf(name) : null);
}
