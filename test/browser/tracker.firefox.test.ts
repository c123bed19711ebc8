/** The tracker in the Firefox installed on the machine, if there is one. */
import { FIREFOX } from "./support/tracker-browsers.ts";
import { describeTracker } from "./tracker.suites.ts";

describeTracker(FIREFOX);
