/** Decides the order of things on a page: the first pageview first, then whatever was reported before it. */

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
    watchPageViews(report, settings.flag("hash"));
    isSeen = true;
    for (const call of waiting) report(...call);
  });
  return track;
};
