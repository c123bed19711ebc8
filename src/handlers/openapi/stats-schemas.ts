/** The shapes of figures (contract 4.4). */
import { EVENT_COLUMNS, type EventColumn } from "../../storage/event-columns.ts";
import {
  BREAKDOWN_ROWS_MAX,
  CONDITIONS_MAX,
  FLOW_ROWS_MAX,
  GOAL_ROWS_MAX,
  HOURLY_DAYS_MAX,
  PROPERTY_KEYS_MAX,
  PROPERTY_VALUES_MAX,
  RANGE_DAYS_MAX,
  REALTIME_ROWS_MAX,
  RETENTION_WEEKS_MAX,
  RETENTION_WEEKS_MIN,
  REVENUE_ROWS_MAX,
  STEPS_MIN,
} from "../../runtime/config/limits.ts";
import { PAGEVIEW } from "../../runtime/config/names.ts";
import { boolean, closed, count, fraction, list, number, orNull, text, type Properties, type Schema } from "./schema.ts";

const VISITORS = count("Distinct visitors.");
const PAGEVIEWS = count(`Events named \`${PAGEVIEW}\`.`);
const EVENTS = count("All events.");
const VALUE = text("`(unknown)` for what was not recorded.");
const CURRENCY = text("ISO 4217; `(unknown)` for what was not recorded.");
const MONEY = number("In units of the currency, exact to the hundredth. It may have more digits than a double keeps.");
const TRANSACTIONS = count("Events with a revenue amount, refunds included.");
const DAY = text("A UTC date.", { format: "date" });

const rows = (description: string, rowsMax: number, fields: Properties): Schema =>
  list(`${description} At most ${rowsMax}.`, closed(fields), { maxItems: rowsMax });

const COUNTS: Properties = {
  unique_visitors: VISITORS,
  total_pageviews: PAGEVIEWS,
  total_events: EVENTS,
};

const SESSION_FIGURES: Properties = {
  total_sessions: orNull(count("Visits that contain such an event. Null when sessions cannot be computed.")),
  bounce_rate: orNull(fraction("Share of the visits that are one page view and nothing else. Null when sessions cannot be computed.")),
  avg_visit_duration_secs: orNull(number("From a visit's first event to its last. Null when sessions cannot be computed.", { minimum: 0 })),
};

const HEADLINE = closed(
  {
    ...COUNTS,
    views_per_visitor: number("Page views by visitors; 0 without visitors.", { minimum: 0 }),
    ...SESSION_FIGURES,
    views_per_visit: orNull(number("Page views by visits. Null when sessions cannot be computed.", { minimum: 0 })),
    behavioral_available: boolean("Whether sessions could be computed."),
    comparison: { $ref: "#/components/schemas/Comparison" },
  },
  { optional: ["comparison"] },
);

const COMPARISON: Schema = {
  description: "The same figures of the earlier window; there when `compare` asks for it.",
  ...closed({ start_date: DAY, end_date: DAY, ...COUNTS, ...SESSION_FIGURES }),
};

const BUCKET = text("`YYYY-MM-DD HH:00` or `YYYY-MM-DD`, UTC.", { pattern: "^\\d{4}-\\d{2}-\\d{2}( \\d{2}:00)?$" });

const SERIES = list(
  `Every hour of ranges up to ${HOURLY_DAYS_MAX} days, every day of longer ones; oldest first, those without events included.`,
  closed({
    date: BUCKET,
    visitors: VISITORS,
    pageviews: PAGEVIEWS,
  }),
  { minItems: 1, maxItems: RANGE_DAYS_MAX },
);

const BREAKDOWN = rows("Most visitors first, then by value.", BREAKDOWN_ROWS_MAX, {
  value: VALUE,
  visitors: VISITORS,
  pageviews: PAGEVIEWS,
  events: EVENTS,
});

const topOf = (description: string) => rows(description, REALTIME_ROWS_MAX, { value: text("A value."), visitors: VISITORS });

const REALTIME = closed({
  current_visitors: count("Distinct visitors of the window."),
  pageviews: PAGEVIEWS,
  window_minutes: count("How far back the window goes, as the service is set.", { minimum: 1 }),
  top_pages: topOf("Paths by visitors."),
  top_sources: topOf("Sources by visitors; `(direct)` for page views without one."),
  per_minute: list("Page views by minute of the clock, oldest first; they add up to `pageviews`.", count("Page views."), { minItems: 2 }),
});

const GOALS = rows("Most visitors first, then by name.", GOAL_ROWS_MAX, {
  name: text("The event's name."),
  visitors: VISITORS,
  events: EVENTS,
  conversion_rate: fraction("Share of all visitors of the range."),
});

const PROPERTY_KEYS = list(
  `In ascending order. At most ${PROPERTY_KEYS_MAX}.`,
  text("A key; those of nested objects are joined by dots."),
  {
    maxItems: PROPERTY_KEYS_MAX,
  },
);

const PROPERTY_VALUES = rows("Most visitors first, then by value.", PROPERTY_VALUES_MAX, {
  value: text("The value as text."),
  visitors: VISITORS,
  events: EVENTS,
});

const takings = (description: string, of: string): Schema =>
  rows(description, REVENUE_ROWS_MAX, { value: text(of), currency: CURRENCY, total: MONEY, transactions: TRANSACTIONS });

const REVENUE = closed({
  by_currency: rows("Largest total first, then by currency.", REVENUE_ROWS_MAX, {
    currency: CURRENCY,
    total: MONEY,
    transactions: TRANSACTIONS,
    paying_visitors: count("Distinct visitors with such events."),
    average_order_value: number("Total by transactions."),
  }),
  by_event: takings("Largest total first, then by event and currency.", "The event's name."),
  by_page: takings("Largest total first, then by page and currency.", "The page's path."),
});

const DAILY_EXPORT = list(
  "`daily`: every day of the range, oldest first.",
  closed({
    date: DAY,
    visitors: VISITORS,
    pageviews: PAGEVIEWS,
    top_page: text("The path with most visitors; empty on a day without page views."),
    top_source: text("The source with most visitors, `(direct)` for none; empty on a day without page views."),
  }),
  { minItems: 1, maxItems: RANGE_DAYS_MAX },
);

/** Contract 1: visitor ids stay inside. */
const EXPORTED = EVENT_COLUMNS.filter(({ kind }) => kind !== "visitor");

function exportedValue({ kind, required }: EventColumn): Schema {
  if (kind === "timestamp") return text("UTC.", { format: "date-time" });
  if (kind === "cents") return { ...orNull(MONEY), description: `${MONEY.description} Null where none was recorded.` };
  if (kind === "json")
    return { type: ["object", "null"], description: "As it was sent. Null where nothing was recorded.", additionalProperties: true };
  return required ? text("As recorded.") : orNull(text("Null where it was not recorded."));
}

const RAW_EXPORT = list(
  "`raw`: an object for each event, oldest first. Visitor ids are never part of it.",
  closed(Object.fromEntries(EXPORTED.map((column) => [column.name, exportedValue(column)]))),
);

const SESSIONS = closed({
  total_sessions: count("Visits that contain an event of the range that meets the filters."),
  bounce_rate: fraction("Share of the visits that are one page view and nothing else."),
  avg_session_duration_secs: number("From a visit's first event to its last.", { minimum: 0 }),
  avg_pages_per_session: number("Page views by visits.", { minimum: 0 }),
});

const SESSION_SERIES = list(
  `Every hour of ranges up to ${HOURLY_DAYS_MAX} days, every day of longer ones; oldest first, those in which no visit begins included.`,
  closed({
    date: BUCKET,
    sessions: count("Visits that begin then and contain an event that meets the filters."),
    bounce_rate: fraction("Share of these visits that are one page view and nothing else."),
    avg_visit_duration_secs: number("From a visit's first event to its last.", { minimum: 0 }),
    views_per_visit: number("Page views by visits.", { minimum: 0 }),
  }),
  { minItems: 1, maxItems: RANGE_DAYS_MAX },
);

const FUNNEL = list(
  "A row for each step, in their order.",
  closed({
    step: count("The number of the step, from 1.", { minimum: 1, maximum: CONDITIONS_MAX }),
    name: text("The step as it was written."),
    visitors: count("Distinct visitors who got at least this far."),
    conversion_rate: fraction("Their share of those of the first step."),
    dropped_off: count("Visitors who got as far as the step before and no further; 0 at the first step."),
  }),
  { minItems: STEPS_MIN, maxItems: CONDITIONS_MAX },
);

const COHORT = closed({
  cohort_date: text("The Monday of the week in which these visitors were seen first, UTC.", { format: "date" }),
  cohort_size: count("How many they are."),
  retained: list("How many of them were seen in that week, in the one after it, and so on; 0 also for weeks to come.", VISITORS, {
    minItems: RETENTION_WEEKS_MIN,
    maxItems: RETENTION_WEEKS_MAX,
  }),
  retention_rates: list("The same as shares of the cohort.", fraction("A share."), {
    minItems: RETENTION_WEEKS_MIN,
    maxItems: RETENTION_WEEKS_MAX,
  }),
});

const RETENTION = closed({
  cohorts: list("The oldest week first; weeks without new visitors are left out.", COHORT),
  identity_supports_cohorts: boolean("Whether visitors are recognised for as many weeks as were asked about."),
  caveat: orNull(text("Says what to make of the figures where they are not. Null where they are.")),
});

const SEQUENCES = closed({
  converting_visitors: count("Distinct visitors whose events follow the pattern."),
  total_visitors: VISITORS,
  conversion_rate: fraction("Their share of all visitors of the range."),
  total_matches: count("How often events follow the pattern, over all visitors. Matches of a visitor do not overlap."),
});

const FLOW = rows("Most visitors first, then by page.", FLOW_ROWS_MAX, {
  next_page: text("The path of the page viewed next, or before."),
  visitors: VISITORS,
  share: fraction("Their share of all visitors who viewed the page."),
});

export const STATS_SCHEMAS = {
  Sites: closed({ sites: list("In ascending order.", text("A site id.")) }),
  Headline: HEADLINE,
  Comparison: COMPARISON,
  Series: SERIES,
  Breakdown: BREAKDOWN,
  Realtime: REALTIME,
  Goals: GOALS,
  PropertyKeys: PROPERTY_KEYS,
  PropertyValues: PROPERTY_VALUES,
  Revenue: REVENUE,
  DailyExport: DAILY_EXPORT,
  RawExport: RAW_EXPORT,
  Sessions: SESSIONS,
  SessionSeries: SESSION_SERIES,
  Funnel: FUNNEL,
  Retention: RETENTION,
  Sequences: SEQUENCES,
  Flow: FLOW,
} satisfies Readonly<Record<string, Schema>>;
