/** What an instance has at the moment, as numbers that several instances add up to. */
import type { RollupDayCounts } from "./rollup-days.ts";

export interface Gauges {
  readonly unflushedEvents: number;
  readonly unflushedBytes: number;
  /** Of the oldest event that is in no file. */
  readonly journalLagMs: number;
  readonly partitions: number;
  readonly files: number;
  /** Files of events that reports leave out. */
  readonly filesLeftOut: number;
  /** Whether events can be stored. */
  readonly isIngestOpen: boolean;
  readonly cachedResults: number;
  readonly engineBytes: number;
  readonly cachedDays: number;
  readonly rollupDays: RollupDayCounts;
  /** Whether the behavioral extension is loaded. */
  readonly hasExtension: boolean;
}

/** What they are read from. */
export interface GaugeSources {
  readonly eventStore: {
    readonly unflushedEvents: number;
    readonly unflushedBytes: number;
    readonly catalog: { readonly partitions: number; readonly files: number };
  };
  readonly leftOutFiles: { readonly count: number };
  readonly ingestGate: { readonly isOpen: boolean };
  /** `cachedCount` is the number of cached results. */
  readonly stats: { readonly cachedCount: number };
  readonly behavioral: { readonly version: string | null };
  readonly flush: { lagMs(): number };
  readonly partitionCache: { readonly memoryBytes: number; readonly dayCount: number };
  readonly rollupDays: { readonly total: RollupDayCounts };
}

export const gaugesOf = ({
  eventStore,
  leftOutFiles,
  ingestGate,
  stats,
  behavioral,
  flush,
  partitionCache,
  rollupDays,
}: GaugeSources): Gauges => ({
  unflushedEvents: eventStore.unflushedEvents,
  unflushedBytes: eventStore.unflushedBytes,
  journalLagMs: flush.lagMs(),
  ...eventStore.catalog,
  filesLeftOut: leftOutFiles.count,
  isIngestOpen: ingestGate.isOpen,
  cachedResults: stats.cachedCount,
  engineBytes: partitionCache.memoryBytes,
  cachedDays: partitionCache.dayCount,
  rollupDays: rollupDays.total,
  hasExtension: behavioral.version !== null,
});

const sum = (a: Gauges, b: Gauges): Gauges => ({
  unflushedEvents: a.unflushedEvents + b.unflushedEvents,
  unflushedBytes: a.unflushedBytes + b.unflushedBytes,
  journalLagMs: Math.max(a.journalLagMs, b.journalLagMs),
  partitions: a.partitions + b.partitions,
  files: a.files + b.files,
  filesLeftOut: a.filesLeftOut + b.filesLeftOut,
  isIngestOpen: a.isIngestOpen && b.isIngestOpen,
  cachedResults: a.cachedResults + b.cachedResults,
  engineBytes: a.engineBytes + b.engineBytes,
  cachedDays: a.cachedDays + b.cachedDays,
  rollupDays: {
    stored: a.rollupDays.stored + b.rollupDays.stored,
    stale: a.rollupDays.stale + b.rollupDays.stale,
    missing: a.rollupDays.missing + b.rollupDays.missing,
  },
  hasExtension: a.hasExtension || b.hasExtension,
});

export const sumOfGauges = (own: Gauges, others: readonly Gauges[]): Gauges => others.reduce(sum, own);
