/** Parses event patterns such as `(?1).*(?t<=3600)(?2)`: the pattern syntax of ClickHouse's `sequenceMatch`. */
import { invalidInput, type AppError } from "../../base/errors.ts";
import { PATTERN_CHARS_MAX, PATTERN_EVENTS_MAX } from "../../base/config/report-limits.ts";

/** An event of the chain: the number of the condition that it has to meet, from 1, or any relevant event. */
type Wanted = number | "any";

/** The constraint between two consecutive events of the chain. */
interface Distance {
  /** No other event may occur between them. */
  readonly adjacent: boolean;
  readonly minMs: number;
  readonly maxMs: number;
}

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
