/** A site's time zone: the zone in force, the choices, and the effect of a change. */
import { useMemo } from "preact/hooks";
import type { SavedSettings } from "../api/site.ts";
import { formatRange, LOCALE } from "../format/locale.ts";
import { Picker, type Choice } from "../kit/picker.tsx";
import { localDate } from "../state/time-zone.ts";
import { Field, pickerAttributes } from "./fields.tsx";
import { savedSettings, type Editing } from "./settings-form.tsx";

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

function isKnown(name: string): boolean {
  try {
    return Intl.DateTimeFormat(LOCALE, { timeZone: name }) !== null;
  } catch {
    return false;
  }
}

const ownZone = (): string => currentName(Intl.DateTimeFormat().resolvedOptions().timeZone);

/** `America/New York`. */
const zoneLabel = (name: string): string => name.replaceAll("_", " ");

const clocks = new Map<string, Intl.DateTimeFormat>();

/** `14:05 UTC+1`; undefined for a zone unknown to this browser. */
function timeIn(name: string): string | undefined {
  if (!isKnown(name)) return undefined;
  const clock =
    clocks.get(name) ??
    new Intl.DateTimeFormat(LOCALE, { timeZone: name, hour: "numeric", minute: "2-digit", timeZoneName: "shortOffset" });
  clocks.set(name, clock);
  return clock.format().replace("GMT", "UTC");
}

/** Formats the time only when it is shown. */
const choiceOf = (name: string): Choice => ({
  value: name,
  label: zoneLabel(name),
  get hint() {
    return timeIn(name);
  },
});

/** UTC, the browser's zone and the chosen one, then all by name. */
function zoneChoices(chosen: string | null): Choice[] {
  const listed = Intl.supportedValuesOf("timeZone").map(currentName).toSorted();
  return [...new Set(["UTC", ownZone(), ...(chosen === null ? [] : [chosen]), ...listed])].filter(isKnown).map(choiceOf);
}

/** The service's rule: each part of a name begins with a capital letter. */
const NAME = /^[A-Z][A-Za-z0-9_+-]*(?:\/[A-Z][A-Za-z0-9_+-]*)*$/;

/** Ignores case. Accepts names that browsers do not list, such as replaced ones. */
function zoneNamed(typed: string, choices: readonly Choice[]): Choice | null {
  const name = typed.replaceAll(" ", "_");
  const listed = choices.find(({ value }) => value.toLowerCase() === name.toLowerCase());
  return listed ?? (NAME.test(name) && isKnown(name) ? choiceOf(name) : null);
}

/** Stands for null. */
const DEFAULT: Choice = { value: "", label: "Installation default" };

/** A saved change that has not taken effect. */
const pendingChange = ({ time_zone_in_force, time_zone_changes }: SavedSettings) =>
  time_zone_changes.findLast(({ first_date }) => first_date > localDate(time_zone_in_force, Date.now()));

function InForce({ saved }: { readonly saved: SavedSettings }) {
  const zone = saved.time_zone_in_force;
  const time = timeIn(zone);
  const pending = pendingChange(saved);
  return (
    <>
      Days begin at midnight in {zoneLabel(zone)}
      {time && `, where it is now ${time}`}.
      {pending && (
        <strong>
          {" "}
          Changes to {zoneLabel(pending.time_zone)} on {formatRange(pending.first_date, pending.first_date)}.
        </strong>
      )}
    </>
  );
}

/** Shown beside an unsaved choice. */
const EFFECT =
  "The change takes effect when the next day begins in the new zone, or at once if the site has no events yet. Past days keep their numbers; the last day before the change is shorter or longer.";

export function TimeZoneField({ siteId, settings, change, field: fieldOf }: Editing) {
  const choices = useMemo(() => [DEFAULT, ...zoneChoices(settings.time_zone)], [settings.time_zone]);
  const saved = savedSettings(siteId);
  const isChanged = saved?.time_zone !== settings.time_zone;
  const field = fieldOf("time_zone");
  return (
    <Field {...field} hint={isChanged ? EFFECT : saved && <InForce saved={saved} />}>
      <Picker
        {...pickerAttributes(field)}
        choices={choices}
        value={settings.time_zone ?? DEFAULT.value}
        onPick={(value) => change({ time_zone: value === DEFAULT.value ? null : value })}
        choiceOf={(typed) => zoneNamed(typed, choices)}
      />
    </Field>
  );
}
