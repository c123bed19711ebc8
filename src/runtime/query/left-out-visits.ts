/**
 * The visits that the lens `strict` leaves out, in SQL (docs/internals/lenses.md). Scopes judge them by all that their reader may see of the
 * days of the range.
 */
import { chainedParts, COUNT_INTERACTIONS, EVENT_ORDER, IS_BOUNCE, IS_PAGEVIEW, matchesText, type SessionEvents } from "./conditions.ts";
import { STRICT } from "./lenses.ts";
import { column, fragment, sql, type SqlText } from "./sql.ts";
import type { TextTest } from "./text-matching.ts";

/** One object, by which the engine knows the test (see `EngineQuery`). */
const CODES: TextTest = { kind: "word", values: STRICT.codes.flatMap(({ codes }) => codes) };

/** True if an event has a code for which its visit is left out. */
export const HAS_CODE = matchesText(column("evidence"), "evidence", CODES);

const { bareMin, barePercentMin, activeExpectedMin, timesFewer } = STRICT.wave;

/** True of a group of one day, country and browser, by its `visits` and how many of them are `bare`. */
export const IS_SUSPECT = sql`bare >= ${bareMin} AND 100 * bare >= ${barePercentMin} * visits`;

/** True of a suspect group, by the `other_visits` and the `other_active` ones of all groups of the day that are not suspect. */
export const IS_WAVE = sql`is_suspect AND other_active >= ${activeExpectedMin}
  AND visits * other_active >= ${activeExpectedMin} * other_visits
  AND ${timesFewer} * (visits - bare) * other_visits <= visits * other_active`;

/** Columns of a group that tell of the others of its day. */
export const OF_OTHERS = sql`
  sum(CASE WHEN is_suspect THEN 0 ELSE visits END) OVER (PARTITION BY day) AS other_visits,
  sum(CASE WHEN is_suspect THEN 0 ELSE visits - bare END) OVER (PARTITION BY day) AS other_active`;

/** A row for each day-part of a visit: what of it the reader may see. */
const partsOf = ({ shown, areAllShown, isInRange }: SessionEvents): SqlText =>
  areAllShown
    ? sql`
      SELECT session, day, interactions, pageviews, visit_country_code AS country, visit_browser AS agent
      FROM sessions
      WHERE ${isInRange}`
    : sql`
      SELECT session, min(day) AS day, ${COUNT_INTERACTIONS} AS interactions, count(*) FILTER (WHERE ${IS_PAGEVIEW}) AS pageviews,
        arg_min(${column("country_code")}, ${EVENT_ORDER}) AS country, arg_min(${column("browser")}, ${EVENT_ORDER}) AS agent
      FROM (${shown}) AS shown
      GROUP BY session`;

/** `session` of each day-part, and of its visit `visit` (the first part), `day`, `country`, `agent`, `interactions` and `pageviews`. */
function visitsOf(events: SessionEvents): SqlText {
  const parts = partsOf(events);
  if (events.rules.rotationDays === 1) return sql`SELECT *, session AS visit FROM (${parts}) AS parts`;
  return sql`
    SELECT chained.session AS session, min(chained.session) OVER whole AS visit, min(day) OVER whole AS day,
      arg_min(country, first_ms) OVER whole AS country, arg_min(agent, first_ms) OVER whole AS agent,
      sum(interactions) OVER whole AS interactions, sum(pageviews) OVER whole AS pageviews
    FROM (${chainedParts(events)}) AS chained JOIN (${parts}) AS parts ON parts.session = chained.session
    WINDOW whole AS (PARTITION BY visitor_id, chain)`;
}

/** A SELECT of `session`: all day-parts of the bare visits of waves. */
const sessionsInWaves = (events: SessionEvents): SqlText => sql`
  WITH judged_visits AS MATERIALIZED (SELECT session, visit, day, country, agent, ${IS_BOUNCE} AS is_bare FROM (${visitsOf(events)}) AS visits),
  visit_groups AS (
    SELECT *, ${IS_SUSPECT} AS is_suspect
    FROM (
      SELECT day, country, agent, count(*) AS visits, count(*) FILTER (WHERE is_bare) AS bare
      FROM judged_visits
      WHERE session = visit
      GROUP BY day, country, agent
    ) AS counted
  ),
  waves AS (SELECT day, country, agent FROM (SELECT *, ${OF_OTHERS} FROM visit_groups) AS compared WHERE ${IS_WAVE})
  SELECT session FROM judged_visits JOIN waves USING (day, country, agent) WHERE is_bare`;

/** A SELECT of `session`: all day-parts of each visit with a code for which it is left out. */
function sessionsWithCode(events: SessionEvents): SqlText {
  const parts = sql`SELECT DISTINCT session FROM (${events.shown}) AS shown WHERE ${HAS_CODE}`;
  if (events.rules.rotationDays === 1) return parts;
  return sql`
    SELECT session
    FROM (
      SELECT chained.session AS session, count(parts.session) OVER (PARTITION BY visitor_id, chain) AS parts_with_code
      FROM (${chainedParts(events)}) AS chained LEFT JOIN (${parts}) AS parts ON parts.session = chained.session
    ) AS wholes
    WHERE parts_with_code > 0`;
}

/** True if the visit of an event is not left out. */
export const isOfKeptVisit = fragment(
  (events: SessionEvents) => sql`session NOT IN (${sessionsWithCode(events)}) AND session NOT IN (${sessionsInWaves(events)})`,
);
