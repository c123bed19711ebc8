/** Decides how the script lives on a page: configured by its tag, called by one global name, and there only once. */

import { attempt } from "./attempt.ts";
import { PREFIX } from "./names.ts";
import type { Report } from "./report.ts";
import { ownTag, settingsFrom } from "./settings.ts";
import { startTracking } from "./start.ts";

/** `q` holds the calls made before the script came, `ran` tells a second script that one is here. */
type PublicFunction = Report & { q?: Iterable<Parameters<Report>> | null; ran?: boolean };

attempt(() => {
  const globals = window as unknown as Record<typeof PREFIX, Partial<PublicFunction>>;
  // An element or a frame of this name is a global, too, and a form's fields and a frame's frames are its properties.
  const { q, ran } = typeof globals[PREFIX] === "function" ? globals[PREFIX] : ({} as Partial<PublicFunction>);
  if (ran) return;
  const svc: PublicFunction = startTracking(settingsFrom(ownTag()), [...(q || [])]);
  svc.ran = true;
  globals[PREFIX] = svc;
});
