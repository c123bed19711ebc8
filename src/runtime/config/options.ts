/** The table of all options: name, kind of value, default, meaning, and the hosts each one is for. */

import { PASSWORD_BYTES_MAX, BLOCK_BYTES_MAX, UNFLUSHED_EVENTS_MAX } from "./limits.ts";
import { ENVIRONMENT_PREFIX } from "./names.ts";
import {
  autoOrBoolean,
  boolean,
  choice,
  filePath,
  geoipDatabase,
  type GeoipDb,
  host,
  list,
  number,
  type OptionKind,
  origin,
  proxyCount,
  secretText,
  siteIdOrHost,
  urlPath,
  wholeNumber,
} from "./option-kinds.ts";
import type { Secret } from "./secret.ts";

export type Platform = "node" | "workerd";

export interface Option<Value> {
  readonly kind: OptionKind<Value>;
  readonly default: Value;
  /** Where workerd needs another default. */
  readonly defaultOnWorkerd?: Value;
  /** What documents say in place of a default that speaks badly for itself. */
  readonly defaultInWords?: string;
  readonly meaning: string;
  readonly platform: Platform | "both";
}

/** Shortest admin password in code points (contract 2.4). */
export const ADMIN_PASSWORD_CHARS_MIN = 12;

const DAY_SECS = 86_400;

/** Ten years: longer than any span is meant, short enough that no sum of milliseconds loses precision. */
const LONG_SPAN_DAYS_MAX = 3_650;

/** A part of what may wait unflushed, so that a flush starts long before ingestion has to refuse events. */
const FLUSH_EVENTS_MAX = UNFLUSHED_EVENTS_MAX / 10;

const EXTRA_PATHS_MAX = 16;

/** One resident block must fit, or no query could be answered. */
const ENGINE_MEMORY_MB_MIN = BLOCK_BYTES_MAX / 1024 ** 2;

/** Infers `Value` from the kind alone, so that a default of another type does not compile. */
function option<Value>(
  kind: OptionKind<Value>,
  facts: {
    default: NoInfer<Value>;
    defaultOnWorkerd?: NoInfer<Value>;
    defaultInWords?: string;
    meaning: string;
    platform?: Platform;
  },
): Option<Value> {
  return { platform: "both", ...facts, kind };
}

/** In the order in which documents list them. Each meaning completes itself as one sentence. */
export const OPTIONS = {
  host: option(host, {
    default: "127.0.0.1",
    meaning: "Address to listen on.",
    platform: "node",
  }),
  port: option(wholeNumber({ min: 0, max: 65_535 }), {
    default: 8000,
    meaning: "Port to listen on; 0 takes any free one.",
    platform: "node",
  }),
  data_dir: option(filePath, {
    default: "./data",
    meaning: "Folder for everything that is kept on disk.",
    platform: "node",
  }),
  secret: option<Secret | null>(secretText({ charsMin: 16 }), {
    default: null,
    defaultInWords: "generated; replaced at the end of every salt period",
    meaning:
      "Key material for visitor ids. A secret set here is never replaced: anyone who has it can test whether an address visited on any past day.",
  }),
  admin_password: option<Secret | null>(
    secretText({
      charsMin: ADMIN_PASSWORD_CHARS_MIN,
      bytesMax: PASSWORD_BYTES_MAX,
      // A line break at the end of a mounted secret would make a password that nobody can type.
      pattern: /^\P{Cc}*$/u,
      charsAllowed: "without line breaks and other control characters",
    }),
    {
      default: null,
      meaning: "Password of the dashboard; it goes before the one chosen at setup and is not written to disk.",
    },
  ),
  metrics_token: option<Secret | null>(
    // Anything else could not be sent in an Authorization header.
    secretText({ charsMin: 1, pattern: /^[!-~]+$/, charsAllowed: "visible ASCII without spaces" }),
    { default: null, meaning: "Bearer token that `/metrics` asks for; without it the metrics are public." },
  ),
  site_ids: option(list(siteIdOrHost, { entriesMax: 10_000 }), {
    default: [],
    defaultInWords: "empty (any site)",
    meaning: "Sites that events are accepted for.",
  }),
  max_sites: option(wholeNumber({ min: 1, max: 1_000_000 }), {
    default: 10_000,
    meaning: "Sites that may come into being by events where `site_ids` is empty; events of further ones are refused with 403.",
  }),
  dashboard_origin: option<string | null>(origin, {
    default: null,
    meaning: "Origin of the dashboard, which changes made with a session cookie must come from.",
  }),
  script_paths: option(list(urlPath, { entriesMax: EXTRA_PATHS_MAX }), {
    default: [],
    defaultInWords: "none",
    meaning: "Paths at which the tracking script is served beside its own.",
  }),
  event_paths: option(list(urlPath, { entriesMax: EXTRA_PATHS_MAX }), {
    default: [],
    defaultInWords: "none",
    meaning: "Paths at which events are taken beside `/api/event`; pages name theirs by `data-api`.",
  }),
  filter_bots: option(boolean, {
    default: true,
    meaning: "Whether events of bots are dropped.",
  }),
  flush_event_count: option(wholeNumber({ min: 1, max: FLUSH_EVENTS_MAX }), {
    default: 1000,
    meaning: "Buffered events at which they are written to files.",
  }),
  flush_interval_secs: option(number({ min: 0.1, max: DAY_SECS }), {
    default: 60,
    meaning: "Longest time until buffered events are written to files.",
  }),
  compact_after_files: option(wholeNumber({ min: 0, max: 10_000 }), {
    default: 24,
    meaning: "A past day of a site with more files than this gets them merged; 0 = never.",
  }),
  visitor_salt_rotation_days: option(wholeNumber({ min: 1, max: LONG_SPAN_DAYS_MAX }), {
    default: 1,
    meaning: "Days after which a visitor counts as a new one.",
  }),
  session_window_minutes: option(wholeNumber({ min: 1, max: 1440 }), {
    default: 30,
    meaning: "A pause longer than this starts a new session.",
  }),
  realtime_window_minutes: option(wholeNumber({ min: 1, max: 1440 }), {
    default: 5,
    meaning: "How far back the realtime view looks.",
  }),
  cache_ttl_secs: option(number({ min: 0, max: DAY_SECS }), {
    default: 60,
    meaning: "How long a statistics answer may be reused; 0 = no cache.",
  }),
  cache_max_entries: option(wholeNumber({ min: 1, max: 1_000_000 }), {
    default: 10_000,
    meaning: "Answers kept for reuse.",
  }),
  max_concurrent_queries: option(wholeNumber({ min: 0, max: 10_000 }), {
    default: 10,
    meaning: "Statistics queries that may run at once; 0 = any number.",
  }),
  query_queue_ms: option(wholeNumber({ min: 0, max: 600_000 }), {
    default: 0,
    meaning: "How long a query may wait for its turn before it is refused with 429; 0 = not at all.",
  }),
  request_timeout_secs: option(number({ min: 0.1, max: 3600 }), {
    default: 30,
    meaning: "Longest time that a request may take before it is answered with 408.",
  }),
  session_ttl_secs: option(wholeNumber({ min: 1, max: LONG_SPAN_DAYS_MAX * DAY_SECS }), {
    default: DAY_SECS,
    meaning: "How long a login lasts.",
  }),
  max_login_attempts: option(wholeNumber({ min: 0, max: 10_000 }), {
    default: 5,
    meaning: "Failed logins in a row that lock an address out, of IPv6 its /64 network; 0 = never.",
  }),
  login_lockout_secs: option(wholeNumber({ min: 1, max: LONG_SPAN_DAYS_MAX * DAY_SECS }), {
    default: 300,
    meaning: "How long an address stays locked out.",
  }),
  rate_limit_per_site: option(number({ min: 0, max: 1_000_000 }), {
    default: 0,
    meaning: "Events accepted a second for one site; 0 = no limit.",
  }),
  rate_limit_per_ip: option(number({ min: 0, max: 1_000_000 }), {
    default: 0,
    meaning: "Events accepted a second from one address, of IPv6 from one /64 network; 0 = no limit.",
  }),
  trust_proxy: option(proxyCount({ max: 32 }), {
    default: 0,
    defaultInWords: "`false`",
    meaning: "Proxies that stand in front: of `X-Forwarded-For`, counted from the right, this entry is the visitor; 0 ignores the header.",
  }),
  secure_cookies: option(autoOrBoolean, {
    default: "auto",
    meaning: "`Secure` on the session cookie; `auto` leaves it out only on plain http to a host other than this machine.",
  }),
  geoip_db: option<GeoipDb>(geoipDatabase, {
    default: "builtin",
    meaning: "MaxMind-format city or country database; `builtin` is the country database that comes along.",
  }),
  geoip_precision: option(choice(["city", "region", "country", "none"]), {
    default: "city",
    meaning: "The finest place that is recorded.",
  }),
  behavioral: option(boolean, {
    default: true,
    meaning: "Whether sessions, funnels, retention, sequences and flow are available.",
  }),
  retention_days: option(wholeNumber({ min: 0, max: 10 * LONG_SPAN_DAYS_MAX }), {
    default: 0,
    meaning: "Events of dates more than so many days ago are erased; 0 keeps them for ever.",
  }),
  engine_memory_mb: option(wholeNumber({ min: ENGINE_MEMORY_MB_MIN, max: 65_536 }), {
    default: 2048,
    defaultOnWorkerd: 64,
    meaning: "Event data that the query engine holds in memory.",
  }),
  journal_fsync: option(choice(["always", "interval", "off"]), {
    default: "interval",
    meaning: "When accepted events are forced to disk: before the answer, every second, or when the system likes.",
    platform: "node",
  }),
  strip_referrer_query: option(boolean, {
    default: false,
    meaning: "Whether referrers, and the links of `Outbound Link: Click` and `File Download`, lose query and fragment.",
  }),
  round_timestamps: option(boolean, {
    default: false,
    meaning: "Whether times of events are rounded.",
  }),
  suppress_browser_version: option(boolean, {
    default: false,
    meaning: "Whether browser versions go unrecorded.",
  }),
  suppress_os_version: option(boolean, {
    default: false,
    meaning: "Whether versions of operating systems go unrecorded.",
  }),
  suppress_screen_size: option(boolean, {
    default: false,
    meaning: "Whether screen sizes go unrecorded.",
  }),
  gdpr_mode: option(boolean, {
    default: false,
    meaning: "Turns the five options above on and records no place finer than the country.",
  }),
  log_format: option(choice(["text", "json"]), {
    default: "text",
    meaning: "Form of the log lines.",
  }),
  log_level: option(choice(["debug", "info", "warn", "error"]), {
    default: "info",
    meaning: "The least important log lines that are written.",
  }),
} satisfies Record<string, Option<unknown>>;

export type OptionName = keyof typeof OPTIONS;

export const OPTION_NAMES = Object.keys(OPTIONS) as readonly OptionName[];

/** What an option's value is once parsed. */
export type OptionValue<Name extends OptionName> = (typeof OPTIONS)[Name] extends Option<infer Value> ? Value : never;

export const isOptionName = (name: string): name is OptionName => Object.hasOwn(OPTIONS, name);

/** The table's entry with its value's type forgotten, for those who treat all options alike. */
export const optionNamed = (name: OptionName): Option<unknown> => OPTIONS[name];

export const variableOf = (name: OptionName): string => ENVIRONMENT_PREFIX + name.toUpperCase();
