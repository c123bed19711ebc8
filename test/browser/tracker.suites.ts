/** The one list of what the tracker does on a page, for every browser. */

import { describe } from "vitest";
import { skippedFor } from "../support/skipped.ts";
import { trackerBench } from "./support/tracker-bench.ts";
import type { TrackerBrowser } from "./support/tracker-browsers.ts";
import { describeClobbering } from "./tracker.clobbering.suite.ts";
import { describeEvents } from "./tracker.events.suite.ts";
import { describeGuest } from "./tracker.guest.suite.ts";
import { describeInstallation } from "./tracker.installation.suite.ts";
import { describeLinks } from "./tracker.links.suite.ts";
import { describeModule } from "./tracker.module.suite.ts";
import { describeOptOut } from "./tracker.opt-out.suite.ts";
import { describePageviews } from "./tracker.pageviews.suite.ts";
import { describeUncounted } from "./tracker.uncounted.suite.ts";

export function describeTracker(browser: TrackerBrowser): void {
  const { name, missing } = browser;
  describe(`the tracker in ${name}`, skippedFor(missing), () => {
    const bench = trackerBench(browser);
    describeInstallation(bench);
    describePageviews(bench);
    describeUncounted(bench);
    describeOptOut(bench);
    describeEvents(bench);
    describeLinks(bench);
    describeClobbering(bench);
    describeGuest(bench);
    describeModule(bench);
  });
}
