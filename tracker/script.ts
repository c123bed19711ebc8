/** Decides the order of things when the script runs: nothing twice, the first pageview first, then what the page had queued. */

import { attempt } from "./attempt.ts";
import { onFirstSight } from "./first-sight.ts";
import { watchLinkClicks } from "./link-clicks.ts";
import { PREFIX } from "./names.ts";
import { watchPageViews } from "./page-views.ts";
import { createReport, type Report } from "./report.ts";
import { readSettings } from "./settings.ts";

/** `q` holds the calls made before the script came, `ran` tells a second script that one is here. */
type PublicFunction = Report & { q?: Iterable<Parameters<Report>>; ran?: boolean };

attempt(() => {
  const globals = window as unknown as Record<typeof PREFIX, Partial<PublicFunction> | undefined>;
  const { q = [], ran } = globals[PREFIX] || {};
  if (ran) return;

  const settings = readSettings();
  const report = createReport(settings);
  const waiting = [...q];
  let isSeen = false;
  const svc: PublicFunction = (...call) => {
    if (isSeen) report(...call);
    else waiting.push(call);
  };
  svc.ran = true;
  globals[PREFIX] = svc;

  watchLinkClicks(settings, svc);
  onFirstSight(() => {
    watchPageViews(report, settings.flag("hash"));
    isSeen = true;
    for (const call of waiting) report(...call);
  });
});
