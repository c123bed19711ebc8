/** Every default, every kind of value from both sources, and the messages, which never show a secret. */

import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, expectTypeOf, it } from "vitest";
import { type Config, ConfigError, type ConfigSources, parseConfig } from "../../../../../src/runtime/base/config/config.ts";
import { type GeoipDb, type Platform, Secret } from "../../../../../src/runtime/base/config/option-kinds.ts";
import {
  fileVariableOf,
  isOptionName,
  OPTION_NAMES,
  OPTIONS,
  optionNamed,
  variableOf,
} from "../../../../../src/runtime/base/config/options.ts";
import { closestName, editDistance } from "../../../../../src/runtime/base/config/unknown-names.ts";

interface Given {
  environment?: Record<string, string | undefined>;
  file?: Record<string, unknown>;
  fileName?: string;
  platform?: Platform;
  secretFiles?: NonNullable<ConfigSources["secretFiles"]>;
  commandLine?: NonNullable<ConfigSources["commandLine"]>;
}

const parse = (given: Given) => parseConfig({ environment: {}, file: {}, platform: "node", ...given });

function problemsOf(given: Given): readonly string[] {
  try {
    parse(given);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

/** Secrets compare as what they hold, everything else as itself. */
const shown = (value: unknown): unknown => (value instanceof Secret ? { secret: value.reveal() } : value);

const DEFAULTS: Config = {
  host: "127.0.0.1",
  port: 8000,
  dataDir: "./data",
  secret: null,
  adminPassword: null,
  metricsToken: null,
  siteIds: [],
  maxSites: 10_000,
  dashboardOrigin: null,
  basePath: "",
  scriptPaths: [],
  eventPaths: [],
  filterBots: true,
  flushEventCount: 1000,
  flushIntervalSecs: 60,
  compactAfterFiles: 24,
  rollups: true,
  timeZone: "UTC",
  visitorSaltRotationDays: 1,
  sessionWindowMinutes: 30,
  realtimeWindowMinutes: 5,
  cacheTtlSecs: 60,
  cacheMaxEntries: 10_000,
  maxConcurrentQueries: 10,
  queryQueueMs: 0,
  requestTimeoutSecs: 30,
  sessionTtlSecs: 86_400,
  maxLoginAttempts: 5,
  loginLockoutSecs: 300,
  rateLimitPerSite: 0,
  rateLimitPerIp: 0,
  trustProxy: 0,
  secureCookies: "auto",
  hstsMaxAgeSecs: null,
  asnDb: "none",
  geoipDb: "builtin",
  geoHeaders: null,
  crawlerAddresses: null,
  geoipPrecision: "city",
  behavioral: true,
  retentionDays: 0,
  engine: "duckdb",
  clickhouseUrl: null,
  clickhouseDatabase: "sandpiper",
  clickhouseUser: "default",
  clickhousePassword: null,
  clickhouseCluster: null,
  role: "all",
  engineMemoryMb: 2048,
  engineThreads: null,
  journalFsync: "interval",
  stripReferrerQuery: false,
  roundTimestamps: false,
  suppressBrowserVersion: false,
  suppressOsVersion: false,
  suppressScreenSize: false,
  gdprMode: false,
  logFormat: "text",
  logLevel: "info",
};

describe("defaults", () => {
  it("are the documented values on Node", () => {
    expect(parse({})).toEqual({ config: DEFAULTS, warnings: [] });
  });

  it("give the engine less memory on workerd", () => {
    expect(parse({ platform: "workerd" })).toEqual({ config: { ...DEFAULTS, engineMemoryMb: 64 }, warnings: [] });
  });

  it("pass the check of their own option, unless they are null", () => {
    for (const name of OPTION_NAMES) {
      const option = optionNamed(name);
      if (option.default === null) continue;
      expect(option.kind.check(option.default), name).toEqual({ value: option.default });
      if (option.defaultOnWorkerd === undefined) continue;
      expect(option.kind.check(option.defaultOnWorkerd), name).toEqual({ value: option.defaultOnWorkerd });
    }
  });

  it("defaults cannot be changed", () => {
    const { config } = parse({});
    expect(Object.isFrozen(config)).toBe(true);
    expect(Object.isFrozen(parse({ file: { site_ids: ["a"] } }).config.siteIds)).toBe(true);
  });

  it("apply when a variable is empty", () => {
    const environment = Object.fromEntries(OPTION_NAMES.map((name) => [variableOf(name), ""]));
    expect(parse({ environment: { ...environment, SVC_NOTHING: "" } })).toEqual({ config: DEFAULTS, warnings: [] });
  });
});

describe("the table of options", () => {
  it("gives every field of the configuration its type", () => {
    expectTypeOf<Config["port"]>().toEqualTypeOf<number>();
    expectTypeOf<Config["filterBots"]>().toEqualTypeOf<boolean>();
    expectTypeOf<Config["secret"]>().toEqualTypeOf<Secret | null>();
    expectTypeOf<Config["dashboardOrigin"]>().toEqualTypeOf<string | null>();
    expectTypeOf<Config["trustProxy"]>().toEqualTypeOf<number>();
    expectTypeOf<Config["secureCookies"]>().toEqualTypeOf<"auto" | boolean>();
    expectTypeOf<Config["geoipDb"]>().toEqualTypeOf<GeoipDb>();
    expectTypeOf<Config["journalFsync"]>().toEqualTypeOf<"always" | "interval" | "off">();
  });

  it("marks exactly the secrets as secret", () => {
    expect(OPTION_NAMES.filter((name) => optionNamed(name).kind.secret)).toEqual([
      "secret",
      "admin_password",
      "metrics_token",
      "clickhouse_password",
    ]);
  });

  it("names options in snake case and describes each in a sentence", () => {
    for (const [name, option] of Object.entries(OPTIONS)) {
      expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
      expect(option.description).toMatch(/^[A-Z`].*\.$/);
    }
    expect(isOptionName("toString")).toBe(false);
  });
});

/** Option, field, text in the environment (or none), value in the file (or none), what it becomes. */
type Good = [option: string, text: string | undefined, value: unknown, becomes: unknown];

const GOOD: Good[] = [
  ["host", " 0.0.0.0 ", "0.0.0.0", "0.0.0.0"],
  ["host", "my_box-1.example", "my_box-1.example", "my_box-1.example"],
  ["host", "[::1]", "::1", "::1"],
  ["host", "fe80::1%eth0", "[fe80::1%eth0]", "fe80::1%eth0"],
  ["port", "0", 0, 0],
  ["port", " 65535 ", 65_535, 65_535],
  ["data_dir", " with space ", " with space ", " with space "],
  ["secret", "exactly 16 chars", "exactly 16 chars", { secret: "exactly 16 chars" }],
  ["secret", "two lines of text\nare kept", "two lines of text\nare kept", { secret: "two lines of text\nare kept" }],
  ["admin_password", " spaces and ü ", " spaces and ü ", { secret: " spaces and ü " }],
  ["admin_password", "🐦".repeat(12), "🐦".repeat(12), { secret: "🐦".repeat(12) }],
  ["admin_password", "é".repeat(512), "é".repeat(512), { secret: "é".repeat(512) }],
  ["metrics_token", "!~x", "!~x", { secret: "!~x" }],
  ["site_ids", "a.example, B-1_x:80 ,,a.example,", ["a.example", "B-1_x:80", "a.example"], ["a.example", "B-1_x:80"]],
  ["site_ids", " ", [], []],
  ["script_paths", "/s.js, /a-b/_c~d.mjs", ["/s.js", "/a-b/_c~d.mjs"], ["/s.js", "/a-b/_c~d.mjs"]],
  ["event_paths", `/${"x".repeat(255)}`, [`/${"x".repeat(255)}`], [`/${"x".repeat(255)}`]],
  ["site_ids", "x".repeat(256), ["x".repeat(256)], ["x".repeat(256)]],
  ["dashboard_origin", "HTTPS://Stats.Example:443", "https://stats.example/", "https://stats.example"],
  ["dashboard_origin", " http://localhost:8000 ", "http://localhost:8000", "http://localhost:8000"],
  ["dashboard_origin", "http://[::1]:80", "http://[::1]", "http://[::1]"],
  ["base_path", "/", "", ""],
  ["base_path", " /stats ", "/stats/", "/stats"],
  ["base_path", "/a-b/_c~d.e/", "/a-b/_c~d.e", "/a-b/_c~d.e"],
  ["hsts_max_age_secs", "0", 0, 0],
  ["hsts_max_age_secs", "63072000", 63_072_000, 63_072_000],
  ["flush_event_count", "100000", 100_000, 100_000],
  ["flush_interval_secs", "0.5", 0.5, 0.5],
  ["flush_interval_secs", "3.", 3, 3],
  ["cache_ttl_secs", ".25", 0.25, 0.25],
  ["cache_ttl_secs", "0", -0, 0],
  ["session_ttl_secs", "315360000", 315_360_000, 315_360_000],
  ["rate_limit_per_site", "0.1", 0.1, 0.1],
  ["rate_limit_per_ip", "20", 20, 20],
  ["trust_proxy", "yes", true, 1],
  ["trust_proxy", "Off", false, 0],
  ["trust_proxy", "1", 1, 1],
  ["trust_proxy", "32", 32, 32],
  ["time_zone", " Europe/Berlin ", "Europe/Berlin", "Europe/Berlin"],
  ["time_zone", "Etc/GMT+5", "Etc/GMT+5", "Etc/GMT+5"],
  ["secure_cookies", "AUTO", "auto", "auto"],
  ["secure_cookies", "on", true, true],
  ["secure_cookies", "0", false, false],
  ["geoip_db", "Builtin", "builtin", "builtin"],
  ["geoip_db", "none", "none", "none"],
  ["geoip_db", "/geo/City.mmdb", "/geo/City.mmdb", { paths: ["/geo/City.mmdb"] }],
  ["geoip_db", "/a b/v4.mmdb, ./v6.mmdb", ["/a b/v4.mmdb", "./v6.mmdb"], { paths: ["/a b/v4.mmdb", "./v6.mmdb"] }],
  ["geoip_db", "./none", "./none", { paths: ["./none"] }],
  ["asn_db", "builtin", "builtin", { paths: ["builtin"] }],
  ["asn_db", "v4.mmdb,v6.mmdb", ["v4.mmdb", "v6.mmdb"], { paths: ["v4.mmdb", "v6.mmdb"] }],
  ["geoip_precision", " Region ", "region", "region"],
  ["log_level", "WARN", "warn", "warn"],
  ["engine_memory_mb", "8", 8, 8],
  ...["true", "TRUE", "1", "yes", "Yes", "on", " on "].map((text): Good => ["gdpr_mode", text, true, true]),
  ...["false", "False", "0", "no", "NO", "off"].map((text): Good => ["filter_bots", text, false, false]),
];

const fieldOf = (option: string) => option.replace(/_./g, (match) => match.slice(1).toUpperCase()) as keyof Config;

describe("valid values", () => {
  it.each(GOOD)("%s accepts %j from the environment and %j from the file", (option, text, value, becomes) => {
    const fromText = parse({ environment: { [`SVC_${option.toUpperCase()}`]: text } });
    expect(shown(fromText.config[fieldOf(option)])).toEqual(becomes);
    const fromFile = parse({ file: { [option]: value } });
    expect(shown(fromFile.config[fieldOf(option)])).toEqual(becomes);
    expect([...fromText.warnings, ...fromFile.warnings]).toEqual([]);
  });
});

const PORT_RULE = "must be an integer from 0 to 65535";
const ORIGIN_RULE = "must be http://host or https://host, with :port where needed and no path";
const PASSWORD_RULE =
  "must be a string of at least 12 characters and at most 1024 bytes of UTF-8, without line breaks and other control characters";
const BASE_PATH_RULE = "must be / or a path of at most 256 characters that starts with / and has segments of letters, digits and . _ ~ -";
const GEOIP_DB_RULE = "must be builtin, none, a path, or a list of two paths";
const GEO_HEADERS_RULE = "must be a list of country=<header> and, where wanted, region=<header> and city=<header>";
const HOST_RULE = "must be a host name or IP address, without scheme and port";

describe("geo_headers", () => {
  const trusting = { environment: { SVC_TRUST_PROXY: "1" }, file: {} };

  it("geo_headers names a header for the country and optionally for region and city, in any order and case", () => {
    const text = "City=CF-IPCity, country = CF-IPCountry";
    const fromText = parse({ environment: { ...trusting.environment, SVC_GEO_HEADERS: text } });
    expect(fromText.config.geoHeaders).toEqual({ country: "cf-ipcountry", region: null, city: "cf-ipcity" });
    const fromFile = parse({ ...trusting, file: { geo_headers: ["country=X-Country", "region=X-Region"] } });
    expect(fromFile.config.geoHeaders).toEqual({ country: "x-country", region: "x-region", city: null });
  });

  it("geo_headers is refused without trust_proxy, because anyone could send the headers", () => {
    const problem = "geo_headers requires trust_proxy: otherwise anyone could send these headers";
    expect(problemsOf({ environment: { SVC_GEO_HEADERS: "country=CF-IPCountry" } })).toEqual([problem]);
  });
});

describe("invalid values in the environment", () => {
  it.each([
    ["port", "abc", '"abc"', PORT_RULE],
    ["port", " ", '" "', PORT_RULE],
    ["port", "-1", "-1", PORT_RULE],
    ["port", "65536", "65536", PORT_RULE],
    ["port", "80.5", '"80.5"', PORT_RULE],
    ["port", "1e3", '"1e3"', PORT_RULE],
    ["port", "0x50", '"0x50"', PORT_RULE],
    ["port", "9".repeat(400), `"${"9".repeat(80)}…"`, PORT_RULE],
    ["host", "127.0.0.1:8000", '"127.0.0.1:8000"', HOST_RULE],
    ["host", "http://a", '"http://a"', HOST_RULE],
    ["host", "a b", '"a b"', HOST_RULE],
    ["host", "[a]", '"[a]"', HOST_RULE],
    ["data_dir", "  ", '"  "', "must be a path"],
    ["filter_bots", "maybe", '"maybe"', "must be a boolean"],
    ["filter_bots", "2", '"2"', "must be a boolean"],
    ["flush_event_count", "0", "0", "must be an integer from 1 to 100000"],
    ["flush_event_count", "100001", "100001", "must be an integer from 1 to 100000"],
    ["flush_interval_secs", "0", "0", "must be a number from 0.1 to 86400"],
    ["rate_limit_per_ip", "-0.5", "-0.5", "must be a number from 0 to 1000000"],
    ["rate_limit_per_ip", "Infinity", '"Infinity"', "must be a number from 0 to 1000000"],
    ["rate_limit_per_ip", ".", '"."', "must be a number from 0 to 1000000"],
    ["session_ttl_secs", "315360001", "315360001", "must be an integer from 1 to 315360000"],
    ["trust_proxy", "33", "33", "must be an integer from 0 to 32 or a boolean (true for 1, false for 0)"],
    ["trust_proxy", "-1", "-1", "must be an integer from 0 to 32 or a boolean (true for 1, false for 0)"],
    ["geoip_db", "a,b,c", "a list", GEOIP_DB_RULE],
    ["geoip_db", "a,", "a list", GEOIP_DB_RULE],
    ["geo_headers", "CF-IPCountry", '"CF-IPCountry"', GEO_HEADERS_RULE],
    ["geo_headers", "country=CF IPCountry", '"country=CF IPCountry"', GEO_HEADERS_RULE],
    ["geo_headers", "country=a, country=b", '"country=b"', GEO_HEADERS_RULE],
    ["geo_headers", "country=a, region=b, city=c, city=d", "a list", GEO_HEADERS_RULE],
    ["geo_headers", "city=CF-IPCity", "no country", GEO_HEADERS_RULE],
    ["trust_proxy", "10.0.0.1", '"10.0.0.1"', "must be an integer from 0 to 32 or a boolean (true for 1, false for 0)"],
    ["secure_cookies", "sometimes", '"sometimes"', "must be auto or a boolean"],
    ["geoip_precision", "street", '"street"', "must be city, region, country or none"],
    ["journal_fsync", "true", '"true"', "must be always, interval or off"],
    ["geoip_db", " ", '" "', GEOIP_DB_RULE],
    ["dashboard_origin", "stats.example", '"stats.example"', ORIGIN_RULE],
    ["dashboard_origin", "https://stats.example/app", '"https://stats.example/app"', ORIGIN_RULE],
    ["dashboard_origin", "https://stats.example?", '"https://stats.example?"', ORIGIN_RULE],
    ["dashboard_origin", "https://stats.example#x", '"https://stats.example#x"', ORIGIN_RULE],
    ["dashboard_origin", "https://me@stats.example", '"https://me@stats.example"', ORIGIN_RULE],
    ["dashboard_origin", "https:\\\\stats.example", '"https:\\\\\\\\stats.example"', ORIGIN_RULE],
    ["dashboard_origin", "https://stats.example:70000", '"https://stats.example:70000"', ORIGIN_RULE],
    ["dashboard_origin", "ftp://stats.example", '"ftp://stats.example"', ORIGIN_RULE],
    ["dashboard_origin", "null", '"null"', ORIGIN_RULE],
    ["base_path", "stats", '"stats"', BASE_PATH_RULE],
    ["base_path", "//", '"//"', BASE_PATH_RULE],
    ["base_path", "//stats", '"//stats"', BASE_PATH_RULE],
    ["base_path", "/stats//", '"/stats//"', BASE_PATH_RULE],
    ["base_path", "/a//b", '"/a//b"', BASE_PATH_RULE],
    ["base_path", "/../a", '"/../a"', BASE_PATH_RULE],
    ["base_path", "/a b", '"/a b"', BASE_PATH_RULE],
    ["base_path", "/a?b", '"/a?b"', BASE_PATH_RULE],
    ["base_path", "https://example.com/stats", '"https://example.com/stats"', BASE_PATH_RULE],
    ["hsts_max_age_secs", "-1", "-1", "must be an integer from 0 to 315360000"],
  ])("%s rejects %j", (option, text, found, rule) => {
    const variable = `SVC_${option.toUpperCase()}`;
    expect(problemsOf({ environment: { [variable]: text } })).toEqual([`${option} (${variable}) ${rule}, got ${found}`]);
  });

  it("in a list are reported individually, at most five of them", () => {
    const text = "ok.example,https://a.example,*.example,münchen.de";
    expect(problemsOf({ environment: { SVC_SITE_IDS: text } })).toEqual([
      "site_ids (SVC_SITE_IDS) must be a list of at most 10000 entries, each a site id or host name of at most 256 ASCII " +
        'letters, digits and . - _ : characters, got "https://a.example", "*.example", "münchen.de"',
    ]);
    expect(problemsOf({ environment: { SVC_SITE_IDS: "/1,/2,/3,/4,/5,/6,/7" } })[0]).toMatch(/"\/5" and 2 more$/);
    expect(problemsOf({ environment: { SVC_SITE_IDS: "x".repeat(257) } })).toHaveLength(1);
    // Names that were left out by mistake would open the service to any site.
    expect(problemsOf({ environment: { SVC_SITE_IDS: " , ," } })[0]).toMatch(/ must be a list of .*, got " , ,"$/);
  });

  it("are quoted in one short line, whatever characters they contain", () => {
    const text = `a\nb\u001b[31m\u009b\u2028${"c".repeat(10_000)}`;
    const [problem] = problemsOf({ environment: { SVC_LOG_LEVEL: text } });
    expect(problem).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
    expect(problem?.length).toBeLessThan(250);
  });
});

describe("invalid values in the file", () => {
  it.each([
    ["port", "8000", '"8000"'],
    ["port", true, "true"],
    ["port", 80.5, "80.5"],
    ["port", Number.NaN, "NaN"],
    ["port", [8000], "a list"],
    ["port", new Date(0), "a date"],
    ["port", { number: 8000 }, "a table"],
    ["host", 5, "5"],
    ["host", "", '""'],
    ["data_dir", "a\0b", '"a\\u0000b"'],
    ["data_dir", "x".repeat(4097), `"${"x".repeat(80)}…"`],
    ["filter_bots", "true", '"true"'],
    ["filter_bots", 1, "1"],
    ["rate_limit_per_site", "0.5", '"0.5"'],
    ["rate_limit_per_site", Infinity, "Infinity"],
    ["trust_proxy", "1", '"1"'],
    ["trust_proxy", 0.5, "0.5"],
    ["time_zone", "europe/berlin", '"europe/berlin"'],
    ["time_zone", "+02:00", '"+02:00"'],
    ["time_zone", "__proto__", '"__proto__"'],
    ["time_zone", "", '""'],
    ["time_zone", 2, "2"],
    ["secure_cookies", "true", '"true"'],
    ["geoip_precision", false, "false"],
    ["geoip_db", false, "false"],
    ["dashboard_origin", "", '""'],
    ["site_ids", "a.example", '"a.example"'],
    ["site_ids", ["a.example", 5, ""], '5, ""'],
    ["event_paths", ["/", "/a/", "//a", "e", "/a?b", "/a/../b", "/./a", "/ä"], '"/", "/a/", "//a", "e", "/a?b" and 3 more'],
    ["script_paths", [`/${"x".repeat(256)}`], `"/${"x".repeat(79)}…"`],
    ["script_paths", Array.from({ length: 17 }, (_, i) => `/${i}`), "17 entries"],
    ["site_ids", [" a.example"], '" a.example"'],
    ["site_ids", Array.from({ length: 10_001 }, () => "a"), "10001 entries"],
  ])("%s rejects %j", (option, value, found) => {
    const [problem, ...others] = problemsOf({ file: { [option]: value }, fileName: "my.toml" });
    expect(problem?.startsWith(`${option} (${option} in my.toml) must be `)).toBe(true);
    expect(problem?.endsWith(`, got ${found}`)).toBe(true);
    expect(others).toEqual([]);
  });
});

describe("secrets", () => {
  it.each([
    ["secret", "15 characters !", "must be a string of 16 to 4096 characters, got a string of 15 characters (not shown)"],
    ["admin_password", "🐦".repeat(11), `${PASSWORD_RULE}, got a string of 11 characters (not shown)`],
    ["admin_password", "é".repeat(513), `${PASSWORD_RULE}, got a string of more than 1024 bytes (not shown)`],
    ["admin_password", "correct horse battery\n", `${PASSWORD_RULE}, got a string with another character (not shown)`],
    ["metrics_token", "has space", "visible ASCII without spaces, got a string with another character (not shown)"],
    ["metrics_token", "ümlaut", "visible ASCII without spaces, got a string with another character (not shown)"],
    ["secret", "x".repeat(4097), "must be a string of 16 to 4096 characters, got a string of 4097 characters (not shown)"],
  ])("%s rejects %j without showing it", (option, text, message) => {
    const variable = `SVC_${option.toUpperCase()}`;
    for (const given of [{ environment: { [variable]: text } }, { file: { [option]: text } }]) {
      const [problem] = problemsOf(given);
      expect(problem).toContain(message);
      expect(problem).not.toContain(text);
    }
  });

  it("are rejected without being shown if they have the wrong type", () => {
    const file = { secret: 1234567890123456, admin_password: ["hidden-in-a-list"], metrics_token: true };
    expect(problemsOf({ file })).toEqual([
      expect.stringMatching(/^secret \(secret in the configuration file\) must be a string of .*, got a number \(not shown\)$/),
      expect.stringMatching(/, got a list \(not shown\)$/),
      expect.stringMatching(/, got a boolean \(not shown\)$/),
    ]);
  });

  it("print as [redacted] in every way a config can be printed", () => {
    const text = "correct horse battery staple";
    const { config } = parse({ environment: { SVC_SECRET: text, SVC_ADMIN_PASSWORD: text } });
    const secret = config.secret;
    if (secret === null) throw new Error("The secret was set.");
    expect(secret.reveal()).toBe(text);
    expect(`${secret}`).toBe("[redacted]");
    expect(JSON.stringify({ secret })).toBe('{"secret":"[redacted]"}');
    expect(inspect(secret)).toBe("[redacted]");
    for (const printed of [
      JSON.stringify(config),
      inspect(config, { depth: null, showHidden: true, customInspect: false }),
      inspect(config, { depth: null, showHidden: true }),
      String(secret),
      Object.entries(secret).join(),
      JSON.stringify(structuredClone({ ...config })),
    ]) {
      expect(printed).not.toContain(text);
    }
  });

  // Letters that no message has, so that even a secret of one letter is recognised.
  const letter = fc.constantFrom("Ж", "Щ", "ж", "щ", "🔑", "\n");
  const secretLetters = fc.string({ unit: letter, minLength: 1, maxLength: 60 });
  const secretLeak = /[ЖЩжщ🔑]/u;
  const secretOption = fc.constantFrom("secret", "admin_password", "metrics_token");
  const misspelt = fc.constantFrom("admin_pasword", "secrets", "metric-token", "adminPassword", "SVC_SECRET", "else");
  const badTogether = fc.dictionary(
    fc.constantFrom("port", "host", "nonsense", "site_ids", "log_level", "gdpr_mode"),
    fc.oneof(fc.integer(), fc.constantFrom("x y", "", "/"), fc.boolean()),
  );
  const secretValue = fc.oneof(
    secretLetters,
    fc.array(secretLetters),
    fc.dictionary(fc.constantFrom("value", "text"), secretLetters, { minKeys: 1 }),
  );

  it("appear in no error and no warning, whatever else is wrong", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.oneof(secretOption, misspelt), secretValue),
        fc.dictionary(fc.oneof(secretOption, misspelt), secretLetters),
        badTogether,
        fc.constantFrom<Platform>("node", "workerd"),
        (secretsInFile, secretsInEnvironment, others, platform) => {
          const environment = Object.fromEntries(
            Object.entries(secretsInEnvironment).map(([name, text]) => [`SVC_${name.toUpperCase()}`, text]),
          );
          let said: string;
          try {
            said = parse({ environment, file: { ...others, ...secretsInFile }, platform }).warnings.join("\n");
          } catch (error) {
            if (!(error instanceof ConfigError)) throw error;
            said = `${inspect(error, { showHidden: true })}\n${error.problems.join("\n")}`;
          }
          expect(said).not.toMatch(secretLeak);
        },
      ),
    );
  });

  it("stay out of the message that rejects them, whatever their characters", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 6, maxLength: 11 }), (text) => {
        const secret = `#${text}#`;
        const problems = problemsOf({ environment: { SVC_SECRET: secret.slice(0, 13) }, file: { port: "bad" } });
        expect(problems).toHaveLength(2);
        expect(problems.join("\n")).not.toContain(secret.slice(0, 13));
      }),
    );
  });
});

describe("secrets in files of their own", () => {
  const environment = { SVC_ADMIN_PASSWORD_FILE: "/run/password" };

  it.each(["secret", "admin_password", "metrics_token"] as const)("are possible for %s", (name) => {
    const variable = `SVC_${name.toUpperCase()}_FILE`;
    const { config, warnings } = parse({ environment: { [variable]: "/run/it" }, secretFiles: { [name]: { text: "sixteen-letters-" } } });
    expect(Object.values(config).map(shown)).toContainEqual({ secret: "sixteen-letters-" });
    expect(warnings).toEqual([]);
  });

  it("override the configuration file", () => {
    const { config } = parse({
      environment,
      secretFiles: { admin_password: { text: "from the secret's file" } },
      file: { admin_password: "from the configuration file" },
    });
    expect(config.adminPassword?.reveal()).toBe("from the secret's file");
  });

  it("are a problem if the variable with the value is also set", () => {
    const both = { ...environment, SVC_ADMIN_PASSWORD: "correct horse battery" };
    expect(problemsOf({ environment: both, secretFiles: { admin_password: { text: "another password" } } })).toEqual([
      "admin_password: SVC_ADMIN_PASSWORD and SVC_ADMIN_PASSWORD_FILE are both set. Remove one of them",
    ]);
  });

  it("are a problem that names variable and file if they cannot be read", () => {
    expect(problemsOf({ environment, secretFiles: { admin_password: { fault: "is empty" } } })).toEqual([
      'admin_password (SVC_ADMIN_PASSWORD_FILE, "/run/password"): the file is empty',
    ]);
  });

  it("are a problem that names variable and file and not the value if the value is invalid", () => {
    expect(problemsOf({ environment, secretFiles: { admin_password: { text: "hunter2" } } })).toEqual([
      `admin_password (SVC_ADMIN_PASSWORD_FILE, "/run/password") ${PASSWORD_RULE}, got a string of 7 characters (not shown)`,
    ]);
  });

  it("are a problem on a platform without files, because without the password the instance would be open", () => {
    expect(problemsOf({ environment, platform: "workerd" })).toEqual([
      "admin_password (SVC_ADMIN_PASSWORD_FILE): this platform has no files. Set SVC_ADMIN_PASSWORD instead",
    ]);
  });

  it("only secrets may be in files of their own", () => {
    expect(parse({ environment: { SVC_DATA_DIR_FILE: "/run/it" } }).warnings).toEqual([
      '"SVC_DATA_DIR_FILE" is ignored: no option has this variable',
    ]);
  });
});

describe("the command line", () => {
  it("overrides the environment and the file, and is checked like them", () => {
    const given = { environment: { SVC_PORT: "9001" }, file: { port: 9002 } };
    expect(parse({ ...given, commandLine: { port: "9000" } }).config.port).toBe(9000);
    expect(problemsOf({ ...given, commandLine: { port: "web", data_dir: " " } })).toEqual([
      'port (--port) must be an integer from 0 to 65535, got "web"',
      'data_dir (--data-dir) must be a path, got " "',
    ]);
    expect(problemsOf({ environment: { SVC_PORT: "x" }, commandLine: { port: "9000" } })).toEqual([
      'port (SVC_PORT) must be an integer from 0 to 65535, got "x"',
    ]);
  });
});

describe("the two sources", () => {
  it("are combined so that the environment overrides the file", () => {
    const { config, warnings } = parse({
      environment: { SVC_PORT: "9001", SVC_SITE_IDS: "env.example", SVC_HOST: "" },
      file: { port: 9000, site_ids: ["file.example"], host: "::1", log_level: "debug" },
    });
    expect(config).toMatchObject({ port: 9001, siteIds: ["env.example"], host: "::1", logLevel: "debug" });
    expect(warnings).toEqual([]);
  });

  it("are both checked, even where the environment overrides the file", () => {
    expect(problemsOf({ environment: { SVC_PORT: "9001" }, file: { port: "x" } })).toEqual([
      `port (port in the configuration file) ${PORT_RULE}, got "x"`,
    ]);
    expect(problemsOf({ environment: { SVC_PORT: "y" }, file: { port: "x" } })).toHaveLength(2);
  });

  it("refuse role = ingest on workerd, whose objects are not nodes", () => {
    const environment = {
      SVC_ENGINE: "clickhouse",
      SVC_CLICKHOUSE_URL: "https://clickhouse.test",
      SVC_SECRET: "a secret of at least thirty-two characters",
      SVC_ROLE: "ingest",
    };
    expect(problemsOf({ environment, platform: "workerd" })).toEqual(["role = ingest is of the Node program only"]);
  });

  it("ignore options for Node on workerd, with a warning", () => {
    const { config, warnings } = parse({
      platform: "workerd",
      environment: { SVC_PORT: "9001", SVC_RETENTION_DAYS: "9" },
      file: { data_dir: 5 },
    });
    expect(config).toMatchObject({ port: 8000, dataDir: "./data", retentionDays: 9 });
    expect(warnings).toEqual([
      "SVC_PORT is ignored: port has no effect on workerd",
      "data_dir in the configuration file is ignored: data_dir has no effect on workerd",
    ]);
  });

  it("ignore variables without the prefix", () => {
    const environment = { PORT: "x", svc_port: "x", PATH: "/bin" };
    expect(parse({ environment })).toEqual({ config: DEFAULTS, warnings: [] });
  });
});

describe("problems", () => {
  it("are listed in one message, one line each", () => {
    expect(() =>
      parse({
        environment: { SVC_PORT: "abc", SVC_ADMIN_PASSWORD: "hunter2", SVC_FILTER_BOTS: "maybe", SVC_PROT: "1" },
        file: { retention_days: -1, sesion_ttl_secs: 5, nonsense: "x" },
        fileName: "sandpiper.toml",
      }),
    ).toThrow(
      new ConfigError([
        'port (SVC_PORT) must be an integer from 0 to 65535, got "abc"',
        `admin_password (SVC_ADMIN_PASSWORD) ${PASSWORD_RULE}, got a string of 7 characters (not shown)`,
        'filter_bots (SVC_FILTER_BOTS) must be a boolean, got "maybe"',
        "retention_days (retention_days in sandpiper.toml) must be an integer from 0 to 36500, got -1",
        '"sesion_ttl_secs" in sandpiper.toml: unknown option; did you mean session_ttl_secs?',
        '"nonsense" in sandpiper.toml: unknown option',
      ]),
    );
  });

  it("are counted in the first line of the message", () => {
    expect(new ConfigError(["one"]).message).toBe("The configuration has a problem:\n- one");
    expect(new ConfigError(["one", "two"]).message).toBe("The configuration has 2 problems:\n- one\n- two");
  });
});

describe("suggestions", () => {
  it.each([
    ["prot", "port"],
    ["hots", "host"],
    ["site_id", "site_ids"],
    ["flushEventCount", "flush_event_count"],
    ["flush-event-count", "flush_event_count"],
    ["Log_Level", "log_level"],
    ["SVC_PORT", "port"],
    ["retention_day", "retention_days"],
    ["max_login_atempts", "max_login_attempts"],
  ])("correct the key %s to %s", (key, option) => {
    expect(problemsOf({ file: { [key]: "hidden" } })).toEqual([
      `"${key}" in the configuration file: unknown option; did you mean ${option}?`,
    ]);
  });

  it.each(["server_name", "x", "", "q".repeat(10_000), "config"])("are not made for %s", (key) => {
    expect(problemsOf({ file: { [key]: 1 } })[0]).toMatch(/: unknown option$/);
  });

  it.each([
    ["SVC_DATADIR", "SVC_DATA_DIR"],
    ["SVC_DIR", "SVC_DATA_DIR"],
    ["SVC_PASSWORD", "SVC_ADMIN_PASSWORD"],
    ["SVC_ADMIN_PASSWORT", "SVC_ADMIN_PASSWORD"],
    ["SVC_ADMIN_PASSWORD_FIEL", "SVC_ADMIN_PASSWORD_FILE"],
    ["SVC_PASSWORD_FILE", "SVC_ADMIN_PASSWORD_FILE"],
    ["SVC_TOKEN_FILE", "SVC_METRICS_TOKEN_FILE"],
    ["SVC_SECRETFILE", "SVC_SECRET_FILE"],
    ["SVC_ADMIN_PASS", "SVC_ADMIN_PASSWORD"],
    ["SVC_BASEPORT", undefined],
    ["SVC_SECS", undefined],
  ])("correct the variable %s to %s", (variable, meant) => {
    const { warnings } = parse({ environment: { [variable]: "hidden" } });
    const suggested = meant === undefined ? "" : `; did you mean ${meant}?`;
    expect(warnings).toEqual([`"${variable}" is ignored: no option has this variable${suggested}`]);
  });

  it("correct a dropped letter and swapped letters in every variable", () => {
    const variables = OPTION_NAMES.flatMap((name) => [variableOf(name), ...(optionNamed(name).kind.secret ? [fileVariableOf(name)] : [])]);
    const dropped = (name: string) => name.slice(0, -2) + name.slice(-1);
    const swapped = (name: string) => name.slice(0, 4) + name.charAt(5) + name.charAt(4) + name.slice(6);
    for (const variable of variables) {
      for (const typed of [dropped(variable), swapped(variable)]) {
        expect(parse({ environment: { [typed]: "hidden" } }).warnings).toEqual([
          `"${typed}" is ignored: no option has this variable; did you mean ${variable}?`,
        ]);
      }
    }
  });

  it("mention that options belong outside tables", () => {
    expect(problemsOf({ file: { server: { port: 1 } } })).toEqual([
      '"server" in the configuration file: unknown option; options belong at the top of the file, outside any table',
    ]);
  });

  it("for unknown variables are warnings that never show the value, because orchestrators set some", () => {
    const { config, warnings } = parse({
      environment: {
        SVC_PROT: "hidden",
        SVC_COFIG: "hidden",
        SVC_port: "hidden",
        SVC_SERVICE_HOST: "10.0.0.1",
        SVC_PORT_8000_TCP: "hidden",
        SVC_: "hidden",
        SVC_CONFIG: "sandpiper.toml",
      },
    });
    expect(config).toEqual(DEFAULTS);
    expect(warnings).toEqual([
      '"SVC_PROT" is ignored: no option has this variable; did you mean SVC_PORT?',
      '"SVC_COFIG" is ignored: no option has this variable; did you mean SVC_CONFIG?',
      '"SVC_port" is ignored: no option has this variable; did you mean SVC_PORT?',
      '"SVC_SERVICE_HOST" is ignored: no option has this variable',
      '"SVC_PORT_8000_TCP" is ignored: no option has this variable',
      '"SVC_" is ignored: no option has this variable',
    ]);
  });

  it("are not made for the port variable that Kubernetes sets for a service called svc, and the start continues", () => {
    const { config, warnings } = parse({ environment: { SVC_PORT: "tcp://10.0.0.1:80" }, file: { port: 9000 } });
    expect(config.port).toBe(9000);
    expect(warnings).toEqual(["SVC_PORT is ignored: the orchestrator set it to the address of a service"]);
  });
});

describe("gdpr_mode", () => {
  const STRICT = {
    gdprMode: true,
    stripReferrerQuery: true,
    roundTimestamps: true,
    suppressBrowserVersion: true,
    suppressOsVersion: true,
    suppressScreenSize: true,
  };

  it("turns on all data minimisation and limits locations to the country", () => {
    expect(parse({ file: { gdpr_mode: true } })).toEqual({
      config: { ...DEFAULTS, ...STRICT, geoipPrecision: "country" },
      warnings: [],
    });
  });

  it("gdpr_mode keeps a stricter option", () => {
    const { config } = parse({ file: { gdpr_mode: true, geoip_precision: "none" } });
    expect(config.geoipPrecision).toBe("none");
  });

  it("warns about settings that it overrides", () => {
    const { config, warnings } = parse({
      environment: { SVC_GDPR_MODE: "on", SVC_ROUND_TIMESTAMPS: "no", SVC_SUPPRESS_OS_VERSION: "yes" },
      file: { geoip_precision: "city" },
      fileName: "my.toml",
    });
    expect(config).toMatchObject({ ...STRICT, geoipPrecision: "country" });
    expect(warnings).toEqual([
      "geoip_precision in my.toml is overridden by gdpr_mode: geoip_precision is country",
      "SVC_ROUND_TIMESTAMPS is overridden by gdpr_mode: round_timestamps is true",
    ]);
  });
});

describe("editDistance", () => {
  it.each([
    ["", "", 0],
    ["abc", "abc", 0],
    ["abc", "abd", 1],
    ["abc", "ab", 1],
    ["abc", "xabc", 1],
    ["abc", "acb", 1],
    ["abcd", "badc", 2],
    ["kitten", "sitting", 3],
    ["", "abc", 3],
  ])("of %j and %j is %i", (a, b, edits) => {
    expect(editDistance(a, b, 5)).toBe(edits);
    expect(editDistance(b, a, 5)).toBe(edits);
  });

  it("is symmetric, exact up to its bound, and greater than the bound otherwise", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 8 });
    fc.assert(
      fc.property(word, word, fc.integer({ min: 0, max: 8 }), (a, b, bound) => {
        const edits = editDistance(a, b, 8);
        expect(editDistance(b, a, 8)).toBe(edits);
        const bounded = editDistance(a, b, bound);
        if (edits <= bound) expect(bounded).toBe(edits);
        else expect(bounded).toBeGreaterThan(bound);
      }),
    );
  });

  it("selects the closest name, and the first of equally close ones", () => {
    expect(closestName("hosta", ["hostab", "host", "hosta"])).toBe("hosta");
    expect(closestName("hosta", ["hostab", "host"])).toBe("hostab");
    expect(closestName("hosta", [])).toBeUndefined();
  });
});
