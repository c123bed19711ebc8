/** A site's data: retention, export and deletion of events, and the settings as a file, which is imported after a confirmation. */
import { useRef, useState } from "preact/hooks";
import { RETENTION_DAYS_MAX } from "../../src/shared/limits.ts";
import { PRODUCT_NAME } from "../../src/shared/names.ts";
import { deleteSettings, getAllSettings, putAllSettings } from "../api/endpoints.ts";
import { problemText } from "../api/http.ts";
import { countOf, LOCALE } from "../format/locale.ts";
import { saveFile } from "../kit/download.ts";
import { ConfirmedButton, Radios } from "../kit/forms.tsx";
import { Button } from "../kit/inline.tsx";
import { lazy } from "../kit/lazy.tsx";
import { Problem } from "../kit/states.tsx";
import { readableId } from "../state/known-sites.ts";
import { reloadAll, useAction } from "../state/requests.ts";
import { openPanel } from "../state/view.ts";
import { fill, words } from "../words/words.ts";
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
  throw new NoSettingsFile(words.data.noSettingsFile);
}

const problemOf = (error: unknown): string => (error instanceof NoSettingsFile ? error.message : problemText(error));

function namesOf({ sites }: SettingsFileContent): string {
  const names = sites.slice(0, NAMED_MAX).map(({ site_id }) => site_id);
  return [...names, ...(sites.length > NAMED_MAX ? [fill(words.data.more, { count: sites.length - NAMED_MAX })] : [])].join(", ");
}

function SettingsFile() {
  const input = useRef<HTMLInputElement>(null);
  const [file, setFile] = useState<SettingsFileContent | null>(null);
  const [status, setStatus] = useState("");
  const { isBusy, problem, run } = useAction(problemOf);

  async function download() {
    const content = JSON.stringify(await getAllSettings(), null, 2);
    saveFile(FILE_NAME, new Blob([content], { type: "application/json" }));
    setStatus(words.data.savedToDownloads);
  }

  async function open(chosen: File | undefined) {
    setStatus("");
    setFile(null);
    if (chosen) setFile(parseFile(await chosen.text()));
  }

  async function load() {
    await putAllSettings(file);
    setFile(null);
    setStatus(words.data.imported);
    reloadAll();
  }

  return (
    <>
      <p class="dim">{words.data.fileAbout}</p>
      <div class="actions">
        <Button onClick={() => void run(download)}>{words.data.download}</Button>
        <Button onClick={() => input.current?.click()}>{words.data.import}</Button>
        <input
          ref={input}
          type="file"
          hidden
          accept=".json,application/json"
          aria-label={words.data.file}
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
          <p>{fill(words.data.replace, { sites: countOf(file.sites.length, words.counts.site), names: namesOf(file) })}</p>
          <div class="actions">
            <button type="button" class="button primary" disabled={isBusy} onClick={() => void run(load)}>
              {words.data.importNow}
            </button>
            <Button onClick={() => setFile(null)}>{words.data.cancel}</Button>
          </div>
        </div>
      )}
      <p role="status">{status}</p>
    </>
  );
}

const Imports = lazy<{ readonly siteId: string }>(async () => (await import("../imports/imports-section.tsx")).ImportsSection);

const Exports = lazy<{ readonly siteId: string }>(async () => (await import("./exports.tsx")).ExportsSection);

const SiteNames = lazy<{ readonly siteId: string }>(async () => (await import("./site-names.tsx")).SiteNamesSection);

const LABELS = { retention_days: words.data.days } as const;

type Retention = "default" | "forever" | "days";

const defaultLabel = (days: number): string =>
  fill(words.data.serverDefault, { time: days === 0 ? words.data.forever.toLocaleLowerCase(LOCALE) : countOf(days, words.counts.day) });

/** Initial value of the field. */
const DAYS = 365;

const VALUES: Readonly<Record<Retention, number | null>> = { default: null, forever: 0, days: DAYS };

const retentionOf = (days: number | null): Retention => (days === null ? "default" : days === 0 ? "forever" : "days");

function RetentionFields({ settings: { retention_days, default_retention_days }, change, field: fieldOf }: Editing) {
  const field = fieldOf("retention_days");
  const chosen = retentionOf(retention_days);
  return (
    <>
      <Radios
        legend={words.data.keepEvents}
        name="retention"
        labels={{ default: defaultLabel(default_retention_days), forever: words.data.forever, days: words.data.forDays }}
        chosen={chosen}
        onChoose={(id) => change({ retention_days: VALUES[id] })}
      />
      {chosen === "days" && (
        <Field {...field} hint={words.data.olderDeleted}>
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
      <h3>{words.data.resetTitle}</h3>
      {savedSettings(siteId)?.created_at === null ? (
        <p class="dim">{fill(words.data.hasDefaults, { site: readableId(siteId) })}</p>
      ) : (
        <>
          <p class="dim">{fill(words.data.resetAbout, { site: readableId(siteId) })}</p>
          <ConfirmedButton label={words.data.reset} confirmLabel={words.data.confirmReset} onConfirm={() => void run(reset)} />
        </>
      )}
      <Problem text={problem} />
      <p role="status">{isDone ? words.data.resetDone : ""}</p>
    </>
  );
}

export const DataSection = ({ siteId }: { readonly siteId: string }) => (
  <>
    <section class="panel" aria-labelledby="events-title">
      <h2 id="events-title">{words.data.events}</h2>
      <SettingsForm siteId={siteId} title={words.data.retention} labels={LABELS}>
        {(editing) => <RetentionFields {...editing} />}
      </SettingsForm>
      <div class="actions">
        <Button onClick={() => openPanel("export")}>{words.data.exportEvents}</Button>
        <button type="button" class="button danger" onClick={() => openPanel("erase")}>
          {words.data.deleteEvents}
        </button>
        <button type="button" class="button danger" onClick={() => openPanel("delete-site")}>
          {words.data.deleteSite}
        </button>
      </div>
    </section>
    <Imports siteId={siteId} />
    <Exports siteId={siteId} />
    <SiteNames siteId={siteId} />
    <section class="panel" aria-labelledby="settings-title">
      <h2 id="settings-title">{words.data.settings}</h2>
      <SettingsFile />
      <DeleteSettings siteId={siteId} />
    </section>
  </>
);
