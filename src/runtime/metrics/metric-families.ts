/** Which metrics there are (contract 4.7, and what else tells an operator how the service does). */
import type { EpochMs } from "../../storage/event.ts";
import { METRIC_PREFIX } from "../config/names.ts";
import type { Services } from "../services.ts";
import type { MetricFamily } from "./metrics-text.ts";

const own = (name: string): string => `${METRIC_PREFIX}${name}`;

const counter = (name: string, help: string, value: number): MetricFamily => ({
  name: own(name),
  type: "counter",
  help,
  samples: [{ value }],
});

const gauge = (name: string, help: string, value: number | boolean): MetricFamily => ({
  name: own(name),
  type: "gauge",
  help,
  samples: [{ value: Number(value) }],
});

function counters({ counters: count }: Services): MetricFamily[] {
  return [
    counter("events_ingested_total", "Events accepted by POST /api/event.", count.eventsIngested),
    counter("pixel_events_ingested_total", "Events accepted by GET /api/event.", count.pixelEventsIngested),
    counter("bot_events_dropped_total", "Events dropped because a bot sent them.", count.botEventsDropped),
    counter("events_refused_total", "Events answered with 503 because they could not be stored.", count.eventsRefused),
    counter("flush_failures_total", "Flushes that failed; their events stay in the journal.", count.flushFailures),
    counter(
      "journal_fsync_failures_total",
      "Syncs of the journal that failed; their events are refused or written to files at once.",
      count.journalSyncFailures,
    ),
    counter("files_compacted_total", "Files that were merged into others.", count.filesCompacted),
    counter("compaction_failures_total", "Merges of files that failed; the files stay as they are.", count.compactionFailures),
    counter("events_erased_total", "Events erased on request or by retention_days.", count.eventsErased),
    counter("retention_failures_total", "Runs of retention_days that left something to try again.", count.retentionFailures),
    counter("rate_limit_rejections_total", "Events refused by the rate limit of their site.", count.rateLimitRejections),
    counter("sites_refused_total", "Events refused because of max_sites: their site had no events before.", count.sitesRefused),
    counter("login_failures_total", "Logins with a wrong password and setups with a wrong setup code.", count.loginFailures),
    counter("cache_hits_total", "Statistics answered from the cache.", count.cacheHits),
    counter("cache_misses_total", "Statistics that had to be computed.", count.cacheMisses),
  ];
}

function state({ journal, knownSites, ingestGate, stats, adminPassword, geoIsLoaded, config, behavioral }: Services): MetricFamily[] {
  return [
    gauge("buffered_events", "Events in the journal that are in no file yet.", journal.size),
    gauge("buffered_bytes", "Bytes of the journal's lines, which are in memory until they are in files.", journal.bytes),
    gauge("ingest_available", "0 while events are refused because they cannot be stored.", ingestGate.isOpen),
    gauge("sites", "Sites that have events.", knownSites.count),
    gauge("cache_entries", "Kept answers.", stats.kept),
    gauge("auth_configured", "1 if there is an admin password.", adminPassword.isConfigured),
    gauge("geoip_loaded", "1 if there is a geo database.", geoIsLoaded),
    gauge("filter_bots", "1 if events of bots are dropped.", config.filterBots),
    gauge("behavioral_extension", "1 if the behavioral extension is loaded.", behavioral.version !== null),
  ];
}

function storage({ flusher, partitionCache, partitions }: Services, nowMs: EpochMs): MetricFamily[] {
  const { partitions: known, files } = partitions.known;
  return [
    gauge("journal_lag_seconds", "How long the oldest event in the journal has waited for its file.", flusher.lagMs(nowMs) / 1000),
    { name: own("flush_duration_seconds"), type: "histogram", help: "How long flushes took.", samples: flusher.durations.samples() },
    gauge("resident_bytes", "Event data that the query engine holds.", partitionCache.residentBytes),
    gauge("cached_partitions", "Days of sites that the query engine holds.", partitionCache.dayCount),
    gauge("known_partitions", "Days of sites that have files, as far as they were looked up.", known),
    gauge("catalog_files", "Files of these.", files),
  ];
}

const requests = ({ requests: noted }: Services): MetricFamily[] => [
  { name: own("http_requests_total"), type: "counter", help: "Requests answered.", samples: noted.countSamples },
  {
    name: own("http_request_duration_seconds"),
    type: "histogram",
    help: "How long requests took until their answer began.",
    samples: noted.durationSamples,
  },
];

/** Named as everywhere, so that common dashboards find them. */
function process({ processUsage, startedAtMs }: Services, nowMs: EpochMs): MetricFamily[] {
  const plain = (name: string, type: "counter" | "gauge", help: string, value: number): MetricFamily => ({
    name,
    type,
    help,
    samples: [{ value }],
  });
  const usage = processUsage?.();
  return [
    gauge("uptime_seconds", "Since the start.", (nowMs - startedAtMs) / 1000),
    plain("process_start_time_seconds", "gauge", "When the process started, in seconds since 1970.", startedAtMs / 1000),
    ...(usage
      ? [
          plain("process_resident_memory_bytes", "gauge", "Memory that the process holds.", usage.residentBytes),
          plain("process_heap_bytes", "gauge", "Of that, what JavaScript objects take.", usage.heapBytes),
          plain("process_cpu_seconds_total", "counter", "Processor time that the process has used.", usage.cpuSecs),
        ]
      : []),
  ];
}

export const metricFamilies = (services: Services, nowMs: EpochMs): MetricFamily[] => [
  ...counters(services),
  ...state(services),
  ...storage(services, nowMs),
  ...requests(services),
  ...process(services, nowMs),
];
