/**
 * The value of a visitor by native functions of ClickHouse, where they give what our automata give for every input:
 * - Funnels: `windowFunnel`. It orders events with equal timestamps by condition, so each event gets a timestamp of its own (`INSTANTS`).
 *   Its results are then ours in all modes but `strict_increase`, where it forgets a chain when another begins in the same millisecond.
 *   Alone, that mode is the same as no mode with the conditions of a millisecond in descending order.
 * - Patterns: `sequenceCount`. It searches with backtracking, so it gets short histories only. Its times behind `.*` depart from its
 *   documentation, so the distance of two events is written as one `(?t<=N)` or `(?t>=N)`, and a distance with both bounds cannot be.
 * Where the result may differ, a looser funnel or pattern still rules out most visitors. The others are `UNDECIDED`, for the automata.
 * `arrayFold` could run the automata on the server, but one step of it takes a pass over the columns, for each event of the visitor
 * with the most events.
 */
import { sql, textCode, type SqlText } from "../query/sql.ts";
import { parsePattern, type Pattern } from "../query/behavioral/pattern.ts";
import type { SequenceFunction } from "../query/behavioral/sequence.ts";
import type { VisitorFunction } from "../query/behavioral/visitor-function.ts";
import type { WindowFunnelFunction } from "../query/behavioral/window-funnel.ts";

/** No value of a function. */
export const UNDECIDED = -1;

/** `value` if `isValue`, of a `value`, holds for it. */
const decided = (value: SqlText, isValue: SqlText): SqlText =>
  sql`arrayMap(value -> if(${isValue}, value, toInt64(${UNDECIDED})), [${value}])[1]`;

/** Units of a millisecond. Half of it is more than a visitor has events in one millisecond. */
const INSTANTS = 2 ** 20;

/** The time of each event of `history`, in the order of the array, which is then the order of these times. */
const instantsOf = (events: SqlText): SqlText =>
  sql`arrayMap((ms, place) -> toUInt64(ms * ${INSTANTS} + place), ${events}.ms, arrayEnumerateUniq(${events}.ms))`;

/** The longest and the shortest difference of the instants of two events that are `ms` apart. */
const longest = (ms: number): bigint => BigInt(ms) * BigInt(INSTANTS) + BigInt(INSTANTS / 2);
const shortest = (ms: number): bigint => BigInt(ms) * BigInt(INSTANTS) - BigInt(INSTANTS / 2);

/** The aggregate function over the instants and conditions of events. Its name with parameters must be a constant. */
function reduced(name: string, events: SqlText, conditions: readonly SqlText[]): SqlText {
  const columns = conditions.reduce((all, condition) => sql`${all}, ${condition}`, instantsOf(events));
  return sql`toInt64(arrayReduce(${textCode(name)}, ${columns}))`;
}

const metBits = (events: SqlText, count: number): SqlText[] =>
  Array.from({ length: count }, (_, bit) => sql`arrayMap(met -> bitTest(met, ${bit}), ${events}.met)`);

function funnelValue({ windowMs, steps, modes }: WindowFunnelFunction): SqlText {
  const others = modes.filter((mode) => mode !== "strict_increase");
  if (others.length === modes.length) {
    const parameters = [String(longest(windowMs)), ...others.map((mode) => `'${mode}'`)];
    return reduced(`windowFunnel(${parameters.join(", ")})`, sql`history`, metBits(sql`history`, steps));
  }
  const increasing = increasingFunnelValue(windowMs, steps);
  // Other modes may end a chain, but not before its first step.
  return others.every((mode) => mode === "strict_once") ? increasing : decided(increasing, sql`value <= 1`);
}

/** An event for each condition that an event meets, the last condition of a millisecond first. */
const DESCENDING = sql`arraySort(one -> (one.ms, -one.bit), arrayFlatten(
  arrayMap(event -> arrayMap(bit -> CAST((event.ms, bit), 'Tuple(ms Int64, bit Int16)'), bitPositionsToArray(event.met)), history)))`;

function increasingFunnelValue(windowMs: number, steps: number): SqlText {
  const bits = Array.from({ length: steps }, (_, bit) => sql`arrayMap(one -> one.bit = ${bit}, descending)`);
  const value = reduced(`windowFunnel(${longest(windowMs)})`, sql`descending`, bits);
  return sql`arrayMap(descending -> ${value}, [${DESCENDING}])[1]`;
}

/** Steps of the search for one match. An exception ends a query beyond 1,000,000. */
const SEARCH_STEPS_MAX = 10_000;

/** The most events among which `places` events can be found in so many steps: it tries every combination of up to `places` events. */
function searchedEventsMax(places: number): number {
  for (let events = 1; ; events++) {
    let [combinations, tried] = [1, 0];
    for (let chosen = 1; chosen <= Math.min(places, events); chosen++) {
      combinations = (combinations * (events + 1 - chosen)) / chosen;
      tried += combinations;
    }
    if (4 * tried > SEARCH_STEPS_MAX) return events - 1;
  }
}

interface NativePattern {
  /** A pattern over instants in ClickHouse's syntax. */
  readonly text: string;
  /** Allows the same distances; otherwise more. */
  readonly isExact: boolean;
}

const NO_DISTANCE = { adjacent: true, minMs: 0, maxMs: Number.POSITIVE_INFINITY };

function nativePattern({ wanted, distances }: Pattern): NativePattern {
  let text = "";
  let isExact = true;
  for (const [place, condition] of wanted.entries()) {
    const { adjacent, minMs, maxMs } = distances[place - 1] ?? NO_DISTANCE;
    const isBounded = maxMs !== Number.POSITIVE_INFINITY;
    if ((isBounded && minMs > 0) || maxMs < 0) isExact = false;
    if (isBounded) text += `(?t<=${longest(Math.max(maxMs, 0))})`;
    else if (minMs > 0) text += `(?t>=${shortest(minMs)})`;
    else if (!adjacent) text += ".*";
    text += condition === "any" ? "." : `(?${condition})`;
  }
  return { text, isExact };
}

/** `sequenceCount` takes no fewer. No event meets those beyond the pattern's. */
const NATIVE_CONDITIONS_MIN = 2;

/** A long history is cut to nothing before the search, whether or not the server evaluates a branch that is not taken. */
function sequenceValue({ name, pattern, conditions }: SequenceFunction): SqlText {
  const parsed = parsePattern(pattern, conditions);
  const { text, isExact } = nativePattern(parsed);
  const isShort = sql`length(history) <= ${searchedEventsMax(parsed.wanted.length)}`;
  const found = reduced(`sequenceCount('${text}')`, sql`searched`, metBits(sql`searched`, Math.max(conditions, NATIVE_CONDITIONS_MIN)));
  const count = sql`arrayMap(searched -> ${found}, [arraySlice(history, 1, if(${isShort}, length(history), 0))])[1]`;
  const value = name === "sequence_count" ? count : sql`least(${count}, 1)`;
  return decided(value, isExact ? isShort : sql`${isShort} AND value = 0`);
}

/** An Int64 from `history`, a visitor's events in order, with `ms` and `met`: the value, or `UNDECIDED`. */
export const nativeValue = (perVisitor: VisitorFunction): SqlText =>
  perVisitor.name === "window_funnel" ? funnelValue(perVisitor) : sequenceValue(perVisitor);
