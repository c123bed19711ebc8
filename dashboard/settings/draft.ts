/** Changes of sites' settings that are not saved yet. They stay while other parts of the dashboard are shown, until saved or cancelled. */
import { signal } from "@preact/signals";
import type { SavedSettings, SiteSettings } from "../api/sites.ts";
import { guardUnload } from "../state/unload-guard.ts";
import { entriesOf } from "./field.tsx";

export type SettingName = keyof SiteSettings;

export const ALL_SETTINGS: readonly SettingName[] = [
  "name",
  "time_zone",
  "week_start",
  "public",
  "excluded_paths",
  "excluded_addresses",
  "excluded_countries",
  "hidden_cards",
  "retention_days",
];

/** As typed: lists may have empty entries, and a number of days may be NaN. */
export type Changes = Partial<SiteSettings>;

interface Draft {
  readonly saved: SavedSettings;
  readonly changes: Changes;
}

const drafts = signal<Readonly<Record<string, Draft>>>({});

/** As the service gets a value. */
function normalized(name: SettingName, value: SiteSettings[SettingName] | undefined): unknown {
  if (name === "name") return String(value ?? "").trim() || null;
  // JSON has no NaN, and writes it as null.
  if (Number.isNaN(value)) return "";
  return name === "excluded_paths" || name === "excluded_addresses" ? entriesOf(value as readonly string[]) : value;
}

const textOf = (name: SettingName, value: SiteSettings[SettingName] | undefined): string => JSON.stringify(normalized(name, value));

/** The values to save, of those settings among the names that differ from the saved ones. */
function changesIn({ saved, changes }: Draft, names: readonly SettingName[]): Changes {
  const changed = names.filter((name) => name in changes && textOf(name, changes[name]) !== textOf(name, saved[name]));
  return Object.fromEntries(changed.map((name) => [name, normalized(name, changes[name])]));
}

const without = (changes: Changes, names: readonly SettingName[]): Changes =>
  Object.fromEntries(Object.entries(changes).filter(([name]) => !names.includes(name as SettingName)));

const store = (siteId: string, draft: Draft): void => {
  drafts.value = { ...drafts.value, [siteId]: draft };
};

const draftOf = (siteId: string): Draft | undefined => drafts.value[siteId];

/** As the service has them. `dropped` are the changes that are no longer wanted. */
export const setSaved = (saved: SavedSettings, dropped: readonly SettingName[] = []): void =>
  store(saved.site_id, { saved, changes: without(draftOf(saved.site_id)?.changes ?? {}, dropped) });

export const savedSettings = (siteId: string): SavedSettings | undefined => draftOf(siteId)?.saved;

/** The saved settings with the changes. */
export function editedSettings(siteId: string): SavedSettings | undefined {
  const draft = draftOf(siteId);
  return draft && { ...draft.saved, ...draft.changes };
}

export function changeSettings(siteId: string, changes: Changes): void {
  const draft = draftOf(siteId);
  if (draft) store(siteId, { ...draft, changes: { ...draft.changes, ...changes } });
}

export function discardChanges(siteId: string, names: readonly SettingName[]): void {
  const draft = draftOf(siteId);
  if (draft) store(siteId, { ...draft, changes: without(draft.changes, names) });
}

/** Of these settings. */
export function unsavedChanges(siteId: string, names: readonly SettingName[]): Changes {
  const draft = draftOf(siteId);
  return draft ? changesIn(draft, names) : {};
}

export const hasUnsaved = (siteId: string, names: readonly SettingName[]): boolean => Object.keys(unsavedChanges(siteId, names)).length > 0;

guardUnload(() => Object.values(drafts.value).some((draft) => Object.keys(changesIn(draft, ALL_SETTINGS)).length > 0));
