/** All metrics, with their names and help texts (docs/http-api.md, "Metrics"). */
import type { EpochMs } from "../../../storage/event.ts";
import { METRIC_PREFIX } from "../config/names.ts";
import type { Counters, Gauges, Histogram, MetricFamily, RequestMetrics, Sample } from "./metrics.ts";

interface MetricSources {
  readonly counters: Counters;
  readonly requests: Pick<RequestMetrics, "countSamples" | "durationSamples">;
  readonly gauges: Gauges;
  readonly knownSites: { readonly count: number };
  readonly adminPassword: { readonly isConfigured: boolean };
  readonly geoIsLoaded: boolean;
  readonly geoBuiltMs: EpochMs | null;
  readonly config: { readonly filterBots: boolean };
  readonly flush: { readonly durations: Histogram };
  readonly startedAtMs: EpochMs;
  /** Missing on hosts that cannot measure their process. */
  readonly processUsage?: (() => { readonly residentBytes: number; readonly heapBytes: number; readonly cpuSecs: number }) | undefined;
}

type Type = MetricFamily["type"];

const family = (type: Type, name: string, help: string, samples: readonly Sample[]): MetricFamily => ({ name, type, help, samples });

const own = (type: Type, name: string, help: string, samples: readonly Sample[]): MetricFamily =>
  family(type, `${METRIC_PREFIX}${name}`, help, samples);

const counter = (name: string, help: string, value: number): MetricFamily => own("counter", name, help, [{ value }]);

const gauge = (name: string, help: string, value: number | boolean): MetricFamily => own("gauge", name, help, [{ value: Number(value) }]);

const ingestion = ({ counters, gauges, knownSites }: MetricSources): MetricFamily[] => [
  counter("events_ingested_total", "Events accepted by POST /api/event.", counters.eventsIngested),
  counter("pixel_events_ingested_total", "Events accepted by GET /api/event.", counters.pixelEventsIngested),
  counter("bot_events_dropped_total", "Events dropped because a bot sent them.", counters.botEventsDropped),
  counter("events_excluded_total", "Events dropped because their site's settings exclude them.", counters.eventsExcluded),
  counter("engagement_pings_dropped_total", "Pings of engaged time that could not be kept, or were too many.", counters.pingsDropped),
  counter("events_refused_total", "Events answered with 503 because they could not be stored.", counters.eventsRefused),
  counter("rate_limit_rejections_total", "Events rejected by the rate limit of their site.", counters.rateLimitRejections),
  counter("max_sites_rejections_total", "Events of new sites rejected because of max_sites.", counters.maxSitesRejections),
  gauge("ingest_available", "0 while events are refused because they cannot be stored, else 1.", gauges.isIngestOpen),
  gauge("sites", "Sites with events.", knownSites.count),
  gauge("buffered_events", "Events in the journal that are not in a file yet.", gauges.unflushedEvents),
  gauge("buffered_bytes", "Bytes of journal lines in memory.", gauges.unflushedBytes),
];

const storage = ({ counters, flush, gauges }: MetricSources): MetricFamily[] => [
  counter("flush_failures_total", "Failed flushes. Their events stay in the journal.", counters.flushFailures),
  counter("journal_fsync_failures_total", "Failed syncs of the journal.", counters.journalSyncFailures),
  counter("files_compacted_total", "Files replaced by merged files.", counters.filesCompacted),
  counter("compaction_failures_total", "Failed merges. Their files stay as they are.", counters.compactionFailures),
  counter("events_erased_total", "Events deleted on request or by retention_days.", counters.eventsErased),
  counter("retention_failures_total", "Retention runs that failed and will be retried.", counters.retentionFailures),
  gauge("journal_lag_seconds", "Age of the oldest event in the journal that is not in a file yet.", gauges.journalLagMs / 1000),
  own("histogram", "flush_duration_seconds", "Duration of flushes.", flush.durations.samples()),
  counter("clickhouse_inserts_total", "Inserts into ClickHouse.", counters.clickhouseInserts),
  counter("clickhouse_insert_failures_total", "Failed inserts into ClickHouse. They are tried again.", counters.clickhouseInsertFailures),
  counter("clickhouse_insert_seconds_total", "Time spent inserting into ClickHouse.", counters.clickhouseInsertMs / 1000),
  gauge("catalog_partitions", "Partitions (a day of a site) whose file listing is in memory.", gauges.partitions),
  gauge("files_left_out", "Files of events that reports leave out: damaged, missing or in the wrong folder.", gauges.filesLeftOut),
  gauge("catalog_files", "Files in these partitions.", gauges.files),
];

const queries = ({ counters, gauges }: MetricSources): MetricFamily[] => [
  counter("cache_hits_total", "Stats requests answered from the result cache.", counters.cacheHits),
  counter("cache_misses_total", "Stats requests that had to be computed.", counters.cacheMisses),
  gauge("cache_entries", "Cached query results.", gauges.cachedResults),
  gauge("engine_memory_bytes", "Memory of event data in the query engine.", gauges.engineBytes),
  gauge("engine_threads", "Threads of the query engine that are running.", gauges.engineThreads),
  gauge("cached_partitions", "Partitions (a day of a site) in the query engine.", gauges.cachedDays),
];

const rollups = ({ counters, gauges: { rollupDays: total } }: MetricSources): MetricFamily[] => [
  own("gauge", "rollup_partitions", "Past partitions (a day of a site) by the state of their rollup.", [
    { labels: { state: "stored" }, value: total.stored },
    { labels: { state: "stale" }, value: total.stale },
    { labels: { state: "missing" }, value: total.missing },
  ]),
  counter("rollups_made_total", "Rollups made.", counters.rollupsMade),
  counter("rollup_failures_total", "Rollups that could not be made. They are tried again.", counters.rollupFailures),
  counter("rollup_seconds_total", "Time spent making rollups.", counters.rollupMs / 1000),
];

/** Absent without a database: an alert on its age must not read 0 as 1970. */
const geoBuilt = ({ geoBuiltMs }: MetricSources): MetricFamily[] =>
  geoBuiltMs === null
    ? []
    : [gauge("geoip_built_timestamp_seconds", "When the geo database was built, since the Unix epoch in seconds.", geoBuiltMs / 1000)];

const features = ({ counters, adminPassword, geoIsLoaded, config, gauges }: MetricSources): MetricFamily[] => [
  counter(
    "login_failures_total",
    "Logins and share links with a wrong password, and setups with a wrong setup code.",
    counters.loginFailures,
  ),
  gauge("auth_configured", "1 if an admin password is set, else 0.", adminPassword.isConfigured),
  gauge("geoip_loaded", "1 if a geo database is loaded, else 0.", geoIsLoaded),
  gauge("filter_bots", "1 if events of bots are dropped, else 0.", config.filterBots),
  gauge("behavioral_extension", "1 if the behavioral extension is loaded, else 0.", gauges.hasExtension),
];

const requests = ({ requests: metrics }: MetricSources): MetricFamily[] => [
  own("counter", "http_requests_total", "Answered requests by method, route and class of status.", metrics.countSamples),
  own("histogram", "http_request_duration_seconds", "Time from request to response headers.", metrics.durationSamples),
];

/** Uses the standard names of Prometheus client libraries, so that common dashboards work. */
function process({ processUsage, startedAtMs }: MetricSources, nowMs: EpochMs): MetricFamily[] {
  const usage = processUsage?.();
  const started = [
    gauge("uptime_seconds", "Time since the start.", (nowMs - startedAtMs) / 1000),
    family("gauge", "process_start_time_seconds", "Start time of the process since the Unix epoch in seconds.", [
      { value: startedAtMs / 1000 },
    ]),
  ];
  if (!usage) return started;
  return [
    ...started,
    family("gauge", "process_resident_memory_bytes", "Resident memory size in bytes.", [{ value: usage.residentBytes }]),
    family("gauge", "process_heap_bytes", "JavaScript heap size in bytes.", [{ value: usage.heapBytes }]),
    family("counter", "process_cpu_seconds_total", "Total user and system CPU time in seconds.", [{ value: usage.cpuSecs }]),
  ];
}

export const metricFamilies = (sources: MetricSources, nowMs: EpochMs): MetricFamily[] => [
  ...ingestion(sources),
  ...storage(sources),
  ...queries(sources),
  ...rollups(sources),
  ...features(sources),
  ...geoBuilt(sources),
  ...requests(sources),
  ...process(sources, nowMs),
];
