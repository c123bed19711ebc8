/** Sessions of a day as rows come in: pauses, several batches, days already begun, a clock set back. */
import { describe, expect, it } from "vitest";
import { DaySessions } from "../../src/runtime/engine/day-sessions.ts";

const GAP_MS = 1000;

function sessionsOf(known: ConstructorParameters<typeof DaySessions>[2] = []): DaySessions {
  let count = 100;
  return new DaySessions(GAP_MS, () => ++count, known);
}

const assign = (sessions: DaySessions, rows: readonly (readonly [visitor: number, timestampMs: number])[]): number[] => [
  ...sessions.assign(
    BigUint64Array.from(rows, ([visitor]) => BigInt(visitor)),
    BigInt64Array.from(rows, ([, timestampMs]) => BigInt(timestampMs)),
  ),
];

describe("the sessions of a day", () => {
  it("go on over a pause of exactly the gap and end at a longer one", () => {
    expect(assign(sessionsOf(), [[1, 0], [1, 1000], [1, 2001], [1, 2001]])).toEqual([101, 101, 102, 102]);
  });

  it("are each visitor's own", () => {
    expect(assign(sessionsOf(), [[1, 0], [2, 0], [1, 10], [2, 5000]])).toEqual([101, 102, 101, 103]);
  });

  it("go on from batch to batch", () => {
    const sessions = sessionsOf();
    expect(assign(sessions, [[1, 0]])).toEqual([101]);
    expect(assign(sessions, [[1, 900], [1, 3000]])).toEqual([101, 102]);
  });

  it("go on from what is known of the day", () => {
    const known = [{ visitorId: 7n, timestampMs: 500n, session: 42 }];
    expect(assign(sessionsOf(known), [[7, 1500], [8, 1500]])).toEqual([42, 101]);
  });

  it("tell when a visitor's events come out of order", () => {
    const sessions = sessionsOf();
    assign(sessions, [[1, 100], [2, 50]]);
    expect(sessions.inOrder).toBe(true);
    assign(sessions, [[1, 99]]);
    expect(sessions.inOrder).toBe(false);
  });
});
