/** GET /api/stats/retention: weekly cohorts of new visitors, and how many return in later weeks (docs/http-api.md, "Retention"). */
import { dayNumberOf } from "../../storage/calendar.ts";
import { RETENTION_WEEKS_DEFAULT, RETENTION_WEEKS_MAX, RETENTION_WEEKS_MIN } from "../base/config/report-limits.ts";
import { type AggregateQuery, planOf } from "../query/plan.ts";
import { boolean, closed, count, fraction, list, orNull, text } from "../base/json-schema.ts";
import { rangeOfDays } from "../query/date-range.ts";
import { integer } from "../query/parameters.ts";
import { fragment, numberIn, ratio, sql, type SqlRow } from "../query/sql.ts";
import { eventsWithMatch, type Scope, sharedFrom, within } from "../query/scope.ts";
import { DAY_MS, type LocalDate, utcDateOf } from "../../storage/event.ts";
import { VISITORS } from "./measures/fields.ts";
import { report } from "./report.ts";

export const WEEK_DAYS = 7;

/** The epoch was a Thursday, the fourth day of the ISO week. */
export const EPOCH_WEEKDAY = 3;

/** ISO weeks since the week of the epoch. */
const weekOf = (day: number): number => Math.floor((day + EPOCH_WEEKDAY) / WEEK_DAYS);

const mondayOf = (week: number): LocalDate => utcDateOf((week * WEEK_DAYS - EPOCH_WEEKDAY) * DAY_MS);

/** `day`, in weeks after the first one; a visitor's earlier events count as of the first. */
export const weeksAfter = fragment((firstWeek: number) => sql`CAST((day + ${EPOCH_WEEKDAY}) // ${WEEK_DAYS} - ${firstWeek} AS BIGINT)`);

/** A bit for each week with a matching event of the visitor. */
export const weeksSeen = fragment(() => sql`bit_or(CASE WHEN ranged AND matching = 1 THEN CAST(1 AS BIGINT) << week ELSE 0 END)`);

/** So many bits of `seen` from the visitor's first week on. */
export const weeksKept = fragment((weeks: number) => sql`retention(seen >> week) & ${2 ** weeks - 1}`);

export const isSeen = fragment(() => sql`(seen >> week) & 1 = 1`);

/**
 * Rows `week` (the week of the cohort), `kept` (a bit for each week with a matching event, from that week on), `visitors`: visitors whose
 * first event is in the scope's range, and who have a matching event in its week. Reads the range and the whole salt period of its first
 * day.
 */
const cohortVisitors = (scope: Scope, weeks: number): AggregateQuery => ({
  keys: ["week", "kept"],
  counts: ["visitors"],
  partial(known) {
    const firstDay = Math.max(dayNumberOf(scope.range.firstDay), dayNumberOf(known.firstDay));
    const firstWeek = weekOf(firstDay);
    return sql`
      WITH sighted AS (
        SELECT visitor_id, day, matching, day >= ${firstDay} AS ranged,
          ${weeksAfter(firstWeek)} AS week
        FROM (${eventsWithMatch(within(scope, known))}) AS known
      ),
      visitors AS (
        SELECT
          min(week) AS week,
          min(day) AS first_day,
          ${weeksSeen()} AS seen
        FROM sighted
        GROUP BY visitor_id
      )
      SELECT week + ${firstWeek} AS week, ${weeksKept(weeks)} AS kept, count(*) AS visitors
      FROM visitors
      WHERE first_day >= ${firstDay} AND ${isSeen()}
      GROUP BY ALL`;
  },
});

/**
 * Extends the scope to the start of the salt period of its first day. No visitor id is older, so the scope then contains the first shared
 * event ever of each visitor of the range.
 */
function withFirstEvents(scope: Scope, rotationDays: number): Scope {
  const { firstDay, lastDay } = scope.range;
  const period = Math.floor(dayNumberOf(firstDay) / rotationDays);
  return within(scope, rangeOfDays(sharedFrom(scope, utcDateOf(period * rotationDays * DAY_MS)), lastDay));
}

function identityFields(rotationDays: number, weeks: number) {
  const days = rotationDays === 1 ? "1 day" : `${rotationDays} days`;
  const isSupported = rotationDays >= weeks * WEEK_DAYS;
  const caveat =
    `Visitors are recognised for ${days} at most (visitor_salt_rotation_days), after which they count as new ones. ` +
    `Following them for ${weeks} weeks would take ${weeks * WEEK_DAYS} days, so returning visitors are missing from later weeks.`;
  return { identity_supports_cohorts: isSupported, caveat: isSupported ? null : caveat };
}

/** Visitors by the week of their cohort: seen in that week, in the next one, and so on. */
function retainedByWeek(found: readonly SqlRow[], weeks: number): ReadonlyMap<number, readonly number[]> {
  const byWeek = new Map<number, number[]>();
  for (const row of found) {
    const [week, kept, visitors] = [numberIn(row, "week"), numberIn(row, "kept"), numberIn(row, "visitors")];
    let retained = byWeek.get(week);
    if (!retained) byWeek.set(week, (retained = Array.from({ length: weeks }, () => 0)));
    for (let later = 0; later < weeks; later++) {
      // Not by shifts, which have 32 bits with a sign.
      if (Math.floor(kept / 2 ** later) % 2 === 1) retained[later] = (retained[later] ?? 0) + visitors;
    }
  }
  return byWeek;
}

function cohortsIn(found: readonly SqlRow[], weeks: number) {
  const cohorts = [...retainedByWeek(found, weeks)].sort(([a], [b]) => a - b);
  return cohorts.map(([week, retained]) => {
    const [size = 0] = retained;
    return {
      cohort_date: mondayOf(week),
      cohort_size: size,
      retained,
      retention_rates: retained.map((visitors) => ratio(visitors, size)),
    };
  });
}

const WEEKS_OF_COHORT = { minItems: RETENTION_WEEKS_MIN, maxItems: RETENTION_WEEKS_MAX };

const COHORT = closed({
  cohort_date: text("The Monday of the week of these visitors' first events.", { format: "date" }),
  cohort_size: count("Number of visitors of the cohort."),
  retained: list("Visitors of the cohort seen in that week, in the next one, and so on; 0 for future weeks.", VISITORS, WEEKS_OF_COHORT),
  retention_rates: list("The same divided by `cohort_size`.", fraction("A share."), WEEKS_OF_COHORT),
});

export const retention = report({
  path: "/api/stats/retention",
  operationId: "getRetention",
  summary: "Weekly cohorts of new visitors, and how many return",
  parameters: {
    weeks: integer(
      { description: "Weeks to follow, including the first.", meaning: "A number of weeks.", example: 8 },
      { min: RETENTION_WEEKS_MIN, max: RETENTION_WEEKS_MAX, default: RETENTION_WEEKS_DEFAULT },
    ),
  },
  result: {
    name: "Retention",
    schema: closed({
      cohorts: list("Oldest week first; weeks without new visitors are omitted.", COHORT),
      identity_supports_cohorts: boolean("Visitor ids live for the requested number of weeks."),
      caveat: orNull(text("Explains what is missing if they do not. Null otherwise.")),
    }),
  },
  extension: "needed",
  plan: ({ scope, values: { weeks } }, { rotationDays }) =>
    planOf(withFirstEvents(scope, rotationDays), [cohortVisitors(scope, weeks)], (found) => ({
      cohorts: cohortsIn(found, weeks),
      ...identityFields(rotationDays, weeks),
    })),
});
