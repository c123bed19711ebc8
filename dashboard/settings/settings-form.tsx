/** The form of some of a site's settings: what is typed, saving and cancelling, and what the service has refused. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { getSettings, putSettings, type SavedSettings, type SiteSettings } from "../api/sites.ts";
import { Problem } from "../kit/states.tsx";
import { refreshAll } from "../state/connection.ts";
import { clearReportCache } from "../state/use-report.ts";
import type { FieldLabels } from "./field-problem.ts";
import { useFieldProblems } from "./use-field-problems.ts";
import {
  ALL_SETTINGS,
  changeSettings,
  discardChanges,
  editedSettings,
  hasUnsaved,
  setSaved,
  unsavedChanges,
  type Changes,
  type SettingName,
} from "./draft.ts";

/** What a form gives to its fields. */
export interface Editing {
  readonly siteId: string;
  readonly settings: SavedSettings;
  readonly change: (changes: Changes) => void;
  /** What is wrong with a field; null for nothing. */
  readonly problemOf: (name: SettingName) => string | null;
}

interface SettingsFormProps {
  readonly siteId: string;
  readonly title: string;
  readonly labels: Partial<FieldLabels<SettingName>>;
  readonly children: (editing: Editing) => ComponentChildren;
}

const bodyOf = (saved: SavedSettings): SiteSettings =>
  Object.fromEntries(ALL_SETTINGS.map((name) => [name, saved[name]])) as unknown as SiteSettings;

/**
 * Saves the changes of these settings and leaves all others as the service has them now, whoever changed them. What is typed
 * meanwhile stays a change.
 */
async function save(siteId: string, names: readonly SettingName[]): Promise<void> {
  const [sent, changes] = [editedSettings(siteId), unsavedChanges(siteId, names)];
  const saved = await putSettings(siteId, { ...bodyOf(await getSettings(siteId)), ...changes });
  const edited = editedSettings(siteId);
  setSaved(
    saved,
    names.filter((name) => Object.is(edited?.[name], sent?.[name])),
  );
  clearReportCache();
  refreshAll();
}

export const fieldId = (name: SettingName): string => `setting-${name}`;

interface SaveBarProps {
  readonly isDirty: boolean;
  readonly isBusy: boolean;
  readonly status: string;
  readonly onCancel: () => void;
}

/** The button keeps the focus while there is nothing to save. */
const SaveBar = ({ isDirty, isBusy, status, onCancel }: SaveBarProps) => (
  <div class="save-bar">
    <button type="submit" class="button primary" aria-disabled={!isDirty || isBusy}>
      {isBusy ? "Saving…" : "Save"}
    </button>
    {isDirty && !isBusy && (
      <button type="button" class="button" onClick={onCancel}>
        Cancel
      </button>
    )}
    <p class="dim" role="status">
      {isDirty ? "Unsaved changes" : status}
    </p>
  </div>
);

export function SettingsForm({ siteId, title, labels, children }: SettingsFormProps) {
  const names = Object.keys(labels) as SettingName[];
  const [status, setStatus] = useState("");
  const { form, isBusy, run, problemOf, formProblem } = useFieldProblems(labels as FieldLabels<SettingName>, fieldId);
  const isDirty = hasUnsaved(siteId, names);
  const settings = editedSettings(siteId);

  function submit(event: Event) {
    event.preventDefault();
    if (!isDirty || isBusy) return;
    setStatus("");
    void run(async () => {
      await save(siteId, names);
      setStatus("Saved.");
    });
  }

  // Also takes back what the service has refused.
  async function cancel() {
    discardChanges(siteId, names);
  }

  if (!settings) return null;
  return (
    <form class="form settings-form" ref={form} aria-label={title} onSubmit={submit}>
      {children({
        siteId,
        settings,
        change: (changes) => changeSettings(siteId, changes),
        problemOf,
      })}
      <Problem text={formProblem} />
      <SaveBar isDirty={isDirty} isBusy={isBusy} status={status} onCancel={() => void run(cancel)} />
    </form>
  );
}
