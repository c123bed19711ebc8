/**
 * Where visits come from: the named source and the channel of a visit, from the facts of its first event and the rules of its site. Pure,
 * and evaluated when a report is asked for: better rules count for the whole past (docs/channels.md).
 */
import { CHANNEL_CONDITIONS, type Channel, type ChannelCondition, type ChannelRule } from "../../shared/channels.ts";
import { WildcardPattern } from "../../shared/text.ts";
import { builtInChannel, saysNothing } from "./channels.ts";
import { HostList } from "./host-list.ts";
import { IGNORED_REFERRERS } from "./ignored-referrers.ts";
import { bareHost, campaignSource, kindOfReferrer, kindOfSource, sourceOfReferrer } from "./source-names.ts";

/** How a visit came: facts of its first event. */
export interface Arrival {
  /** Lower case, as in the referrer's URL; the package name of `android-app://`. */
  readonly referrerHost: string | null;
  readonly utmSource: string | null;
  readonly utmMedium: string | null;
  /** The kind, such as `gclid`. */
  readonly clickId: string | null;
}

/** What a site says about it. Plain JSON, because it crosses threads. */
export interface ArrivalRules {
  /** The site's own hosts besides its id. `*.shop.example` stands for all subdomains. */
  readonly ownHosts: readonly string[];
  /** Hosts that count as no referrer, besides those of payment and sign-in. */
  readonly ignoredReferrers: readonly string[];
  /** The first that matches counts, before the built-in ones. */
  readonly channelRules: readonly ChannelRule[];
}

/** Version of the built-in rules, names and lists. Raise it with every change of them: results of before are not reused. */
export const ARRIVALS_VERSION = 1;

export interface ArrivalNamer {
  /** null: none recorded, or a referrer that is the site's own or ignored. */
  source(arrival: Arrival): string | null;
  channel(arrival: Arrival): Channel;
  /** Neither of the site itself nor ignored. */
  isForeign(referrerHost: string): boolean;
}

const IGNORED_BY_DEFAULT = new HostList(IGNORED_REFERRERS);

/** Site ids are host names by convention, some with a port. */
export const hostOfSite = (siteId: string): string => siteId.toLowerCase().replace(/:\d+$/, "");

/** Compiled once for a site's rules, cheap to call. */
export function arrivalNamer({ ownHosts, ignoredReferrers, channelRules }: ArrivalRules, siteId: string): ArrivalNamer {
  const own = new HostList([hostOfSite(siteId), ...ownHosts]);
  const ignored = new HostList(ignoredReferrers);
  const rules = channelRules.map(compiledRule);

  const isForeign = (host: string): boolean => !own.has(host) && !ignored.has(host) && !IGNORED_BY_DEFAULT.has(host);
  const foreignReferrer = ({ referrerHost }: Arrival): string | null =>
    referrerHost !== null && isForeign(referrerHost) ? referrerHost : null;
  const sourceOf = (utmSource: string | null, referrerHost: string | null): string | null => {
    if (utmSource !== null && !saysNothing(utmSource)) return campaignSource(utmSource)?.source ?? utmSource;
    return referrerHost === null ? null : (sourceOfReferrer(referrerHost) ?? bareHost(referrerHost));
  };

  return {
    isForeign,
    source: (arrival) => sourceOf(arrival.utmSource, foreignReferrer(arrival)),
    channel(arrival) {
      const { utmSource, utmMedium, clickId } = arrival;
      const referrerHost = foreignReferrer(arrival);
      if (rules.length > 0) {
        const source = sourceOf(utmSource, referrerHost);
        const facts = { source, referrer: referrerHost, utm_source: utmSource, utm_medium: utmMedium, click_id: clickId };
        const rule = rules.find(({ matches }) => matches(facts));
        if (rule) return rule.channel;
      }
      const campaign = utmSource === null ? null : campaignSource(utmSource);
      const kind = (campaign && kindOfSource(campaign.source)) ?? (referrerHost === null ? null : kindOfReferrer(referrerHost));
      const isAdvertisement = campaign?.isAdvertisement ?? false;
      const channel = builtInChannel({ kind, referrerHost, utmSource, utmMedium, clickId, isAdvertisement });
      if (channel !== null) return channel;
      return arrival.referrerHost !== null && own.has(arrival.referrerHost) ? "Internal" : "Direct";
    },
  };
}

type Facts = Readonly<Record<ChannelCondition, string | null>>;

/** Values and texts are compared in lower case. An empty condition always holds. */
function compiledRule(rule: ChannelRule) {
  const conditions = CHANNEL_CONDITIONS.filter((name) => rule[name].length > 0).map((name) => ({
    name,
    patterns: rule[name].map((value) => new WildcardPattern(value.toLowerCase())),
  }));
  return {
    channel: rule.channel,
    matches: (facts: Facts): boolean =>
      conditions.every(({ name, patterns }) => {
        const text = facts[name]?.toLowerCase() ?? null;
        return text !== null && patterns.some((pattern) => pattern.matches(text));
      }),
  };
}
