/** The visits that the lens `strict` leaves out, in SQL (docs/internals/lenses.md). Scopes judge by all that their reader may see of a range's days. */
import { chainedParts, matchesText, type SessionEvents } from "./conditions.ts";
import { STRICT } from "./lenses.ts";
import { column, fragment, sql, type SqlText } from "./sql.ts";
import type { TextTest } from "./text-matching.ts";

/** One object, by which the engine knows the test (see `EngineQuery`). */
const CODES: TextTest = { kind: "word", values: STRICT.codes.flatMap(({ codes }) => codes) };

/** True if an event has a code for which its visit is left out. */
export const HAS_CODE = matchesText(column("evidence"), "evidence", CODES);

/** A SELECT of `session`: all day-parts of each visit with such an event. */
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
export const isOfKeptVisit = fragment((events: SessionEvents) => sql`session NOT IN (${sessionsWithCode(events)})`);
