/** What is computed, as data: a plan of queries in two phases, or a scan of events; and the port to the backends that run it. */
import { type Calendar, utcCalendar } from "../../storage/calendar.ts";
import type { Columns, NumberColumns } from "../../storage/columns.ts";
import { TEXT_COLUMNS, utcDateOf } from "../../storage/event.ts";
import type { DecodedEvents } from "../../storage/parquet-events.ts";
import type { RollupColumn } from "../../storage/rollup.ts";
import { NO_ARRIVAL_RULES } from "../arrivals/arrival-names.ts";
import type { ArrivalRules } from "../arrivals/arrivals.ts";
import { PAGEVIEW } from "../base/config/names.ts";
import type { ReportQuery } from "./query-engine.ts";
import type { VisitorFunction } from "./behavioral/visitor-function.ts";
import type { CoveredDays } from "./coverage.ts";
import { type DateRange, rangeOfDays } from "./date-range.ts";
import type { RowsOfDays } from "./day-sums.ts";
import { type Asker, checkShared, type SiteRange } from "./scope.ts";
import type { SqlParameter, SqlRow, SqlText } from "./sql.ts";

/** Queries over the same range: if it is processed in chunks, they share each chunk. */
export interface PlanStep {
  readonly siteRange: SiteRange;
  readonly queries: readonly AggregateQuery[];
  /**
   * The queries in place of `queries`, from the rows of all steps before. Only if each has the definition of one of them, other threads
   * take part. A plan with such a step comes first where plans are combined.
   */
  readonly narrow?: (before: readonly StepRows[]) => readonly AggregateQuery[];
}

/** The rows of each query of a step, in the order of the queries. */
export type StepRows = readonly (readonly SqlRow[])[];

/** What a plan was made of, as data: another thread makes the same plan of it. */
export interface PlanSource {
  readonly query: ReportQuery;
  readonly hasExtension: boolean;
}

export interface Plan<Result> {
  /** Absent if no other thread can make it. */
  readonly source?: PlanSource;
  /** Executed in sequence. */
  readonly steps: readonly PlanStep[];
  /**
   * Computes the result from the rows of each step, in the order of the steps. Pure: it may be called again for other rows. `days`: those of
   * which only sums are known.
   */
  readonly toResult: (rows: readonly StepRows[], days?: readonly CoveredDays[]) => Result;
}

/** A plan of one step. `toResult` gets the rows of each query as a separate argument. 403 if it reads dates that are not shared. */
export function planOf<const Queries extends readonly AggregateQuery[], Result>(
  siteRange: SiteRange,
  queries: Queries,
  toResult: (...rows: { readonly [I in keyof Queries]: readonly SqlRow[] }) => Result,
): Plan<Result> {
  checkShared(siteRange);
  const { siteId, range, shared, sessionRules, arrivalRules, imported, comparesVisitors } = siteRange;
  return {
    steps: [
      {
        siteRange: {
          siteId,
          range,
          ...(shared && { shared }),
          ...(sessionRules && { sessionRules }),
          ...(arrivalRules && { arrivalRules }),
          ...(imported && { imported }),
          ...(comparesVisitors && { comparesVisitors }),
        },
        queries,
      },
    ],
    toResult: ([rows = []]) => toResult(...(rows as { readonly [I in keyof Queries]: readonly SqlRow[] })),
  };
}

export const mapPlan = <Part, Result>(
  { steps, toResult }: Plan<Part>,
  map: (part: Part, days: readonly CoveredDays[]) => Result,
): Plan<Result> => ({ steps, toResult: (rows, days = []) => map(toResult(rows, days), days) });

const ofEvents = ({ ofDays: _ofDays, ...query }: AggregateQuery): AggregateQuery => query;

/** The plan without sums of days, where what is computed compares numbers of many queries, which these cannot all answer. */
export const ofEventsOnly = <Result>({ steps, ...plan }: Plan<Result>): Plan<Result> => ({
  ...plan,
  steps: steps.map(({ queries, narrow, ...step }) => ({
    ...step,
    queries: queries.map(ofEvents),
    ...(narrow && { narrow: (before: readonly StepRows[]) => narrow(before).map(ofEvents) }),
  })),
});

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
  const known = new WeakMap<StepRows, { readonly result: First }>();
  // Each step of the second plan asks for it. The rows of the last step are those of one run.
  const firstOf = (rows: readonly StepRows[]): First => {
    const last = rows[count - 1];
    const found = (last && known.get(last)) ?? { result: first.toResult(rows.slice(0, count)) };
    if (last) known.set(last, found);
    return found.result;
  };
  const narrowed = (step: PlanStep): PlanStep =>
    narrow ? { ...step, narrow: (rows) => step.queries.flatMap((query) => narrow(query, firstOf(rows))) } : step;
  return {
    steps: [...first.steps, ...second.steps.map(narrowed)],
    toResult: (rows) => join(firstOf(rows), second.toResult(rows.slice(count))),
  };
}

export async function runSteps(
  steps: readonly PlanStep[],
  run: (step: PlanStep, index: number) => Promise<StepRows>,
): Promise<readonly StepRows[]> {
  const rows: StepRows[] = [];
  for (const [index, { narrow, ...step }] of steps.entries()) {
    const queries = narrow?.(rows) ?? step.queries;
    rows.push(queries.length === 0 ? [] : await run({ ...step, queries }, index));
  }
  return rows;
}

/** What runs plans: DuckDB (`Executor`), or a ClickHouse server (`ClickhouseBackend`). */
export interface PlanRunner {
  /**
   * The plan's result over every event that this process accepted before the call; `calendar` is that of its site. Rejects with a 503 if it
   * cannot answer.
   */
  run<Result>(plan: Plan<Result>, asker: Asker, calendar: Calendar): Promise<Result>;
  /** The result of a reader of the events of the range, custom properties included. Each attempt opens a new reader. */
  scan<Result>(siteRange: SiteRange, openReader: () => ScanReader<Result>, asker: Asker): Promise<Result>;
  /** True if rollups have all events that the plan needs, and it needs some. It then runs without the engine. */
  isCovered(plan: Plan<unknown>): Promise<boolean>;
  /** Rejects if it does not answer a query without data. */
  check(signal: AbortSignal): Promise<void>;
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
  /** The days that it reads, if not all of the chunk. */
  readonly range?: DateRange;
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

/**
 * A query over any range: the rows of ranges of whole salt periods, and what its result selects of their sum.
 * No visitor id outlives its salt period, so the visitors, sessions and events of a range are the sums of those of its periods.
 */
export interface AggregateQuery {
  /** Integer grouping columns; empty for a single row. */
  readonly keys: readonly string[];
  /** Grouping columns with codes of `texts` in `partial`, and texts in the result. */
  readonly codes?: readonly string[];
  readonly names?: readonly string[];
  /** Columns that are summed per group. */
  readonly counts: readonly string[];
  /** Columns whose sums may exceed 64 bits. The result has them as text. */
  readonly amounts?: readonly string[];
  /**
   * The rows of a range of whole salt periods, by the calendar of the site. They depend on its events, the query and that calendar, not
   * on the rest of the plan's range.
   */
  readonly partial: (range: DateRange, calendar: Calendar) => SqlText;
  /**
   * Applied to each visitor's events, which are the rows of `partial` (DuckDB: see `EngineQuery`; ClickHouse: see `visitorTallies`):
   * the keys are then `value`, the counts `visitors`.
   */
  readonly perVisitor?: VisitorFunction;
  /** The rows of `partial` from the visits themselves: few events are read without the engine (see `FileExecution`). */
  readonly ofVisits?: RowsOfVisits;
  /** What the rows are in sums of days. Absent: these cannot answer it. */
  readonly ofDays?: RowsOfDays;
  /** The custom property whose values are read, or null for all keys, as the relations `properties` and `property_texts`. */
  readonly property?: string | null;
  /** `partial` depends on the time of the request, so that no later query has the same rows. */
  readonly isMomentary?: true;
  /** `partial` compares visitors with each other, so that its rows of some visitors and of all others do not add up. */
  readonly comparesVisitors?: true;
  /** One statement may have the rows of several queries (DuckDB only). */
  readonly together?: Together;
  /** Leaves out all other rows of `partial`. All rows with one key are of one salt period. */
  readonly largestOfEach?: LargestOfEach;
  /** Selects the rows of the result; all rows of the range by default, in no particular order. */
  readonly top?: Top;
  /** Replaces the rows by one row `row_count`: their number without `rowsMax` and `offset`. */
  readonly isCounted?: true;
}

/** Queries over the same events with the same columns, which differ in what they group by: one statement reads the events once. */
export interface Together {
  /** What such a query groups by. */
  readonly name: string;
  /**
   * The rows of the queries of these names, with `place` in place of the only key: the key times the number of names, plus the place of
   * the name among them. Without a key, the latter alone.
   */
  readonly partial: (names: readonly string[], range: DateRange, calendar: Calendar) => SqlText;
}

/** The rows with the largest count among those with the same key, equal ones in order of their text. */
export interface LargestOfEach {
  readonly key: string;
  readonly by: string;
  readonly text: string;
  readonly rowsMax: number;
}

/** A placeholder range, to compare queries by everything else. So is the calendar. */
const ANY_RANGE = rangeOfDays(utcDateOf(0), utcDateOf(0));

const comparedSql = new WeakMap<AggregateQuery["partial"], SqlText>();

/** Memoized: building the SQL of a filter on many goals takes milliseconds. */
function sqlOfAnyRange(partial: AggregateQuery["partial"]): SqlText {
  const known = comparedSql.get(partial);
  if (known) return known;
  const made = partial(ANY_RANGE, utcCalendar);
  comparedSql.set(partial, made);
  return made;
}

/** Equal for two queries if and only if they have the same rows for the same range and calendar, before `top`. */
export const definitionOf = (query: AggregateQuery): string => writtenDefinition(query, (value) => value);

/** What `definitionOf` is for sites that say the same about arrivals. */
export const definitionForAnySite = (query: AggregateQuery): string =>
  writtenDefinition(query, (value) => (typeof value === "object" && "arrivalRules" in value ? { arrivalRules: NO_ARRIVAL_RULES } : value));

/** The rules by which a query names arrivals. */
export const arrivalRulesIn = ({ partial }: AggregateQuery): readonly ArrivalRules[] =>
  sqlOfAnyRange(partial).values.flatMap((value) => (typeof value === "object" && "arrivalRules" in value ? [value.arrivalRules] : []));

function writtenDefinition(query: AggregateQuery, written: (value: SqlParameter) => SqlParameter): string {
  const { partial, keys, codes, names, counts, amounts, perVisitor, property, largestOfEach } = query;
  const { text, values } = sqlOfAnyRange(partial);
  const serialized = (value: SqlParameter) => (typeof value === "bigint" ? String(value) : written(value));
  return JSON.stringify([text, values.map(serialized), keys, codes, names, counts, amounts, perVisitor, property, largestOfEach]);
}

/** True if it reads custom properties, which may be large. */
export function readsProperties({ partial, property }: AggregateQuery): boolean {
  const { values } = sqlOfAnyRange(partial);
  return property !== undefined || values.some((value) => typeof value === "object" && "propertyTest" in value);
}

/** The columns of the query's rows. */
export const rowColumns = ({ keys, codes = [], names = [], counts, amounts = [] }: AggregateQuery): readonly RollupColumn[] => [
  ...[...codes, ...names].map((name) => ({ name, kind: "text" as const })),
  ...keys.map((name) => ({ name, kind: "key" as const })),
  ...counts.map((name) => ({ name, kind: "count" as const })),
  ...amounts.map((name) => ({ name, kind: "amount" as const })),
];

/** Counts visitors by the value of a function: rows `value`, `visitors`. */
export const perVisitorQuery = (perVisitor: VisitorFunction, partial: AggregateQuery["partial"]): AggregateQuery => ({
  keys: ["value"],
  counts: ["visitors"],
  partial,
  perVisitor,
});

/** A column, or the quotient of two columns, of which `whole` is never 0. */
export type OrderKey = string | { readonly part: string; readonly whole: string };

/** The first rows: largest first if there is a key, then by the texts in ascending order of their code points. */
export interface Top {
  readonly by?: OrderKey;
  /** Smallest first; without a key, the texts in descending order. */
  readonly isReversed?: boolean;
  readonly rowsMax: number;
  /** Rows that are left out before the first one. */
  readonly offset?: number;
  /** Only rows that have one of these in the first column of texts. */
  readonly values?: readonly string[];
  /** Only rows of which the first column of texts contains this, ignoring case. */
  readonly search?: string;
  /** The label in which the search looks for a text that was not recorded, in place of the default label. */
  readonly unknownLabel?: string;
}

export interface Visits {
  /** The number of the day since 1970-01-01. */
  readonly day: number;
  readonly timestampsMs: Float64Array;
  readonly visitorIds: BigUint64Array;
  /** 1 for each page view, 0 for each other event. */
  readonly pageviews: Uint8Array;
}

/** The rows of a query over the visits of a range: those that its SQL has, by column. */
export type RowsOfVisits = (visits: readonly Visits[], range: DateRange, calendar: Calendar) => Columns;

export const VISIT_COLUMNS = TEXT_COLUMNS.filter(({ field }) => field === "eventName");

export function visitsOf(day: number, events: DecodedEvents): Visits {
  const [names] = VISIT_COLUMNS.map((column) => events.text(column));
  const isPageview = names?.texts.map((name) => name === PAGEVIEW) ?? [];
  return {
    day,
    timestampsMs: Float64Array.from(events.timestampsMs, Number),
    visitorIds: events.visitorIds,
    pageviews: Uint8Array.from(names?.places ?? [], (place) => Number(isPageview[place] ?? false)),
  };
}
