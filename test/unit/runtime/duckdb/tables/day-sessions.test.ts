/** The sessions of a day while its rows are loaded: pauses, several batches, days with earlier rows, a clock that is set back. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DaySessions } from "../../../../../src/runtime/duckdb/tables/day-sessions.ts";

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
  it("a pause of exactly the gap continues a session, a longer one ends it", () => {
    expect(
      assign(sessionsOf(), [
        [1, 0],
        [1, 1000],
        [1, 2001],
        [1, 2001],
      ]),
    ).toEqual([101, 101, 102, 102]);
  });

  it("visitors do not share sessions", () => {
    expect(
      assign(sessionsOf(), [
        [1, 0],
        [2, 0],
        [1, 10],
        [2, 5000],
      ]),
    ).toEqual([101, 102, 101, 103]);
  });

  it("a session continues from one batch to the next", () => {
    const sessions = sessionsOf();
    expect(assign(sessions, [[1, 0]])).toEqual([101]);
    expect(
      assign(sessions, [
        [1, 900],
        [1, 3000],
      ]),
    ).toEqual([101, 102]);
  });

  it("a session continues after the last events that are already loaded", () => {
    const known = [{ visitorId: 7n, timestampMs: 500n, session: 42 }];
    expect(
      assign(sessionsOf(known), [
        [7, 1500],
        [8, 1500],
      ]),
    ).toEqual([42, 101]);
  });

  it("events of one session may arrive out of order", () => {
    const sessions = sessionsOf();
    expect(
      assign(sessions, [
        [1, 5000],
        [1, 4990],
        [1, 5001],
        [1, 5000],
        [1, 4000],
        [1, 3000],
      ]),
    ).toEqual([101, 101, 101, 101, 101, 101]);
    // A pause is measured from the latest event, not from the last one to arrive.
    expect(
      assign(sessions, [
        [1, 6001],
        [1, 7002],
      ]),
    ).toEqual([101, 102]);
    expect(sessions.inOrder).toBe(true);
  });

  it("the first events of a later session may arrive out of order", () => {
    const sessions = sessionsOf();
    expect(
      assign(sessions, [
        [1, 0],
        [1, 5000],
        [1, 4999],
        [1, 4000],
        [1, 6000],
      ]),
    ).toEqual([101, 102, 102, 102, 102]);
    expect(sessions.inOrder).toBe(true);
  });

  it.each<[name: string, rows: [visitor: number, timestampMs: number][]]>([
    [
      "is too long before the visitor's only session",
      [
        [1, 5000],
        [1, 3999],
      ],
    ],
    [
      "lies between two sessions and is part of neither",
      [
        [1, 0],
        [1, 5000],
        [1, 2000],
      ],
    ],
    [
      "lies between two sessions and joins the earlier one",
      [
        [1, 0],
        [1, 5000],
        [1, 1000],
      ],
    ],
    [
      "joins two sessions",
      [
        [1, 0],
        [1, 1500],
        [1, 900],
      ],
    ],
    [
      "lies within an earlier session",
      [
        [1, 0],
        [1, 500],
        [1, 5000],
        [1, 200],
      ],
    ],
    [
      "comes before all",
      [
        [1, 1000],
        [1, 5000],
        [1, 0],
      ],
    ],
  ])("the sessions are reported as out of order if an event %s", (_name, rows) => {
    const sessions = sessionsOf();
    assign(sessions, [[2, 0], [3, 9000], ...rows.slice(0, -1)]);
    expect(sessions.inOrder).toBe(true);
    assign(sessions, rows.slice(-1));
    expect(sessions.inOrder).toBe(false);
  });

  it("the sessions are reported as out of order if an event precedes the loaded ones", () => {
    const sessions = sessionsOf([{ visitorId: 1n, timestampMs: 500n, session: 42 }]);
    expect(
      assign(sessions, [
        [1, 500],
        [1, 700],
        [1, 600],
      ]),
    ).toEqual([42, 42, 42]);
    expect(sessions.inOrder).toBe(true);
    assign(sessions, [[1, 499]]);
    expect(sessions.inOrder).toBe(false);
  });

  it("while in order, the sessions equal those of the sorted events", () => {
    const rows = fc.array(fc.tuple(fc.nat({ max: 2 }), fc.nat({ max: 6000 })), { maxLength: 20 });
    fc.assert(
      fc.property(rows, (list) => {
        const sessions = sessionsOf();
        const given = assign(sessions, list);
        fc.pre(sessions.inOrder);
        const byTime = [...list.keys()].sort((a, b) => (list[a]?.[1] ?? 0) - (list[b]?.[1] ?? 0));
        const sorted = assign(
          sessionsOf(),
          byTime.map((row) => list[row] ?? [0, 0]),
        );
        // The same rows share a session; the numbers may differ.
        const sharing = (numbers: readonly number[]) => numbers.map((number) => numbers.indexOf(number));
        expect(sharing(list.map((_, row) => sorted[byTime.indexOf(row)] ?? 0))).toEqual(sharing(given));
      }),
      { numRuns: 1000 },
    );
  });
});
