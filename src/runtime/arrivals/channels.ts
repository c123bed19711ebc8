/** The built-in rules of channels, as data: ordered, the first that matches counts (docs/channels.md). */
import type { Channel } from "../../shared/channels.ts";
import type { SourceKind } from "./source-hosts.ts";
import { endingsOf, squashed } from "./source-names.ts";

/** What the rules look at: facts of a visit's first event, prepared once. */
export interface ArrivalFacts {
  /** The kind of the campaign's source, else that of the referrer. */
  readonly kind: SourceKind | null;
  /** null if none was recorded, or it is the site's own or an ignored one. */
  readonly referrerHost: string | null;
  readonly utmSource: string | null;
  readonly utmMedium: string | null;
  readonly clickId: string | null;
  /** The source is written as an advertisement, such as `facebook_ads`. */
  readonly isAdvertisement: boolean;
}

/** All conditions that a rule has must hold. Words are in lower case, without spaces and punctuation. */
interface Conditions {
  readonly channel: Channel;
  readonly kinds?: readonly SourceKind[];
  /** The medium as a whole, or a word of it: `paid-social` has `paidsocial`, `paid` and `social`. */
  readonly mediums?: string;
  /** The whole `utm_source`. */
  readonly sources?: string;
  readonly clickIds?: string;
  /** Hosts of referrers, with their subdomains. */
  readonly hosts?: string;
  /** True for campaigns that were paid for. */
  readonly paid?: true;
}

/** Mediums of campaigns that were paid for. */
const PAID =
  "cpc ppc cpm cpv cpa cpp cpe cpi cpl cps cpcv ppv paid sem ad ads advert adverts advertising advertisement sponsored sponsor promoted " +
  "boosted retargeting remarketing paidsearch paidsocial paidvideo paidshopping paidmedia paidads paidcontent socialpaid searchpaid";

const SOCIAL = "social socialnetwork socialnetworks socialmedia sm smm organicsocial socialorganic";

/** These ids are in advertisements of search engines, which also show in videos, shops and other sites. */
const SEARCH_CLICKS = "gclid gbraid wbraid msclkid yclid";

const RULES: readonly Conditions[] = [
  // What the campaign itself says
  { channel: "Cross-network", mediums: "crossnetwork pmax performancemax" },
  { channel: "SMS", mediums: "sms mms rcs textmessage" },
  { channel: "SMS", sources: "sms mms rcs textmessage" },
  {
    channel: "Push",
    mediums: "push webpush mobilepush apppush browserpush pushnotification pushnotifications notification notifications",
  },
  { channel: "Push", sources: "push webpush onesignal firebase pushnotification pushwoosh pushengage cleverpush airship" },
  { channel: "Email", mediums: "email emails mail mails newsletter newsletters mailing emailing emailmarketing edm eblast" },
  { channel: "Affiliates", mediums: "affiliate affiliates aff affiliation affiliatemarketing" },
  { channel: "Affiliates", sources: "affiliate affiliates" },
  { channel: "Audio", mediums: "audio podcast podcasts" },
  { channel: "Display", mediums: "display banner banners expandable interstitial native programmatic" },

  // What was paid for
  { channel: "Paid Shopping", mediums: "paidshopping shoppingads pla" },
  { channel: "Paid Shopping", mediums: "shopping", paid: true },
  { channel: "Paid Shopping", kinds: ["shopping"], paid: true },
  { channel: "Paid Shopping", kinds: ["shopping"], clickIds: SEARCH_CLICKS },
  { channel: "Paid Video", mediums: "paidvideo videoads cpv cpcv trueview instream" },
  { channel: "Paid Video", mediums: "video", paid: true },
  { channel: "Paid Video", kinds: ["video"], paid: true },
  { channel: "Paid Video", kinds: ["video"], clickIds: `${SEARCH_CLICKS} dclid` },
  { channel: "Paid Social", mediums: "paidsocial socialpaid socialads" },
  { channel: "Paid Social", mediums: SOCIAL, paid: true },
  { channel: "Paid Social", kinds: ["social"], paid: true },
  { channel: "Paid Search", mediums: "paidsearch searchpaid searchads sem" },
  { channel: "Paid Search", mediums: "search", paid: true },
  { channel: "Paid Search", kinds: ["search"], paid: true },
  {
    channel: "Paid Search",
    sources: "adwords googleadwords gads googleppc googlecpc msads microsoftadvertising yandexdirect sklik baidusem",
  },
  { channel: "Paid Social", clickIds: "ttclid twclid li_fat_id rdt_cid sccid" },
  { channel: "Paid Social", clickIds: "fbclid epik", paid: true },
  { channel: "Affiliates", clickIds: "irclickid" },
  // A link of an advertisement that was passed on keeps its click id: where it was passed on says more.
  { channel: "AI Assistants", kinds: ["ai"] },
  { channel: "Organic Social", kinds: ["social"] },
  { channel: "Paid Search", clickIds: SEARCH_CLICKS },
  { channel: "Display", clickIds: "dclid" },
  { channel: "Affiliates", kinds: ["affiliates"] },
  { channel: "Paid Search", hosts: "googleadservices.com syndicatedsearch.goog" },
  { channel: "Display", hosts: "doubleclick.net" },
  { channel: "Display", kinds: ["ads"] },
  { channel: "Paid Search", mediums: "cpc ppc" },
  { channel: "Affiliates", mediums: "cpa cpl cps" },
  { channel: "Display", paid: true },

  // What was not paid for
  { channel: "AI Assistants", mediums: "ai aiassistant aiassistants aichat aisearch llm genai" },
  { channel: "Organic Shopping", kinds: ["shopping"] },
  { channel: "Organic Shopping", mediums: "shopping organicshopping" },
  { channel: "Organic Social", mediums: SOCIAL },
  { channel: "Organic Video", kinds: ["video"] },
  { channel: "Organic Video", mediums: "video videos organicvideo" },
  { channel: "Organic Search", kinds: ["search"] },
  { channel: "Organic Search", mediums: "organic organicsearch search seo" },
  { channel: "Email", kinds: ["mail"] },
  { channel: "Email", sources: "email emails mail newsletter newsletters mailing mailinglist" },
  { channel: "SMS", kinds: ["messages"] },
  { channel: "Audio", kinds: ["audio"] },
  { channel: "Audio", sources: "podcast podcasts" },
  { channel: "Organic Social", clickIds: "fbclid epik" },
];

type Words = ReadonlySet<string> | null;

const wordsOf = (text: string | undefined): Words => (text === undefined ? null : new Set(text.split(" ")));

const COMPILED = RULES.map(({ channel, kinds, mediums, sources, clickIds, hosts, paid = false }) => ({
  channel,
  kinds: kinds ? new Set<SourceKind | null>(kinds) : null,
  mediums: wordsOf(mediums),
  sources: wordsOf(sources),
  clickIds: wordsOf(clickIds),
  hosts: wordsOf(hosts),
  paid,
}));

const PAID_MEDIUMS = new Set(PAID.split(" "));

/** Words by which analytics programs write that nothing is known. */
const NOTHING = new Set(["direct", "none", "notset"]);

/** True for a `utm_source` that says that there is none. */
export const saysNothing = (utmSource: string): boolean => NOTHING.has(squashed(utmSource));

const NO_WORDS: readonly string[] = [];

const hasAny = (words: Words, texts: readonly string[]): boolean => words === null || texts.some((text) => words.has(text));

const has = (words: Words, text: string | null): boolean => words === null || (text !== null && words.has(text));

function mediumWords(utmMedium: string): readonly string[] {
  const words = utmMedium.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  return words.length === 1 ? words : [words.join(""), ...words];
}

/** The channel by the built-in rules; null if nothing is known of where the visit came from. */
export function builtInChannel({ kind, referrerHost, utmSource, utmMedium, clickId, isAdvertisement }: ArrivalFacts): Channel | null {
  const mediums = utmMedium === null ? NO_WORDS : mediumWords(utmMedium);
  const isPaid = isAdvertisement || hasAny(PAID_MEDIUMS, mediums);
  const source = utmSource === null ? null : squashed(utmSource);
  const click = clickId === null ? null : clickId.toLowerCase();
  const hosts = referrerHost === null ? NO_WORDS : endingsOf(referrerHost);
  for (const rule of COMPILED) {
    if (rule.paid && !isPaid) continue;
    if (rule.kinds !== null && !rule.kinds.has(kind)) continue;
    if (!has(rule.clickIds, click) || !has(rule.sources, source)) continue;
    if (!hasAny(rule.mediums, mediums) || !hasAny(rule.hosts, hosts)) continue;
    return rule.channel;
  }
  const hasCampaign = [source, mediums[0] ?? null].some((word) => word !== null && !NOTHING.has(word));
  return hasCampaign || referrerHost !== null ? "Referral" : null;
}
