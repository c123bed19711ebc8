/** The tracker in a real Chromium, installed as a package. */
import { CHROMIUM } from "./support/tracker-browsers.ts";
import { describeTracker } from "./tracker.suites.ts";

describeTracker(CHROMIUM);
