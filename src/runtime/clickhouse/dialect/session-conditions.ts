/** Conditions on sessions in ClickHouse: sessions are made of each visitor's sorted events. */
import { PAGEVIEW } from "../../base/config/names.ts";
import { goalMarks } from "../../query/goal-conditions.ts";
import { isOnGoal, isOnPage, negated, type SessionCondition, type SessionEvents } from "../../query/session-conditions.ts";
import { joinSql, sql, textCode, type SqlText } from "../../query/sql.ts";
import { UNRECORDED, valuePasses } from "../../query/text-conditions.ts";
import type { TextTest } from "../../query/text-matching.ts";
import { orderedSessions, type SessionEvent } from "./ordered-sessions.ts";

/** True if a session begins or ends on a page that passes. It reads `visit`, an array of the session's events. */
function endsOn(end: "entry-page" | "exit-page", test: TextTest): SqlText {
  const pick = end === "entry-page" ? sql`arrayFirst` : sql`arrayLast`;
  const page = sql`if(arrayExists(event -> event.is_pageview, visit), ${pick}(event -> event.is_pageview, visit).path, ${textCode(UNRECORDED)})`;
  return valuePasses(page, "pathname", test);
}

/** An event in an array of its visitor's. The bits of `met` are what it meets. Pages need the order of events at the same time. */
function conditionEvent(met: SqlText, hidesEvents: boolean, withPages: boolean): SessionEvent {
  const shared = hidesEvents ? sql`shared` : sql`1`;
  const element = withPages
    ? sql`CAST(
    (timestamp, segment, row, ${met}, ${shared}, event_name = ${textCode(PAGEVIEW)}, toString(pathname)),
    'Tuple(ms Int64, segment UInt64, row UInt32, met Int64, shared UInt8, is_pageview UInt8, path String)')`
    : sql`CAST((timestamp, ${met}, ${shared}), 'Tuple(ms Int64, met Int64, shared UInt8)')`;
  return { element, timeMs: sql`event.ms`, isShared: sql`event.shared` };
}

/**
 * ClickHouse has no numbers of sessions: visitor and time of each event of the sessions that meet all conditions. The sessions are made
 * once for all of them: that takes most of the time.
 */
function momentsOf(conditions: readonly SessionCondition[], events: SessionEvents): SqlText {
  const { ordered, hidesEvents, props, rules } = events;
  const onGoals = conditions.filter(isOnGoal);
  const onPages = conditions.filter(isOnPage);
  const goals = onGoals.length > 0 ? goalMarks(onGoals, props) : null;
  const isReached = (position: number): SqlText => sql`arrayExists(event -> bitTest(event.met, ${position}), visit)`;
  const met = onPages.map((condition) => negated(condition, endsOn(condition.dimension, condition.test)));
  const event = conditionEvent(goals?.bits ?? sql`0`, hidesEvents, onPages.length > 0);
  const marked = goals ? sql`SELECT *, ${goals.columns} FROM (${ordered}) AS unmarked` : ordered;
  const sessions = orderedSessions({ events: marked, hidesEvents, event, sessionGapMs: rules.sessionGapMs });
  return sql`
    SELECT visitor_id, arrayJoin(arrayMap(event -> event.ms, visit)) AS ms
    FROM (SELECT visitor_id, arrayJoin(sessions) AS visit FROM (${sessions}) AS histories) AS visits
    WHERE ${joinSql(goals ? [...met, goals.isMet(isReached)] : met, " AND ")}`;
}

export const meetsBySessions = (conditions: readonly SessionCondition[], events: SessionEvents): SqlText =>
  sql`(visitor_id, timestamp) IN (${momentsOf(conditions, events)})`;
