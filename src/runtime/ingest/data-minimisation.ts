/** Which details an operator may have left out of stored events, and how each is left out. */
import type { EpochMs, StoredEvent } from "../../storage/event.ts";

/** The options of these names, once `gdpr_mode` has had its say (`config.ts`). */
export interface DataMinimisation {
  /** For `parseReferrer` and `withKeptLink`; the others are for `minimiseEvent`. */
  readonly stripReferrerQuery: boolean;
  readonly roundTimestamps: boolean;
  readonly suppressBrowserVersion: boolean;
  readonly suppressOsVersion: boolean;
  readonly suppressScreenSize: boolean;
  /** The finest part of a place that is kept. */
  readonly geoipPrecision: "city" | "region" | "country" | "none";
}

const HOUR_MS = 3_600_000;

/** The event as it may be stored. Queries of referrers and links are left out earlier, where these are parsed. */
export function minimiseEvent(event: StoredEvent, minimisation: DataMinimisation): StoredEvent {
  const { geoipPrecision } = minimisation;
  return {
    ...event,
    timestampMs: minimisation.roundTimestamps ? roundToHour(event.timestampMs) : event.timestampMs,
    browserVersion: minimisation.suppressBrowserVersion ? null : event.browserVersion,
    osVersion: minimisation.suppressOsVersion ? null : event.osVersion,
    screenSize: minimisation.suppressScreenSize ? null : event.screenSize,
    countryCode: geoipPrecision === "none" ? null : event.countryCode,
    region: geoipPrecision === "city" || geoipPrecision === "region" ? event.region : null,
    city: geoipPrecision === "city" ? event.city : null,
  };
}

/**
 * Down to the full hour: a minute would still find a visitor's line in a web server's log, which holds the address. Never up,
 * because an event of the future would be missing from the realtime figures. The price is that figures finer than an hour
 * (realtime, durations, the order within a visit) blur; daily and hourly ones stay exact, as does the date.
 */
function roundToHour(timestampMs: EpochMs): EpochMs {
  return Math.floor(timestampMs / HOUR_MS) * HOUR_MS;
}
