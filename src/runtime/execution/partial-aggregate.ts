/**
 * Questions that are asked chunk by chunk: no visitor id outlives its salt period, so what is counted of visitors, sessions and
 * events in a range is the sum of what is counted in its periods. Each question is written once, as two parts.
 */
import type { VisitorFunction } from "../engine/duckdb/behavioral/visitor-function.ts";
import type { PartialTableRef } from "../engine/engine.ts";
import type { DateRange } from "../query/date-range.ts";
import { joinSql, resultColumn, sql, type SqlText } from "../query/sql.ts";

export interface AggregateQuery {
  /** Columns of whole numbers that tell the rows of a range apart; empty where there is but one row. */
  readonly keys: readonly string[];
  /** Columns of texts that do, too. */
  readonly names?: readonly string[];
  /** Columns that are added up where all keys are equal. */
  readonly counts: readonly string[];
  /** The same of what 64 bits may not hold. */
  readonly amounts?: readonly string[];
  /** The rows of a range of whole salt periods. They depend on the events in it and on what is asked, not on the whole range asked about. */
  readonly partial: (range: DateRange) => SqlText;
  /** Where rows are what becomes of each visitor's events (see `EngineQuery`): keys are `value` then, counts `visitors`. */
  readonly perVisitor?: VisitorFunction;
  /** The key whose values the rows are made of, or null for the keys: the relations `properties` and `property_texts` have them. */
  readonly property?: string | null;
  /** The answer, made of the relation `figures`: the rows of the whole range. Begins with SELECT. */
  readonly finalize: SqlText;
}

/** The question of a range in one statement. The rows are computed once, however often the total reads them. */
export const singlePassSql = ({ partial, finalize }: AggregateQuery, range: DateRange): SqlText =>
  sql`WITH figures AS MATERIALIZED (${partial(range)}) ${finalize}`;

/** The question of all ranges whose rows are in the relation `chunks`. */
export function finalizeSql({ keys, names = [], counts, amounts = [], finalize }: AggregateQuery): SqlText {
  const grouped = [...keys, ...names];
  const columns = [
    ...grouped.map(resultColumn),
    ...counts.map((column) => sql`CAST(sum(${resultColumn(column)}) AS BIGINT) AS ${resultColumn(column)}`),
    ...amounts.map((column) => sql`sum(${resultColumn(column)}) AS ${resultColumn(column)}`),
  ];
  const grouping = grouped.length > 0 ? sql`GROUP BY ${joinSql(grouped.map(resultColumn), ", ")}` : sql``;
  return sql`WITH figures AS MATERIALIZED (SELECT ${joinSql(columns, ", ")} FROM chunks ${grouping}) ${finalize}`;
}

export const partialColumns = ({ keys, names = [], counts, amounts = [] }: AggregateQuery): PartialTableRef["columns"] => [
  ...names.map((column) => ({ name: column, type: "VARCHAR" as const })),
  ...[...keys, ...counts].map((column) => ({ name: column, type: "BIGINT" as const })),
  ...amounts.map((column) => ({ name: column, type: "HUGEINT" as const })),
];

/** A question whose answer is how many visitors have each value of a function: rows `value`, `visitors`. */
export const perVisitorQuery = (perVisitor: VisitorFunction, partial: AggregateQuery["partial"]): AggregateQuery => ({
  keys: ["value"],
  counts: ["visitors"],
  partial,
  perVisitor,
  finalize: sql`SELECT value, visitors FROM figures`,
});
