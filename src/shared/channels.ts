/** Channels of visits, and the rules by which a site moves visits to another one (docs/channels.md). */

/** Every visit has exactly one of these. */
export const CHANNELS = [
  "Direct",
  "AI Assistants",
  "Organic Search",
  "Paid Search",
  "Organic Social",
  "Paid Social",
  "Organic Video",
  "Paid Video",
  "Organic Shopping",
  "Paid Shopping",
  "Email",
  "Referral",
  "Display",
  "Affiliates",
  "SMS",
  "Push",
  "Audio",
  "Cross-network",
  "Internal",
] as const;

export type Channel = (typeof CHANNELS)[number];

/** What the conditions of a rule are about: the visit's named source, the host of its referrer, its campaign, the kind of its click id. */
export const CHANNEL_CONDITIONS = ["source", "referrer", "utm_source", "utm_medium", "click_id"] as const;

export type ChannelCondition = (typeof CHANNEL_CONDITIONS)[number];

/**
 * A visit has the channel if each condition that is not empty has a value that matches, in any case. `*` in a value stands for any
 * characters.
 */
export type ChannelRule = { readonly channel: Channel } & { readonly [Condition in ChannelCondition]: readonly string[] };
