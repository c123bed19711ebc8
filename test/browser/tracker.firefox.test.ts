/** The tracker in the machine's own Firefox, where it has one. */
import { FIREFOX } from "./support/tracker-browsers.ts";
import { describeTracker } from "./tracker.suites.ts";

describeTracker(FIREFOX);
