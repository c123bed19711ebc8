/** The rows that behavioral functions read: events of many visitors, as columns of plain numbers. */
import { floatsOf, wordsOf } from "../../base/bytes.ts";

/** Sorted by visitor, then by time and sequence number. */
export interface EventRows {
  readonly visitorIds: BigInt64Array | BigUint64Array;
  readonly timestampsMs: BigInt64Array | BigUint64Array;
  /** A bit for each condition that the event meets; the first condition has the lowest bit. */
  readonly met: BigInt64Array | BigUint64Array;
}

/** The columns without BigInts. */
export interface EventColumns {
  readonly timestampsMs: Float64Array;
  readonly met: Int32Array;
}

/** The value of one visitor, whose events are the rows from `from` up to but not including `to`. */
export type OneVisitor = (events: EventColumns, from: number, to: number) => number;

/** Conditions number at most 32, so the lower word of `met` is enough. */
export function eventColumnsOf({ timestampsMs, met }: EventRows): EventColumns {
  const metWords = wordsOf(met);
  return { timestampsMs: floatsOf(timestampsMs), met: Int32Array.from({ length: met.length }, (_, row) => metWords[2 * row] ?? 0) };
}
