/** Visitors by when they came first and last, so that counts until or since a moment that moves on need no further query. */
import type { AggregateQuery } from "../../query/aggregate-query.ts";
import { inRange } from "../../query/scope.ts";
import { sql } from "../../query/sql.ts";
import type { EpochMs } from "../../../storage/event.ts";
import { MINUTE } from "./recent-activity.ts";

/** Rows `bucket` (a minute since the epoch), `visitors`: those whose first event in the range, of a salt period, is in this minute. */
export const firstVisits: AggregateQuery = {
  keys: ["bucket"],
  counts: ["visitors"],
  partial: (range) => sql`
    SELECT bucket, count(*) AS visitors
    FROM (SELECT min(${MINUTE}) AS bucket FROM events WHERE ${inRange({ range })} GROUP BY visitor_id) AS first_visits
    GROUP BY bucket`,
};

/** Rows `bucket` (an instant), `visitors`: those with an event since `sinceMs` whose last event is at this instant. */
export const lastVisits = (sinceMs: EpochMs): AggregateQuery => ({
  keys: ["bucket"],
  counts: ["visitors"],
  partial: (range) => sql`
    SELECT bucket, count(*) AS visitors
    FROM (
      SELECT max(timestamp) AS bucket FROM events WHERE ${inRange({ range })} AND timestamp >= ${sinceMs} GROUP BY visitor_id
    ) AS last_visits
    GROUP BY bucket`,
});
