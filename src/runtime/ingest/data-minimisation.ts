/** The details that an operator can keep out of stored events (docs/privacy.md). */
import type { Calendar } from "../../storage/calendar.ts";
import type { EpochMs, StoredEvent } from "../../storage/event.ts";

/** The options of these names, with `gdpr_mode` applied (`config.ts`). */
export interface DataMinimisation {
  /** Read by `parseReferrer` and `withStoredLink`; the other fields by `minimiseEvent`. */
  readonly stripReferrerQuery: boolean;
  readonly roundTimestamps: boolean;
  readonly suppressBrowserVersion: boolean;
  readonly suppressOsVersion: boolean;
  readonly suppressScreenSize: boolean;
  /** The finest location that is stored. */
  readonly geoipPrecision: "city" | "region" | "country" | "none";
}

const HOUR_MS = 3_600_000;

/**
 * The event without these details. `calendar` is that of its site. Queries of referrers and links are removed earlier, where they are
 * parsed.
 */
export function minimiseEvent(event: StoredEvent, minimisation: DataMinimisation, calendar: Calendar): StoredEvent {
  const { geoipPrecision } = minimisation;
  return {
    ...event,
    timestampMs: minimisation.roundTimestamps ? roundToHour(event.timestampMs, calendar) : event.timestampMs,
    browserVersion: minimisation.suppressBrowserVersion ? null : event.browserVersion,
    osVersion: minimisation.suppressOsVersion ? null : event.osVersion,
    screenSize: minimisation.suppressScreenSize ? null : event.screenSize,
    countryCode: geoipPrecision === "none" ? null : event.countryCode,
    region: geoipPrecision === "city" || geoipPrecision === "region" ? event.region : null,
    city: geoipPrecision === "city" ? event.city : null,
  };
}

/**
 * Rounds to the hour, because a minute is enough to find the visitor's line, and so the address, in a web server's log. Rounds down,
 * because realtime excludes events in the future. Reports finer than an hour (realtime, durations, the order within a session) become
 * inexact; daily and hourly ones and the date stay exact: it is the hour of the site's clock, which may differ from an hour of UTC, and
 * never lies before a change of the clock that the event has passed.
 */
function roundToHour(timestampMs: EpochMs, calendar: Calendar): EpochMs {
  const { fromMs, offsetMs } = calendar.offsetsBetween(timestampMs - HOUR_MS, timestampMs + 1).at(-1) ?? { fromMs: 0, offsetMs: 0 };
  return Math.max(fromMs, Math.floor((timestampMs + offsetMs) / HOUR_MS) * HOUR_MS - offsetMs);
}
