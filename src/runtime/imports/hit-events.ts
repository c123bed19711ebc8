/** The stored event of a hit: by the rules for own events, as far as the source recorded the same. */
import type { VerifiesCrawler } from "../bots/crawler-addresses.ts";
import { cutToChars, wellFormed } from "../../shared/text.ts";
import { normalizeHost } from "../../shared/paths.ts";
import type { Calendar } from "../../storage/calendar.ts";
import type { LocalDate, SiteId, StoredEvent } from "../../storage/event.ts";
import {
  ENGAGED_SECONDS_MAX,
  EVENT_NAME_CHARS_MAX,
  IMPORT_NAME_CHARS_MAX,
  PROPS_CHARS_MAX,
  URL_CHARS_MAX,
  UTM_CHARS_MAX,
} from "../base/config/limits.ts";
import { type DataMinimisation, minimiseEvent } from "../ingest/accept-event.ts";
import { detectDevice, type DeviceInfo, NO_CLIENT_HINTS, parseScreenWidth, type UserAgentCache } from "../ingest/device.ts";
import { parseCurrency, parseRevenue } from "../ingest/event-input.ts";
import type { GeoLookup, GeoPlace } from "../ingest/geo.ts";
import { parseProps } from "../ingest/props.ts";
import type { NetworkLookup } from "../ingest/network.ts";
import { hostOfReferrer, parseReferrer } from "../ingest/referrer.ts";
import { type PageRules, type PageUrl, parsePageUrl, parseUrl, withStoredLink } from "../ingest/urls.ts";
import type { HmacKey, HmacSha256 } from "../ingest/visitor-salt.ts";
import type { Exclusions } from "../sites/exclusions.ts";
import type { Hit, HitProps, LeftOutReason } from "./rows.ts";

export interface HitEventsOptions {
  readonly siteId: SiteId;
  readonly calendar: Calendar;
  readonly pageRules: PageRules;
  readonly verifiesCrawler: VerifiesCrawler;
  readonly exclusions: Exclusions | null;
  readonly minimisation: DataMinimisation;
  readonly filterBots: boolean;
  readonly userAgents: Pick<UserAgentCache, "isBot" | "deviceOf">;
  readonly geo: GeoLookup;
  readonly networkOf: NetworkLookup | null;
  readonly hmac: HmacSha256;
  /** Random, of this import alone, and deleted at its end: nobody can find out afterwards whose the ids are. */
  readonly salt: HmacKey;
}

/**
 * The event of a hit, or why it is left out. `row` is the hit's number among those of the import: a hit of an unknown visitor is a visitor
 * of its own, and the same one when it is read again.
 */
export function eventOfHit(hit: Hit, row: number, options: HitEventsOptions): StoredEvent | LeftOutReason {
  const { siteId, calendar, filterBots, userAgents, minimisation } = options;
  const userAgent = hit.userAgent ?? null;
  if (filterBots && userAgent !== null && userAgents.isBot(userAgent)) return "bot";
  const page = parsePageUrl(cutToChars(wellFormed(hit.path), URL_CHARS_MAX), options.pageRules);
  const place = placeOf(hit, options.geo);
  const hostname = hostOf(hit.hostname);
  if (options.exclusions && isExcluded(hit, { ...page, hostname }, place.countryCode, options.exclusions, options.networkOf))
    return "excluded";
  const stripQuery = minimisation.stripReferrerQuery;
  const { referrer, source } = parseReferrer(textOf(hit.referrer, URL_CHARS_MAX), hostname, { stripQuery });
  const eventName = textOf(hit.name, EVENT_NAME_CHARS_MAX) ?? "";
  const screenWidth = parseScreenWidth(hit.screenWidth ?? null);
  const date = calendar.dateOf(hit.atMs);
  return minimiseEvent(
    {
      timestampMs: hit.atMs,
      date,
      visitorId: visitorIdOf(hit.visitor ?? `\0${row}`, date, options),
      siteId,
      eventName,
      pathname: page.pathname,
      hostname,
      referrer,
      referrerSource: source ?? (hit.referrer ? null : textOf(hit.referrerSource, IMPORT_NAME_CHARS_MAX)),
      ...place,
      ...detectDevice(deviceOf(hit, userAgents), NO_CLIENT_HINTS, screenWidth),
      screenSize: screenWidth === null ? null : String(screenWidth),
      utmSource: textOf(hit.utmSource, UTM_CHARS_MAX) ?? page.utmSource,
      utmMedium: textOf(hit.utmMedium, UTM_CHARS_MAX) ?? page.utmMedium,
      utmCampaign: textOf(hit.utmCampaign, UTM_CHARS_MAX) ?? page.utmCampaign,
      utmContent: textOf(hit.utmContent, UTM_CHARS_MAX) ?? page.utmContent,
      utmTerm: textOf(hit.utmTerm, UTM_CHARS_MAX) ?? page.utmTerm,
      clickId: hit.clickId ?? page.clickId,
      props: withStoredLink(eventName, propsOf(hit.props), { stripQuery }),
      revenueCents: hit.revenue ? parseRevenue(Number(hit.revenue.amount)) : null,
      currency: parseCurrency(hit.revenue?.currency ?? null),
      engagedSeconds: engagedSecondsOf(hit.engagedSeconds),
      interactive: hit.interactive === false ? 0 : null,
      evidence: hit.evidence ?? null,
    },
    minimisation,
    calendar,
  );
}

function visitorIdOf(visitor: string, date: LocalDate, { siteId, hmac, salt }: HitEventsOptions): bigint {
  // The date is part of the message, so that nobody is the same visitor on two days.
  const code = hmac.digest(salt, `${siteId}|${date}|${visitor}`);
  return new DataView(code.buffer, code.byteOffset).getBigUint64(0);
}

/** Where the source says that the visitor was, or the address. */
function placeOf({ countryCode, region, city, clientAddress }: Hit, geo: GeoLookup): GeoPlace {
  if (!countryCode && clientAddress) return geo(clientAddress);
  return {
    countryCode: countryCode ?? null,
    region: textOf(region, IMPORT_NAME_CHARS_MAX),
    city: textOf(city, IMPORT_NAME_CHARS_MAX),
  };
}

function isExcluded(
  { clientAddress, referrer }: Hit,
  { pathname, hostname }: Pick<PageUrl, "pathname" | "hostname">,
  countryCode: string | null,
  { hasPage, hasAddress, hasCountry, hasNetwork, hasReferrer }: Exclusions,
  networkOf: NetworkLookup | null,
): boolean {
  const [path = ""] = pathname.split("?", 1);
  const network = hasNetwork && clientAddress != null ? networkOf?.(clientAddress) : null;
  const referrerHost = hasReferrer && hostOfReferrer(referrer ?? null);
  return (
    hasPage?.(path, hostname) === true ||
    (clientAddress != null && hasAddress?.(clientAddress) === true) ||
    (countryCode !== null && hasCountry?.(countryCode) === true) ||
    (network != null && hasNetwork?.(network.asn) === true) ||
    (referrerHost !== null && hasReferrer?.(referrerHost) === true)
  );
}

/** The host in the stored spelling; null for what is none. */
export function hostOf(hostname: string | null | undefined): string | null {
  const host = hostname ? (parseUrl(`https://${wellFormed(hostname)}/`)?.hostname ?? "") : "";
  return host === "" ? null : normalizeHost(host);
}

/** Trimmed and cut; null for nothing. */
function textOf(text: string | null | undefined, charsMax: number): string | null {
  const trimmed = wellFormed(text ?? "").trim();
  return trimmed === "" ? null : cutToChars(trimmed, charsMax);
}

function deviceOf(hit: Hit, userAgents: Pick<UserAgentCache, "deviceOf">): DeviceInfo {
  if (typeof hit.userAgent === "string") return userAgents.deviceOf(hit.userAgent);
  return {
    browser: textOf(hit.browser, IMPORT_NAME_CHARS_MAX),
    browserVersion: textOf(hit.browserVersion, IMPORT_NAME_CHARS_MAX),
    os: textOf(hit.os, IMPORT_NAME_CHARS_MAX),
    osVersion: textOf(hit.osVersion, IMPORT_NAME_CHARS_MAX),
    deviceType: hit.deviceType ?? null,
  };
}

/** JSON text; null if it is too long for an own event, which would be refused. */
function propsOf(props: HitProps | null | undefined): string | null {
  const text = typeof props === "object" && props !== null ? JSON.stringify(props) : (props ?? null);
  return text === null || text.length > PROPS_CHARS_MAX ? null : parseProps(text);
}

const engagedSecondsOf = (seconds: number | null | undefined): number | null =>
  typeof seconds === "number" && seconds >= 0 && seconds <= ENGAGED_SECONDS_MAX ? Math.round(seconds) : null;
