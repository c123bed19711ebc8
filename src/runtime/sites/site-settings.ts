/** The settings of a site: their defaults (docs/sites.md). */
import type { WeekStart } from "../../shared/site-choices.ts";

export interface SiteSettings {
  /** The site's display name; null for its id. */
  readonly name: string | null;
  /** An IANA name; null for the option `time_zone`. */
  readonly timeZone: string | null;
  readonly weekStart: WeekStart;
  /** Everyone may read its statistics. */
  readonly isPublic: boolean;
  /** Paths whose events are not stored. `*` matches any characters, or none. */
  readonly excludedPaths: readonly string[];
  /** Addresses and networks (`192.0.2.0/24`) whose events are not stored. */
  readonly excludedAddresses: readonly string[];
  /** Country codes whose events are not stored. */
  readonly excludedCountries: readonly string[];
  /** Cards that the dashboard does not show. */
  readonly hiddenCards: readonly string[];
  /** Days for which events are kept; null for the option `retention_days`, 0 for ever. */
  readonly retentionDays: number | null;
}

export const DEFAULT_SETTINGS: SiteSettings = {
  name: null,
  timeZone: null,
  weekStart: "monday",
  isPublic: false,
  excludedPaths: [],
  excludedAddresses: [],
  excludedCountries: [],
  hiddenCards: [],
  retentionDays: null,
};
