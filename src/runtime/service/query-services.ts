/** Wires everything that answers queries: rollups, the partition cache, the executor and the query service in front of it. */
import type { EventStore } from "../../storage/event-store.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import type { Config } from "../base/config/config.ts";
import { type RolledMeasures, RollupExecution } from "../duckdb/rollups/rollup-execution.ts";
import type { Log } from "../base/metrics/log.ts";
import type { RollupCalculator } from "../duckdb/rollups/rollup-calculator.ts";
import { RollupStore } from "../duckdb/rollups/rollup-store.ts";
import { MINUTE_MS, type SiteId } from "../../storage/event.ts";
import { ENGINE_BYTES_MAX } from "../base/config/limits.ts";
import { Behavioral } from "../duckdb/behavioral.ts";
import type { Clickhouse } from "../clickhouse/clickhouse.ts";
import { Responsiveness } from "../clickhouse/connection.ts";
import type { Engine } from "../duckdb/engine.ts";
import { PartitionCache } from "../duckdb/cache/partition-cache.ts";
import { type Counters, RollupDays } from "../base/metrics/counters.ts";
import type { CalendarOf } from "../sites/sites.ts";
import type { AnalyticsBackend } from "../query/plan.ts";
import { ClickhouseBackend } from "../clickhouse/clickhouse-backend.ts";
import { Executor } from "../duckdb/executor.ts";
import { FilterCheck, type QueryLimiter } from "../results/query-limiter.ts";
import { FileExecution } from "../duckdb/file-execution.ts";
import { QueryService } from "../results/query-service.ts";
import { Readiness } from "../results/readiness.ts";
import { ResultCache } from "../results/result-cache.ts";
import { UnchangedResults } from "../results/unchanged-results.ts";
import { createSha256, toHex } from "../base/bytes.ts";
import type { LeftOutFiles } from "../base/metrics/storage-faults.ts";
import { rolledMeasures } from "../reports/registry.ts";

export interface StoredRollups {
  readonly rolled: RolledMeasures;
  readonly rollupStore: RollupStore;
  readonly rollupDays: RollupDays;
}

interface StoredRollupsParts {
  readonly config: Config;
  readonly eventStore: EventStore;
  readonly objects: ObjectStore;
  readonly rollupCalculator: RollupCalculator;
  readonly rollupWeightBytesMin?: number;
  readonly log: Log;
}

/** Needed even with the option `rollups` off: an erasure deletes rollups that were made before. */
export async function createStoredRollups({
  config,
  rollupCalculator: calculator,
  rollupWeightBytesMin: weightBytesMin,
  ...parts
}: StoredRollupsParts): Promise<StoredRollups> {
  const { sessionWindowMinutes, visitorSaltRotationDays: saltRotationDays, behavioral: hasExtension } = config;
  const sha256 = await createSha256();
  const settings = { sessionWindowMinutes, saltRotationDays };
  const rolled = rolledMeasures({ ...settings, hasExtension, hash: (text) => toHex(sha256(text)) });
  const { definitions } = rolled;
  return {
    rolled,
    rollupStore: new RollupStore({
      ...settings,
      ...parts,
      definitions,
      calculator,
      ...(weightBytesMin !== undefined && { weightBytesMin }),
    }),
    rollupDays: new RollupDays(),
  };
}

export interface QueryServices {
  readonly partitionCache: PartitionCache;
  readonly stats: QueryService;
  readonly filterCheck: FilterCheck;
  readonly behavioral: Behavioral;
  readonly readiness: Readiness;
}

interface QueryParts {
  readonly config: Config;
  readonly engine: Engine;
  readonly eventStore: EventStore;
  readonly calendarOf: CalendarOf;
  readonly limiter: QueryLimiter;
  readonly rollupStore: RollupStore;
  readonly rollupCalculator: RollupCalculator;
  readonly rolled: RolledMeasures;
  readonly counters: Counters;
  readonly leftOutFiles: LeftOutFiles;
  readonly log: Log;
  readonly monotonicMs: () => number;
  /** null with `engine = duckdb`. */
  readonly clickhouse: Clickhouse | null;
  /** See `Flush.deliver`. */
  readonly flushSite: (siteId: SiteId) => Promise<void>;
  /** See `Responsiveness`. */
  readonly onClickhouseReturn: () => void;
  readonly wait: (ms: number) => Promise<void>;
  /** True if events can be stored. */
  readonly isAccepting: () => boolean;
}

/** The budget of the engine's memory. */
export const budgetBytesOf = ({ engineMemoryMb }: Config): number => Math.min(engineMemoryMb * 1024 * 1024, ENGINE_BYTES_MAX);

export function createQueryServices(parts: QueryParts): QueryServices {
  const { config, engine, clickhouse, limiter, log } = parts;
  const budgetBytes = budgetBytesOf(config);
  const partitionCache = new PartitionCache({ ...parts, budgetBytes, sessionGapMs: config.sessionWindowMinutes * MINUTE_MS });
  // ClickHouse has these functions built in.
  const behavioral = new Behavioral(clickhouse ? { behavioralFailure: async () => null } : engine, config.behavioral, log);
  const backend = clickhouse ? createClickhouseBackend(parts, clickhouse) : createExecutor(parts, partitionCache);
  return {
    partitionCache,
    stats: new QueryService({ cache: createResultCache(parts), limiter, backend, unchanged: createUnchangedResults(parts, backend) }),
    filterCheck: new FilterCheck(parts.wait),
    behavioral,
    readiness: new Readiness(async (signal) => (config.role === "ingest" ? parts.isAccepting() : backend.isAnswering(signal))),
  };
}

const createExecutor = (parts: QueryParts, partitionCache: PartitionCache): Executor =>
  new Executor({
    engine: parts.engine,
    partitionCache,
    calendarOf: parts.calendarOf,
    budgetBytes: budgetBytesOf(parts.config),
    rotationDays: parts.config.visitorSaltRotationDays,
    rollups: createRollupExecution(parts),
    files: new FileExecution(parts),
  });

const createClickhouseBackend = (
  { config, calendarOf, flushSite, onClickhouseReturn, wait, monotonicMs }: QueryParts,
  { connection, tables }: Clickhouse,
): ClickhouseBackend =>
  new ClickhouseBackend({
    connection,
    responsiveness: new Responsiveness({ connection, monotonicMs, wait, onReturn: onClickhouseReturn }),
    tables,
    calendarOf,
    deliver: flushSite,
    timeoutSecs: config.requestTimeoutSecs,
    memoryBytes: config.engineMemoryMb * 1024 * 1024,
  });

const createRollupExecution = ({ config, rollupStore, rollupCalculator, rolled, log }: QueryParts): RollupExecution | null =>
  config.rollups ? new RollupExecution({ store: rollupStore, calculator: rollupCalculator, rolled, log }) : null;

const createUnchangedResults = ({ config, monotonicMs }: QueryParts, backend: AnalyticsBackend): UnchangedResults =>
  new UnchangedResults({ backend, ttlSecs: config.cacheTtlSecs, monotonicMs });

const createResultCache = ({ config, counters, monotonicMs }: QueryParts): ResultCache =>
  new ResultCache({
    ttlSecs: config.cacheTtlSecs,
    entriesMax: config.cacheMaxEntries,
    monotonicMs,
    onHit: () => counters.cacheHits++,
    onMiss: () => counters.cacheMisses++,
  });
