/** The table of all options, each with its kind of value, default and description, and the same table in Markdown for the documentation. */
import { ADMIN_PASSWORD_CHARS_MIN, RETENTION_DAYS_MAX } from "../../../shared/limits.ts";
import { ENVIRONMENT_PREFIX } from "../../../shared/names.ts";
import { PASSWORD_BYTES_MAX } from "./admin-limits.ts";
import { LOAD_BYTES_MAX, ENGINE_THREADS_MAX, UNFLUSHED_EVENTS_MAX } from "./limits.ts";
import {
  origin,
  option,
  choice,
  identifier,
  secretString,
  userName,
  basePath,
  asnDatabase,
  geoHeaders,
  host,
  proxyCount,
  siteIdOrHost,
  urlPath,
  autoOrBoolean,
  boolean,
  filePath,
  geoipDatabase,
  integer,
  list,
  number,
  timeZoneName,
  type Option,
  type Secret,
  type AsnDb,
  type GeoHeaders,
  type GeoipDb,
} from "./option-kinds.ts";

const DAY_SECS = 86_400;

/** Ten years: longer than anybody needs, short enough that sums of milliseconds stay exact. */
const LONG_SPAN_DAYS_MAX = 3_650;

/** A tenth of what may wait unflushed, so that a flush starts long before ingestion has to refuse events. */
const FLUSH_EVENTS_MAX = UNFLUSHED_EVENTS_MAX / 10;

const EXTRA_PATHS_MAX = 16;

/** One block must fit, or no query could run. */
const ENGINE_MEMORY_MB_MIN = LOAD_BYTES_MAX / 1024 ** 2;

/** The order of the documentation. */
export const OPTIONS = {
  host: option(host, "127.0.0.1", "Address to listen on.", { platform: "node" }),
  port: option(integer({ min: 0, max: 65_535 }), 8000, "Port to listen on. 0 picks a free port.", { platform: "node" }),
  data_dir: option(filePath, "./data", "Directory for all stored data.", { platform: "node" }),
  secret: option<Secret | null>(
    secretString({ charsMin: 16 }),
    null,
    "Key for visitor ids. A secret set here is never replaced: anyone who has it can test whether an address visited on any past day.",
    { defaultInWords: "generated; replaced at the end of every salt period" },
  ),
  admin_password: option<Secret | null>(
    secretString({
      charsMin: ADMIN_PASSWORD_CHARS_MIN,
      bytesMax: PASSWORD_BYTES_MAX,
      // With the line break that often ends a mounted secret, nobody could type the password.
      pattern: /^\P{Cc}*$/u,
      charsAllowed: "without line breaks and other control characters",
    }),
    null,
    "Admin password. Overrides the password chosen at setup and is never written to disk.",
  ),
  metrics_token: option<Secret | null>(
    // An Authorization header can carry nothing else.
    secretString({ charsMin: 1, pattern: /^[!-~]+$/, charsAllowed: "visible ASCII without spaces" }),
    null,
    "Bearer token required by `/metrics`. Without it, the metrics are public.",
  ),
  site_ids: option(list(siteIdOrHost, { entriesMax: 10_000 }), [], "Sites whose events are accepted.", {
    defaultInWords: "empty (any site)",
  }),
  max_sites: option(
    integer({ min: 1, max: 1_000_000 }),
    10_000,
    "Maximum number of sites when `site_ids` is empty. Events of further sites are rejected with 403. " +
      "Also the maximum number of sites with goals, with segments, with annotations and with rules.",
  ),
  dashboard_origin: option<string | null>(
    origin,
    null,
    "Origin of the dashboard. Requests that change data with a session cookie must come from it.",
  ),
  base_path: option(
    basePath,
    "",
    "Path under which the service is reached, such as `/stats`: for a proxy that serves it beside other things on one host.",
    { defaultInWords: "`/`" },
  ),
  script_paths: option(list(urlPath, { entriesMax: EXTRA_PATHS_MAX }), [], "Additional paths that serve the tracking script.", {
    defaultInWords: "none",
  }),
  event_paths: option(
    list(urlPath, { entriesMax: EXTRA_PATHS_MAX }),
    [],
    "Additional paths that accept events like `/api/event`. Set `data-api` on the script tag to use one.",
    { defaultInWords: "none" },
  ),
  filter_bots: option(boolean, true, "Drop events sent by bots."),
  flush_event_count: option(
    integer({ min: 1, max: FLUSH_EVENTS_MAX }),
    1000,
    "Number of buffered events that triggers a flush to Parquet files.",
  ),
  flush_interval_secs: option(
    number({ min: 0.1, max: DAY_SECS }),
    60,
    'Maximum time in seconds before buffered events are flushed. With `engine = "clickhouse"` on Node, half a second at most.',
  ),
  compact_after_files: option(
    integer({ min: 0, max: 10_000 }),
    24,
    "Merge the files of a past day of a site when there are more than this. 0 disables compaction.",
  ),
  rollups: option(
    boolean,
    true,
    "Add up past days in the background, and answer reports without filters from these sums. If `false`, all reports read events.",
  ),
  time_zone: option(
    timeZoneName,
    "UTC",
    "Time zone of the days of sites that have none of their own. A change takes effect when the next day there begins.",
  ),
  visitor_salt_rotation_days: option(
    integer({ min: 1, max: LONG_SPAN_DAYS_MAX }),
    1,
    "Length of a salt period in days. A returning visitor counts as new in each period.",
  ),
  session_window_minutes: option(integer({ min: 1, max: 1440 }), 30, "Minutes of inactivity after which a new session starts."),
  realtime_window_minutes: option(integer({ min: 1, max: 1440 }), 5, "Length of the realtime window in minutes."),
  cache_ttl_secs: option(number({ min: 0, max: DAY_SECS }), 60, "How long query results are cached, in seconds. 0 disables the cache."),
  cache_max_entries: option(integer({ min: 1, max: 1_000_000 }), 10_000, "Maximum number of cached query results."),
  max_concurrent_queries: option(integer({ min: 0, max: 10_000 }), 10, "Maximum number of concurrent stats queries. 0 means no limit."),
  query_queue_ms: option(
    integer({ min: 0, max: 600_000 }),
    0,
    "How long a query waits for a free slot before it is rejected with 429, in milliseconds. 0 rejects it at once.",
  ),
  request_timeout_secs: option(number({ min: 0.1, max: 3600 }), 30, "Seconds after which a request is answered with 408."),
  session_ttl_secs: option(
    integer({ min: 1, max: LONG_SPAN_DAYS_MAX * DAY_SECS }),
    DAY_SECS,
    "Lifetime in seconds of a session without `remember`.",
  ),
  max_login_attempts: option(
    integer({ min: 0, max: 10_000 }),
    5,
    "Consecutive failed logins that lock out an IP address (IPv6: its /64 network). 0 disables the lockout.",
  ),
  login_lockout_secs: option(integer({ min: 1, max: LONG_SPAN_DAYS_MAX * DAY_SECS }), 300, "Length of a lockout in seconds."),
  rate_limit_per_site: option(number({ min: 0, max: 1_000_000 }), 0, "Events per second accepted for one site. 0 means no limit."),
  rate_limit_per_ip: option(
    number({ min: 0, max: 1_000_000 }),
    0,
    "Events per second accepted from one IP address (IPv6: one /64 network). 0 means no limit.",
  ),
  trust_proxy: option(
    proxyCount({ max: 32 }),
    0,
    "Number of trusted reverse proxies. With n, the client is the n-th entry of `X-Forwarded-For` from the right; with 0, the header is ignored.",
    { defaultInWords: "`false`" },
  ),
  secure_cookies: option(
    autoOrBoolean,
    "auto",
    "Set `Secure` on the session cookie. `auto` omits it only for plain HTTP to a host other than localhost.",
  ),
  hsts_max_age_secs: option<number | null>(
    integer({ min: 0, max: LONG_SPAN_DAYS_MAX * DAY_SECS }),
    null,
    "`max-age` of `Strict-Transport-Security` in responses to https requests. 0 sends no header.",
    { defaultInWords: "`31536000`; with `base_path`, `0`" },
  ),
  geoip_db: option<GeoipDb>(
    geoipDatabase,
    "builtin",
    "Path of a MaxMind-format city or country database, or `builtin` for the bundled country database. Two paths where IPv4 and IPv6 have a file each.",
  ),
  asn_db: option<AsnDb>(
    asnDatabase,
    "none",
    "Path of a MaxMind-format database of networks (AS numbers), for `excluded_networks` of sites. Two paths where IPv4 and IPv6 have a file each.",
  ),
  crawler_addresses: option<string | null>(
    filePath,
    null,
    "Folder of lists of the addresses of AI crawlers, each named after a crawler or its operator ([Verify crawlers](bots.md#verify-crawlers)).",
    { platform: "node" },
  ),
  geoip_precision: option(choice(["city", "region", "country", "none"]), "city", "Finest location that is recorded."),
  geo_headers: option<GeoHeaders | null>(
    geoHeaders,
    null,
    "Request headers with a visitor's location, for proxies that set or remove them, such as `country=CF-IPCountry`. Requires `trust_proxy`. Without a country there, `geoip_db` is asked.",
  ),
  behavioral: option(boolean, true, "Load the behavioral extension: sessions, funnels, retention, sequences and flow."),
  retention_days: option(
    integer({ min: 0, max: RETENTION_DAYS_MAX }),
    0,
    "Delete events dated more than this many days ago. 0 keeps them forever.",
  ),
  engine: option(
    choice(["duckdb", "clickhouse"]),
    "duckdb",
    "What answers reports: DuckDB within the process, or a ClickHouse server ([Scaling](scaling.md)).",
  ),
  clickhouse_url: option<string | null>(origin, null, 'Origin of ClickHouse\'s HTTP interface. Required with `engine = "clickhouse"`.'),
  clickhouse_database: option(identifier, "sandpiper", "Database in ClickHouse. Created if it does not exist."),
  clickhouse_user: option(userName, "default", "User in ClickHouse."),
  clickhouse_password: option<Secret | null>(secretString({ charsMin: 1 }), null, "Password of the ClickHouse user.", {
    defaultInWords: "empty",
  }),
  clickhouse_cluster: option<string | null>(
    identifier,
    null,
    "Name of the ClickHouse cluster over which tables are replicated and sharded. Without it, one server holds all events.",
  ),
  role: option(
    choice(["all", "ingest"]),
    "all",
    '`ingest`: accept events only; statistics and the dashboard are elsewhere. Requires `engine = "clickhouse"` and `secret`.',
  ),
  engine_memory_mb: option(integer({ min: ENGINE_MEMORY_MB_MIN, max: 65_536 }), 2048, "Memory in MB for event data in the query engine.", {
    defaultOnWorkerd: 64,
  }),
  engine_threads: option<number | null>(
    integer({ min: 1, max: ENGINE_THREADS_MAX }),
    null,
    "Threads among which the query engine divides the days of large ranges. Each starts when it is first needed, and has its share of `engine_memory_mb`.",
    { platform: "node", defaultInWords: `the cores less one, at least 1 and at most ${ENGINE_THREADS_MAX}` },
  ),
  journal_fsync: option(
    choice(["always", "interval", "off"]),
    "interval",
    "When the journal is fsynced: before each response, twice a second, or when the operating system decides.",
    { platform: "node" },
  ),
  strip_referrer_query: option(
    boolean,
    false,
    "Drop query and fragment of referrers and of the links of `Outbound Link: Click` and `File Download`.",
  ),
  round_timestamps: option(boolean, false, "Round event timestamps down to the hour."),
  suppress_browser_version: option(boolean, false, "Do not record browser versions."),
  suppress_os_version: option(boolean, false, "Do not record operating system versions."),
  suppress_screen_size: option(boolean, false, "Do not record screen sizes."),
  gdpr_mode: option(boolean, false, "Turn on the five options above and record locations no finer than the country."),
  log_format: option(choice(["text", "json"]), "text", "Format of log lines."),
  log_level: option(choice(["debug", "info", "warn", "error"]), "info", "Minimum level of log lines."),
} satisfies Record<string, Option<unknown>>;

export type OptionName = keyof typeof OPTIONS;

export const OPTION_NAMES = Object.keys(OPTIONS) as readonly OptionName[];

export type OptionValue<Name extends OptionName> = (typeof OPTIONS)[Name] extends Option<infer Value> ? Value : never;

export const isOptionName = (name: string): name is OptionName => Object.hasOwn(OPTIONS, name);

/** An entry of the table without the type of its value, for code that treats all options alike. */
export const optionNamed = (name: OptionName): Option<unknown> => OPTIONS[name];

export const variableOf = (name: OptionName): string => ENVIRONMENT_PREFIX + name.toUpperCase();

export const SECRET_OPTION_NAMES = OPTION_NAMES.filter((name) => OPTIONS[name].kind.secret);

export const fileVariableOf = (name: OptionName): string => `${variableOf(name)}_FILE`;

/** An option's name on the command line, which accepts some of them. */
export const argumentOf = (name: OptionName): string => `--${name.replaceAll("_", "-")}`;

// The table in docs/configuration.md

const BEGIN_MARKER = "<!-- options:begin -->";
const END_MARKER = "<!-- options:end -->";

export function renderOptionsTable(): string {
  const heading = ["Option", "Environment variable", "Type", "Default", "Description"];
  const rows = OPTION_NAMES.map((name) => [
    `\`${name}\``,
    variables(name),
    optionNamed(name).kind.expected.replace(/^an? /, ""),
    renderDefault(name),
    renderDescription(name),
  ]);
  return [heading, heading.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`)
    .join("");
}

/** The document with a fresh table between its markers. */
export function replaceOptionsTable(document: string): string {
  const begin = document.indexOf(BEGIN_MARKER);
  const end = document.indexOf(END_MARKER);
  if (begin === -1 || end < begin) {
    throw new Error(`The document needs a line ${BEGIN_MARKER} and, after it, a line ${END_MARKER}.`);
  }
  return `${document.slice(0, begin)}${BEGIN_MARKER}\n${renderOptionsTable()}${document.slice(end)}`;
}

const variables = (name: OptionName): string => {
  const variable = `\`${variableOf(name)}\``;
  return SECRET_OPTION_NAMES.includes(name) ? `${variable}, \`${fileVariableOf(name)}\`` : variable;
};

function renderDefault(name: OptionName): string {
  const { default: value, defaultOnWorkerd: onWorkerd, defaultInWords } = optionNamed(name);
  if (defaultInWords !== undefined) return defaultInWords;
  if (value === null) return "none";
  return onWorkerd === undefined ? `\`${value}\`` : `\`${value}\`; on workerd \`${onWorkerd}\``;
}

function renderDescription(name: OptionName): string {
  const { description, platform } = optionNamed(name);
  return description + { node: " Node only.", workerd: " workerd only.", both: "" }[platform];
}
