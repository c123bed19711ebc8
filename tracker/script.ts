/** The script tag (docs/tracking.md, "Tracking script"): configured by attributes, called through one global, started only once. */

import { attempt } from "./page.ts";
import { PREFIX } from "./names.ts";
import { configure, ownTag } from "./settings.ts";
import { startTracking } from "./start.ts";
import type { Track } from "./event.ts";

/** `q` holds the calls from before the script loaded; `ran` tells a second script that one is running. */
type PublicFunction = Track & { q?: Iterable<Parameters<Track>> | null; ran?: boolean };

attempt(() => {
  const globals = window as unknown as Record<typeof PREFIX, Partial<PublicFunction>>;
  // DOM clobbering: an element or frame with this name is also a global, with properties of its own.
  const { q, ran } = typeof globals[PREFIX] === "function" ? globals[PREFIX] : ({} as Partial<PublicFunction>);
  if (ran) return;
  configure(ownTag());
  const svc: PublicFunction = startTracking([...(q || [])]);
  svc.ran = true;
  globals[PREFIX] = svc;
});
