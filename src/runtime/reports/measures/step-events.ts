/** Events with the steps that they match: the input of per-visitor functions over ordered events (see `EngineQuery`). */
import type { VisitorFunction } from "../../query/behavioral/visitor-function.ts";
import { eventsIn, within, type Scope } from "../../query/scope.ts";
import { perDialect, sql, type SqlText } from "../../query/sql.ts";
import { stepBitsSql, stepSql, type Step } from "../../query/steps.ts";
import { perVisitorQuery, type AggregateQuery } from "../../query/aggregate-query.ts";

interface StepEvents {
  readonly steps: readonly Step[];
  /** Bits of required steps: visitors without all of them are excluded before sorting. */
  readonly needed: number;
  /** Includes events that match no step. */
  readonly withOthers: boolean;
}

/** Rows `value` (of the function), `visitors`, over visitors with all required steps. */
export const visitorsByValue = (scope: Scope, events: StepEvents, perVisitor: VisitorFunction): AggregateQuery =>
  perVisitorQuery(perVisitor, (range) => {
    const ranged = within(scope, range);
    return perDialect(stepEventsIn(ranged, events), historiesIn(ranged, events));
  });

/** ClickHouse: rows `visitor_id`, `history`, an ordered array of tuples with `ms` and `met`. */
const historiesIn = (scope: Scope, { steps, needed, withOthers }: StepEvents): SqlText => sql`
  SELECT visitor_id, arraySort(groupArray(event)) AS history
  FROM (
    SELECT visitor_id, met, CAST((timestamp, segment, row, met), 'Tuple(ms Int64, segment UInt64, row UInt32, met Int64)') AS event
    FROM (SELECT visitor_id, timestamp, segment, row, ${stepBitsSql(steps)} AS met FROM (${eventsIn(scope)}) AS scoped) AS marked
    WHERE ${withOthers ? sql`true` : sql`met <> 0`}
  ) AS met_events
  GROUP BY visitor_id
  HAVING bitAnd(groupBitOr(met), ${needed}) = ${needed}`;

/** DuckDB: rows `visitor_id`, `timestamp`, `met`, grouped by visitor and ordered by time and sequence number. */
function stepEventsIn(scope: Scope, { steps, needed, withOthers }: StepEvents): SqlText {
  const matters = withOthers ? sql`true` : sql`met <> 0`;
  return sql`
  WITH met_events AS MATERIALIZED (
    SELECT visitor_id, timestamp, sequence_number, met
    FROM (SELECT visitor_id, timestamp, sequence_number, ${stepBitsSql(steps)} AS met FROM (${eventsIn(scope)}) AS scoped) AS marked
    WHERE ${matters}
  ),
  promising AS (
    SELECT visitor_id FROM met_events GROUP BY visitor_id HAVING bit_or(met) & CAST(${needed} AS BIGINT) = CAST(${needed} AS BIGINT)
  )
  SELECT visitor_id, timestamp, met
  FROM met_events
  WHERE visitor_id IN (SELECT visitor_id FROM promising)
  ORDER BY visitor_id, timestamp, sequence_number`;
}

/** One row `visitors`: those with an event that matches the step. */
export const stepVisitors = (scope: Scope, step: Step): AggregateQuery => ({
  keys: [],
  counts: ["visitors"],
  partial: (range) =>
    sql`SELECT count(DISTINCT visitor_id) AS visitors FROM (${eventsIn(within(scope, range))}) AS scoped WHERE ${stepSql(step)}`,
});
