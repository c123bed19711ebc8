/**
 * Funnels and patterns as ClickHouse documents them, implemented as simply as possible by exhaustive search. Histories are short,
 * which keeps the search fast enough.
 */
import type { FunnelMode } from "../../src/runtime/query/behavioral/window-funnel.ts";

export interface MetEvent {
  readonly atMs: number;
  /** The conditions that it meets, from 0. */
  readonly conditions: readonly number[];
}

export type MetHistory = readonly MetEvent[];

export interface FunnelQuestion {
  readonly steps: number;
  readonly windowMs: number;
  readonly modes: readonly FunnelMode[];
}

/** An event as one step of a chain. Events that match no step have a mark of their own. */
interface Mark {
  readonly event: number;
  readonly atMs: number;
  /** -1 for none. */
  readonly step: number;
}

const marksOf = (history: MetHistory, steps: number): Mark[] =>
  history.flatMap(({ atMs, conditions }, event) => {
    const met = conditions.filter((condition) => condition < steps).toSorted((a, b) => a - b);
    return (met.length === 0 ? [-1] : met).map((step) => ({ event, atMs, step }));
  });

/** The longest chain of marks for steps 0, 1, 2, … that begins with any of them and keeps within the window. */
function longestChain(marks: readonly Mark[], { windowMs, modes }: FunnelQuestion): number {
  const mayFollow = (last: Mark, next: Mark): boolean => {
    if (modes.includes("strict_increase")) return next.atMs > last.atMs;
    if (modes.includes("strict_once")) return next.event > last.event;
    return next.event >= last.event;
  };
  const from = (first: Mark, last: Mark): number =>
    1 +
    Math.max(
      0,
      ...marks
        .filter((next) => next.step === last.step + 1 && mayFollow(last, next) && next.atMs - first.atMs <= windowMs)
        .map((next) => from(first, next)),
    );
  return Math.max(0, ...marks.filter(({ step }) => step === 0).map((first) => from(first, first)));
}

/** Whether a mode ends the search at this mark, given how far the marks before it led. */
function endsAt({ step }: Mark, reached: number, modes: readonly FunnelMode[]): boolean {
  const isRepeated = step > 0 && step < reached;
  const isOutOfOrder = reached > 0 && (step === -1 || step > reached);
  return (modes.includes("strict_deduplication") && isRepeated) || (modes.includes("strict_order") && isOutOfOrder);
}

export function windowFunnelOf(history: MetHistory, question: FunnelQuestion): number {
  const marks = marksOf(history, question.steps);
  const end = marks.findIndex((mark, i) => endsAt(mark, longestChain(marks.slice(0, i), question), question.modes));
  return longestChain(end === -1 ? marks : marks.slice(0, end), question);
}

/** An element of a pattern. */
export type PatternPart =
  | { readonly kind: "condition"; readonly number: number }
  | { readonly kind: "any" }
  | { readonly kind: "star" }
  | { readonly kind: "time"; readonly operator: "<" | "<=" | ">" | ">=" | "=="; readonly seconds: number };

export function spelled(part: PatternPart): string {
  if (part.kind === "condition") return `(?${part.number})`;
  if (part.kind === "time") return `(?t${part.operator}${part.seconds})`;
  return part.kind === "any" ? "." : ".*";
}

function isApart(apartMs: number, { operator, seconds }: Extract<PatternPart, { kind: "time" }>): boolean {
  if (operator === "<") return apartMs < seconds * 1000;
  if (operator === "<=") return apartMs <= seconds * 1000;
  if (operator === ">") return apartMs > seconds * 1000;
  if (operator === ">=") return apartMs >= seconds * 1000;
  return Math.floor(apartMs / 1000) === seconds;
}

/** The chains of events, each as positions, that follow the pattern from `next` on; the earliest first. */
function* chainsOf(events: MetHistory, parts: readonly PatternPart[], next: number, last: number | null): Generator<readonly number[]> {
  const between: PatternPart[] = [];
  let rest = parts;
  while (rest[0]?.kind === "star" || rest[0]?.kind === "time") {
    between.push(rest[0]);
    rest = rest.slice(1);
  }
  const [wanted, ...after] = rest;
  if (!wanted) {
    yield [];
    return;
  }
  const isFree = between.length > 0 || last === null;
  for (const [event, { atMs, conditions }] of events.entries()) {
    if (event < next || (!isFree && event > next)) continue;
    if (wanted.kind === "condition" && !conditions.includes(wanted.number - 1)) continue;
    const apartMs = last === null ? 0 : atMs - (events[last]?.atMs ?? 0);
    if (!between.every((part) => part.kind !== "time" || isApart(apartMs, part))) continue;
    for (const chain of chainsOf(events, after, event + 1, event)) yield [event, ...chain];
  }
}

const relevant = (history: MetHistory, conditions: number): MetHistory =>
  history.filter((event) => event.conditions.some((condition) => condition < conditions));

/** Chains that do not overlap: each is the earliest that begins after the end of the one before. */
export function sequenceCountOf(history: MetHistory, parts: readonly PatternPart[], conditions: number): number {
  const events = relevant(history, conditions);
  let count = 0;
  for (let next = 0; ; count++) {
    const [chain] = chainsOf(events, parts, next, null);
    const end = chain?.at(-1);
    if (end === undefined) return count;
    next = end + 1;
  }
}

export function sequenceMatchOf(history: MetHistory, parts: readonly PatternPart[], conditions: number): boolean {
  const [chain] = chainsOf(relevant(history, conditions), parts, 0, null);
  return chain !== undefined;
}

/** 1 for each condition that was met by an event, given that the first one was. */
export function retentionOf(history: MetHistory, conditions: number): number[] {
  const isMet = (condition: number) => history.some((event) => event.conditions.includes(condition));
  return Array.from({ length: conditions }, (_, condition) => (isMet(0) && isMet(condition) ? 1 : 0));
}

/** The number of each event's session, from 1. */
export function sessionsOf(history: MetHistory, gapMs: number): number[] {
  let session = 0;
  return history.map(({ atMs }, i) => {
    const before = history[i - 1];
    if (!before || atMs - before.atMs > gapMs) session++;
    return session;
  });
}
