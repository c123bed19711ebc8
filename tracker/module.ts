/** Decides how a program that bundles its scripts uses the tracker: imported, told its options, and called. */

import type { EventOptions } from "./event-body.ts";
import type { Report } from "./report.ts";
import { pathPattern, settingsFrom } from "./settings.ts";
import { startTracking } from "./start.ts";

export type { EventOptions };

/** What the script's tag says by attributes. */
export interface TrackerOptions {
  /** The site's id (`data-domain`). */
  readonly site: string;
  /** The whole address that events are posted to, e.g. `https://stats.example.com/api/event` (`data-api`). */
  readonly api: string;
  /** Paths that are not counted; `*` is a wildcard (`data-exclude`). */
  readonly exclude?: readonly string[];
  /** Also count localhost, files, private addresses and automated browsers (`data-include-local`). */
  readonly includeLocal?: boolean;
  /** Count nobody who asks not to be tracked (`data-honor-dnt`). */
  readonly honorDnt?: boolean;
  /** Tell pages apart by the part after `#` (`data-hash`). */
  readonly hash?: boolean;
  /** Record clicks on links to other origins (`data-outbound`). */
  readonly outbound?: boolean;
  /** Record clicks on files: of the usual kinds, or of these endings (`data-downloads`, `data-download-ext`). */
  readonly downloads?: boolean | readonly string[];
}

type Calls = Parameters<Report>[];

/** Reports before `init`; null from then on. */
let early: Calls | null = [];
let report: Report | null = null;

/** How many reports are kept for an `init` that may never come. */
const EARLY_MAX = 100;

const flag = (isOn: boolean | undefined): string | undefined => (isOn ? "" : "false");

/**
 * Counts the page that is shown and every move to another from now on. Further calls do nothing, and so does every call
 * where there is no page, as on a server that renders pages.
 */
export const init = (options: TrackerOptions): void => {
  if (!early || typeof document === "undefined") return;
  const { downloads = false } = options;
  const dataset = {
    domain: options.site,
    api: options.api,
    includeLocal: flag(options.includeLocal),
    honorDnt: flag(options.honorDnt),
    hash: flag(options.hash),
    outbound: flag(options.outbound),
    downloads: flag(downloads === true || (downloads !== false && downloads.length > 0)),
    downloadExt: typeof downloads === "boolean" ? undefined : downloads.join(","),
  };
  const waiting = early;
  early = null;
  const settings = { ...settingsFrom({ dataset, src: "" }), excluded: (options.exclude || []).map(pathPattern) };
  report = startTracking(settings, waiting);
};

/** Records an event, e.g. `track("Signup", { props: { plan: "pro" } })`. What comes before `init` is recorded after it. */
export const track = (name: string, options?: EventOptions): void => {
  if (report) report(name, options);
  else if (early && early.length < EARLY_MAX) early.push([name, options]);
};
