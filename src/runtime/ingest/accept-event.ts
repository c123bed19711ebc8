/** The steps from a request with an event to the journal, in order (docs/http-api.md, "Processing order"). */
import type { Calendar } from "../../storage/calendar.ts";
import { type EpochMs, EVENT_COLUMNS, type SiteId, type StoredEvent } from "../../storage/event.ts";
import { SALT_RENEWALS_PER_EVENT_MAX } from "../base/config/limits.ts";
import { DEMO_SITE, isSiteId } from "../base/config/names.ts";
import { AppError } from "../base/errors.ts";
import type { Counters } from "../base/metrics/metrics.ts";
import { type RateLimit, rateLimitKeyOf, type RateVerdict, type RemoteRateLimit, takeFromAll, takeFromBoth } from "../base/rate-limit.ts";
import type { Pings } from "../../storage/pings.ts";
import type { DayCountStore } from "../bots/day-count-store.ts";
import { type DropReason, isOfBot } from "../bots/drop-reasons.ts";
import type { Exclusions } from "../sites/exclusions.ts";
import type { EventNames } from "../sites/site-names.ts";
import type { CalendarOf, ExclusionsOf } from "../sites/sites.ts";
import type { Allowlist, IngestGate, SiteAdmission } from "./admission.ts";
import { isMailProxy } from "./browser-patterns.ts";
import { type ClientHints, detectDevice, isHeadless, parseScreenWidth, type UserAgentCache } from "./device.ts";
import { type CheckedEventInput, checkEventInput, EVENT_FIELDS, type EventInput, parseCurrency, parseRevenue } from "./event-input.ts";
import type { EventOutcomes } from "./event-outcomes.ts";
import { type Door, evidenceOf } from "./evidence.ts";
import type { GeoLookup, GeoPlace } from "./geo.ts";
import type { Network, NetworkLookup } from "./network.ts";
import { parseProps } from "./props.ts";
import { hostOfReferrer, parseReferrer } from "./referrer.ts";
import { barePathOf, type PageRules, parsePageUrl, withoutParameters, withStoredLink } from "./urls.ts";
import type { Visit, VisitorIds, VisitorSalts } from "./visitors.ts";

/** The options of these names, with `gdpr_mode` applied: details that an operator can keep out of stored events (docs/privacy.md). */
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

/** A request that carries an event. Its body has been read and is within its limit. */
export interface IngestContext {
  /** Start of the request by the wall clock. */
  readonly nowMs: EpochMs;
  /** Request start, monotonic ms. */
  readonly beganMs: number;
  readonly origin: string | null;
  /** Used for location, network and visitor id only: no field of the event holds it (docs/privacy.md). */
  readonly clientAddress: string;
  /** The location of the address, on a platform that provides it. */
  readonly clientPlace: GeoPlace | null;
  /** The network of the address, on a platform that provides it. */
  readonly clientNetwork: Network | null;
  readonly userAgent: string;
  readonly clientHints: ClientHints;
  /** Proxies of mail services load the tracking pixel for their readers. */
  readonly door: Door;
  /** The request has the header `Signature-Agent`. */
  readonly isSignedAgent: boolean;
  /** Reads the fields; throws when one is missing or has the wrong type. */
  readonly readInput: () => EventInput;
}

/** The outcome of an event that was not refused. */
export type Acceptance = "accepted" | DropReason | "no event";

export type AcceptEvent = (context: IngestContext) => Promise<Acceptance>;

/** An event as one instance hands it to another, whose monotonic clock differs. */
export interface PassedEvent extends Omit<IngestContext, "readInput" | "beganMs"> {
  readonly input: EventInput;
  /** Time since the start of the request. */
  readonly elapsedMs: number;
}

interface AcceptEventOptions {
  readonly allowlist: Allowlist;
  readonly names: EventNames;
  readonly knownSites: SiteAdmission;
  /** Rejects with the reason if the demo site has taken its name. */
  readonly refuseDemoEvent: () => Promise<void>;
  readonly siteRateLimit: RateLimit;
  readonly addressRateLimit: RateLimit;
  /** Instead of that one, where several instances share it. */
  readonly sharedAddressRateLimit: RemoteRateLimit | null;
  readonly filterBots: boolean;
  readonly userAgents: UserAgentCache;
  readonly geo: GeoLookup;
  /** null without a network database. */
  readonly networkOf: NetworkLookup | null;
  readonly visitorSalts: VisitorSalts;
  readonly visitorIds: VisitorIds;
  readonly minimisation: DataMinimisation;
  readonly ingestGate: IngestGate;
  /** Pings of engaged time. null where they are dropped. */
  readonly pings: Pick<Pings, "add"> | null;
  readonly exclusionsOf: ExclusionsOf;
  readonly pageRulesOf: (siteId: SiteId) => PageRules;
  /** Gives an event its date and time zone. */
  readonly calendarOf: CalendarOf;
  readonly counters: Counters;
  readonly outcomes: EventOutcomes;
  /** Counts dropped events by day. null where they are not counted. */
  readonly droppedEvents: Pick<DayCountStore, "note"> | null;
  readonly now: () => EpochMs;
  readonly monotonicMs: () => number;
  /** Has the site's instance accept the event, in the registry of a host with an instance for each site. null if events are stored here. */
  readonly passOn: ((siteId: SiteId, event: PassedEvent) => Promise<Acceptance>) | null;
}

/**
 * Resolves when the event is in the journal, or was dropped as a bot's or by the site's settings. Rejects with the reason when it is
 * refused.
 */
export function createAcceptEvent(options: AcceptEventOptions): AcceptEvent {
  const { allowlist, names, outcomes, passOn } = options;
  return async (context) => {
    let input: EventInput;
    let siteId: string | null = null;
    try {
      allowlist.checkOrigin(context.origin);
      input = context.readInput();
      ({ siteId } = input);
      allowlist.checkSite(siteId);
      // Not checked yet, and harmless: a text that is no site id stands for nothing else.
      siteId = names.siteOf(siteId as SiteId);
      if (siteId !== input.siteId) input = { ...input, siteId };
      if (passOn === null || !isSiteId(siteId)) return await acceptHere(input, context, options);
    } catch (error) {
      outcomes.noteRefusal(siteId, context.origin, error, context.nowMs);
      throw error;
    }
    // The site's instance counts the outcome.
    const { readInput: _, beganMs, ...sender } = context;
    return passOn(siteId, { ...sender, input, elapsedMs: options.monotonicMs() - beganMs });
  };
}

async function acceptHere(fields: EventInput, context: IngestContext, options: AcceptEventOptions): Promise<Acceptance> {
  const { knownSites, names, counters, outcomes } = options;
  const isChecked = checkRate(fields.siteId, context, options);
  if (isChecked) await isChecked;
  const input = checkEventInput(fields);
  if (input.siteId === DEMO_SITE) await options.refuseDemoEvent();
  if (!knownSites.has(input.siteId)) {
    if (!knownSites.areListed) await knownSites.untilListed();
    const isAdmitted = knownSites.check(input.siteId);
    if (isAdmitted) await isAdmitted;
  }
  if (input.isNoEvent) {
    await storePing(input, context, options);
    return "no event";
  }
  const dropped = dropReasonOf(input, context, options);
  if (dropped === null) {
    // The site may have got another name since.
    await names.storing(input.siteId, (siteId) => {
      const stored = siteId === input.siteId ? input : { ...input, siteId };
      return knownSites.storing(siteId, () => storeEvent(stored, context, options));
    });
    counters[context.door === "pixel" ? "pixelEventsIngested" : "eventsIngested"]++;
  } else noteDropped(dropped, input, context, options);
  outcomes.note(input.siteId, dropped === null ? "accepted" : isOfBot(dropped) ? "bot" : "excluded", context.nowMs);
  return dropped ?? "accepted";
}

/** Counts a dropped event; by day for known sites only, because anybody may name others. Keeps no more of the User-Agent than a name of a list. */
function noteDropped(
  reason: DropReason,
  { siteId, url }: CheckedEventInput,
  { userAgent }: IngestContext,
  options: AcceptEventOptions,
): void {
  const { counters, droppedEvents, knownSites, userAgents } = options;
  counters[isOfBot(reason) ? "botEventsDropped" : "eventsExcluded"]++;
  if (droppedEvents === null || !knownSites.has(siteId)) return;
  const name = isOfBot(reason) ? userAgents.botNameOf(userAgent) : "";
  droppedEvents.note(siteId, momentOf(siteId, options).date, [reason, name], barePathOf(url, options.pageRulesOf(siteId)));
}

/** Keeps a ping, unless its page view would have been dropped. It fails nothing: what cannot be stored is dropped. */
async function storePing(input: CheckedEventInput, context: IngestContext, options: AcceptEventOptions): Promise<void> {
  const { pings, names, knownSites, counters, filterBots, exclusionsOf, visitorSalts } = options;
  const { engagedMs = 0, siteId } = input;
  if (pings === null || engagedMs === 0 || !knownSites.has(siteId)) return;
  const exclusions = exclusionsOf(siteId);
  if ((filterBots && isSentByBot(context, options)) || (exclusions && exclusionOf(input, context, exclusions, options))) return;
  const moment = momentOf(siteId, options);
  if (!visitorSalts.isReadyAt(moment.timeZone, moment.timestampMs)) return;
  try {
    await names.storing(siteId, async (stored) => {
      const event = eventFrom({ ...input, siteId: stored }, context, moment, options);
      const { date, visitorId, pathname, timestampMs } = event;
      if (!(await pings.add({ siteId: stored, date, visitorId, pathname, timestampMs, engagedMs }))) counters.pingsDropped++;
    });
  } catch {
    counters.pingsDropped++;
  }
}

/** null for an event that is stored. */
function dropReasonOf(input: CheckedEventInput, context: IngestContext, options: AcceptEventOptions): DropReason | null {
  const { filterBots, exclusionsOf } = options;
  if (filterBots && isSentByBot(context, options)) return isHeadless(context.clientHints) ? "headless_browser" : "bot";
  const exclusions = exclusionsOf(input.siteId);
  return exclusions && exclusionOf(input, context, exclusions, options);
}

const isSentByBot = ({ userAgent, clientHints, door }: IngestContext, { userAgents }: AcceptEventOptions): boolean =>
  isHeadless(clientHints) || (userAgents.isBot(userAgent) && !(door === "pixel" && isMailProxy(userAgent)));

/** The country is that of the lookup, also where less of it is stored. */
function exclusionOf(
  { siteId, url, referrer }: CheckedEventInput,
  context: IngestContext,
  { hasAddress, hasCountry, hasNetwork, hasPage, hasReferrer }: Exclusions,
  options: AcceptEventOptions,
): DropReason | null {
  const { clientAddress, clientPlace } = context;
  if (hasAddress?.(clientAddress)) return "excluded_address";
  const countryCode = hasCountry && (clientPlace ?? options.geo(clientAddress)).countryCode;
  if (countryCode !== null && hasCountry?.(countryCode)) return "excluded_country";
  const network = hasNetwork && networkOf(context, options);
  if (network && hasNetwork?.(network.asn)) return "excluded_network";
  const referrerHost = hasReferrer && hostOfReferrer(referrer);
  if (referrerHost !== null && hasReferrer?.(referrerHost)) return "excluded_referrer";
  if (hasPage === null) return null;
  const { pathname, hostname } = parsePageUrl(url, withoutParameters(options.pageRulesOf(siteId)));
  return hasPage(pathname, hostname) ? "excluded_page" : null;
}

const networkOf = ({ clientAddress, clientNetwork }: IngestContext, options: AcceptEventOptions): Network | null =>
  clientNetwork ?? options.networkOf?.(clientAddress) ?? null;

/** The time of an event, by its site's calendar at that instant. */
type Moment = Pick<Visit, "timestampMs" | "date" | "timeZone">;

function momentOf(siteId: SiteId, { calendarOf, now }: AcceptEventOptions): Moment {
  const timestampMs = now();
  const calendar = calendarOf(siteId);
  return { timestampMs, date: calendar.dateOf(timestampMs), timeZone: calendar.zoneAt(timestampMs) };
}

/**
 * The moment is that at which the visitor id is computed, not when the request began: a body may arrive after the end of a salt
 * period, whose salt is deleted by then.
 */
async function storeEvent(input: CheckedEventInput, context: IngestContext, options: AcceptEventOptions): Promise<void> {
  const { visitorSalts, ingestGate } = options;
  let moment = momentOf(input.siteId, options);
  for (let renewals = 1; !visitorSalts.isReadyAt(moment.timeZone, moment.timestampMs); renewals++) {
    const { timeZone } = moment;
    await ingestGate.storeSalt(() => renewSalt(visitorSalts, timeZone, renewals), context.beganMs);
    moment = momentOf(input.siteId, options);
  }
  await ingestGate.store(eventFrom(input, context, moment, options), context.beganMs);
}

async function renewSalt(visitorSalts: VisitorSalts, timeZone: string, renewals: number): Promise<void> {
  if (renewals > SALT_RENEWALS_PER_EVENT_MAX) throw new Error("salt periods end faster than their secrets can be stored");
  await visitorSalts.renew(timeZone);
}

/** Awaits only what another instance decides: an event waits for nothing else before the journal. */
function checkRate(siteId: string, { clientAddress, beganMs }: IngestContext, options: AcceptEventOptions): Promise<void> | void {
  const { siteRateLimit, addressRateLimit, sharedAddressRateLimit } = options;
  const [site, address] = [{ limit: siteRateLimit, key: siteId }, rateLimitKeyOf(clientAddress)];
  const refuse = (verdict: RateVerdict): void => refuseUnlessAllowed(verdict, siteId, beganMs, options);
  if (sharedAddressRateLimit === null) return refuse(takeFromAll([site, { limit: addressRateLimit, key: address }], beganMs));
  return takeFromBoth(site, { limit: sharedAddressRateLimit, key: address }, beganMs).then(refuse);
}

function refuseUnlessAllowed(verdict: RateVerdict, siteId: string, beganMs: number, options: AcceptEventOptions): void {
  if (verdict.allowed) return;
  const isSiteLimit = !options.siteRateLimit.peek(siteId, beganMs).allowed;
  if (isSiteLimit) options.counters.rateLimitRejections++;
  throw new AppError(
    { code: "too_many_requests", retryAfterSecs: verdict.retryAfterSecs },
    `Too many events ${isSiteLimit ? "for this site" : "from this address"}. Try again later.`,
  );
}

type AsSent = Pick<CheckedEventInput, keyof CheckedEventInput & keyof StoredEvent>;

/** Fields that are stored as they were sent, unless `eventFrom` parses them. */
const AS_SENT = EVENT_COLUMNS.map(({ field }) => field).filter((field): field is keyof AsSent => field in EVENT_FIELDS);

function asSent(input: CheckedEventInput): AsSent {
  const sent: Partial<Record<keyof AsSent, unknown>> = {};
  for (const field of AS_SENT) sent[field] = input[field];
  return sent as AsSent;
}

function eventFrom(input: CheckedEventInput, context: IngestContext, moment: Moment, options: AcceptEventOptions): StoredEvent {
  const { clientAddress, userAgent, clientHints, door, origin, isSignedAgent } = context;
  const { timestampMs, date, timeZone } = moment;
  const { siteId } = input;
  const screenWidth = parseScreenWidth(input.screenWidth);
  const named = options.userAgents.deviceOf(userAgent);
  const device = detectDevice(named, clientHints, screenWidth);
  const calendar = options.calendarOf(siteId);
  const place = context.clientPlace ?? options.geo(clientAddress);
  const network = networkOf(context, options);
  const visitorId = options.visitorIds.visitorIdOf({
    siteId: options.names.hashedAs(siteId, date),
    clientAddress,
    userAgent,
    timestampMs,
    date,
    timeZone,
  });
  const page = parsePageUrl(input.url, options.pageRulesOf(siteId));
  const stripQuery = options.minimisation.stripReferrerQuery;
  const { referrer, source } = parseReferrer(input.referrer, page.hostname, { stripQuery });
  return minimiseEvent(
    {
      // Not first: an object that begins with those of another one takes ten times as long.
      timestampMs,
      date,
      visitorId,
      ...asSent(input),
      ...page,
      referrer,
      referrerSource: source,
      ...place,
      ...device,
      screenSize: screenWidth === null ? null : String(screenWidth),
      props: withStoredLink(input.eventName, parseProps(input.props), { stripQuery }),
      revenueCents: parseRevenue(input.revenue),
      currency: parseCurrency(input.currency),
      interactive: input.interactive === false ? 0 : null,
      evidence: evidenceOf({ door, origin, userAgent, named, clientHints, mark: input.mark, isSignedAgent, network }),
    },
    options.minimisation,
    calendar,
  );
}
