/** The npm module (docs/tracking.md, "npm module"): `init` and `track` for applications that bundle their scripts. */

import type { EventOptions, Track } from "./event.ts";
import { configure } from "./settings.ts";
import { startTracking } from "./start.ts";

export type { EventOptions };

/** The attributes of the script tag, which are named in parentheses. */
export interface TrackerOptions {
  /** The site id, or several, each of which gets all events (`data-domain`). */
  readonly site: string | readonly string[];
  /** The URL to which events are sent, e.g. `https://stats.example.com/api/event` (`data-api`). */
  readonly api: string;
  /** Paths to leave out; `*` is a wildcard (`data-exclude`). */
  readonly exclude?: readonly string[];
  /** Counts localhost, files, private addresses and automated browsers (`data-include-local`). */
  readonly includeLocal?: boolean;
  /** Do not count visitors who ask not to be tracked (`data-honor-dnt`). */
  readonly honorDnt?: boolean;
  /** Treat the part after `#` as part of the path if it begins with a slash, or any (`data-hash`). */
  readonly hash?: boolean | "all";
  /** Do not count a change of the query alone as a page view (`data-query`). */
  readonly query?: "ignore";
  /** Count pages in frames of other pages of their origin (`data-frames`). */
  readonly frames?: boolean;
  /** Record clicks on links to other sites (`data-outbound`). */
  readonly outbound?: boolean;
  /** Hosts to which links are not outbound; `*.` stands for all subdomains (`data-own-hosts`). */
  readonly ownHosts?: readonly string[];
  /** Record clicks on files: of common types, or with these extensions (`data-downloads`, `data-download-ext`). */
  readonly downloads?: boolean | readonly string[];
}

/** Calls before `init`; null from then on. */
let queue: Parameters<Track>[] | null = [];
let startedTrack: Track | null = null;

/** A limit, as `init` may never be called. */
const QUEUE_MAX = 100;

const flag = (isOn: boolean | string | undefined): string => (isOn ? `${isOn}` : "false");

/**
 * Starts tracking: the current page and every navigation from now on. Further calls do nothing, nor does any call without
 * a document, as in server-side rendering.
 */
export const init = (options: TrackerOptions): void => {
  if (!queue || typeof document === "undefined") return;
  const { downloads = false } = options;
  const dataset = {
    domain: `${options.site}`,
    api: options.api,
    includeLocal: flag(options.includeLocal),
    honorDnt: flag(options.honorDnt),
    hash: flag(options.hash),
    query: flag(options.query),
    frames: flag(options.frames),
    outbound: flag(options.outbound),
    ownHosts: `${options.ownHosts || ""}`,
    downloads: flag(downloads === true || (downloads !== false && downloads.length > 0)),
    downloadExt: typeof downloads === "boolean" ? undefined : downloads.join(","),
  };
  const queued = queue;
  queue = null;
  configure({ dataset }, options.exclude);
  startedTrack = startTracking(queued);
};

/** Records an event, e.g. `track("Signup", { props: { plan: "pro" } })`. Calls before `init` are sent after it. */
export const track = (name: string, options?: EventOptions): void => {
  if (startedTrack) startedTrack(name, options);
  else if (queue && queue.length < QUEUE_MAX) queue.push([name, options]);
};
