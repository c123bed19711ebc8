/** The interface document against the built program over TCP. */
import { afterAll } from "vitest";
import { withAskedRoutes } from "../support/asked-routes.ts";
import { NO_ADDRESS, NO_CLOCK, NO_FLUSH, nodeTargets } from "../support/node-target.ts";
import type { SkippedCase } from "../support/target.ts";
import { ofTier } from "../support/tier.ts";
import { describeCompleteness, describeHost, describeInterface } from "./interface.suite.ts";

/** Cases that cannot run here. A name that is missing, wrong or no longer needed fails a test. */
const SKIPPED_OF_HOSTS: readonly SkippedCase[] = [
  { case: "rebinding: only connections from this machine and private networks are asked for their host name", reason: NO_ADDRESS },
  { case: "rebinding: it is the connection that counts, not what a header claims", reason: NO_ADDRESS },
  { case: "the figures are the same before a flush and after it", reason: NO_FLUSH },
  { case: "a site that was never asked about before its flush is counted", reason: NO_FLUSH },
  { case: "events of several flushes and of the journal add up", reason: NO_FLUSH },
  { case: "events that come during a flush are counted once", reason: NO_FLUSH },
];

const SKIPPED_OF_RULES: readonly SkippedCase[] = [
  { case: "a site's limit lets events in again after Retry-After seconds and not before", reason: NO_CLOCK },
  { case: "a limit of several events a second allows that many at once", reason: NO_CLOCK },
  { case: "a visitor is another one when the salt rotates at midnight UTC", reason: NO_CLOCK },
  { case: "with visitor_salt_rotation_days a visitor stays the same for that many days", reason: NO_CLOCK },
  { case: "with a generated secret a visitor is another one after a restart in the next salt period", reason: NO_CLOCK },
  { case: "with round_timestamps times are rounded down to the hour and days stay exact", reason: NO_CLOCK },
  { case: "a pause of 30 minutes goes on with the visit, a longer one starts another", reason: NO_CLOCK },
  { case: "session_window_minutes is how long a pause may be", reason: NO_CLOCK },
  { case: "visits of two visitors at the same time are two", reason: NO_CLOCK },
  { case: "each period holds the dates it names, today included", reason: NO_CLOCK },
  { case: "the last millisecond of a day belongs to it and the next one to the next", reason: NO_CLOCK },
  { case: "periods end on a day that is known", reason: NO_CLOCK },
  { case: "an event falls into the hour and the day it came in", reason: NO_CLOCK },
  { case: "events outside the range are not in the series", reason: NO_CLOCK },
  { case: "visits are made before events are filtered, and then described whole", reason: NO_CLOCK },
  { case: "each side has the figures of its own window, and filters narrow both", reason: NO_CLOCK },
  { case: "the windows meet at midnight: no event is in both or in neither", reason: NO_CLOCK },
  { case: "a year ago is 365 days ago, across a leap day", reason: NO_CLOCK },
  { case: "periods are compared as the days they stand for", reason: NO_CLOCK },
  { case: "other endpoints answer the same with compare and without", reason: NO_CLOCK },
  { case: "the window holds both its ends to the millisecond", reason: NO_CLOCK },
  { case: "events of the future are left out until their time comes", reason: NO_CLOCK },
  { case: "per_minute goes by the minutes of the clock, oldest first, without gaps", reason: NO_CLOCK },
  { case: "the window goes on across midnight", reason: NO_CLOCK },
  { case: "a window of a day reaches into yesterday", reason: NO_CLOCK },
  { case: "filters narrow every figure", reason: NO_CLOCK },
  { case: "realtime is the same before a flush and after it", reason: NO_FLUSH },
  { case: "a visitor's sessions each have their pages, and a pause of exactly the window ends none", reason: NO_CLOCK },
  { case: "a session goes on past midnight where visitors are recognised the next day", reason: NO_CLOCK },
  { case: "a funnel's window begins with the first step and includes its last millisecond", reason: NO_CLOCK },
  { case: "a visitor whose salt changes at midnight begins a funnel anew", reason: NO_CLOCK },
  { case: "a time in a pattern says how far apart the events around it are", reason: NO_CLOCK },
  { case: "a flow stays within the session of the first view", reason: NO_CLOCK },
  { case: "cohorts are the weeks, from Monday on, of visitors' first events", reason: NO_CLOCK },
  { case: "an answer is given again for cache_ttl_secs and not a millisecond longer", reason: NO_CLOCK },
  { case: "a new day is a new question, also within the ttl", reason: NO_CLOCK },
  { case: "a session ends after session_ttl_secs", reason: NO_CLOCK },
  { case: "Retry-After counts down, and after it the row begins anew", reason: NO_CLOCK },
  { case: "a session that has expired is none, on any route", reason: NO_CLOCK },
  { case: "both dates are included, and no other is", reason: NO_CLOCK },
  { case: "flushes are timed, the journal's lag grows until then, and files are known", reason: NO_FLUSH },
];

const makeTarget = withAskedRoutes(nodeTargets());
afterAll(() => makeTarget.closeAll());

ofTier({ quick: describeHost, all: describeInterface })(makeTarget);

describeCompleteness(makeTarget, ofTier({ quick: SKIPPED_OF_HOSTS, all: [...SKIPPED_OF_HOSTS, ...SKIPPED_OF_RULES] }));
