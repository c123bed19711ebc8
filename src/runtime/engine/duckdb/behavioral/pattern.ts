/** The language of event patterns, `(?1).*(?t<=3600)(?2)`, as ClickHouse's `sequenceMatch` has it, and what a pattern asks for. */
import { invalidInput, type AppError } from "../../../errors.ts";
import { PATTERN_CHARS_MAX, PATTERN_EVENTS_MAX } from "../../../config/limits.ts";

/** One event of the chain: the number of the condition that it meets, from 1, or any event that is looked at. */
type Wanted = number | "any";

/** How far the next event of the chain may be from the one before it. */
interface Distance {
  /** Whether no event may lie between the two. */
  readonly adjacent: boolean;
  readonly minMs: number;
  readonly maxMs: number;
}

export interface Pattern {
  readonly wanted: readonly Wanted[];
  /** From each wanted event to the next: one fewer. */
  readonly distances: readonly Distance[];
}

const SECOND_MS = 1000;

const ADJACENT: Distance = { adjacent: true, minMs: 0, maxMs: Number.POSITIVE_INFINITY };

/** The times apart that each operator allows, both ends included. `==` goes by whole seconds, or it would hardly ever hold. */
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
  throw wrongAt(position, `(?${digits}) names a condition that there is not; there are ${conditions}`);
}

/** The pattern over so many conditions; 400 with the position of what is wrong. Positions count characters from 1. */
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

/** The conditions one after the other with anything between them. */
export const patternOfSteps = (steps: number): string => Array.from({ length: steps }, (_, i) => `(?${i + 1})`).join(".*");
