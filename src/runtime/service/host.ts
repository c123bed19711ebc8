/** The port to the host: storage, clocks and everything else that differs between platforms. Each adapter implements it. */
import type { VerifiesCrawler } from "../bots/crawler-addresses.ts";
import type { EpochMs, LocalDate, SiteId } from "../../storage/event.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import type { ParquetWriter } from "../../storage/parquet-events.ts";
import type { RecordStore } from "../../storage/record-store.ts";
import type { SecretStore } from "../../storage/secret-store.ts";
import type { SegmentLog } from "../../storage/segment.ts";
import type { Asset, Assets } from "./assets.ts";
import type { KeepEntries } from "../access/expiring-tokens.ts";
import type { PasswordHasher } from "../access/password-hasher.ts";
import type { Credentials, Standing } from "../access/principal.ts";
import type { Config } from "../base/config/config.ts";
import type { ConnectClickhouse } from "../clickhouse/connection.ts";
import type { EngineParts } from "../engine/duckdb-queries.ts";
import type { Acceptance, PassedEvent } from "../ingest/accept-event.ts";
import type { OutcomeCount } from "../ingest/event-outcomes.ts";
import type { ArchiveMaker } from "../exports/site-exports.ts";
import type { ImportPace, ImportsOfSites } from "../imports/imports.ts";
import type { QueryEngine } from "../query/query-engine.ts";
import type { GeoLookup } from "../ingest/geo.ts";
import type { NetworkLookup } from "../ingest/network.ts";
import type { PeriodSecret } from "../ingest/visitor-salt.ts";
import type { RemoteRateLimit } from "../base/rate-limit.ts";
import type { PageFetch } from "../installation/page-fetch.ts";
import type { Activity, Counters, Gauges } from "../base/metrics/metrics.ts";
import type { Log } from "../base/metrics/log.ts";
import type { RemoteNumbers } from "../reports/overview/overview.ts";
import type { Erased } from "../upkeep/erasure.ts";
import type { RollupCalculator } from "../duckdb/rollups/rollup-calculator.ts";
import { type CalendarRecord } from "../../storage/calendar.ts";
import type { EventStore } from "../../storage/event-store.ts";
import type { EventCatalog } from "../clickhouse/clickhouse-events.ts";
import type { SiteNames } from "../sites/site-names.ts";
import type { Sites } from "../sites/sites.ts";
import type { Change } from "../sites/shared-changes.ts";
import type { SiteRecord } from "../sites/site-record.ts";
import type { LeftOutFiles } from "../base/metrics/storage-faults.ts";

export interface ProcessUsage {
  /** Resident set size. */
  readonly residentBytes: number;
  /** The JavaScript heap in use. */
  readonly heapBytes: number;
  /** User and system CPU time since the start of the process. */
  readonly cpuSecs: number;
}

/**
 * Connects the instance of one site to the registry: callers' rights, the list of sites, the secrets of visitor ids and the rate limit of
 * addresses. All calls concern the one site, and reject if the registry cannot be reached.
 */
export interface SiteRegistry {
  standingOf(credentials: Credentials): Promise<Standing>;
  /** Registers the site durably, before its first event is stored. Rejects with a 403 if it is new and `max_sites` is reached. */
  admit(): Promise<void>;
  /** Registers the site durably, whatever `max_sites` is: it has events. */
  announce(): Promise<void>;
  /**
   * Some of the site's events are about to be deleted, and maybe the last ones: whether it has any is asked when it matters. Drops its
   * results.
   */
  beginDeletion(): Promise<void>;
  /** They are deleted, or that failed, or rules have changed: drops the results of the site that were asked for until now. */
  endDeletion(): Promise<void>;
  /** The generated secret of the time zone's salt period that has begun last. */
  periodSecret(timeZone: string): Promise<PeriodSecret>;
  readonly addressRateLimit: RemoteRateLimit;
}

/** The instances of sites as the registry calls them. */
export interface SiteInstances {
  /** Collects the counts since the last report, and the gauges, of running instances. Starts none. */
  collect(): Promise<{ readonly activities: readonly Activity<OutcomeCount>[]; readonly gauges: readonly Gauges[] }>;
  /** Sites that were registered by an instance. Files need not show them yet. */
  registered(): Iterable<SiteId>;
  /** Removes registered sites without events. A site whose instance does not answer stays. */
  confirm(): Promise<void>;
  /** The days on which the site has events, oldest first. */
  days(siteId: SiteId): Promise<readonly LocalDate[]>;
  readonly overview: RemoteNumbers;
  /** Has the site's instance accept an event, as `AcceptEvent`. */
  accept(siteId: SiteId, event: PassedEvent): Promise<Acceptance>;
  /** Erases a site's events of these days, as `Erasure.erase`. */
  erase(siteId: SiteId, firstDay: LocalDate, lastDay: LocalDate): Promise<Erased>;
  /** Removes what was made for a site: its goals, segments, annotations and rules. Resolves with whether there was something. */
  removeItems(siteId: SiteId): Promise<boolean>;
  readonly imports: ImportsOfSites;
  /** See `SiteDistribution`. */
  readonly settleMs: number;
  /**
   * Gives an instance that is running the changed record of its site. Others get it when they start, or before their next work. Never
   * rejects.
   */
  push(change: Change<SiteRecord, SiteId>, before: SiteRecord | null): Promise<void>;
}

interface OneSite {
  readonly siteId: SiteId;
  readonly registry: SiteRegistry;
  /** Greater than the numbers of all segments that other instances have written of the site. */
  readonly segmentFloor: number;
  /** The calendar of sites without a time zone of their own. The registry records it, so that it is the same for all instances. */
  readonly defaultCalendar: CalendarRecord;
}

export interface Host {
  readonly config: Config;
  /** Stores the generated secrets for visitor ids (docs/http-api.md, "Visitor ids"). Unused if the `secret` option is set. */
  readonly secrets: SecretStore;
  readonly objects: ObjectStore;
  /** Stores the hash of the admin password, the API keys, and what is set for sites. */
  readonly records: RecordStore;
  /** Absent where memory lasts until the service restarts. */
  readonly keepEntries?: KeepEntries;
  readonly passwordHasher: PasswordHasher;
  readonly parquet: ParquetWriter;
  readonly rollupCalculator: RollupCalculator;
  /** `ROLLUP_WEIGHT_BYTES_MIN` by default. */
  readonly rollupWeightBytesMin?: number;
  readonly segmentLog: SegmentLog;
  /** Keeps pings of engaged time until their day is over. Absent where they are dropped. */
  readonly pingLog?: SegmentLog;
  /** Bounds of imports that the platform demands. None by default. */
  readonly importPace?: ImportPace;
  /** Opens what answers queries with DuckDB. Unused with `engine = clickhouse`. */
  readonly openEngine: (parts: EngineParts) => QueryEngine;
  /** Connects to the server of the options; no call is made before the first statement. Unused with `engine = duckdb`. */
  readonly connectClickhouse: ConnectClickhouse;
  /**
   * Maximum time until ClickHouse gets an accepted event. Absent if only `flush_interval_secs` bounds it, because the host pays for each
   * time that it wakes up.
   */
  readonly clickhouseEventMs?: number;
  readonly geo: GeoLookup;
  /** `geo` has a database. Without one it finds nothing. */
  readonly geoIsLoaded: boolean;
  /** Build time of its database. null without one, and if the database does not state it. */
  readonly geoBuiltMs: EpochMs | null;
  /** null without a network database. */
  readonly networkOf: NetworkLookup | null;
  /** There is a network database, or the host knows the network of every connection. */
  readonly networksAreKnown: boolean;
  /** Answers by the address lists that are configured. */
  readonly verifiesCrawler: VerifiesCrawler;
  readonly fetchPage: PageFetch;
  readonly log: Log;
  /** The wall clock, for dates and timestamps. */
  readonly now: () => EpochMs;
  /** A monotonic clock in milliseconds, for durations. */
  readonly monotonicMs: () => number;
  /** Cryptographically secure random bytes. */
  readonly randomBytes: (length: number) => Uint8Array;
  /** A new request id, unique within the process. */
  readonly newRequestId: () => string;
  readonly trackerScript: Asset;
  readonly assets: Assets;
  readonly version: string;
  /** Current resource use of the process. Absent on hosts that cannot measure it. */
  readonly processUsage?: () => ProcessUsage;
  /** The limit for journal lines that wait for a flush, in bytes. They are kept in memory. */
  readonly unflushedBytesMax: number;
  /** Set on a host with an instance for each site: the site of this one. */
  readonly oneSite?: OneSite;
  /** Set on such a host in the registry: the instance that owns everything not tied to one site. It answers nothing about events itself. */
  readonly siteInstances?: SiteInstances;
  /** Bytes that the disk of the data has left. Absent where there is no such limit. */
  readonly freeBytes?: () => Promise<number>;
  /** Makes archives of whole sites. Absent where events are not in files of this host, or it has no room for archives. */
  readonly archiveMaker?: ArchiveMaker;
  /** Resolves after `ms` milliseconds. For waits that must not depend on `tick`. */
  readonly wait: (ms: number) => Promise<void>;
}

export interface Dependencies {
  readonly host: Host;
  readonly counters: Counters;
  readonly leftOutFiles: LeftOutFiles;
  readonly eventStore: EventStore;
  readonly catalog: EventCatalog;
  readonly sites: Sites;
  /** null where sites have one name each. */
  readonly names: SiteNames | null;
}
