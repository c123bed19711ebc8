/** The port to what answers reports: DuckDB within the process (`Executor`), or a ClickHouse server (`ClickhouseBackend`). */
import type { LocalDate } from "../../storage/event.ts";
import type { SiteRange } from "./scope.ts";
import type { Asker } from "./asker.ts";
import type { Plan } from "./plan.ts";
import type { ScanReader } from "./scan.ts";

export interface DayVersion {
  readonly day: LocalDate;
  /** Identifies the exact set of the day's events. */
  readonly version: string;
}

export interface AnalyticsBackend {
  /** The plan's result over every event that this process accepted before the call. Rejects with a 503 if the backend cannot answer. */
  run<Result>(plan: Plan<Result>, asker: Asker): Promise<Result>;
  /** The result of a reader of the events of the range, custom properties included. Each attempt opens a new reader. */
  scan<Result>(siteRange: SiteRange, openReader: () => ScanReader<Result>, asker: Asker): Promise<Result>;
  /** True if rollups have all events that the plan needs, and it needs some. It then runs without the engine. */
  isCovered(plan: Plan<unknown>): Promise<boolean>;
  /**
   * The versions of the site's days with events, oldest first: a version changes with every event that is added or deleted. Null if
   * the backend cannot tell, because others add events, too.
   */
  versionsOf(siteRange: SiteRange): Promise<readonly DayVersion[] | null>;
  /** True if the backend responds to a query without data. Never rejects. */
  isAnswering(signal: AbortSignal): Promise<boolean>;
}
