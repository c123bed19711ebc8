/** Which of a list of steps each event is, for functions of a visitor's events in order (see `EngineQuery`). */
import type { VisitorFunction } from "../../engine/duckdb/behavioral/visitor-function.ts";
import { eventsIn, within, type Scope } from "../../query/scope.ts";
import { sql, type SqlText } from "../../query/sql.ts";
import { stepBitsSql, stepSql, type Step } from "../../query/steps.ts";
import { perVisitorQuery, type AggregateQuery } from "../../execution/aggregate-query.ts";

export interface StepEvents {
  readonly steps: readonly Step[];
  /** Bits of steps without all of which a visitor's events cannot matter: they are left out before anything is sorted. */
  readonly needed: number;
  /** Whether events that are no step matter. */
  readonly withOthers: boolean;
}

/** How many visitors the function gives each value, of whom an event may matter: rows `value`, `visitors`. */
export const visitorsByValue = (scope: Scope, events: StepEvents, perVisitor: VisitorFunction): AggregateQuery =>
  perVisitorQuery(perVisitor, (range) => stepEventsIn(within(scope, range), events));

/** Rows `visitor_id`, `timestamp`, `met`, a visitor's next to each other, in order of time and sequence number. */
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

/** One row: `visitors` with an event that is the step. */
export const stepVisitors = (scope: Scope, step: Step): AggregateQuery => ({
  keys: [],
  counts: ["visitors"],
  partial: (range) =>
    sql`SELECT count(DISTINCT visitor_id) AS visitors FROM (${eventsIn(within(scope, range))}) AS scoped WHERE ${stepSql(step)}`,
  finalize: sql`SELECT visitors FROM totals`,
});
