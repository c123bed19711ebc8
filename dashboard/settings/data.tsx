/** A site's data: retention, export and deletion of events, and the settings as a file. */
import { useState } from "preact/hooks";
import { RETENTION_DAYS_MAX } from "../../src/shared/limits.ts";
import { problemText } from "../api/http.ts";
import { deleteSettings } from "../api/site.ts";
import { ConfirmedButton, Radios } from "../kit/forms.tsx";
import { Button } from "../kit/inline.tsx";
import { Problem } from "../kit/states.tsx";
import { useAction, reloadAll } from "../state/requests.ts";
import { openPanel } from "../state/view.ts";
import { Field, fieldAttributes } from "./fields.tsx";
import { SettingsFile } from "./settings-file.tsx";
import { ALL_SETTINGS, discardChanges, savedSettings, SettingsForm, type Editing } from "./settings-form.tsx";

const LABELS = { retention_days: "Days" } as const;

const RETENTIONS = { default: "Installation default", forever: "Forever", days: "For a number of days" } as const;
type Retention = keyof typeof RETENTIONS;

/** Initial value of the field. */
const DAYS = 365;

const VALUES: Readonly<Record<Retention, number | null>> = { default: null, forever: 0, days: DAYS };

const retentionOf = (days: number | null): Retention => (days === null ? "default" : days === 0 ? "forever" : "days");

function RetentionFields({ settings: { retention_days }, change, field: fieldOf }: Editing) {
  const field = fieldOf("retention_days");
  const chosen = retentionOf(retention_days);
  return (
    <>
      <Radios
        legend="Keep events"
        name="retention"
        labels={RETENTIONS}
        chosen={chosen}
        onChoose={(id) => change({ retention_days: VALUES[id] })}
      />
      {chosen === "days" && (
        <Field {...field} hint="Older events are deleted permanently.">
          <input
            {...fieldAttributes(field)}
            class="days"
            type="number"
            required
            min={1}
            max={RETENTION_DAYS_MAX}
            value={Number.isNaN(retention_days) ? "" : (retention_days ?? "")}
            onInput={({ currentTarget }) => change({ retention_days: currentTarget.valueAsNumber || Number.NaN })}
          />
        </Field>
      )}
    </>
  );
}

const Events = ({ siteId }: { readonly siteId: string }) => (
  <section class="panel" aria-labelledby="events-title">
    <h2 id="events-title">Events</h2>
    <SettingsForm siteId={siteId} title="Retention" labels={LABELS}>
      {(editing) => <RetentionFields {...editing} />}
    </SettingsForm>
    <div class="actions">
      <Button onClick={() => openPanel("export")}>Export events…</Button>
      <button type="button" class="button danger" onClick={() => openPanel("erase")}>
        Delete events…
      </button>
    </div>
  </section>
);

function DeleteSettings({ siteId }: { readonly siteId: string }) {
  const [isDone, setDone] = useState(false);
  const { problem, run } = useAction(problemText);

  async function reset() {
    await deleteSettings(siteId);
    discardChanges(siteId, ALL_SETTINGS);
    setDone(true);
    reloadAll();
  }

  return (
    <>
      <h3>Reset to defaults</h3>
      {savedSettings(siteId)?.created_at === null ? (
        <p class="dim">{siteId} has the default settings.</p>
      ) : (
        <>
          <p class="dim">
            Resets all settings of {siteId} to the defaults: the site is no longer public, and events older than the installation keeps by
            default are deleted. Share links keep working.
          </p>
          <ConfirmedButton label="Reset settings" confirmLabel="Confirm reset" onConfirm={() => void run(reset)} />
        </>
      )}
      <Problem text={problem} />
      <p role="status">{isDone ? "Settings reset." : ""}</p>
    </>
  );
}

export const DataSection = ({ siteId }: { readonly siteId: string }) => (
  <>
    <Events siteId={siteId} />
    <section class="panel" aria-labelledby="settings-title">
      <h2 id="settings-title">Settings</h2>
      <SettingsFile />
      <DeleteSettings siteId={siteId} />
    </section>
  </>
);
