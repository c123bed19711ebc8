/** What a site's rules make of the stored values of an event: evaluated when a query asks, so that a changed rule holds for the whole past. */
import { type Arrival, type ArrivalRules, arrivalNamer } from "./arrivals.ts";

/** A site that says nothing. */
export const NO_ARRIVAL_RULES: ArrivalRules = { ownHosts: [], ignoredReferrers: [], channelRules: [] };

export type ArrivalName = "source" | "referrer" | "channel";

/** The stored values of an event, as they are. */
export interface StoredArrival {
  readonly referrer: string | null;
  readonly utmSource: string | null;
  readonly utmMedium: string | null;
  readonly clickId: string | null;
}

/** Scheme, and the host or an IPv6 address in brackets. */
const REFERRER = /^[^:]*:\/\/(\[[^\]]*\]|[^/?#:]*)/;

/** The host of a stored referrer, which is an absolute URL without credentials; in lower case, also the package of an app. */
export const hostOfReferrer = (referrer: string): string => (REFERRER.exec(referrer)?.[1] ?? referrer).toLowerCase();

const arrivalOf = ({ referrer, utmSource, utmMedium, clickId }: StoredArrival): Arrival => ({
  referrerHost: referrer === null ? null : hostOfReferrer(referrer),
  utmSource,
  utmMedium,
  clickId,
});

/** Steps of a turn of a thread in which arrivals are named: a millisecond or two. */
export const NAMING_TURN_STEPS = 20_000;

const STEPS = 10;
const CHARS_PER_STEP = 8;

/** The steps of naming one arrival. Values of rules may have many wildcards, so their characters count. */
export const namingSteps = ({ channelRules }: ArrivalRules): number => STEPS + JSON.stringify(channelRules).length / CHARS_PER_STEP;

/** null for an arrival that has no such name. A channel each has. */
export function arrivalNames(rules: ArrivalRules, siteId: string): (name: ArrivalName, stored: StoredArrival) => string | null {
  const namer = arrivalNamer(rules, siteId);
  return (name, stored) => {
    const arrival = arrivalOf(stored);
    if (name !== "referrer") return namer[name](arrival);
    return arrival.referrerHost !== null && namer.isForeign(arrival.referrerHost) ? stored.referrer : null;
  };
}
