/** /health/detailed, /metrics, robots.txt, security.txt and HSTS (docs/http-api.md, "Metrics"). */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { BEHAVIORAL_VERSION } from "../../src/runtime/duckdb/behavioral.ts";
import { utcDateOf } from "../../src/storage/event.ts";
import { bodyOf, CLOSED, createKey, logIn, PASSWORD, postLogin, postSetup, ofItsOwn, withKey } from "../support/auth-requests.ts";
import { deleteEvents } from "../support/erasure-requests.ts";
import { getMetricFamilies, getMetrics } from "../support/metrics.ts";
import { expectError, getPixel, post, record, wireEvent, type RequestHeaders } from "../support/requests.ts";
import { able, itNeeds, siteNames, type Environment, type MakeTarget, type Target } from "../support/target.ts";
import { GOOGLEBOT } from "../support/user-agents.ts";

const siteName = siteNames("operations");

interface Details {
  readonly status: string;
  readonly version: string;
  readonly buffered_events: number;
  readonly files_left_out: number;
  readonly auth_configured: boolean;
  readonly geoip_loaded: boolean;
  readonly geoip_built: string | null;
  readonly behavioral_extension_loaded: boolean;
  readonly behavioral_version: string | null;
  readonly filter_bots: boolean;
  readonly cache_entries: number;
  readonly cache_empty: boolean;
}

const detailsOf = async (target: Target): Promise<Details> => bodyOf(await target.fetch("/health/detailed"));

/** Sent twice: the first response is computed, the second comes from the cache. */
const ask = async (target: Target, site: string, headers: RequestHeaders = {}): Promise<void> => {
  await (await target.fetch(`/api/stats/timeseries?site_id=${site}`, { headers })).text();
};

export function describeHealthDetails(makeTarget: MakeTarget): void {
  describe("/health/detailed", () => {
    let target: Target;
    beforeAll(async () => {
      target = await makeTarget(ofItsOwn({ SVC_CACHE_TTL_SECS: "60" }));
    });
    afterAll(() => target.close());

    it("/health/detailed reports the current state", async () => {
      expect(await detailsOf(target)).toEqual({
        status: "ok",
        version: expect.stringMatching(/^\d+\.\d+\.\d+/) as unknown,
        buffered_events: 0,
        files_left_out: 0,
        auth_configured: false,
        geoip_loaded: true,
        geoip_built: expect.stringMatching(/^20\d\d-\d\d-\d\d$/) as unknown,
        engine_threads: expect.any(Number) as unknown,
        behavioral_extension_loaded: true,
        behavioral_version: BEHAVIORAL_VERSION,
        filter_bots: true,
        cache_entries: 0,
        cache_empty: true,
      });
      const site = siteName();
      await record(target, wireEvent(site));
      expect(await detailsOf(target)).toMatchObject({ buffered_events: 1 });
      await ask(target, site);
      await ask(target, site);
      expect(await postSetup(target).then(({ status }) => status)).toBe(200);
      expect(await detailsOf(target)).toMatchObject({
        auth_configured: true,
        behavioral_extension_loaded: true,
        behavioral_version: expect.any(String) as unknown,
        cache_entries: 1,
        cache_empty: false,
      });
    });

    itNeeds(makeTarget, "readsFiles", "reports events of the journal also after a query has read them", async () => {
      const other = await makeTarget({ SVC_FLUSH_INTERVAL_SECS: "3600" });
      const site = siteName();
      await record(other, wireEvent(site));
      await ask(other, site);
      expect(await detailsOf(other)).toMatchObject({ buffered_events: 1 });
      await other.close();
    });

    it("reports what is switched off, and a password set by the option", async () => {
      const off = await makeTarget({ ...CLOSED, SVC_GEOIP_DB: "none", SVC_FILTER_BOTS: "false", SVC_BEHAVIORAL: "false" });
      expect(await detailsOf(off)).toMatchObject({
        auth_configured: true,
        geoip_loaded: false,
        geoip_built: null,
        behavioral_extension_loaded: false,
        behavioral_version: null,
        filter_bots: false,
      });
      const values = await getMetrics(off);
      expect(values).toMatchObject({ svc_auth_configured: 1, svc_geoip_loaded: 0, svc_filter_bots: 0, svc_behavioral_extension: 0 });
      expect(values).not.toHaveProperty("svc_geoip_built_timestamp_seconds");
      await off.close();
    });
  });
}

/** Metrics of a process, which workerd does not have. */
const OF_A_PROCESS = ["process_resident_memory_bytes", "process_heap_bytes", "process_cpu_seconds_total"];

/** Every metric, by type. */
const GAUGES = [
  ...[
    "svc_buffered_events",
    "svc_buffered_bytes",
    "svc_ingest_available",
    "svc_sites",
    "svc_cache_entries",
    "svc_auth_configured",
    "svc_geoip_loaded",
    "svc_geoip_built_timestamp_seconds",
    "svc_files_left_out",
    "svc_filter_bots",
    "svc_behavioral_extension",
  ],
  ...[
    "svc_journal_lag_seconds",
    "svc_engine_memory_bytes",
    "svc_engine_threads",
    "svc_cached_partitions",
    "svc_catalog_partitions",
    "svc_catalog_files",
    "svc_rollup_partitions",
    "svc_uptime_seconds",
  ],
  ...["process_start_time_seconds", "process_resident_memory_bytes", "process_heap_bytes"],
];
const COUNTERS = [
  ...[
    "svc_events_ingested_total",
    "svc_events_refused_total",
    "svc_flush_failures_total",
    "svc_journal_fsync_failures_total",
    "svc_rate_limit_rejections_total",
    "svc_max_sites_rejections_total",
    "svc_login_failures_total",
  ],
  ...[
    "svc_cache_hits_total",
    "svc_cache_misses_total",
    "svc_pixel_events_ingested_total",
    "svc_bot_events_dropped_total",
    "svc_events_excluded_total",
    "svc_engagement_pings_dropped_total",
  ],
  ...[
    "svc_clickhouse_inserts_total",
    "svc_clickhouse_insert_failures_total",
    "svc_clickhouse_insert_seconds_total",
    "svc_files_compacted_total",
    "svc_compaction_failures_total",
    "svc_events_erased_total",
    "svc_retention_failures_total",
    "svc_rollups_made_total",
    "svc_rollup_failures_total",
    "svc_rollup_seconds_total",
    "process_cpu_seconds_total",
    "svc_http_requests_total",
  ],
];
const HISTOGRAMS = ["svc_flush_duration_seconds", "svc_http_request_duration_seconds"];

/** Without compaction and rollups: their search reads the listings of all sites, which changes svc_catalog_files. */
const MEASURED: Environment = { ...CLOSED, SVC_CACHE_TTL_SECS: "60", SVC_COMPACT_AFTER_FILES: "0", SVC_ROLLUPS: "false" };

export function describeMetrics(makeTarget: MakeTarget): void {
  describe("/metrics", () => {
    let target: Target;
    beforeAll(async () => {
      target = await makeTarget(MEASURED);
    });
    afterAll(() => target.close());

    it("is in the text format, and every family has a type, a help text and a value", async () => {
      await ask(target, siteName());
      const response = await target.fetch("/metrics");
      expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4");
      expect(response.headers.get("cache-control")).toBe("no-store");
      const text = await response.text();
      expect(text.endsWith("\n")).toBe(true);
      expect(
        text.split("\n").filter((line) => !/^(?:# (?:HELP|TYPE) \w+ .+|\w+(?:\{(?:\w+="[^"\\]*",?)+\})? -?[\d.e+-]+|)$/.test(line)),
      ).toEqual([]);
      const families = await getMetricFamilies(target);
      const named = (type: string) =>
        families
          .filter((family) => family.type === type)
          .map(({ name }) => name)
          .sort();
      const wanted = (names: readonly string[]) => names.filter((name) => target.name !== "workerd" || !OF_A_PROCESS.includes(name)).sort();
      expect({ gauges: named("GAUGE"), counters: named("COUNTER"), histograms: named("HISTOGRAM") }).toEqual({
        gauges: wanted(GAUGES),
        counters: wanted(COUNTERS),
        histograms: wanted(HISTOGRAMS),
      });
      expect(families.filter(({ help, metrics }) => help === "" || metrics.length === 0)).toEqual([]);
    });

    /** Requests that increase a counter, and by how much. */
    const MOVES: readonly (readonly [counter: string, by: number, move: (site: string) => Promise<unknown>])[] = [
      ["svc_events_ingested_total", 1, (site) => record(target, wireEvent(site))],
      ["svc_pixel_events_ingested_total", 1, (site) => getPixel(target, { d: site, u: "/" })],
      ["svc_bot_events_dropped_total", 1, (site) => post(target, wireEvent(site), { "user-agent": GOOGLEBOT })],
      ["svc_login_failures_total", 1, () => postLogin(target, "a wrong password")],
      ["svc_cache_misses_total", 1, async (site) => ask(target, site, await logIn(target))],
      [
        "svc_cache_hits_total",
        2,
        async (site) => {
          const session = await logIn(target);
          for (let i = 0; i < 3; i++) await ask(target, site, session);
        },
      ],
      [
        "svc_events_erased_total",
        2,
        async (site) => {
          for (let i = 0; i < 2; i++) await record(target, wireEvent(site));
          const days = [-86_400_000, 86_400_000].map((ms) => new Date(target.nowMs() + ms).toISOString().slice(0, 10));
          await deleteEvents(target, await logIn(target), { site_id: site, start_date: days[0] ?? "", end_date: days[1] ?? "" });
        },
      ],
    ];

    it.each(MOVES)("%s increases by %d", async (counter, by, move) => {
      const before = (await getMetrics(target))[counter] ?? Number.NaN;
      await move(siteName());
      expect(((await getMetrics(target))[counter] ?? Number.NaN) - before).toBe(by);
    });

    it("svc_rate_limit_rejections_total increases by 2 for two rejected events", async () => {
      // No event is accepted again during the test, however long it takes.
      const limited = await makeTarget(ofItsOwn({ SVC_RATE_LIMIT_PER_SITE: "0.01" }));
      onTestFinished(() => limited.close());
      const site = siteName();
      for (let i = 0; i < 3; i++) await post(limited, wireEvent(site));
      expect((await getMetrics(limited))["svc_rate_limit_rejections_total"]).toBe(2);
    });

    it("gauges show current values", async () => {
      await record(target, wireEvent(siteName()));
      await ask(target, siteName(), await logIn(target));
      const values = await getMetrics(target);
      const details = await detailsOf(target);
      expect(values).toMatchObject({
        svc_buffered_events: details.buffered_events,
        svc_cache_entries: details.cache_entries,
        svc_auth_configured: 1,
        svc_geoip_loaded: 1,
        svc_filter_bots: 1,
      });
      expect(utcDateOf((values["svc_geoip_built_timestamp_seconds"] ?? 0) * 1000)).toBe(details.geoip_built);
      const positive = [
        "svc_buffered_events",
        "svc_buffered_bytes",
        "svc_sites",
        "svc_ingest_available",
        "svc_cache_entries",
        ...(target.name === "workerd" ? [] : OF_A_PROCESS),
      ];
      for (const name of positive) expect(values[name], name).toBeGreaterThan(0);
    });

    it("requests are counted by method, route and class of status, never by path", async () => {
      const countOf = async (method: string, route: string, status: string): Promise<number> => {
        const family = (await getMetricFamilies(target)).find(({ name }) => name === "svc_http_requests_total");
        const found = family?.metrics.find(({ labels }) => labels?.method === method && labels.route === route && labels.status === status);
        return Number(found?.value ?? 0);
      };
      const breakdown = ["GET", "/api/stats/breakdown/:dimension"] as const;
      const [refused, lost] = [await countOf(...breakdown, "4xx"), await countOf("other", "other", "4xx")];
      await (await target.fetch("/api/stats/breakdown/secret?site_id=a.test")).text();
      for (const path of ["/secret/path", "/wp-login.php"]) await (await target.fetch(path)).text();
      expect(await countOf(...breakdown, "4xx")).toBe(refused + 1);
      expect(await countOf("other", "other", "4xx")).toBe(lost + 2);
      expect(await (await target.fetch("/metrics")).text()).not.toMatch(/secret|wp-login/);
    });

    it("buckets of durations are cumulative, and the last one equals the count", async () => {
      await ask(target, siteName());
      const text = await (await target.fetch("/metrics")).text();
      const series = [...text.matchAll(/^(\w+)_count(?:\{(.*)\})? (\d+)$/gm)];
      expect(new Set(series.map(([, name]) => name))).toEqual(new Set(HISTOGRAMS));
      for (const [, name = "", labels, count] of series) {
        const before = `${name}_bucket{${labels === undefined ? "" : `${labels},`}le="`;
        const upTo = text
          .split("\n")
          .filter((line) => line.startsWith(before))
          .map((line) => Number(line.split(" ").at(-1)));
        expect(upTo.length).toBeGreaterThan(10);
        expect(upTo).toEqual([...upTo].sort((a, b) => a - b));
        expect(upTo.at(-1)).toBe(Number(count));
      }
    });

    itNeeds(makeTarget, "flush", "a flush is timed, and ends the journal's lag", async () => {
      await able(target, "flush")();
      const { svc_journal_lag_seconds: none } = await getMetrics(target);
      const site = siteName();
      await record(target, wireEvent(site));
      await able(target, "advance")(20_000);
      const { svc_journal_lag_seconds: lag } = await getMetrics(target);
      const session = await logIn(target);
      await ask(target, site, session);
      await able(target, "flush")();
      await ask(target, site, session);
      const values = await getMetrics(target);
      expect([none, lag, values.svc_journal_lag_seconds]).toEqual([0, 20, 0]);
      const flushes = (await getMetricFamilies(target)).find(({ name }) => name === "svc_flush_duration_seconds");
      expect(Number(flushes?.metrics[0]?.count)).toBeGreaterThan(1);
    });

    itNeeds(makeTarget, ["flush", "readsFiles"], "a flush adds a file to the catalog, and a query a partition to the cache", async () => {
      const site = siteName();
      const session = await logIn(target);
      await able(target, "flush")();
      const { svc_catalog_files: files = 0 } = await getMetrics(target);
      await record(target, wireEvent(site));
      await ask(target, site, session);
      await able(target, "flush")();
      await ask(target, site, session);
      const values = await getMetrics(target);
      expect(values.svc_catalog_files).toBe(files + 1);
      expect(values.svc_cached_partitions).toBeGreaterThan(0);
    });
  });

  describe("/metrics with a token", () => {
    const token = "a-token-of-its-own";
    let target: Target;
    beforeAll(async () => {
      target = await makeTarget({ ...CLOSED, SVC_METRICS_TOKEN: token });
    });
    afterAll(() => target.close());

    it.each(["Bearer", "bearer", "BEARER "])("%s and the token are accepted", async (scheme) => {
      expect(await getMetricFamilies(target, { authorization: `${scheme} ${token}` })).not.toEqual([]);
    });

    it.each([
      undefined,
      "",
      "Bearer",
      "Bearer ",
      `Bearer ${token}x`,
      `Bearer ${token.slice(0, -1)}`,
      `Bearer ${token.toUpperCase()}`,
      `Basic ${token}`,
      token,
      `Bearer x ${token}`,
    ])("the header %j is rejected", async (authorization) => {
      await expectError(await target.fetch("/metrics", { headers: authorization === undefined ? {} : { authorization } }), 401, "token");
    });

    it("sessions and API keys are rejected, and the token is not an API key", async () => {
      const session = await logIn(target);
      const { key } = await createKey(target, session, "Admin");
      for (const headers of [session, withKey(key), { authorization: `Bearer ${key}` }, { authorization: `Bearer ${PASSWORD}` }]) {
        await expectError(await target.fetch("/metrics", { headers }), 401);
      }
      await expectError(await target.fetch("/api/sites", { headers: { authorization: `Bearer ${token}` } }), 401);
    });
  });
}

export function describeWellKnown(makeTarget: MakeTarget): void {
  describe("robots.txt and security.txt", () => {
    let target: Target;
    beforeAll(async () => {
      target = await makeTarget();
    });
    afterAll(() => target.close());

    it("/robots.txt disallows everything", async () => {
      const response = await target.fetch("/robots.txt");
      expect(response.headers.get("content-type")).toMatch(/^text\/plain\b/);
      expect(await response.text()).toBe("User-agent: *\nDisallow: /\n");
    });

    it("/.well-known/security.txt has a contact and expires within a year", async () => {
      const response = await target.fetch("/.well-known/security.txt");
      expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
      const text = await response.text();
      expect(text.match(/^Contact: mailto:security@\S+$/gm)).toHaveLength(1);
      const [, expires = ""] = /^Expires: (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)$/m.exec(text) ?? [];
      const days = (Date.parse(expires) - target.nowMs()) / 86_400_000;
      expect(days).toBeGreaterThan(179);
      expect(days).toBeLessThan(365);
    });

    it("/.well-known/security.txt names the host of dashboard_origin if it is set", async () => {
      const other = await makeTarget({ SVC_DASHBOARD_ORIGIN: "https://stats.example.com" });
      expect(await (await other.fetch("/.well-known/security.txt")).text()).toContain("Contact: mailto:security@stats.example.com\n");
      await other.close();
    });
  });
}

export function describeHttps(makeTarget: MakeTarget): void {
  describe("Strict-Transport-Security", () => {
    const headerOf = async (target: Target, proto?: string): Promise<string | null> => {
      const response = await target.fetch("/health", { headers: proto === undefined ? {} : { "x-forwarded-proto": proto } });
      await response.text();
      return response.headers.get("strict-transport-security");
    };

    it("is sent when a trusted proxy reports https, and only then", async () => {
      const target = await makeTarget({ SVC_TRUST_PROXY: "1" });
      expect(await headerOf(target, "https")).toBe("max-age=31536000");
      for (const proto of [undefined, "http", "https, http", ""]) expect(await headerOf(target, proto), proto).toBeNull();
      await target.close();
    });

    it("has the max-age of hsts_max_age_secs, and is not sent if that is 0", async () => {
      for (const [secs, header] of [
        ["63072000", "max-age=63072000"],
        ["0", null],
      ] as const) {
        const target = await makeTarget({ SVC_TRUST_PROXY: "1", SVC_HSTS_MAX_AGE_SECS: secs });
        expect(await headerOf(target, "https")).toBe(header);
        expect(await headerOf(target, "http")).toBeNull();
        await target.close();
      }
    });

    it("is not sent when no proxy is trusted", async () => {
      const target = await makeTarget();
      expect(await headerOf(target, "https")).toBeNull();
      await target.close();
    });
  });
}
