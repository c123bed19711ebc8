/** General settings: a site's name, the start of its days and weeks, and the cards of its dashboard. */
import { SITE_NAME_CHARS_MAX } from "../../src/shared/limits.ts";
import { CARDS, type Card, type WeekStart } from "../../src/shared/site-choices.ts";
import { Checkbox, Radios } from "../kit/forms.tsx";
import { TextField } from "./fields.tsx";
import { fieldId, SettingsForm, type Editing } from "./settings-form.tsx";
import { TimeZoneField } from "./time-zone-field.tsx";

const LABELS = { name: "Display name", time_zone: "Time zone", week_start: "First day of the week", hidden_cards: "Hidden cards" } as const;

const WEEK_STARTS: Readonly<Record<WeekStart, string>> = { monday: "Monday", sunday: "Sunday", saturday: "Saturday" };

const CARD_LABELS: Readonly<Record<Card, string>> = {
  sources: "Sources",
  pages: "Pages",
  locations: "Locations",
  devices: "Devices",
  goals: "Goals",
  properties: "Properties",
  revenue: "Revenue",
  funnel: "Funnel",
  retention: "Retention",
  sequences: "Sequences",
  flow: "Flow",
};

/** A checkbox per card; hidden cards are unchecked. */
const CardsField = ({ settings: { hidden_cards }, change }: Editing) => (
  <fieldset id={fieldId("hidden_cards")} tabIndex={-1}>
    <legend>Cards on the dashboard</legend>
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

const NameField = ({ siteId, settings, change, field }: Editing) => (
  <TextField
    {...field("name")}
    hint="Shown in the dashboard instead of the domain. The tracking code stays the same."
    value={settings.name ?? ""}
    placeholder={siteId}
    maxLength={SITE_NAME_CHARS_MAX}
    onInput={(name) => change({ name })}
  />
);

export const GeneralSection = ({ siteId }: { readonly siteId: string }) => (
  <section class="panel" aria-labelledby="general-title">
    <h2 id="general-title">General</h2>
    <SettingsForm siteId={siteId} title="General" labels={LABELS}>
      {(editing) => (
        <>
          <NameField {...editing} />
          <TimeZoneField {...editing} />
          <Radios
            legend={LABELS.week_start}
            hint="In the calendar, and in charts by week. Retention always has weeks from Monday."
            name="week_start"
            labels={WEEK_STARTS}
            chosen={editing.settings.week_start}
            onChoose={(week_start) => editing.change({ week_start })}
          />
          <CardsField {...editing} />
        </>
      )}
    </SettingsForm>
  </section>
);
