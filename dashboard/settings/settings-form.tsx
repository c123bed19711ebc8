/** A form for some of a site's settings. Unsaved edits survive switching sections and views. */
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { CHANNEL_CONDITIONS } from "../../src/shared/channels.ts";
import { getSettings, putSettings, type SavedSettings, type SiteSettings } from "../api/endpoints.ts";
import { Form } from "../kit/forms.tsx";
import { Button } from "../kit/inline.tsx";
import { Problem } from "../kit/states.tsx";
import { reloadAll } from "../state/requests.ts";
import { words } from "../words/words.ts";
import { entriesOf, guardUnload, useFieldProblems, type CheckedField, type FieldLabels } from "./fields.tsx";

type SettingName = keyof SiteSettings;

/** A setting that is missing here would get its default when any other is saved, so it does not compile without all. */
const EVERY_SETTING: Readonly<Record<SettingName, true>> = {
  name: true,
  time_zone: true,
  week_start: true,
  public: true,
  public_raw_export: true,
  excluded_paths: true,
  excluded_addresses: true,
  excluded_countries: true,
  excluded_networks: true,
  excluded_hosts: true,
  allowed_hosts: true,
  excluded_referrers: true,
  hidden_cards: true,
  own_hosts: true,
  ignored_referrers: true,
  source_parameters: true,
  channel_rules: true,
  page_parameters: true,
  merge_slashes: true,
  app_pages: true,
  aliases: true,
  retention_days: true,
};

export const ALL_SETTINGS = Object.keys(EVERY_SETTING) as readonly SettingName[];

/** Typed values: lists may contain empty entries, and a number may be NaN. */
type Changes = Partial<SiteSettings>;

interface Draft {
  readonly saved: SavedSettings;
  readonly changes: Changes;
}

const drafts = signal<Readonly<Record<string, Draft>>>({});

/** Settings that are typed one entry per line. */
const LISTS_OF_LINES: ReadonlySet<SettingName> = new Set([
  "excluded_paths",
  "excluded_addresses",
  "excluded_networks",
  "excluded_hosts",
  "allowed_hosts",
  "excluded_referrers",
  "own_hosts",
  "ignored_referrers",
  "page_parameters",
  "aliases",
]);

type Rule = SiteSettings["channel_rules"][number];

const withoutEmptyValues = (rule: Rule): Rule => ({
  channel: rule.channel,
  ...Object.fromEntries(CHANNEL_CONDITIONS.map((name) => [name, entriesOf(rule[name] ?? [])])),
});

/** The value as sent to the service. */
function normalized(name: SettingName, value: SiteSettings[SettingName] | undefined): unknown {
  if (name === "name") return String(value ?? "").trim() || null;
  // JSON has no NaN, and writes it as null.
  if (Number.isNaN(value)) return "";
  if (name === "channel_rules") return (value as SiteSettings["channel_rules"]).map(withoutEmptyValues);
  return LISTS_OF_LINES.has(name) ? entriesOf(value as readonly string[]) : value;
}

const textOf = (name: SettingName, value: SiteSettings[SettingName] | undefined): string => JSON.stringify(normalized(name, value));

/** Values to save: settings that differ from the saved ones. */
function unsavedChanges(siteId: string, names: readonly SettingName[]): Changes {
  const { saved, changes } = draftOf(siteId) ?? { saved: undefined, changes: {} };
  const changed = names.filter((name) => name in changes && textOf(name, changes[name]) !== textOf(name, saved?.[name]));
  return Object.fromEntries(changed.map((name) => [name, normalized(name, changes[name])]));
}

const without = (changes: Changes, names: readonly SettingName[]): Changes =>
  Object.fromEntries(Object.entries(changes).filter(([name]) => !names.includes(name as SettingName)));

const store = (siteId: string, draft: Draft): void => {
  drafts.value = { ...drafts.value, [siteId]: draft };
};

const draftOf = (siteId: string): Draft | undefined => drafts.value[siteId];

/** Stores the service's values, and drops these changes. */
export const setSaved = (saved: SavedSettings, dropped: readonly SettingName[] = []): void =>
  store(saved.site_id, { saved, changes: without(draftOf(saved.site_id)?.changes ?? {}, dropped) });

export const savedSettings = (siteId: string): SavedSettings | undefined => draftOf(siteId)?.saved;

function editedSettings(siteId: string): SavedSettings | undefined {
  const draft = draftOf(siteId);
  return draft && { ...draft.saved, ...draft.changes };
}

function changeSettings(siteId: string, changes: Changes): void {
  const draft = draftOf(siteId);
  if (draft) store(siteId, { ...draft, changes: { ...draft.changes, ...changes } });
}

/** An unsaved change, as if the parameter had been typed. */
export function addPageParameter(siteId: string, name: string): void {
  const known = entriesOf(editedSettings(siteId)?.page_parameters ?? []);
  if (!known.includes(name)) changeSettings(siteId, { page_parameters: [...known, name] });
}

export function discardChanges(siteId: string, names: readonly SettingName[]): void {
  const draft = draftOf(siteId);
  if (draft) store(siteId, { ...draft, changes: without(draft.changes, names) });
}

const hasUnsaved = (siteId: string, names: readonly SettingName[]): boolean => Object.keys(unsavedChanges(siteId, names)).length > 0;

guardUnload(() => Object.keys(drafts.value).some((siteId) => hasUnsaved(siteId, ALL_SETTINGS)));

export interface Editing {
  readonly siteId: string;
  readonly settings: SavedSettings;
  readonly change: (changes: Changes) => void;
  readonly field: (name: SettingName) => CheckedField;
}

interface SettingsFormProps {
  readonly siteId: string;
  readonly title: string;
  readonly labels: Partial<FieldLabels<SettingName>>;
  readonly children: (editing: Editing) => ComponentChildren;
}

/** The settings as they would be saved with what is typed, by the service's values of now for all others. */
export async function settingsToSave(siteId: string, names: readonly SettingName[]): Promise<SiteSettings> {
  const changes = unsavedChanges(siteId, names);
  const current = await getSettings(siteId);
  const body = Object.fromEntries(ALL_SETTINGS.map((name) => [name, current[name]])) as unknown as SiteSettings;
  return { ...body, ...changes };
}

/** Saves only these settings: the others keep the service's current values. What is typed meanwhile stays unsaved. */
async function save(siteId: string, names: readonly SettingName[]): Promise<void> {
  const sent = editedSettings(siteId);
  const saved = await putSettings(siteId, await settingsToSave(siteId, names));
  const edited = editedSettings(siteId);
  setSaved(
    saved,
    names.filter((name) => Object.is(edited?.[name], sent?.[name])),
  );
  reloadAll();
}

export const fieldId = (name: SettingName): string => `setting-${name}`;

export function SettingsForm({ siteId, title, labels, children }: SettingsFormProps) {
  const names = Object.keys(labels) as SettingName[];
  const [status, setStatus] = useState("");
  const { form, isBusy, run, field, formProblem } = useFieldProblems(labels as FieldLabels<SettingName>, fieldId);
  const isDirty = hasUnsaved(siteId, names);
  const settings = editedSettings(siteId);

  function submit() {
    if (!isDirty || isBusy) return;
    setStatus("");
    void run(async () => {
      await save(siteId, names);
      setStatus(words.settings.saved);
    });
  }

  // Also takes back what the service has refused.
  async function cancel() {
    discardChanges(siteId, names);
  }

  if (!settings) return null;
  return (
    <Form class="form settings-form" root={form} label={title} onSubmit={submit}>
      {children({ siteId, settings, change: (changes) => changeSettings(siteId, changes), field })}
      <Problem text={formProblem} />
      <div class="save-bar">
        {/* Stays focusable when there is nothing to save. */}
        <button type="submit" class="button primary" aria-disabled={!isDirty || isBusy}>
          {isBusy ? words.settings.saving : words.settings.save}
        </button>
        {isDirty && !isBusy && <Button onClick={() => void run(cancel)}>{words.settings.cancel}</Button>}
        <p class="dim" role="status">
          {isDirty ? words.settings.unsaved : status}
        </p>
      </div>
    </Form>
  );
}
