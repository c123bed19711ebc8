/** Answers queries on the calling thread: checks their filters, makes their plan, and runs it. */
import type { Calendar } from "../../storage/calendar.ts";
import type { Behavioral } from "../duckdb/behavioral.ts";
import type { PartitionCache } from "../duckdb/cache/partition-cache.ts";
import type { Columns } from "../../storage/columns.ts";
import type { Engine } from "../duckdb/engine.ts";
import type { Executor } from "../duckdb/executor.ts";
import type { SharedRows } from "../duckdb/shares.ts";
import type { RollupCatalog } from "../duckdb/rollups/rollup-catalog.ts";
import { type PlanRunner } from "../query/plan.ts";
import type { Waiter } from "../query/progress.ts";
import type { Asker } from "../query/scope.ts";
import type { Change, EngineState, QueryEngine, ReportQuery } from "../query/query-engine.ts";
import { dailyExport } from "../reports/exports/daily-export.ts";
import type { ExportMemory } from "../reports/exports/export-memory.ts";
import { RawExport } from "../reports/exports/raw-export.ts";
import { type ExportValues, FORMATS, planOfQuery } from "../reports/queries.ts";
import type { ReportSettings } from "../reports/report.ts";
import type { FilterCheck } from "../results/query-limiter.ts";
import { calendarFrom } from "../sites/site-calendar.ts";

/** What the engine holds of stored events. ClickHouse has them itself. */
interface HeldEvents {
  readonly engine: Engine;
  readonly executor: Executor;
  readonly partitionCache: PartitionCache;
  /** null without rollups. */
  readonly rollups: RollupCatalog | null;
}

interface PlannedEngineOptions {
  readonly runner: PlanRunner;
  readonly behavioral: Behavioral;
  readonly settings: Omit<ReportSettings, "hasExtension">;
  readonly filterCheck: FilterCheck;
  readonly exportMemory: ExportMemory;
  readonly held: HeldEvents | null;
}

/** Releases the memory of an export once it is read to its end, failed or returned. */
function releasing(chunks: Iterable<Uint8Array>, release: () => void): AsyncIterator<Uint8Array, undefined> {
  const iterator = chunks[Symbol.iterator]();
  const end = () => {
    release();
    return { done: true as const, value: undefined };
  };
  return {
    async next() {
      try {
        const { done, value } = iterator.next();
        return done ? end() : { value: value as Uint8Array };
      } catch (error) {
        release();
        throw error;
      }
    },
    async return() {
      iterator.return?.();
      return end();
    },
  };
}

export class PlannedEngine implements QueryEngine {
  readonly runner: PlanRunner;
  readonly isWanted = true;
  readonly #options: PlannedEngineOptions;

  constructor(options: PlannedEngineOptions) {
    this.runner = options.runner;
    this.#options = options;
  }

  async execute(query: ReportQuery, asker: Asker): Promise<string> {
    const { runner, filterCheck, settings } = this.#options;
    await filterCheck.check(query.scope.conditions, asker);
    const hasExtension = query.extension !== "unused" && (await this.#hasExtension(query));
    const plan = { ...planOfQuery(query, { ...settings, hasExtension }), source: { query, hasExtension } };
    return runner.run(plan, asker, calendarFrom(query.calendar));
  }

  /** What another thread asks for. */
  async rowsOf({ source, step: index, ranges, isGuest }: SharedRows, by: Waiter): Promise<readonly Columns[]> {
    const { held, settings } = this.#options;
    const { query, hasExtension } = source;
    const step = planOfQuery(query, { ...settings, hasExtension }).steps[index];
    if (!held || !step) throw new Error(`there is no step ${index} of ${query.name}`);
    return held.executor.rowsOf(step, ranges, { isGuest, ...by }, calendarFrom(query.calendar));
  }

  /**
   * A report that rollups cover does not wait until the engine has started: rollups with sessions were made with the extension.
   * 503 if the report needs what is not there.
   */
  async #hasExtension(query: ReportQuery): Promise<boolean> {
    const { runner, behavioral, settings } = this.#options;
    const mayBeCovered = behavioral.isLoaded === null && query.scope.conditions.length === 0;
    if (mayBeCovered && (await runner.isCovered(planOfQuery(query, { ...settings, hasExtension: true })))) return true;
    if (query.extension === "needed") await behavioral.require();
    return behavioral.isAvailable();
  }

  async export(query: ReportQuery, asker: Asker): Promise<AsyncIterator<Uint8Array, undefined>> {
    const { filterCheck, exportMemory } = this.#options;
    await filterCheck.check(query.scope.conditions, asker);
    const memory = exportMemory.open(asker.isGuest);
    const release = () => memory.clear();
    try {
      return releasing(await this.#chunksOf(query, asker, calendarFrom(query.calendar), memory), release);
    } catch (error) {
      release();
      throw error;
    }
  }

  #chunksOf(
    { scope, values }: ReportQuery,
    asker: Asker,
    calendar: Calendar,
    memory: ReturnType<ExportMemory["open"]>,
  ): Promise<Iterable<Uint8Array>> {
    const { runner } = this.#options;
    const { kind, format: formatName, limit: rowsMax, attribution, columns, hasEvidence } = values as unknown as ExportValues;
    const format = FORMATS[formatName];
    if (kind === "daily") return runner.run(dailyExport(scope, format, attribution), asker, calendar);
    return runner.scan(scope, () => new RawExport({ scope, rowsMax, format, memory, ofVisits: columns, hasEvidence }), asker);
  }

  async changed(change: Change): Promise<void> {
    const { held } = this.#options;
    if (!held) return;
    const { siteId } = change;
    if ("released" in change) await held.partitionCache.deliverRest(siteId, change.released, change.days);
    if ("deleted" in change) held.partitionCache.forgetDays(siteId, change.deleted);
    if (!("released" in change)) held.rollups?.relist(siteId);
  }

  async health(signal: AbortSignal): Promise<EngineState> {
    const { runner, behavioral } = this.#options;
    await runner.check(signal);
    await behavioral.isAvailable();
    return this.state;
  }

  get state(): EngineState {
    const { behavioral, held } = this.#options;
    const { memoryBytes = 0, dayCount: cachedDays = 0 } = held?.partitionCache ?? {};
    return { memoryBytes, cachedDays, threads: 0, hasExtension: behavioral.isLoaded };
  }

  async close(): Promise<void> {
    await this.#options.held?.engine.close();
  }
}
