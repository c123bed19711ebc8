/**
 * General settings: a site's name, its time zone with the effect of a change, the start of its weeks, its ids in other products' tags, and
 * the cards of its dashboard.
 */
import { useMemo } from "preact/hooks";
import { SITE_NAME_CHARS_MAX } from "../../src/shared/limits.ts";
import { CARDS, type Card, type WeekStart } from "../../src/shared/site-choices.ts";
import type { SavedSettings } from "../api/endpoints.ts";
import { formatRange, LOCALE } from "../format/locale.ts";
import { isKnown, zoneLabel, zoneNames } from "../format/zones.ts";
import { Checkbox, Radios } from "../kit/forms.tsx";
import { Picker, type Choice } from "../kit/picker.tsx";
import { readableId } from "../state/known-sites.ts";
import { localDate } from "../state/time-zone.ts";
import { fill, words } from "../words/words.ts";
import { Field, LinesField, pickerAttributes, TextField } from "./fields.tsx";
import { fieldId, savedSettings, SettingsForm, type Editing } from "./settings-form.tsx";

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

const zoneChoices = (chosen: string | null): Choice[] => zoneNames(chosen).map(choiceOf);

/** The service's rule: each part of a name begins with a capital letter. */
const NAME = /^[A-Z][A-Za-z0-9_+-]*(?:\/[A-Z][A-Za-z0-9_+-]*)*$/;

/** Ignores case. Accepts names that browsers do not list, such as replaced ones. */
function zoneNamed(typed: string, choices: readonly Choice[]): Choice | null {
  const name = typed.replaceAll(" ", "_");
  const listed = choices.find(({ value }) => value.toLowerCase() === name.toLowerCase());
  return listed ?? (NAME.test(name) && isKnown(name) ? choiceOf(name) : null);
}

/** Stands for null. */
const DEFAULT = "";

const defaultChoice = (zone: string): Choice => ({ value: DEFAULT, label: fill(words.general.serverDefault, { zone: zoneLabel(zone) }) });

/** A saved change that has not taken effect. */
const pendingChange = ({ time_zone_in_force, time_zone_changes }: SavedSettings) =>
  time_zone_changes.findLast(({ first_date }) => first_date > localDate(time_zone_in_force, Date.now()));

function InForce({ saved }: { readonly saved: SavedSettings }) {
  const zone = saved.time_zone_in_force;
  const time = timeIn(zone);
  const pending = pendingChange(saved);
  return (
    <>
      {time === undefined
        ? fill(words.general.zoneInForce, { zone: zoneLabel(zone) })
        : fill(words.general.zoneInForceNow, { zone: zoneLabel(zone), time })}
      {pending && (
        <strong>
          {" "}
          {fill(words.general.zonePending, {
            zone: zoneLabel(pending.time_zone),
            date: formatRange(pending.first_date, pending.first_date),
          })}
        </strong>
      )}
    </>
  );
}

/** Shown beside an unsaved choice. */
const EFFECT = words.general.zoneEffect;

function TimeZoneField({ siteId, settings, change, field: fieldOf }: Editing) {
  const { time_zone: chosen, default_time_zone: ofServer } = settings;
  const choices = useMemo(() => [defaultChoice(ofServer), ...zoneChoices(chosen)], [ofServer, chosen]);
  const saved = savedSettings(siteId);
  const isChanged = saved?.time_zone !== chosen;
  const field = fieldOf("time_zone");
  return (
    <Field {...field} hint={isChanged ? EFFECT : saved && <InForce saved={saved} />}>
      <Picker
        {...pickerAttributes(field)}
        choices={choices}
        value={chosen ?? DEFAULT}
        onPick={(value) => change({ time_zone: value === DEFAULT ? null : value })}
        choiceOf={(typed) => zoneNamed(typed, choices)}
      />
    </Field>
  );
}

const LABELS = {
  name: words.general.displayName,
  time_zone: words.general.timeZone,
  week_start: words.general.weekStart,
  aliases: words.general.aliases,
  hidden_cards: words.general.hiddenCards,
} as const;

const WEEK_STARTS: Readonly<Record<WeekStart, string>> = {
  monday: words.general.monday,
  sunday: words.general.sunday,
  saturday: words.general.saturday,
};

const CARD_LABELS: Readonly<Record<Card, string>> = {
  sources: words.cards.sources,
  pages: words.cards.pages,
  locations: words.cards.locations,
  devices: words.cards.devices,
  goals: words.cards.goals,
  properties: words.cards.properties,
  revenue: words.cards.revenue,
  funnel: words.cards.funnel,
  retention: words.cards.retention,
  sequences: words.cards.sequences,
  flow: words.cards.flow,
};

/** A checkbox per card; hidden cards are unchecked. */
const CardsField = ({ settings: { hidden_cards }, change }: Editing) => (
  <fieldset id={fieldId("hidden_cards")} tabIndex={-1}>
    <legend>{words.general.cardsShown}</legend>
    <div class="choices">
      {CARDS.map((id) => (
        <Checkbox
          key={id}
          isChecked={!hidden_cards.includes(id)}
          onChange={(isChecked) =>
            change({ hidden_cards: CARDS.filter((card) => (card === id ? !isChecked : hidden_cards.includes(card))) })
          }
        >
          {CARD_LABELS[id]}
        </Checkbox>
      ))}
    </div>
  </fieldset>
);

export const GeneralSection = ({ siteId }: { readonly siteId: string }) => (
  <section class="panel" aria-labelledby="general-title">
    <h2 id="general-title">{words.settings.general}</h2>
    <SettingsForm siteId={siteId} title={words.settings.general} labels={LABELS}>
      {(editing) => (
        <>
          <TextField
            {...editing.field("name")}
            hint={words.general.displayNameHint}
            value={editing.settings.name ?? ""}
            placeholder={readableId(siteId)}
            maxLength={SITE_NAME_CHARS_MAX}
            onInput={(name) => editing.change({ name })}
          />
          <TimeZoneField {...editing} />
          <Radios
            legend={LABELS.week_start}
            hint={words.general.weekStartHint}
            name="week_start"
            labels={WEEK_STARTS}
            chosen={editing.settings.week_start}
            onChoose={(week_start) => editing.change({ week_start })}
          />
          <LinesField
            {...editing.field("aliases")}
            hint={words.general.aliasesHint}
            placeholder={"umami:0b1b3f5a\nmatomo:1"}
            lines={editing.settings.aliases}
            onInput={(aliases) => editing.change({ aliases })}
          />
          <CardsField {...editing} />
        </>
      )}
    </SettingsForm>
  </section>
);
