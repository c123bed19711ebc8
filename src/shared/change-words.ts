/** The words of sentences about changes. The English ones are those of the API; the dashboard has the same shape in other languages. */

/** A form for each plural category of the language. */
export type ChangePlural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string };

type Words<T> = { readonly [Key in keyof T]: T[Key] extends string ? string : T[Key] extends ChangePlural ? ChangePlural : Words<T[Key]> };

/** Texts with placeholders in braces, which stand in any order. Sentences have at most 160 characters and never claim a cause. */
export const ENGLISH_CHANGE_WORDS = {
  counts: {
    visits: { one: "{count} visit", other: "{count} visits" },
    visitors: { one: "{count} visitor", other: "{count} visitors" },
    pageviews: { one: "{count} page view", other: "{count} page views" },
    events: { one: "{count} event", other: "{count} events" },
    conversions: { one: "{count} conversion of {goal}", other: "{count} conversions of {goal}" },
  },
  rates: {
    conversion_rate: "{amount} conversion rate for {goal}",
    bounce_rate: "{amount} bounce rate",
    views_per_visit: "{amount} page views per visit",
    duration: "{amount} per visit",
    revenue: "{amount} revenue",
  },
  points: { one: "{count} point", other: "{count} points" },
  /** The total and its dates. */
  total: {
    day: "{amount} on {dates}",
    days: "{amount} ({dates})",
    otherDays: "{amount} on the other days",
    soFar: "{amount} so far on {dates}",
  },
  /** The total, and what it is compared with. */
  sentence: { one: "{total}.", two: "{total}, {clause}.", three: "{total}, {clause}; {other}." },
  clauses: {
    usual: "within the usual {low} to {high}",
    nearUsual: "close to the usual {low} to {high}",
    usualGrowth: "within the usual {low} to {high}, in line with growth of {percent} a week",
    usualDecline: "within the usual {low} to {high}, in line with a decline of {percent} a week",
    aboveTypical: "{difference} above typical ({low} to {high})",
    belowTypical: "{difference} below typical ({low} to {high})",
    plainTypical: "compared with a typical {before}",
    abovePeriod: "up {difference} from {dates}",
    belowPeriod: "down {difference} from {dates}",
    samePeriod: "the same as {dates}",
    plainPeriod: "compared with {before} ({dates})",
  },
  /** A value, whose numbers are of the whole period, of the whole period and mostly of some dates, or of these dates alone. */
  finding: {
    plain: {
      period: "{value}: {after}, {before}.",
      mostly: "{value}: {after}, {before}, mostly on {dates}.",
      dates: "{value} on {dates}: {after}, {before}.",
    },
    without: {
      period: "{value}: {after}, {before}; without it, {ordinary}.",
      mostly: "{value}: {after}, {before}, mostly on {dates}; without it, {ordinary}.",
      dates: "{value} on {dates}: {after}, {before}; without it, {ordinary}.",
    },
    shifted: {
      period: "Only {value} stands apart: {after}, {before}.",
      mostly: "Only {value} stands apart: {after}, {before}, mostly on {dates}.",
      dates: "Only {value} on {dates} stands apart: {after}, {before}.",
    },
    automated: {
      period: "{value}: {after}, {before}; looks automated.",
      mostly: "{value}: {after}, {before}, mostly on {dates}; looks automated.",
      dates: "{value} on {dates}: {after}, {before}; looks automated.",
    },
  },
  unusualBefore: "{dates} was unusual: {value} {after}, {before}.",
  /** What a value usually has, or had in the compared days. */
  before: { typical: "typical {before}", period: "before {before}" },
  ordinary: { day: "an ordinary day", week: "an ordinary week", period: "an ordinary period" },
  /** A value with others that are the same visits, and with what it led to. */
  value: { also: "{value} ({also})", drill: "{value} → {drill}" },
  broad: {
    period: "The change is across the board: no source, page or country stands apart.",
    day: "{dates}: {after}, typical {before}, across the board.",
    comparison: "{dates} was unusual across the board.",
  },
  /** Days of a long period, each with its count. */
  days: { one: "{days} stands out.", other: "{days} stand out." },
  day: "{dates} ({after}, typical {before})",
  mix: {
    moreHigher: "Individual rates barely changed; {value}, where the rate is higher, had more of the visits.",
    moreLower: "Individual rates barely changed; {value}, where the rate is lower, had more of the visits.",
    fewerHigher: "Individual rates barely changed; {value}, where the rate is higher, had fewer of the visits.",
    fewerLower: "Individual rates barely changed; {value}, where the rate is lower, had fewer of the visits.",
  },
  reasons: {
    too_new: "Typical values need four weeks of data.",
    too_early: "It is too early to say whether this is usual.",
    incomplete: "No complete day is left to compare.",
  },
  caveats: {
    tracking_gap: "Nothing was counted on {dates}.",
    bot_like: "Most of these visits look automated.",
    one_payment: "A single payment of {amount} on {dates} is more than half of the change.",
    zone_change: "The time zone changed on {dates}.",
    salt_change: "The lifetime of visitor ids changed on {dates}.",
    imported_days: "No comparison: only daily totals were imported ({dates}).",
    retention: "Older events were deleted ({dates}).",
    partial_history: "Data starts on {dates}, so typical values rest on fewer than eight weeks.",
    filtered_goal_changed: "The goal changed on {dates}.",
  },
} as const;

export type ChangeWords = Words<typeof ENGLISH_CHANGE_WORDS>;
