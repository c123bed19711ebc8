/** What rules of arrivals that are not set yet would change: the visits of each channel by the channel that they would have. */
import type { ArrivalRules } from "../arrivals/arrivals.ts";
import { NO_ARRIVAL_RULES } from "../arrivals/arrival-names.ts";
import { type AggregateQuery, type Plan, planOf } from "../query/plan.ts";
import type { Calendar } from "../../storage/calendar.ts";
import { arrivalsOfVisits, type Scope, within } from "../query/scope.ts";
import { fragment, numberIn, sql, textIn } from "../query/sql.ts";
import { wholeSessions } from "./measures/sessions.ts";

/** Rows `channel`, `proposed`, `sessions`. */
export const channelsOfVisits = fragment((scope: Scope, calendar: Calendar, sessionGapMs: number, proposed: ArrivalRules) => {
  const { arrivalRules = NO_ARRIVAL_RULES } = scope;
  return sql`
    WITH ${wholeSessions(scope, calendar, sessionGapMs)},
    arrived AS (
      SELECT DISTINCT whole, value AS arrival FROM (${arrivalsOfVisits(scope)}) AS valued JOIN wholes ON wholes.session = valued.session
    )
    SELECT current_names.channel_name AS channel, proposed_names.channel_name AS proposed, count(*) AS sessions
    FROM arrived
    JOIN arrival_names AS current_names ON current_names.arrival = arrived.arrival AND current_names.rules = ${{ arrivalRules }}
    JOIN arrival_names AS proposed_names ON proposed_names.arrival = arrived.arrival AND proposed_names.rules = ${{ arrivalRules: proposed }}
    GROUP BY current_names.channel_name, proposed_names.channel_name`;
});

const channelMoves = (scope: Scope, sessionGapMs: number, proposed: ArrivalRules): AggregateQuery => ({
  keys: [],
  codes: ["channel", "proposed"],
  counts: ["sessions"],
  partial: (range, calendar) => channelsOfVisits(within(scope, range), calendar, sessionGapMs, proposed),
});

export interface ChannelPreview {
  readonly visits: number;
  /** How many of them would have another channel. */
  readonly moved: number;
  /** Most visits first. */
  readonly moves: readonly { readonly channel: string; readonly proposed: string; readonly visits: number }[];
}

export const channelPreview = (scope: Scope, sessionGapMs: number, proposed: ArrivalRules): Plan<ChannelPreview> =>
  planOf(scope, [channelMoves(scope, sessionGapMs, proposed)], (rows) => {
    const all = rows.map((row) => ({
      channel: textIn(row, "channel"),
      proposed: textIn(row, "proposed"),
      visits: numberIn(row, "sessions"),
    }));
    const moves = all.filter((row) => row.channel !== row.proposed);
    const sum = (some: typeof all) => some.reduce((visits, row) => visits + row.visits, 0);
    return {
      visits: sum(all),
      moved: sum(moves),
      moves: moves.toSorted((a, b) => b.visits - a.visits || (a.channel < b.channel ? -1 : 1)),
    };
  });
