/** Which events meet a filter, by a plain list of events (docs/reports.md, "Filters"): tests of texts, properties and sessions. */
import { DIMENSION_ROWS } from "../support/dimension-rows.ts";
import { arrivalNames, NO_ARRIVAL_RULES } from "../../src/runtime/arrivals/arrival-names.ts";
import type { Dimension, VisitDimension } from "../../src/runtime/query/filters.ts";
import type { StoredEvent } from "../../src/storage/event.ts";
import { isNamed, leftOut, type PlainRule } from "./left-out-model.ts";

export type Events = readonly StoredEvent[];

export const UNKNOWN = "(unknown)";

export interface Condition {
  readonly dimension: Dimension | VisitDimension | "entry-page" | "exit-page" | "goal" | "evidence" | `props:${string}`;
  readonly operator: "in" | "contains" | "begins" | "like" | "matches";
  readonly isNegated: boolean;
  /** Any of them may pass. */
  readonly values: readonly string[];
}

/** A goal of a site: a page view of a path, in which `*` stands for any characters, or an event, perhaps with a property of some value. */
export type PlainGoal = { readonly name: string } & (
  | { readonly page: string }
  | { readonly event: string; readonly property?: readonly [key: string, value: string] }
);

/** A site, its first and last day (both included, `YYYY-MM-DD`) and a filter. */
export interface Scope {
  readonly siteId: string;
  readonly firstDay: string;
  readonly lastDay: string;
  readonly conditions: readonly Condition[];
  /** Conditions on sessions need it. */
  readonly sessionGapMs?: number;
  readonly goals?: readonly PlainGoal[];
  /** Events that do not meet these are hidden. */
  readonly shared?: readonly Condition[];
  /** Leaves out visits as the lens of that name does. */
  readonly isStrict?: boolean;
  /** The applied rules of the site. */
  readonly rules?: readonly PlainRule<Condition>[];
}

export const isPageview = ({ eventName }: StoredEvent): boolean => eventName === "pageview";

export const shownAs = (value: StoredEvent[keyof StoredEvent]): string => (value === null ? UNKNOWN : String(value));

export const valueOf = (event: StoredEvent, dimension: Dimension): string => shownAs(event[DIMENSION_ROWS[dimension].field]);

const VISIT_FIELDS = {
  "visit-hostnames": "hostname",
  "visit-utm-sources": "utmSource",
  "visit-utm-mediums": "utmMedium",
  "visit-utm-campaigns": "utmCampaign",
  "visit-utm-contents": "utmContent",
  "visit-utm-terms": "utmTerm",
} as const;

const VISIT_NAMES = { "visit-sources": "source", "visit-referrers": "referrer", "visit-channels": "channel" } as const;

export const VISIT_DIMENSION_NAMES = [...Object.keys(VISIT_FIELDS), ...Object.keys(VISIT_NAMES)] as readonly VisitDimension[];

export const isVisitDimension = (dimension: string): dimension is VisitDimension =>
  (VISIT_DIMENSION_NAMES as readonly string[]).includes(dimension);

const textOrNull = (text: string | null): string | null => (text === UNKNOWN ? null : text);

/** What a visit has that begins with this event. What rules make of it is tested in tables. */
export function visitValueOf(first: StoredEvent, dimension: VisitDimension): string {
  if (dimension in VISIT_FIELDS) return shownAs(first[VISIT_FIELDS[dimension as keyof typeof VISIT_FIELDS]]);
  const name = VISIT_NAMES[dimension as keyof typeof VISIT_NAMES];
  const { referrer, utmSource, utmMedium, clickId } = first;
  const stored = { referrer: textOrNull(referrer), utmSource: textOrNull(utmSource), utmMedium: textOrNull(utmMedium), clickId };
  return arrivalNames(NO_ARRIVAL_RULES, first.siteId)(name, stored) ?? UNKNOWN;
}

/** `*` stands for any characters, everything else for itself. */
export function isLike(text: string, pattern: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  if (rest.length === 0) return text === first;
  if (!text.startsWith(first)) return false;
  const last = rest.pop() ?? "";
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Keys and values of an event's properties: nested ones by dotted key, lists as JSON; of two that come to one key the last. `(unknown)` is no value. */
export function propertiesIn({ props }: StoredEvent): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (path: string, value: Json): void => {
    if (value === null || value === UNKNOWN) return;
    if (Array.isArray(value)) found.set(path, JSON.stringify(value));
    else if (typeof value === "object") for (const [name, inner] of Object.entries(value)) visit(`${path}.${name}`, inner);
    else found.set(path, String(value));
  };
  if (props !== null) for (const [name, value] of Object.entries(JSON.parse(props) as object)) visit(name, value as Json);
  return found;
}

export function groupBy<K>(events: Events, keyOf: (event: StoredEvent) => K): Map<K, StoredEvent[]> {
  const groups = new Map<K, StoredEvent[]>();
  for (const event of events) {
    const group = groups.get(keyOf(event));
    if (group) group.push(event);
    else groups.set(keyOf(event), [event]);
  }
  return groups;
}

/** Those of a visitor are in order of time. */
export function sessionsOf(events: Events, gapMs: number): StoredEvent[][] {
  const sessions: StoredEvent[][] = [];
  for (const own of groupBy(events, ({ visitorId }) => visitorId).values()) {
    let session: StoredEvent[] = [];
    for (const event of own.toSorted((a, b) => a.timestampMs - b.timestampMs)) {
      const last = session.at(-1);
      if (!last || event.timestampMs - last.timestampMs > gapMs) sessions.push((session = []));
      session.push(event);
    }
  }
  return sessions;
}

const OPERATORS: Readonly<Record<Condition["operator"], (text: string, value: string) => boolean>> = {
  in: (text, value) => text === value,
  contains: (text, value) => text.includes(value),
  begins: (text, value) => text.startsWith(value),
  like: isLike,
  matches: (text, value) => new RegExp(value, "u").test(text),
};

/** A text; null is not recorded. */
function passes(text: string | null, { operator, values }: Condition): boolean {
  if (text === null) return operator === "in" && values.includes(UNKNOWN);
  return values.some((value) => OPERATORS[operator](text, value));
}

function isReached(event: StoredEvent, goal: PlainGoal): boolean {
  if ("page" in goal) return isPageview(event) && isLike(event.pathname, goal.page);
  if (event.eventName !== goal.event) return false;
  return goal.property === undefined || propertiesIn(event).get(goal.property[0]) === goal.property[1];
}

/** The names of the goals that a session reaches: those of the site, and of other events. */
function goalNamesOf(session: Events, goals: readonly PlainGoal[]): string[] {
  const reached = goals.filter((goal) => session.some((event) => isReached(event, goal))).map(({ name }) => name);
  const taken = [...goals.map(({ name }) => name), "pageview", UNKNOWN];
  return [...reached, ...session.map(({ eventName }) => eventName).filter((name) => !taken.includes(name))];
}

const recorded = (text: string): string | null => (text === UNKNOWN ? null : text);

function isMet(condition: Condition, event: StoredEvent, session: Events, goals: readonly PlainGoal[]): boolean {
  const { dimension } = condition;
  if (dimension === "goal") {
    const names = goalNamesOf(session, goals);
    return names.length === 0 ? passes(null, condition) : names.some((name) => passes(name, condition));
  }
  if (dimension === "entry-page" || dimension === "exit-page") {
    const page = session.filter(isPageview).at(dimension === "entry-page" ? 0 : -1)?.pathname;
    return passes(recorded(page ?? UNKNOWN), condition);
  }
  if (isVisitDimension(dimension)) return passes(recorded(visitValueOf(session[0] ?? event, dimension)), condition);
  if (dimension === "evidence") {
    const codes = event.evidence?.split(" ") ?? [null];
    return condition.operator === "in" ? codes.some((code) => passes(code, condition)) : passes(event.evidence, condition);
  }
  if (dimension.startsWith("props:")) return passes(propertiesIn(event).get(dimension.slice("props:".length)) ?? null, condition);
  return passes(recorded(valueOf(event, dimension as Dimension)), condition);
}

export const inRange = (events: Events, { siteId, firstDay, lastDay }: Scope): Events =>
  events.filter((event) => event.siteId === siteId && firstDay <= event.date && event.date <= lastDay);

interface JudgedSession {
  readonly session: StoredEvent[];
  /** Its events that are not hidden. */
  readonly shown: StoredEvent[];
  /** Those of them that meet the filter. */
  readonly matching: StoredEvent[];
}

/** The sessions of all events of the range. Whether an event is hidden is judged by them; whether it meets the filter, by what is left. */
export function judgedSessions(events: Events, scope: Scope): JudgedSession[] {
  const { conditions, shared = [], goals = [], sessionGapMs = 0, isStrict = false, rules = [] } = scope;
  const meets = (list: readonly Condition[], event: StoredEvent, session: Events): boolean =>
    list.every((condition) => isMet(condition, event, session, goals) !== condition.isNegated);
  const sessions = sessionsOf(inRange(events, scope), sessionGapMs);
  const visits = sessions.map((session) => ({ session, shown: session.filter((event) => meets(shared, event, session)) }));
  const all = visits.map(({ shown }) => shown);
  const proofs = goals.map((goal) => ("page" in goal ? goal : { name: goal.name, event: goal.event }));
  const proves = (event: StoredEvent): boolean => proofs.some((goal) => isReached(event, goal));
  const ofRules = all.filter((shown) => rules.some((rule) => isNamed(shown, rule, (list, event) => meets(list, event, shown), proves)));
  const left = new Set([...(isStrict ? leftOut(all) : []), ...ofRules]);
  return visits.map(({ session, shown }) => ({
    session,
    shown,
    matching: left.has(shown) ? [] : shown.filter((event) => meets(conditions, event, shown)),
  }));
}

/** All events but those of visits that the lens leaves out, hidden ones included, and the scope without the lens. */
export function seenByLens(events: Events, scope: Scope): { readonly kept: Events; readonly scope: Scope } {
  if (!scope.isStrict && !scope.rules) return { kept: events, scope };
  const { conditions: _conditions, ...all } = scope;
  const judged = judgedSessions(events, { ...all, conditions: [] });
  const left = new Set(judged.flatMap(({ session, shown, matching }) => (shown.length > matching.length ? session : [])));
  return { kept: events.filter((event) => !left.has(event)), scope: { ...scope, isStrict: false, rules: [] } };
}

/** Those of `all` that are among `some`, in their order. */
const among = (all: Events, some: Iterable<StoredEvent>): Events => {
  const kept = new Set(some);
  return all.filter((event) => kept.has(event));
};

export const shownIn = (events: Events, scope: Scope): Events =>
  among(
    events,
    judgedSessions(events, scope).flatMap(({ shown }) => shown),
  );

export const inScope = (events: Events, scope: Scope): Events =>
  among(
    events,
    judgedSessions(events, scope).flatMap(({ matching }) => matching),
  );

/** The events that meet the filter by their values of a dimension, or those of their visits. */
export function eventsByValue(events: Events, scope: Scope, dimension: Dimension | VisitDimension): Map<string, StoredEvent[]> {
  if (!isVisitDimension(dimension)) return groupBy(inScope(events, scope), (event) => valueOf(event, dimension));
  const groups = new Map<string, StoredEvent[]>();
  for (const { shown, matching } of judgedSessions(events, scope)) {
    const [first] = shown;
    if (!first || matching.length === 0) continue;
    const value = visitValueOf(first, dimension);
    groups.set(value, [...(groups.get(value) ?? []), ...matching]);
  }
  return groups;
}
