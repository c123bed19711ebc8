/** Events with the steps that they match: the input of per-visitor functions over ordered events (see `EngineQuery`). */
import type { VisitorFunction } from "../../query/behavioral/visitor-function.ts";
import { eventsIn, type Scope, within } from "../../query/scope.ts";
import { fragment, sql } from "../../query/sql.ts";
import { type Step, stepBitsSql, stepSql } from "../../query/conditions.ts";
import { type AggregateQuery, perVisitorQuery } from "../../query/plan.ts";

export interface StepEvents {
  readonly steps: readonly Step[];
  /** Bits of required steps: visitors without all of them are excluded before sorting. */
  readonly needed: number;
  /** Includes events that match no step. */
  readonly withOthers: boolean;
}

/** Rows `visitor_id`, `timestamp`, `met`, grouped by visitor and ordered by time and sequence number. */
export const eventsOfVisitors = fragment((scope: Scope, { steps, needed, withOthers }: StepEvents) => {
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
});

/** Rows `value` (of the function), `visitors`, over visitors with all required steps. */
export const visitorsByValue = (scope: Scope, events: StepEvents, perVisitor: VisitorFunction): AggregateQuery =>
  perVisitorQuery(perVisitor, (range) => eventsOfVisitors(within(scope, range), events));

/** One row `visitors`: those with an event that matches the step. */
export const stepVisitors = (scope: Scope, step: Step): AggregateQuery => ({
  keys: [],
  counts: ["visitors"],
  partial: (range) =>
    sql`SELECT count(DISTINCT visitor_id) AS visitors FROM (${eventsIn(within(scope, range))}) AS scoped WHERE ${stepSql(step)}`,
});
