/** Functions of one visitor's events in order, as the engine applies them to all visitors: in its own thread, in portions. */
import { floatsOf, wordsOf } from "../int64-words.ts";
import { sequenceCounter, sequenceMatcher, type SequenceFunction } from "./sequence.ts";
import { windowFunnel, type WindowFunnelFunction } from "./window-funnel.ts";

/** What to make of each visitor's events. Plain data, so that it travels between threads. */
export type VisitorFunction = WindowFunnelFunction | SequenceFunction;

/** Events of many visitors: a visitor's next to each other, in order of time and sequence number. */
export interface EventRows {
  readonly visitorIds: BigInt64Array | BigUint64Array;
  readonly timestampsMs: BigInt64Array | BigUint64Array;
  /** A bit for each condition that the event meets, the first the lowest. */
  readonly met: BigInt64Array | BigUint64Array;
}

/** The same as numbers that are read without making big integers. */
export interface EventColumns {
  readonly timestampsMs: Float64Array;
  readonly met: Int32Array;
}

/** What becomes of the rows from `from` to before `to`, which are one visitor's. */
export type OneVisitor = (events: EventColumns, from: number, to: number) => number;

/** Rows that are worked on before others get their turn: a few milliseconds. */
const PORTION_ROWS = 100_000;

function columnsOf({ timestampsMs, met }: EventRows): EventColumns {
  const metWords = wordsOf(met);
  return { timestampsMs: floatsOf(timestampsMs), met: Int32Array.from({ length: met.length }, (_, row) => metWords[2 * row] ?? 0) };
}

function oneVisitor(perVisitor: VisitorFunction): OneVisitor {
  if (perVisitor.name === "window_funnel") return windowFunnel(perVisitor);
  return perVisitor.name === "sequence_match" ? sequenceMatcher(perVisitor) : sequenceCounter(perVisitor);
}

/** A number for each visitor, in the order of the rows. Rejects with the signal's reason when aborted. */
export async function applyPerVisitor(
  perVisitor: VisitorFunction,
  rows: EventRows,
  yieldToOthers: () => Promise<void>,
  signal: AbortSignal,
): Promise<Int32Array> {
  const valueOf = oneVisitor(perVisitor);
  const columns = columnsOf(rows);
  const visitors = wordsOf(rows.visitorIds);
  const count = rows.visitorIds.length;
  const values = new Int32Array(count);
  let found = 0;
  let portionEnd = PORTION_ROWS;
  for (let from = 0; from < count;) {
    let to = from + 1;
    while (to < count && visitors[2 * to] === visitors[2 * from] && visitors[2 * to + 1] === visitors[2 * from + 1]) to++;
    values[found++] = valueOf(columns, from, to);
    from = to;
    if (from < portionEnd) continue;
    portionEnd = from + PORTION_ROWS;
    await yieldToOthers();
    signal.throwIfAborted();
  }
  return values.slice(0, found);
}

/** How many visitors have a value. */
export type Tally = Readonly<Record<"value" | "visitors", number>>;

/** A tally for each value that there is, in ascending order. */
export function talliesOf(values: Int32Array): Tally[] {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => a - b).map(([value, visitors]) => ({ value, visitors }));
}
