/** The time zone of a site: which one its days follow now, and when a change takes effect. */
import { useMemo } from "preact/hooks";
import { Picker, type Choice } from "../kit/picker.tsx";
import { formatRange } from "../format/locale.ts";
import type { SavedSettings } from "../api/sites.ts";
import { localDate } from "../state/time-zone.ts";
import { Field, pickerAttributes } from "./field.tsx";
import { savedSettings } from "./draft.ts";
import { fieldId, type Editing } from "./settings-form.tsx";
import { timeIn, zoneChoices, zoneLabel, zoneNamed } from "./time-zones.ts";

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
