/** The headline of a scope: visitors, pageviews, events, and what is known of its sessions (contract 4.4). */
import { queryHeadline } from "./queries/headline.ts";
import { querySessions } from "./queries/sessions.ts";
import type { Ask } from "../execution/asked-range.ts";
import { numberIn, ratio } from "../query/row-values.ts";
import type { SqlRow } from "../engine/engine.ts";
import type { Scope } from "../query/scope.ts";

export interface SessionFigures {
  readonly totalSessions: number;
  /** Fraction of sessions that are one pageview and nothing else. */
  readonly bounceRate: number;
  readonly avgVisitDurationSecs: number;
  readonly viewsPerVisit: number;
}

export interface Headline {
  readonly uniqueVisitors: number;
  readonly totalPageviews: number;
  readonly totalEvents: number;
  readonly viewsPerVisitor: number;
  /** Null when the behavioral extension is not loaded. */
  readonly sessions: SessionFigures | null;
}

/** From a row of sums over sessions; zeros where there is none. */
export function sessionFiguresIn(row: SqlRow | undefined): SessionFigures {
  const sessions = numberIn(row, "sessions");
  return {
    totalSessions: sessions,
    bounceRate: ratio(numberIn(row, "bounces"), sessions),
    avgVisitDurationSecs: ratio(numberIn(row, "duration_ms"), 1000 * sessions),
    viewsPerVisit: ratio(numberIn(row, "pageviews"), sessions),
  };
}

/** Of the sessions that contain an event of the scope, described whole. */
export async function sessionFiguresOf(ask: Ask, scope: Scope, sessionGapMs: number): Promise<SessionFigures> {
  const [[row]] = await ask(querySessions(scope, sessionGapMs));
  return sessionFiguresIn(row);
}

/** `sessionGapMs` is null when sessions cannot be computed. */
export async function headlineOf(ask: Ask, scope: Scope, sessionGapMs: number | null): Promise<Headline> {
  const [[row], [sessions] = []] = await ask(queryHeadline(scope), ...(sessionGapMs === null ? [] : [querySessions(scope, sessionGapMs)]));
  const [visitors, pageviews] = [numberIn(row, "visitors"), numberIn(row, "pageviews")];
  return {
    uniqueVisitors: visitors,
    totalPageviews: pageviews,
    totalEvents: numberIn(row, "events"),
    viewsPerVisitor: ratio(pageviews, visitors),
    sessions: sessionGapMs === null ? null : sessionFiguresIn(sessions),
  };
}
