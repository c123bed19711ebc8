/** The tracker in a real Chromium, which comes as a package. */
import { CHROMIUM } from "./support/tracker-browsers.ts";
import { describeTracker } from "./tracker.suites.ts";

describeTracker(CHROMIUM);
