/** The port to what answers queries: DuckDB in a thread or in the isolate, or a ClickHouse server. A query crosses it as data, its result as text. */
import type { CalendarRecord } from "../../storage/calendar.ts";
import type { EpochMs, EventText, LocalDate, SiteId } from "../../storage/event.ts";
import type { WeekStart } from "../../shared/site-choices.ts";
import type { SiteGoal } from "../sites/goal.ts";
import type { DateRange } from "./date-range.ts";
import { type Asker, type Scope } from "./scope.ts";

/** `needed`: without the extension the report is a 503. `used`: without it some fields are null. */
export type ExtensionUse = "unused" | "used" | "needed";

/** A parsed request, as data that can be sent to a thread. Equal queries have equal results over the same events. */
export interface ReportQuery {
  /** The path of a report, or the name of another query (`reports/queries.ts`). */
  readonly name: string;
  readonly scope: Scope;
  /** The parsed parameters of the report. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly nowMs: EpochMs;
  readonly calendar: CalendarRecord;
  readonly weekStart: WeekStart;
  /** The goals of the site in its order; empty unless the report reads them. */
  readonly goals: readonly SiteGoal[];
  readonly extension: ExtensionUse;
}

/** A change of a site's stored events, told before it takes effect. */
export type Change = { readonly siteId: SiteId } & (
  | {
      /** The journal releases the events of this segment, which are in files now. */
      readonly released: number;
      readonly days: ReadonlyMap<LocalDate, readonly EventText[]>;
    }
  | {
      /** All events of these days are about to be deleted. */
      readonly deleted: Pick<DateRange, "firstDay" | "lastDay">;
    }
  | {
      /** Rollups were made or deleted. */
      readonly rolledUp: true;
    }
);

/** The engine's state as of its last answer. */
export interface EngineState {
  /** Memory of tables, texts and properties, in bytes. */
  readonly memoryBytes: number;
  /** Days of all sites whose events are loaded. */
  readonly cachedDays: number;
  /** Threads that are running; none where the engine is not in a thread of its own. */
  readonly threads: number;
  /** The behavioral extension is loaded; null until the engine has started. */
  readonly hasExtension: boolean | null;
}

export const UNSTARTED: EngineState = { memoryBytes: 0, cachedDays: 0, threads: 0, hasExtension: null };

export interface QueryEngine {
  /**
   * The report's JSON, or the text of its file, over every event accepted before the call. Rejects with an `AppError` that says why there
   * is none, and with the signal's reason.
   */
  execute(query: ReportQuery, asker: Asker): Promise<string>;
  /** Computes an export, which holds memory until it is read to its end or returned. Its chunks are made while it is read. */
  export(query: ReportQuery, asker: Asker): Promise<AsyncIterator<Uint8Array, undefined>>;
  /** Resolves once no later query reads what the change has outdated. Never rejects. */
  changed(change: Change): Promise<void>;
  /** Starts the engine if nothing has. Rejects if it does not answer. */
  health(signal: AbortSignal): Promise<EngineState>;
  readonly state: EngineState;
  /** A call has needed the engine, whether it could be started or not. */
  readonly isWanted: boolean;
  close(): Promise<void>;
}
