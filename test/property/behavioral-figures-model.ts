/** The expected responses of the behavioral endpoints, computed from a plain list of events (docs/http-api.md, "Stats API"). */
import type { StoredEvent } from "../../src/storage/event.ts";
import { sequenceCountOf, windowFunnelOf, type FunnelQuestion, type MetHistory, type PatternPart } from "./behavioral-model.ts";
import { isLike, shownIn } from "./filter-model.ts";
import {
  byVisitors,
  dayOf,
  groupBy,
  inScope,
  isPageview,
  ratio,
  sessionFigures,
  keptSessions,
  visitorsIn,
  type Events,
  type Scope,
} from "./model.ts";

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;

export interface Step {
  readonly kind: "page" | "event";
  readonly value: string;
}

const isStep = (event: StoredEvent, { kind, value }: Step): boolean =>
  kind === "event" ? event.eventName === value : isPageview(event) && isLike(event.pathname, value);

/** Each visitor's events as the steps that they are; those of equal time in the order in which they came. */
function historiesOf(events: Events, steps: readonly Step[]): MetHistory[] {
  return [...groupBy(events, ({ visitorId }) => visitorId).values()].map((own) =>
    own
      .toSorted((a, b) => a.timestampMs - b.timestampMs)
      .map((event) => ({
        atMs: event.timestampMs,
        conditions: steps.flatMap((step, i) => (isStep(event, step) ? [i] : [])),
      })),
  );
}

export const stepName = ({ kind, value }: Step): string => `${kind}:${value}`;

export function funnelOf(events: Events, scope: Scope, steps: readonly Step[], question: Omit<FunnelQuestion, "steps">) {
  const reached = historiesOf(inScope(events, scope), steps).map((past) => windowFunnelOf(past, { ...question, steps: steps.length }));
  const visitors = steps.map((_, i) => reached.filter((level) => level > i).length);
  return steps.map((step, i) => ({
    step: i + 1,
    name: stepName(step),
    visitors: visitors[i],
    conversion_rate: ratio(visitors[i] ?? 0, visitors[0] ?? 0),
    dropped_off: i === 0 ? 0 : (visitors[i - 1] ?? 0) - (visitors[i] ?? 0),
  }));
}

export function sequencesOf(events: Events, scope: Scope, conditions: readonly Step[], parts: readonly PatternPart[]) {
  const scoped = inScope(events, scope);
  const matches = historiesOf(scoped, conditions).map((past) => sequenceCountOf(past, parts, conditions.length));
  const converting = matches.filter((count) => count > 0).length;
  return {
    converting_visitors: converting,
    total_visitors: visitorsIn(scoped),
    conversion_rate: ratio(converting, visitorsIn(scoped)),
    total_matches: matches.reduce((sum, count) => sum + count, 0),
  };
}

export function sessionsFiguresOf(events: Events, scope: Scope, gapMs: number) {
  const figures = sessionFigures(events, scope, gapMs);
  return {
    total_sessions: figures.total_sessions,
    bounce_rate: figures.bounce_rate,
    avg_session_duration_secs: figures.avg_visit_duration_secs,
    avg_pages_per_session: figures.views_per_visit,
  };
}

export function sessionPagesOf(events: Events, scope: Scope, gapMs: number, end: 0 | -1, limit: number) {
  const pages = keptSessions(events, scope, gapMs).flatMap((session) => session.filter(isPageview).at(end) ?? []);
  return [...groupBy(pages, ({ pathname }) => pathname)]
    .map(([value, sessions]) => ({ value, visitors: visitorsIn(sessions), pageviews: sessions.length, events: sessions.length }))
    .sort(byVisitors(({ value }) => value))
    .slice(0, limit);
}

interface AskedFlow {
  readonly page: string;
  readonly direction: "forward" | "backward";
  readonly repeats: "keep" | "skip";
  readonly limit: number;
}

export function flowOf(events: Events, scope: Scope, gapMs: number, { page, direction, repeats, limit }: AskedFlow) {
  const firsts = new Map<bigint, string | null>();
  // Sessions of a visitor are in order of time.
  for (const session of keptSessions(events, scope, gapMs)) {
    const all = session.filter(isPageview);
    const views = repeats === "keep" ? all : all.filter(({ pathname }, i) => pathname !== all[i - 1]?.pathname);
    const first = views.findIndex(({ pathname }) => isLike(pathname, page));
    const [view] = views.slice(first);
    if (first === -1 || !view || firsts.has(view.visitorId)) continue;
    const neighbour = direction === "forward" ? views[first + 1] : views[first - 1];
    firsts.set(view.visitorId, neighbour?.pathname ?? null);
  }
  const pages = [...firsts.values()].filter((path) => path !== null);
  const rows = [...new Set(pages)]
    .map((path) => ({ next_page: path, visitors: pages.filter((other) => other === path).length }))
    .map((row) => ({ ...row, share: row.visitors / firsts.size }))
    .sort(byVisitors(({ next_page }) => next_page))
    .slice(0, limit);
  return { visitors: firsts.size, ended: firsts.size - pages.length, rows };
}

/** The Monday on or before a date. */
function mondayOf(date: string): number {
  const dayMs = Date.parse(date);
  return dayMs - ((new Date(dayMs).getUTCDay() + 6) % 7) * DAY_MS;
}

/** What is known of a visitor goes back to the first event of all: also the sessions by which a filter judges the events of the range. */
export function retentionFiguresOf(events: Events, scope: Scope, weeks: number) {
  const known: Scope = { ...scope, firstDay: "0001-01-01" };
  const ranged = inScope(events, known).filter(({ date }) => date >= scope.firstDay);
  const cohorts = new Map<number, number[]>();
  for (const [visitorId, own] of groupBy(shownIn(events, known), (event) => event.visitorId)) {
    const [first = ""] = own.map(({ date }) => date as string).sort();
    if (first < scope.firstDay) continue;
    const monday = mondayOf(first);
    const seen = new Set(ranged.filter((event) => event.visitorId === visitorId).map(({ date }) => (mondayOf(date) - monday) / WEEK_MS));
    if (!seen.has(0)) continue;
    const retained = cohorts.get(monday) ?? Array.from({ length: weeks }, () => 0);
    cohorts.set(
      monday,
      retained.map((count, week) => count + (seen.has(week) ? 1 : 0)),
    );
  }
  return [...cohorts]
    .toSorted(([a], [b]) => a - b)
    .map(([monday, retained]) => ({
      cohort_date: dayOf(monday),
      cohort_size: retained[0],
      retained,
      retention_rates: retained.map((count) => count / (retained[0] ?? 1)),
    }));
}
