/** Decides the order of things on a page: the first pageview first, then whatever was reported before it. */

import { attempt } from "./attempt.ts";
import { onFirstSight } from "./first-sight.ts";
import { watchLinkClicks } from "./link-clicks.ts";
import { watchPageViews } from "./page-views.ts";
import { createReport, type Report } from "./report.ts";
import type { Settings } from "./settings.ts";

export const startTracking = (settings: Settings, waiting: Parameters<Report>[]): Report => {
  const report = createReport(settings);
  let isSeen = false;
  const track: Report = (...call) => {
    if (isSeen) report(...call);
    else waiting.push(call);
  };
  watchLinkClicks(settings, track);
  onFirstSight(() => {
    // A page may forbid to be watched, and its queue may hold anything.
    attempt(() => watchPageViews(report, settings.flag("hash")));
    isSeen = true;
    for (const call of waiting) attempt(() => report(...call));
  });
  return track;
};
