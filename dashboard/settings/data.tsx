/** A site's data: retention, export and deletion of events, and the settings as a file, which is imported after a confirmation. */
import { useRef, useState } from "preact/hooks";
import { RETENTION_DAYS_MAX } from "../../src/shared/limits.ts";
import { PRODUCT_NAME } from "../../src/shared/names.ts";
import { deleteSettings, getAllSettings, putAllSettings } from "../api/endpoints.ts";
import { problemText } from "../api/http.ts";
import { countOf } from "../format/locale.ts";
import { saveFile } from "../kit/download.ts";
import { ConfirmedButton, Radios } from "../kit/forms.tsx";
import { Button } from "../kit/inline.tsx";
import { Problem } from "../kit/states.tsx";
import { reloadAll, useAction } from "../state/requests.ts";
import { openPanel } from "../state/view.ts";
import { words } from "../words/words.ts";
import { Field, fieldAttributes } from "./fields.tsx";
import { ALL_SETTINGS, discardChanges, savedSettings, SettingsForm, type Editing } from "./settings-form.tsx";

interface SettingsFileContent {
  readonly sites: readonly { readonly site_id: string }[];
}

const FILE_NAME = `${PRODUCT_NAME.toLowerCase()}-settings.json`;

/** Lists at most this many sites. */
const NAMED_MAX = 5;

class NoSettingsFile extends Error {}

/** The service checks the rest. @throws NoSettingsFile if the text is not a settings file */
function parseFile(text: string): SettingsFileContent {
  try {
    const content = JSON.parse(text) as Partial<SettingsFileContent> | null;
    if (Array.isArray(content?.sites) && content.sites.every(({ site_id }) => typeof site_id === "string"))
      return content as SettingsFileContent;
  } catch {
    // No JSON.
  }
  throw new NoSettingsFile("This isn't a settings file.");
}

const problemOf = (error: unknown): string => (error instanceof NoSettingsFile ? error.message : problemText(error));

function namesOf({ sites }: SettingsFileContent): string {
  const names = sites.slice(0, NAMED_MAX).map(({ site_id }) => site_id);
  return [...names, ...(sites.length > NAMED_MAX ? [`${sites.length - NAMED_MAX} more`] : [])].join(", ");
}

function SettingsFile() {
  const input = useRef<HTMLInputElement>(null);
  const [file, setFile] = useState<SettingsFileContent | null>(null);
  const [status, setStatus] = useState("");
  const { isBusy, problem, run } = useAction(problemOf);

  async function download() {
    const content = JSON.stringify(await getAllSettings(), null, 2);
    saveFile(FILE_NAME, new Blob([content], { type: "application/json" }));
    setStatus("Saved to your downloads.");
  }

  async function open(chosen: File | undefined) {
    setStatus("");
    setFile(null);
    if (chosen) setFile(parseFile(await chosen.text()));
  }

  async function load() {
    await putAllSettings(file);
    setFile(null);
    setStatus("Settings imported.");
    reloadAll();
  }

  return (
    <>
      <p class="dim">
        Download the settings of all sites as a file, for a backup or for another installation. It doesn't contain goals, segments,
        annotations, passwords, API keys or share links.
      </p>
      <div class="actions">
        <Button onClick={() => void run(download)}>Download settings</Button>
        <Button onClick={() => input.current?.click()}>Import settings…</Button>
        <input
          ref={input}
          type="file"
          hidden
          accept=".json,application/json"
          aria-label="Settings file"
          onChange={({ currentTarget }) => {
            const [chosen] = currentTarget.files ?? [];
            void run(() => open(chosen));
            // Without this, choosing the same file again would fire no event.
            currentTarget.value = "";
          }}
        />
      </div>
      <Problem text={problem} />
      {file && (
        <div class="notice" role="status">
          <p>
            Replace the settings of {countOf(file.sites.length, words.counts.site)}: {namesOf(file)}? Other sites aren't affected.
          </p>
          <div class="actions">
            <button type="button" class="button primary" disabled={isBusy} onClick={() => void run(load)}>
              Import
            </button>
            <Button onClick={() => setFile(null)}>Cancel</Button>
          </div>
        </div>
      )}
      <p role="status">{status}</p>
    </>
  );
}

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
    <section class="panel" aria-labelledby="settings-title">
      <h2 id="settings-title">Settings</h2>
      <SettingsFile />
      <DeleteSettings siteId={siteId} />
    </section>
  </>
);
