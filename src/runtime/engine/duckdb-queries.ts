/** One life of DuckDB as a query engine: everything behind the port, on the thread that computes. */
import { type EpochMs, MINUTE_MS, type SiteId } from "../../storage/event.ts";
import type { EventStore } from "../../storage/event-store.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import { createSha256, toHex } from "../base/bytes.ts";
import type { Config } from "../base/config/config.ts";
import { ENGINE_BYTES_MAX } from "../base/config/limits.ts";
import { EXPORTS_BYTES_ALLOWED_MIN, EXPORTS_SHARE_MAX } from "../base/config/report-limits.ts";
import type { Log } from "../base/metrics/log.ts";
import type { LeftOutFiles } from "../base/metrics/storage-faults.ts";
import { Behavioral } from "../duckdb/behavioral.ts";
import { PartitionCache, type StoredEvents } from "../duckdb/cache/partition-cache.ts";
import type { Engine } from "../duckdb/engine.ts";
import { OnDemandEngine } from "../duckdb/on-demand-engine.ts";
import type { QueryEngine } from "../query/query-engine.ts";
import { RestartingEngine } from "./restarting-engine.ts";
import type { OtherThreads } from "../duckdb/shares.ts";
import { Executor, FileExecution } from "../duckdb/executor.ts";
import type { RollupCalculator } from "../duckdb/rollups/rollup-calculator.ts";
import { RollupCatalog } from "../duckdb/rollups/rollup-catalog.ts";
import { RollupExecution } from "../duckdb/rollups/rollup-execution.ts";
import { sessionRulesOf } from "../query/conditions.ts";
import { ImportedDaysReader } from "../query/imported-days.ts";
import { ExportMemory } from "../reports/exports/export-memory.ts";
import { rolledMeasures } from "../reports/registry.ts";
import type { ReportSettings } from "../reports/report.ts";
import { FilterCheck } from "../results/query-limiter.ts";
import { PlannedEngine } from "./planned-engine.ts";

/** The options that the answers depend on. Data, so that it can be sent to a thread. */
export type EngineConfig = Pick<
  Config,
  "engineMemoryMb" | "sessionWindowMinutes" | "visitorSaltRotationDays" | "behavioral" | "rollups" | "realtimeWindowMinutes"
>;

export const engineConfigOf = ({
  engineMemoryMb,
  sessionWindowMinutes,
  visitorSaltRotationDays,
  behavioral,
  rollups,
  realtimeWindowMinutes,
}: EngineConfig): EngineConfig => ({
  ...{ engineMemoryMb, sessionWindowMinutes, visitorSaltRotationDays, behavioral, rollups, realtimeWindowMinutes },
});

export interface DuckdbParts {
  readonly config: EngineConfig;
  readonly engine: Engine;
  readonly eventStore: StoredEvents;
  readonly objects: ObjectStore;
  readonly calculator: Pick<RollupCalculator, "headers" | "rows">;
  readonly leftOutFiles: Pick<LeftOutFiles, "note" | "forget">;
  /** A rollup that should exist cannot be read. */
  readonly onUnreadableRollup: (siteId: SiteId) => void;
  /** Spans lives: what an export holds stays until its client has read it. */
  readonly exportMemory: ExportMemory;
  readonly others: OtherThreads | null;
  readonly wait: (ms: number) => Promise<void>;
  readonly now: () => EpochMs;
  readonly log: Log;
}

/** What the instance gives to its engine. */
export interface EngineParts extends Pick<DuckdbParts, "config" | "leftOutFiles" | "onUnreadableRollup"> {
  readonly eventStore: EventStore;
}

/** The memory for events of one of so many threads. */
export const budgetBytesOf = ({ engineMemoryMb }: Pick<Config, "engineMemoryMb">, threads = 1): number =>
  Math.min((engineMemoryMb * 1024 * 1024) / threads, ENGINE_BYTES_MAX);

/** The memory that exports may take together, in bytes. */
export const exportMemoryOf = (config: Pick<Config, "engineMemoryMb">): ExportMemory =>
  new ExportMemory(Math.max(EXPORTS_BYTES_ALLOWED_MIN, budgetBytesOf(config) * EXPORTS_SHARE_MAX));

export const reportSettingsOf = (config: EngineConfig): Omit<ReportSettings, "hasExtension"> => ({
  ...sessionRulesOf(config),
  realtimeWindowMinutes: config.realtimeWindowMinutes,
});

/** The measures of rollups with these options. */
export async function rolledOf({ sessionWindowMinutes, visitorSaltRotationDays: saltRotationDays, behavioral }: EngineConfig) {
  const sha256 = await createSha256();
  const settings = { sessionWindowMinutes, saltRotationDays };
  const rolled = rolledMeasures({ ...settings, hasExtension: behavioral, hash: (text) => toHex(sha256(text)) });
  return { rolled, definitions: { ...settings, definitions: rolled.definitions } };
}

/** An engine on the calling thread. `open` opens an empty database, whenever one is needed. */
export const createLocalEngine = (parts: Omit<DuckdbParts, "engine" | "others">, open: () => Promise<Engine>): QueryEngine =>
  new RestartingEngine({ ...parts, start: () => openDuckdbQueries({ ...parts, engine: new OnDemandEngine(open), others: null }) });

export async function openDuckdbQueries(parts: DuckdbParts): Promise<PlannedEngine> {
  const { config, engine, eventStore, objects, calculator, others, log, onUnreadableRollup } = parts;
  const budgetBytes = budgetBytesOf(config, others?.thread.count);
  const partitionCache = new PartitionCache({ ...parts, budgetBytes, sessionGapMs: config.sessionWindowMinutes * MINUTE_MS });
  const { rolled, definitions } = await rolledOf(config);
  const catalog = config.rollups ? new RollupCatalog({ ...definitions, objects, calculator, log }) : null;
  const rollups = catalog && new RollupExecution({ catalog, onUnreadableRollup, calculator, rolled, log });
  const executor = new Executor({
    ...{ engine, partitionCache, budgetBytes, rotationDays: config.visitorSaltRotationDays, rollups, others },
    files: new FileExecution({ eventStore }),
    imported: new ImportedDaysReader({ objects, log }),
    pause: () => parts.wait(0),
  });
  return new PlannedEngine({
    runner: executor,
    behavioral: new Behavioral(engine, config.behavioral, log),
    settings: reportSettingsOf(config),
    filterCheck: new FilterCheck(parts.wait),
    exportMemory: parts.exportMemory,
    held: { engine, executor, partitionCache, rollups: catalog },
  });
}
