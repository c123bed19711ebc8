/** The HTTP suites against the built program over TCP. */
import { afterAll } from "vitest";
import { withAskedRoutes } from "../support/asked-routes.ts";
import { NO_ADDRESS, NO_CLOCK, NO_FLUSH, nodeTargets } from "../support/node-target.ts";
import type { SkippedCase } from "../support/target.ts";
import { ofTier } from "../support/tier.ts";
import { describeAgain, describeCompleteness, describeHost, describeInterface } from "./interface.suite.ts";
import { describeVersion } from "./version.suite.ts";

/** Cases that cannot run here. A name that is missing, wrong or no longer needed fails a test. */
const SKIPPED_OF_HOSTS: readonly SkippedCase[] = [
  { case: "rebinding: host names are checked only for connections from this machine and private networks", reason: NO_ADDRESS },
  { case: "rebinding: the address of the connection decides, not what a header claims", reason: NO_ADDRESS },
  { case: "reports are the same before and after a flush", reason: NO_FLUSH },
  { case: "a site that was never queried before its flush is counted", reason: NO_FLUSH },
  { case: "events of several flushes and of the journal add up", reason: NO_FLUSH },
  { case: "events that arrive during a flush are counted once", reason: NO_FLUSH },
];

const SKIPPED_AGAIN: readonly SkippedCase[] = [
  { case: "a site's limit accepts events again after Retry-After seconds, and not before", reason: NO_CLOCK },
  { case: "a limit of several events a second allows that many at once", reason: NO_CLOCK },
  { case: "with round_timestamps times are rounded down to the hour and days stay exact", reason: NO_CLOCK },
  { case: "a pause of exactly 30 minutes continues the session, and a longer one begins a new one", reason: NO_CLOCK },
  { case: "session_window_minutes sets how long a pause within a session may be", reason: NO_CLOCK },
  { case: "simultaneous visits of two visitors are two sessions", reason: NO_CLOCK },
  { case: "each period has exactly its dates, today included", reason: NO_CLOCK },
  { case: "the last millisecond of a day belongs to that day, and the next one to the next day", reason: NO_CLOCK },
  { case: "an expired session is rejected on every route", reason: NO_CLOCK },
  { case: "an erasure includes both of its dates and no other", reason: NO_CLOCK },
  { case: "a flush is timed, and ends the journal's lag", reason: NO_FLUSH },
  { case: "a flush adds a file to the catalog, and a query a partition to the cache", reason: NO_FLUSH },
];

const SKIPPED_AT_NIGHT: readonly SkippedCase[] = [
  { case: "a session ends after session_ttl_secs", reason: NO_CLOCK },
  { case: "Retry-After counts down, and afterwards failures are counted from zero", reason: NO_CLOCK },
  { case: "a visitor is another one when the salt rotates at midnight UTC", reason: NO_CLOCK },
  { case: "with visitor_salt_rotation_days a visitor stays the same for that many days", reason: NO_CLOCK },
  { case: "with a generated secret a visitor is another one after a restart in the next salt period", reason: NO_CLOCK },
  { case: "periods end on the current date", reason: NO_CLOCK },
  { case: "all dates are those since the first event, by the month beyond a year", reason: NO_CLOCK },
  { case: "an event counts in the bucket of the hour or day in which it arrived", reason: NO_CLOCK },
  { case: "a visitor of several days counts once in a week, or once for each salt period in it", reason: NO_CLOCK },
  { case: "events outside the range are not in the timeseries", reason: NO_CLOCK },
  { case: "sessions are formed before filtering, and metrics describe the whole session", reason: NO_CLOCK },
  { case: "each side of a comparison has the metrics of its own window, and filters narrow both", reason: NO_CLOCK },
  { case: "a custom window ends at the time of day that it is now, and sessions with it", reason: NO_CLOCK },
  { case: "a cached comparison stays that of its moment: both of its windows grow together", reason: NO_CLOCK },
  { case: "the windows of a comparison meet at midnight: each event is in exactly one", reason: NO_CLOCK },
  { case: "year_over_year compares with the dates 365 days earlier, across a leap day", reason: NO_CLOCK },
  { case: "a period is compared like its dates", reason: NO_CLOCK },
  { case: "other reports have the same result with and without compare", reason: NO_CLOCK },
  { case: "the realtime window includes both ends, to the millisecond", reason: NO_CLOCK },
  { case: "realtime excludes future events until their time has come", reason: NO_CLOCK },
  { case: "per_minute counts by minute of the clock, oldest first, without gaps", reason: NO_CLOCK },
  { case: "the realtime window may span midnight", reason: NO_CLOCK },
  { case: "a realtime window of a day includes yesterday's events", reason: NO_CLOCK },
  { case: "filters narrow every realtime metric", reason: NO_CLOCK },
  { case: "minutes of a site without events are zero everywhere", reason: NO_CLOCK },
  { case: "minutes widens lists and page views, and leaves the current visitors as they are", reason: NO_CLOCK },
  { case: "a window of minutes begins at a minute of the clock, and both of its ends are inclusive", reason: NO_CLOCK },
  { case: "minutes shorter than realtime_window_minutes narrow everything but the current visitors", reason: NO_CLOCK },
  { case: "filters narrow every field of a window of minutes, which may span midnight", reason: NO_CLOCK },
  { case: "realtime is the same before and after a flush", reason: NO_FLUSH },
  { case: "each session has its own entry and exit page, and a pause of exactly the session window does not end it", reason: NO_CLOCK },
  { case: "a session continues past midnight if visitor ids live longer than a day", reason: NO_CLOCK },
  { case: "the window of a funnel starts at the first step and includes its last millisecond", reason: NO_CLOCK },
  { case: "a funnel starts over when a visitor's salt changes at midnight", reason: NO_CLOCK },
  { case: "a time in a pattern limits how far apart the events around it are", reason: NO_CLOCK },
  { case: "flow stays within the session of the first view", reason: NO_CLOCK },
  { case: "a cohort is the visitors whose first event is in the same ISO week", reason: NO_CLOCK },
  { case: "a cached result is returned for cache_ttl_secs and not a millisecond longer", reason: NO_CLOCK },
  { case: "a result of yesterday's period is not returned on a new day, even within the ttl", reason: NO_CLOCK },
  { case: "a link ends at its time by the wall clock, and a viewer token after 12 hours", reason: NO_CLOCK },
  { case: "a link of this month shows its dates so far, and one of all dates every event", reason: NO_CLOCK },
  { case: "all dates of a link with a filter begin with the first event that it shows", reason: NO_CLOCK },
  { case: "a period cannot be left, and moves at midnight of the site's time zone, also where its report is cached", reason: NO_CLOCK },
  { case: "the last use is recorded about once a minute", reason: NO_CLOCK },
  { case: "wrong passwords of a link lock an address out of this link only, and a right one resets their count", reason: NO_CLOCK },
  { case: "a link takes 20 passwords at once, and then one per second; others and the login do not wait for it", reason: NO_CLOCK },
  { case: "equals the reports of each site for all periods, with visitor ids that last 1 days", reason: NO_CLOCK },
  { case: "equals the reports of each site for all periods, with visitor ids that last 3 days", reason: NO_CLOCK },
  { case: "counts the day that corresponds to today until the same minute, as time passes", reason: NO_CLOCK },
  { case: "visitors are current for five minutes, and new events count at once", reason: NO_CLOCK },
];

const makeTarget = withAskedRoutes(nodeTargets());
afterAll(() => makeTarget.closeAll());

ofTier({ quick: describeHost, all: describeAgain("node"), nightly: describeInterface })(makeTarget);

describeVersion(makeTarget);

describeCompleteness(
  makeTarget,
  ofTier({ quick: SKIPPED_OF_HOSTS, all: SKIPPED_AGAIN, nightly: [...SKIPPED_OF_HOSTS, ...SKIPPED_AGAIN, ...SKIPPED_AT_NIGHT] }),
);
