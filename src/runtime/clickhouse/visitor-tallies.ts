/**
 * Counts visitors by the value of a function with ClickHouse: natively where that is exact, and else from the events of these visitors,
 * which come in portions, so that memory is bounded, and go through the automata that DuckDB's events go through.
 */
import { parsePattern, type Pattern, type SequenceFunction } from "../query/behavioral/sequence.ts";
import { oneVisitor, type Tally, type VisitorFunction } from "../query/behavioral/visitor-function.ts";
import type { WindowFunnelFunction } from "../query/behavioral/window-funnel.ts";
import { numberIn, rowsBy, sql, type SqlRow, type SqlText, textCode, textIn } from "../query/sql.ts";

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

const NO_DISTANCE = { adjacent: true, minMs: 0, maxMs: Number.POSITIVE_INFINITY };

/** The pattern over instants in ClickHouse's syntax. If it is not exact, it also allows other distances. */
function nativePattern({ wanted, distances }: Pattern) {
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

/**
 * The value of a visitor by native functions of ClickHouse, where they give what our automata give for every input:
 * - Funnels: `windowFunnel`. It orders events with equal timestamps by condition, so each event gets a timestamp of its own (`INSTANTS`).
 *   Its results are then ours in all modes but `strict_increase`, where it forgets a chain when another begins in the same millisecond.
 *   Alone, that mode is the same as no mode with the conditions of a millisecond in descending order.
 * - Patterns: `sequenceCount`. It searches with backtracking, so it gets short histories only. Its times behind `.*` depart from its
 *   documentation, so the distance of two events is written as one `(?t<=N)` or `(?t>=N)`, and a distance with both bounds cannot be.
 * Where the result may differ, a looser funnel or pattern still rules out most visitors. The others are `UNDECIDED`, for the automata.
 * `arrayFold` could run the automata on the server, but one step of it takes a pass over the columns, for each event of the visitor
 * with the most events. Returns an Int64, from `history`: a visitor's events in order, with `ms` and `met`.
 */
const nativeValue = (perVisitor: VisitorFunction): SqlText =>
  perVisitor.name === "window_funnel" ? funnelValue(perVisitor) : sequenceValue(perVisitor);

/** Events of a portion, about; each takes some 10 bytes of a response. Every portion is a query over all events of the range. */
const PORTION_EVENTS = 500_000;

/** Numbers of a text, with spaces in between. */
const joined = (numbers: SqlText): SqlText => sql`arrayStringConcat(${numbers}, ' ')`;

interface VisitorTalliesOptions {
  readonly perVisitor: VisitorFunction;
  /** A SELECT of `visitor_id` and `history` (see `nativeValue`). */
  readonly histories: SqlText;
  /** The rows of a statement. `rest` follows the definition of the relation `events`. */
  readonly select: (rest: SqlText) => Promise<readonly SqlRow[]>;
}

/** The value of each visitor of a portion of those whose value is undecided. Functions depend on differences of times only. */
async function portionValues({ perVisitor, histories, select }: VisitorTalliesOptions, portion: number, portions: number) {
  const rows = await select(sql`
    histories AS (${histories})
    SELECT
      ${joined(sql`arrayMap(event -> toString(event.ms - history[1].ms), history)`)} AS times,
      ${joined(sql`arrayMap(event -> toString(event.met), history)`)} AS conditions
    FROM (SELECT * FROM histories WHERE intHash64(visitor_id) % ${portions} = ${portion}) AS portion
    WHERE ${nativeValue(perVisitor)} = ${UNDECIDED}`);
  const valueOf = oneVisitor(perVisitor);
  return rows.map((row) => {
    const timestampsMs = Float64Array.from(textIn(row, "times").split(" "), Number);
    const met = Int32Array.from(textIn(row, "conditions").split(" "), Number);
    return valueOf({ timestampsMs, met }, 0, met.length);
  });
}

/** Rows `value`, `visitors`, one for each distinct value. */
export async function visitorTallies(options: VisitorTalliesOptions): Promise<Tally[]> {
  const { perVisitor, histories, select } = options;
  const rows = await select(sql`
    histories AS (${histories})
    SELECT value, count(*) AS visitors, sum(events) AS events
    FROM (SELECT ${nativeValue(perVisitor)} AS value, length(history) AS events FROM histories) AS valued
    GROUP BY value`);
  const visitorsBy = new Map(rows.map((row) => [numberIn(row, "value"), numberIn(row, "visitors")]));
  visitorsBy.delete(UNDECIDED);
  const events = numberIn(rowsBy("value", rows).get(UNDECIDED), "events");
  const portions = Math.ceil(events / PORTION_EVENTS);
  for (let portion = 0; portion < portions; portion++) {
    for (const value of await portionValues(options, portion, portions)) visitorsBy.set(value, (visitorsBy.get(value) ?? 0) + 1);
  }
  return [...visitorsBy].map(([value, visitors]) => ({ value, visitors }));
}
