/** The time zone of a site: which one its days follow now, the zones to choose from, and when a change takes effect. */
import { useMemo } from "preact/hooks";
import type { SavedSettings } from "../api/site.ts";
import { LOCALE, formatRange } from "../format/locale.ts";
import { Picker, type Choice } from "../kit/picker.tsx";
import { localDate } from "../state/time-zone.ts";
import { Field, pickerAttributes } from "./fields.tsx";
import { savedSettings, fieldId, type Editing } from "./settings-form.tsx";

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
const zoneLabel = (name: string): string => name.replaceAll("_", " ");

const clocks = new Map<string, Intl.DateTimeFormat>();

/** E.g. `14:05 UTC+1`; undefined for a zone that this browser does not know. */
function timeIn(name: string): string | undefined {
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
function zoneChoices(chosen: string | null): Choice[] {
  const listed = Intl.supportedValuesOf("timeZone").map(currentName).toSorted();
  return [...new Set(["UTC", ownZone(), ...(chosen === null ? [] : [chosen]), ...listed])].filter(isKnown).map(choiceOf);
}

/** The service's rule: each part of a name begins with a capital letter. */
const NAME = /^[A-Z][A-Za-z0-9_+-]*(?:\/[A-Z][A-Za-z0-9_+-]*)*$/;

/** One of the choices, however it is spelled, or a name that browsers do not list, such as a replaced one; null if it is none. */
function zoneNamed(typed: string, choices: readonly Choice[]): Choice | null {
  const name = typed.replaceAll(" ", "_");
  const listed = choices.find(({ value }) => value.toLowerCase() === name.toLowerCase());
  return listed ?? (NAME.test(name) && isKnown(name) ? choiceOf(name) : null);
}

/** The choice that stands for null. */
const DEFAULT: Choice = { value: "", label: "Installation default" };

const ID = fieldId("time_zone");

/** A change that has been saved and has not taken effect. */
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

/** Beside a choice that is not saved. */
const EFFECT =
  "The change takes effect when the next day begins in the new zone, or at once if the site has no events yet. Past days keep their numbers; the last day before the change is shorter or longer.";

export function TimeZoneField({ siteId, settings, change, problemOf }: Editing) {
  const choices = useMemo(() => [DEFAULT, ...zoneChoices(settings.time_zone)], [settings.time_zone]);
  const saved = savedSettings(siteId);
  const isChanged = saved?.time_zone !== settings.time_zone;
  const field = { id: ID, label: "Time zone", problem: problemOf("time_zone") };
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
