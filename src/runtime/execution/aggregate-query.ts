/**
 * A query over any range in two phases: partial aggregates of ranges of whole salt periods, and the final result from their sums.
 * No visitor id outlives its salt period, so the visitors, sessions and events of a range are the sums of those of its periods.
 */
import type { VisitorFunction } from "../engine/duckdb/behavioral/visitor-function.ts";
import type { PartialTable } from "../engine/engine.ts";
import type { DateRange } from "../query/date-range.ts";
import { joinSql, resultColumn, sql, type SqlText } from "../query/sql.ts";

export interface AggregateQuery {
  /** Integer grouping columns; empty for a single row. */
  readonly keys: readonly string[];
  /** Text grouping columns. */
  readonly names?: readonly string[];
  /** Columns that are summed per group. */
  readonly counts: readonly string[];
  /** Columns whose sums may exceed 64 bits. */
  readonly amounts?: readonly string[];
  /** The rows of a range of whole salt periods. They depend on its events and on the query, not on the rest of the plan's range. */
  readonly partial: (range: DateRange) => SqlText;
  /** Applied to each visitor's events (see `EngineQuery`): the keys are then `value`, the counts `visitors`. */
  readonly perVisitor?: VisitorFunction;
  /** The custom property whose values are read, or null for all keys, as the relations `properties` and `property_texts`. */
  readonly property?: string | null;
  /** Computes the result from the relation `totals`, the rows of the whole range. Begins with SELECT. */
  readonly finalize: SqlText;
}

/** Both phases in one statement. The rows are materialized once, however often `finalize` reads them. */
export const singlePassSql = ({ partial, finalize }: AggregateQuery, range: DateRange): SqlText =>
  sql`WITH totals AS MATERIALIZED (${partial(range)}) ${finalize}`;

/** The second phase, over the sums of the rows in the relation `partials`. */
export function finalizeSql({ keys, names = [], counts, amounts = [], finalize }: AggregateQuery): SqlText {
  const grouped = [...keys, ...names];
  const columns = [
    ...grouped.map(resultColumn),
    ...counts.map((column) => sql`CAST(sum(${resultColumn(column)}) AS BIGINT) AS ${resultColumn(column)}`),
    ...amounts.map((column) => sql`sum(${resultColumn(column)}) AS ${resultColumn(column)}`),
  ];
  const grouping = grouped.length > 0 ? sql`GROUP BY ${joinSql(grouped.map(resultColumn), ", ")}` : sql``;
  return sql`WITH totals AS MATERIALIZED (SELECT ${joinSql(columns, ", ")} FROM partials ${grouping}) ${finalize}`;
}

export const partialColumns = ({ keys, names = [], counts, amounts = [] }: AggregateQuery): PartialTable["columns"] => [
  ...names.map((column) => ({ name: column, type: "VARCHAR" as const })),
  ...[...keys, ...counts].map((column) => ({ name: column, type: "BIGINT" as const })),
  ...amounts.map((column) => ({ name: column, type: "HUGEINT" as const })),
];

/** Counts visitors by the value of a function: rows `value`, `visitors`. */
export const perVisitorQuery = (perVisitor: VisitorFunction, partial: AggregateQuery["partial"]): AggregateQuery => ({
  keys: ["value"],
  counts: ["visitors"],
  partial,
  perVisitor,
  finalize: sql`SELECT value, visitors FROM totals`,
});
