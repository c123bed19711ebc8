/** Decides how the script lives on a page: configured by its tag, called by one global name, and there only once. */

import { attempt } from "./attempt.ts";
import { PREFIX } from "./names.ts";
import type { Report } from "./report.ts";
import { ownTag, settingsFrom } from "./settings.ts";
import { startTracking } from "./start.ts";

/** `q` holds the calls made before the script came, `ran` tells a second script that one is here. */
type PublicFunction = Report & { q?: Iterable<Parameters<Report>> | null; ran?: boolean };

attempt(() => {
  const globals = window as unknown as Record<typeof PREFIX, Partial<PublicFunction> | undefined>;
  const { q, ran } = globals[PREFIX] || {};
  if (ran) return;
  const svc: PublicFunction = startTracking(settingsFrom(ownTag()), [...(q || [])]);
  svc.ran = true;
  globals[PREFIX] = svc;
});
