/** The sessions of a day while its rows are loaded: pauses, several batches, what a session is, a clock that is set back. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  DaySessions,
  NO_INTERACTION,
  NO_PAGE,
  type SessionRows,
  sortedSessions,
} from "../../../../../src/runtime/duckdb/tables/day-sessions.ts";

const GAP_MS = 1000;

type Row = readonly [visitor: number, timestampMs: number, page?: number];

/** What a session keeps of its first event. */
const markOf = ([visitor, timestampMs, page = NO_PAGE]: Row): number => 10_000 * visitor + 10 * timestampMs + page;

function newDay(): DaySessions {
  let count = 100;
  return new DaySessions(GAP_MS, () => ++count);
}

const rowsOf = (rows: readonly Row[]): SessionRows => ({
  visitors: Int32Array.from(rows, ([visitor]) => visitor),
  times: Float64Array.from(rows, ([, timestampMs]) => timestampMs),
  pages: Int32Array.from(rows, ([, , page]) => page ?? NO_PAGE),
  marks: Int32Array.from(rows, markOf),
});

/** The numbers of rows; null if they are out of order. */
function numbersOf(sessions: DaySessions, rows: readonly Row[]): number[] | null {
  const numbers = sessions.add(rowsOf(rows));
  return numbers && [...numbers];
}

/** What each session is, by its first event and visitor. */
const describedBy = (sessions: DaySessions): unknown[] =>
  Array.from({ length: sessions.count }, (_, i) => ({
    visitor: sessions.visitors[i],
    firstMs: sessions.firstMs[i],
    lastMs: sessions.lastMs[i],
    events: sessions.events[i],
    interactions: sessions.interactions[i],
    pageviews: sessions.pageviews[i],
    entry: sessions.entryPages[i],
    exit: sessions.exitPages[i],
    mark: sessions.marks[i],
  }));

/** The same, from the sorted events of each visitor. */
function modelOf(rows: readonly Row[]): unknown[] {
  const sorted = [...rows.entries()].sort(([i, a], [j, b]) => a[0] - b[0] || a[1] - b[1] || i - j).map(([, row]) => row);
  const sessions: Row[][] = [];
  for (const row of sorted) {
    const before = sessions.at(-1)?.at(-1);
    if (before?.[0] === row[0] && row[1] - before[1] <= GAP_MS) sessions.at(-1)?.push(row);
    else sessions.push([row]);
  }
  return sessions.map((events) => {
    const views = events.flatMap(([, , page]) => (page === undefined || page < 0 ? [] : [page]));
    return {
      visitor: events[0]?.[0],
      firstMs: events[0]?.[1],
      lastMs: events.at(-1)?.[1],
      events: events.length,
      interactions: events.filter(([, , page]) => page !== NO_INTERACTION).length,
      pageviews: views.length,
      entry: views[0] ?? NO_PAGE,
      exit: views.at(-1) ?? NO_PAGE,
      mark: events[0] && markOf(events[0]),
    };
  });
}

const byStart = (sessions: readonly unknown[]): unknown[] =>
  (sessions as { visitor: number; firstMs: number }[]).toSorted((a, b) => a.visitor - b.visitor || a.firstMs - b.firstMs);

describe("the sessions of a day", () => {
  it("a pause of exactly the gap continues a session, a longer one ends it", () => {
    const rows: Row[] = [
      [1, 0],
      [1, 1000],
      [1, 2001],
      [1, 2001],
    ];
    expect(numbersOf(newDay(), rows)).toEqual([101, 101, 102, 102]);
  });

  it("visitors do not share sessions", () => {
    const rows: Row[] = [
      [1, 0],
      [2, 0],
      [1, 10],
      [2, 5000],
    ];
    expect(numbersOf(newDay(), rows)).toEqual([101, 102, 101, 103]);
  });

  it("a session continues from one batch to the next", () => {
    const sessions = newDay();
    expect(numbersOf(sessions, [[1, 0, 7]])).toEqual([101]);
    expect(
      numbersOf(sessions, [
        [1, 900, 8],
        [1, 3000],
      ]),
    ).toEqual([101, 102]);
    expect(describedBy(sessions)[0]).toMatchObject({
      visitor: 1,
      firstMs: 0,
      lastMs: 900,
      interactions: 2,
      pageviews: 2,
      entry: 7,
      exit: 8,
    });
  });

  it("events of one session may arrive out of order", () => {
    const sessions = newDay();
    const rows: Row[] = [
      [1, 5000, 1],
      [1, 4990, 2],
      [1, 5001, 3],
      [1, 5000, 4],
      [1, 4000, 5],
      [1, 3000],
    ];
    expect(numbersOf(sessions, rows)).toEqual([101, 101, 101, 101, 101, 101]);
    expect(describedBy(sessions)).toEqual(modelOf(rows));
    // A pause is measured from the latest event, not from the last one to arrive.
    expect(
      numbersOf(sessions, [
        [1, 6001],
        [1, 7002],
      ]),
    ).toEqual([101, 102]);
  });

  it("the first events of a later session may arrive out of order", () => {
    const rows: Row[] = [
      [1, 0],
      [1, 5000],
      [1, 4999],
      [1, 4000],
      [1, 6000],
    ];
    expect(numbersOf(newDay(), rows)).toEqual([101, 102, 102, 102, 102]);
  });

  it.each<[name: string, rows: Row[]]>([
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
  ])("they are out of order if an event %s, and right once sorted", (_name, rows) => {
    const sessions = newDay();
    const all: Row[] = [[2, 0], [3, 9000], ...rows];
    expect(numbersOf(sessions, all.slice(0, -1))).not.toBeNull();
    expect(numbersOf(sessions, all.slice(-1))).toBeNull();
    const sorted = newDay();
    sortedSessions(rowsOf(all), sorted);
    expect(byStart(describedBy(sorted))).toEqual(modelOf(all));
  });

  it("whatever the order and the batches, sessions and numbers are those of the sorted events", () => {
    const anyRow = fc.tuple(fc.nat({ max: 2 }), fc.nat({ max: 6000 }), fc.constantFrom(NO_INTERACTION, NO_PAGE, 1, 2, 3));
    const anyRows = fc.array(anyRow, { maxLength: 20 });
    let inOrder = 0;
    fc.assert(
      fc.property(anyRows, anyRows, (first, second) => {
        const rows = [...first, ...second];
        let sessions = newDay();
        const numbers = [numbersOf(sessions, first), numbersOf(sessions, second)];
        let given = numbers.flatMap((batch) => batch ?? []);
        if (given.length === rows.length) inOrder++;
        else given = [...sortedSessions(rowsOf(rows), (sessions = newDay()))];
        expect(byStart(describedBy(sessions))).toEqual(modelOf(rows));
        const places = given.map((number) => sessions.numbers.indexOf(number));
        rows.forEach(([visitor, timeMs], row) => {
          const place = places[row] ?? -1;
          expect(sessions.visitors[place]).toBe(visitor);
          expect(timeMs).toBeGreaterThanOrEqual(sessions.firstMs[place] ?? Number.NaN);
          expect(timeMs).toBeLessThanOrEqual(sessions.lastMs[place] ?? Number.NaN);
        });
      }),
      { numRuns: 1000 },
    );
    expect(inOrder).toBeGreaterThan(50);
  });

  it("finds the sessions with an event at a time or later", () => {
    const sessions = newDay();
    numbersOf(sessions, [
      [1, 0],
      [2, 500],
      [1, 5000],
      [2, 600],
    ]);
    expect([...sessions.since(0)]).toEqual([0, 1, 2]);
    expect([...sessions.since(600)]).toEqual([1, 2]);
    expect([...sessions.since(601)]).toEqual([2]);
    expect([...sessions.since(5001)]).toEqual([]);
  });
});
