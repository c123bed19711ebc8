/** What is computed, as data: a plan of queries or a scan of events; and the port to the backends that run it. */
import type { NumberColumns } from "../../storage/columns.ts";
import type { LocalDate } from "../../storage/event.ts";
import type { AggregateQuery } from "./aggregate-query.ts";
import type { DateRange } from "./date-range.ts";
import { checkShared, type SiteRange } from "./scope.ts";
import type { SqlRow, SqlText } from "./sql.ts";

/** Queries over the same range: if it is processed in chunks, they share each chunk. */
export interface PlanStep {
  readonly siteRange: SiteRange;
  readonly queries: readonly AggregateQuery[];
  /**
   * The queries in place of `queries`, from the rows of all steps before. Each has the definition of one of them. A plan with such a step
   * comes first where plans are combined.
   */
  readonly narrow?: (before: readonly StepRows[]) => readonly AggregateQuery[];
}

/** The rows of each query of a step, in the order of the queries. */
export type StepRows = readonly (readonly SqlRow[])[];

export interface Plan<Result> {
  /** Executed in sequence. */
  readonly steps: readonly PlanStep[];
  /** Computes the result from the rows of each step, in the order of the steps. Pure: it may be called again for other rows. */
  readonly toResult: (rows: readonly StepRows[]) => Result;
}

/** A plan of one step. `toResult` gets the rows of each query as a separate argument. 403 if it reads dates that are not shared. */
export function planOf<const Queries extends readonly AggregateQuery[], Result>(
  siteRange: SiteRange,
  queries: Queries,
  toResult: (...rows: { readonly [I in keyof Queries]: readonly SqlRow[] }) => Result,
): Plan<Result> {
  checkShared(siteRange);
  const { siteId, range, shared, sessionRules } = siteRange;
  return {
    steps: [{ siteRange: { siteId, range, ...(shared && { shared }), ...(sessionRules && { sessionRules }) }, queries }],
    toResult: ([rows = []]) => toResult(...(rows as { readonly [I in keyof Queries]: readonly SqlRow[] })),
  };
}

/** Keeps the plan and changes its result. */
export const mapPlan = <Part, Result>({ steps, toResult }: Plan<Part>, map: (part: Part) => Result): Plan<Result> => ({
  steps,
  toResult: (rows) => map(toResult(rows)),
});

/** A plan with the steps of all plans, whose result combines theirs. */
export const combinePlans = <Part, Result>(plans: readonly Plan<Part>[], combine: (parts: readonly Part[]) => Result): Plan<Result> => ({
  steps: plans.flatMap(({ steps }) => steps),
  toResult(rows) {
    let begin = 0;
    return combine(plans.map(({ steps, toResult }) => toResult(rows.slice(begin, (begin += steps.length)))));
  },
});

/**
 * Both plans, the first one first. With `narrow`, each query of the second becomes those that it returns for the first's result, of the
 * same definition.
 */
export function joinPlans<First, Second, Result>(
  first: Plan<First>,
  second: Plan<Second>,
  join: (first: First, second: Second) => Result,
  narrow?: (query: AggregateQuery, first: First) => readonly AggregateQuery[],
): Plan<Result> {
  const count = first.steps.length;
  const firstOf = (rows: readonly StepRows[]): First => first.toResult(rows.slice(0, count));
  const narrowed = (step: PlanStep): PlanStep =>
    narrow ? { ...step, narrow: (rows) => step.queries.flatMap((query) => narrow(query, firstOf(rows))) } : step;
  return {
    steps: [...first.steps, ...second.steps.map(narrowed)],
    toResult: (rows) => join(firstOf(rows), second.toResult(rows.slice(count))),
  };
}

/** The rows of each step, one step after the other. */
export async function runSteps(steps: readonly PlanStep[], run: (step: PlanStep) => Promise<StepRows>): Promise<readonly StepRows[]> {
  const rows: StepRows[] = [];
  for (const { narrow, ...step } of steps) {
    const queries = narrow?.(rows) ?? step.queries;
    rows.push(queries.length === 0 ? [] : await run({ ...step, queries }));
  }
  return rows;
}

export interface DayVersion {
  readonly day: LocalDate;
  /** Identifies the exact set of the day's events. */
  readonly version: string;
}

/** The port to what answers reports: DuckDB within the process (`Executor`), or a ClickHouse server (`ClickhouseBackend`). */
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

/** The reader for whom a query runs, and its time limit. */
export interface Asker {
  /** Reads what is shared, by a link or of a public site. Guests have a part of the query slots only. */
  readonly isGuest: boolean;
  /** Aborts when nobody waits for the result any more. */
  readonly signal: AbortSignal;
}

/** Looks up the texts of codes, given in ascending order. */
export type TextsOf = (codes: readonly number[]) => Promise<ReadonlyMap<number, string>>;

/** A query whose rows are read as columns. No value is NULL. */
export interface ScanQuery {
  readonly sql: SqlText;
  /** Columns with codes of texts, of type INTEGER. */
  readonly texts: readonly string[];
  /** Columns of type INTEGER or BIGINT. */
  readonly numbers: readonly string[];
}

/** A chunk of events that stays loaded while a reader reads it. */
export interface ScanChunk {
  readonly range: DateRange;
  /** The result of a query over the chunk's range. */
  columns(query: ScanQuery): Promise<NumberColumns>;
  /** The texts of codes in the column `props`, which are valid for this chunk only. */
  readonly propsTextsOf: TextsOf;
}

/** Reads one range once. A scan that restarts opens another reader. */
export interface ScanReader<Result> {
  /** Reserves memory in which a backend holds texts for this reader. Throws an `AppError` if there is too little. */
  reserve(bytes: number): void;
  /** Resolves to false if no further chunk is needed. */
  readChunk(chunk: ScanChunk): Promise<boolean>;
  /** Called after the last chunk. `textsOf` looks up the codes of all other columns of all chunks. */
  finish(textsOf: TextsOf): Promise<Result>;
}
