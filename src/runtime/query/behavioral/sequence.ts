/**
 * Counts the matches of a pattern in a visitor's events, as ClickHouse documents `sequenceMatch` and `sequenceCount`. Where ClickHouse's
 * code departs from its documentation (times behind `.*`), this follows the documentation.
 */
import { PATTERN_CHARS_MAX, PATTERN_EVENTS_MAX } from "../../base/config/report-limits.ts";
import { type AppError, invalidInput } from "../../base/errors.ts";
import type { EventColumns, OneVisitor } from "./visitor-events.ts";

/** An event of the chain: the number of the condition that it has to meet, from 1, or any relevant event. */
type Wanted = number | "any";

/** The constraint between two consecutive events of the chain. */
interface Distance {
  /** No other event may occur between them. */
  readonly adjacent: boolean;
  readonly minMs: number;
  readonly maxMs: number;
}

/** An event pattern such as `(?1).*(?t<=3600)(?2)`, in the syntax of ClickHouse's `sequenceMatch`. */
export interface Pattern {
  readonly wanted: readonly Wanted[];
  /** Distances from each wanted event to the next; one fewer than `wanted`. */
  readonly distances: readonly Distance[];
}

const SECOND_MS = 1000;

const ADJACENT: Distance = { adjacent: true, minMs: 0, maxMs: Number.POSITIVE_INFINITY };

/** The times between two events that each operator allows, bounds included. `==` compares whole seconds, or it would rarely match. */
const TIMES: Readonly<Record<string, (ms: number) => Omit<Distance, "adjacent">>> = {
  "<": (ms) => ({ minMs: 0, maxMs: ms - 1 }),
  "<=": (ms) => ({ minMs: 0, maxMs: ms }),
  ">": (ms) => ({ minMs: ms + 1, maxMs: Number.POSITIVE_INFINITY }),
  ">=": (ms) => ({ minMs: ms, maxMs: Number.POSITIVE_INFINITY }),
  "==": (ms) => ({ minMs: ms, maxMs: ms + SECOND_MS - 1 }),
};

const TOKEN = /\(\?(?<condition>\d{1,9})\)|\(\?t(?<operator><=|>=|==|<|>)(?<seconds>\d{1,9})\)|(?<any>\.(?!\*))|(?<star>\.\*)/y;

const wrongAt = (position: number, what: string): AppError => invalidInput(`"pattern": at position ${position + 1}, ${what}`);

function conditionAt(position: number, digits: string, conditions: number): number {
  const condition = Number(digits);
  if (condition >= 1 && condition <= conditions) return condition;
  throw wrongAt(position, `(?${digits}) must name a condition from 1 to ${conditions}`);
}

/** Throws a 400 that names the position of the error, counted in characters from 1. `conditions` is how many there are. */
export function parsePattern(text: string, conditions: number): Pattern {
  if (text.length > PATTERN_CHARS_MAX) throw invalidInput(`"pattern" must be at most ${PATTERN_CHARS_MAX} characters`);
  const wanted: Wanted[] = [];
  const distances: Distance[] = [];
  let distance = ADJACENT;
  let timeAt: number | null = null;
  const want = (next: Wanted) => {
    if (wanted.length > 0) distances.push(distance);
    wanted.push(next);
    distance = ADJACENT;
    timeAt = null;
  };
  const token = new RegExp(TOKEN);
  for (let at = 0; at < text.length; at = token.lastIndex) {
    token.lastIndex = at;
    const groups = token.exec(text)?.groups;
    if (!groups) throw wrongAt(at, 'there is neither "(?N)" nor ".*" nor "." nor "(?t<=N)" with <, <=, >, >= or == and whole seconds');
    if (groups.condition !== undefined) want(conditionAt(at, groups.condition, conditions));
    else if (groups.any !== undefined) want("any");
    else if (groups.star !== undefined) distance = { ...distance, adjacent: false };
    else {
      if (wanted.length === 0) throw wrongAt(at, "a time needs an event before it");
      timeAt = at;
      const times = TIMES[groups.operator ?? ""]?.(Number(groups.seconds) * SECOND_MS) ?? ADJACENT;
      distance = {
        adjacent: false,
        minMs: Math.max(distance.minMs, times.minMs),
        maxMs: Math.min(distance.maxMs, times.maxMs),
      };
    }
  }
  if (timeAt !== null) throw wrongAt(timeAt, "a time needs an event after it");
  if (wanted.length === 0) throw invalidInput(`"pattern" needs at least one event: (?1) to (?${conditions}), or "."`);
  if (wanted.length > PATTERN_EVENTS_MAX)
    throw invalidInput(`"pattern" must ask for at most ${PATTERN_EVENTS_MAX} events; it asks for ${wanted.length}`);
  return { wanted, distances };
}

/** The pattern of all conditions in order, with any events between them. */
export const patternOfSteps = (steps: number): string => Array.from({ length: steps }, (_, i) => `(?${i + 1})`).join(".*");

/** `sequence_match` returns 1 or 0, `sequence_count` the number of matching chains that neither share an event nor overlap. */
export interface SequenceFunction {
  readonly name: "sequence_match" | "sequence_count";
  /** See `parsePattern`. */
  readonly pattern: string;
  /** The number of conditions, at most 32. */
  readonly conditions: number;
}

/** One visitor's events that meet a condition. All others are ignored. */
interface Relevant {
  readonly timestampsMs: Float64Array;
  readonly met: Int32Array;
}

function relevantOf({ timestampsMs, met }: EventColumns, from: number, to: number): Relevant {
  let count = 0;
  for (let row = from; row < to; row++) if (met[row] !== 0) count++;
  if (count === to - from) return { timestampsMs: timestampsMs.subarray(from, to), met: met.subarray(from, to) };
  const relevant = { timestampsMs: new Float64Array(count), met: new Int32Array(count) };
  let next = 0;
  for (let row = from; row < to; row++) {
    if (met[row] === 0) continue;
    relevant.timestampsMs[next] = timestampsMs[row] ?? 0;
    relevant.met[next++] = met[row] ?? 0;
  }
  return relevant;
}

const EVERY_CONDITION = -1;

/** Bits of the conditions of each wanted event, one of which the event must meet. */
const masksOf = ({ wanted }: Pattern): number[] =>
  wanted.map((condition) => (condition === "any" ? EVERY_CONDITION : 1 << (condition - 1)));

/**
 * Contains, for each wanted event, 1 for every event that can take its place and be followed by a match of the rest. Computed from the last
 * wanted event to the first, each in one pass over the events: time is events times wanted events, without backtracking.
 */
function matchTable(pattern: Pattern, masks: readonly number[], { timestampsMs, met }: Relevant): Uint8Array[] {
  const events = met.length;
  const table: Uint8Array[] = [];
  for (let place = masks.length - 1; place >= 0; place--) {
    const mask = masks[place] ?? 0;
    const next = table[0];
    const here = new Uint8Array(events);
    const canContinue = next ? continuation(pattern, place, next, timestampsMs) : () => true;
    for (let event = events - 1; event >= 0; event--) {
      here[event] = ((met[event] ?? 0) & mask) !== 0 && canContinue(event) ? 1 : 0;
    }
    table.unshift(here);
  }
  return table;
}

/** True if one of the `next` events is at an allowed distance from an event. To be called with descending events. */
function continuation({ distances }: Pattern, place: number, next: Uint8Array, timestampsMs: Float64Array): (event: number) => boolean {
  const { adjacent, minMs, maxMs } = distances[place] ?? { adjacent: true, minMs: 0, maxMs: 0 };
  if (adjacent) return (event) => next[event + 1] === 1;
  const events = next.length;
  const before = new Int32Array(events + 1);
  for (let event = 0; event < events; event++) before[event + 1] = (before[event] ?? 0) + (next[event] ?? 0);
  let [first, end] = [events, events];
  return (event) => {
    const timestampMs = timestampsMs[event] ?? 0;
    while (first > 0 && (timestampsMs[first - 1] ?? 0) >= timestampMs + minMs) first--;
    while (end > 0 && (timestampsMs[end - 1] ?? 0) > timestampMs + maxMs) end--;
    const begin = Math.max(first, event + 1);
    return begin < end && (before[end] ?? 0) > (before[begin] ?? 0);
  };
}

/** The last event of the earliest chain from an event on: with the earliest first event, then the earliest second, and so on. */
function endOfChain({ distances }: Pattern, table: readonly Uint8Array[], timestampsMs: Float64Array, from: number): number {
  let event = table[0]?.indexOf(1, from) ?? -1;
  for (let place = 1; event >= 0 && place < table.length; place++) {
    const { minMs } = distances[place - 1] ?? { minMs: 0 };
    const earliestMs = (timestampsMs[event] ?? 0) + minMs;
    // The table says that an event follows within the maximum distance, so the first beyond the minimum is the one.
    event++;
    while (table[place]?.[event] !== 1 || (timestampsMs[event] ?? 0) < earliestMs) event++;
  }
  return event;
}

export function sequenceOf({ name, pattern: text, conditions }: SequenceFunction): OneVisitor {
  const pattern = parsePattern(text, conditions);
  const masks = masksOf(pattern);
  return (events, from, to) => {
    const relevant = relevantOf(events, from, to);
    const table = matchTable(pattern, masks, relevant);
    if (name === "sequence_match") return table[0]?.includes(1) ? 1 : 0;
    let chains = 0;
    for (let next = 0; ; chains++) {
      const end = endOfChain(pattern, table, relevant.timestampsMs, next);
      if (end < 0) return chains;
      next = end + 1;
    }
  };
}
