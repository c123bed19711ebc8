/** Dialogs by their name in the URL (`panel=…`). They load together when the first one opens. */
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import type { Dimension } from "../api/types.ts";
import { DetailsPanel } from "../cards/details-panel.tsx";
import { AnnotationsPanel } from "../charts/annotations-panel.tsx";
import { ANNOTATIONS_PANEL } from "../charts/annotations.ts";
import { FilterPanel } from "../filters/filter-panel.tsx";
import { SavedFiltersPanel } from "../filters/saved-items.tsx";
import { DIMENSIONS, isDimension } from "../format/dimensions.ts";
import { AccountPanel, ChangePasswordPanel, LogOutEverywherePanel } from "../settings/account.tsx";
import { DeletePanel, DeleteSitePanel, ExportPanel } from "../settings/data-panels.tsx";
import { KeysPanel } from "../settings/keys-panel.tsx";
import { InstallationPanel } from "../setup/installation-dialog.tsx";
import { PasswordPanel } from "../setup/login.tsx";
import { TrackingCodePanel } from "../setup/tracking-code.tsx";
import { AddSitePanel } from "../setup/waiting.tsx";
import { FailedPanel } from "../kit/dialog.tsx";
import { lazy } from "../kit/lazy.tsx";
import { isCardShown } from "../state/known-sites.ts";
import { isGuest } from "../state/share.ts";
import { navigate } from "../state/url.ts";
import { panel, site } from "../state/view.ts";
import { HelpPanel } from "./help-panel.tsx";
import { ComparedRangePanel, CustomRangePanel } from "./range-panel.tsx";

const PANELS: Readonly<Record<string, ComponentType>> = {
  filter: FilterPanel,
  segments: SavedFiltersPanel,
  days: CustomRangePanel,
  "compared-days": ComparedRangePanel,
  help: HelpPanel,
  keys: KeysPanel,
  erase: DeletePanel,
  "delete-site": DeleteSitePanel,
  "rename-site": lazy(async () => (await import("../settings/site-names.tsx")).RenamePanel, { Failed: FailedPanel }),
  "merge-site": lazy(async () => (await import("../settings/site-names.tsx")).MergePanel, { Failed: FailedPanel }),
  rule: lazy(async () => (await import("../bots/rule-panel.tsx")).RulePanel, { Failed: FailedPanel }),
  "built-in-rule": lazy(async () => (await import("../bots/rule-panel.tsx")).BuiltInRulePanel, { Failed: FailedPanel }),
  export: ExportPanel,
  import: lazy(async () => (await import("../imports/import-panel.tsx")).ImportPanel, { Failed: FailedPanel }),
  snippet: TrackingCodePanel,
  "add-site": AddSitePanel,
  installation: InstallationPanel,
  password: PasswordPanel,
  account: AccountPanel,
  "change-password": ChangePasswordPanel,
  "logout-all": LogOutEverywherePanel,
  [ANNOTATIONS_PANEL]: AnnotationsPanel,
};

/** Unknown `panel`, e.g. in a cut link: clears it, or keyboard shortcuts would stay off. */
function UnknownPanel() {
  useEffect(() => navigate({ panel: null }, true), []);
  return null;
}

/** Dialogs for guests. */
const OF_GUESTS: ReadonlySet<string> = new Set(["filter", "days", "compared-days", "help", "export"]);

/** Dialogs of the page of all sites. */
const OF_ALL_SITES: ReadonlySet<string> = new Set(["help", "keys", "add-site", "password", "account", "change-password", "logout-all"]);

const isOffered = (name: string): boolean => (!isGuest || OF_GUESTS.has(name)) && (site.value !== null || OF_ALL_SITES.has(name));

function isShown(dimension: Dimension): boolean {
  const { card } = DIMENSIONS[dimension];
  return card === undefined || isCardShown(card);
}

/** Any other name is a dimension, whose details open. */
export function OpenPanel() {
  const name = panel.value?.split(":")[0];
  if (name === undefined) return null;
  if (site.value !== null && isDimension(name) && isShown(name)) return <DetailsPanel key={name} dimension={name} />;
  const Panel = Object.hasOwn(PANELS, name) && isOffered(name) ? PANELS[name] : undefined;
  return Panel ? <Panel /> : <UnknownPanel />;
}
