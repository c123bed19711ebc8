/** Funnels and patterns over one visitor's events, with expected values computed by hand. */
import { describe, expect, it } from "vitest";
import type { EventRows } from "../../../../../src/runtime/query/behavioral/visitor-events.ts";
import { applyPerVisitor, type VisitorFunction } from "../../../../../src/runtime/query/behavioral/visitor-function.ts";
import { FUNNEL_MODES, type FunnelMode } from "../../../../../src/runtime/query/behavioral/window-funnel.ts";
import { growthOf, GROWTH_MAX, SIZE_RATIO, type Work } from "../../../../support/growth.ts";

const atOnce = () => Promise.resolve();

/** The time, and the conditions met: `A` is the first, `B` the second; `AB` both, `-` none. */
type Sketch = readonly [atMs: number, met: string];

const maskOf = (met: string): bigint =>
  met === "-" ? 0n : [...met].reduce((mask, letter) => mask | (1n << BigInt(letter.charCodeAt(0) - 65)), 0n);

function rowsOf(visitors: readonly (readonly Sketch[])[]): EventRows {
  const rows = visitors.flatMap((events, visitor) => events.map(([atMs, met]) => ({ visitor, atMs, met })));
  return {
    visitorIds: BigUint64Array.from(rows, ({ visitor }) => (1n << 63n) + BigInt(visitor)),
    timestampsMs: BigInt64Array.from(rows, ({ atMs }) => BigInt(atMs)),
    met: BigInt64Array.from(rows, ({ met }) => maskOf(met)),
  };
}

async function valueOf(perVisitor: VisitorFunction, ...events: readonly Sketch[]): Promise<number | undefined> {
  return (await applyPerVisitor(perVisitor, rowsOf([events]), atOnce))[0];
}

/** Events one second apart. */
const inTurn = (...met: readonly string[]): Sketch[] => met.map((conditions, i) => [i * 1000, conditions]);

describe("window_funnel", () => {
  const reached = (modes: readonly FunnelMode[], events: readonly Sketch[], { steps = 3, windowMs = 10_000 } = {}) =>
    valueOf({ name: "window_funnel", windowMs, steps, modes }, ...events);

  it.each<[name: string, modes: readonly FunnelMode[], events: readonly Sketch[], reached: number]>([
    ["steps in their order", [], inTurn("A", "B", "C"), 3],
    ["a step that is missing", [], inTurn("A", "C"), 1],
    ["steps in another order", [], inTurn("C", "B", "A"), 1],
    ["no first step", [], inTurn("B", "C"), 0],
    ["only what is no step", [], inTurn("-", "-"), 0],
    ["others in between", [], inTurn("A", "-", "B", "-", "C"), 3],
    ["one event that is all steps", [], [[0, "ABC"]], 3],
    ["one event that is two steps", [], inTurn("AB", "C"), 3],
    [
      "the last step a window after the first",
      [],
      [
        [0, "A"],
        [5_000, "B"],
        [10_000, "C"],
      ],
      3,
    ],
    [
      "the last step a millisecond too late",
      [],
      [
        [0, "A"],
        [5_000, "B"],
        [10_001, "C"],
      ],
      2,
    ],
    [
      "a first step that comes again saves the chain",
      [],
      [
        [0, "A"],
        [5_000, "A"],
        [6_000, "B"],
        [15_000, "C"],
      ],
      3,
    ],
    [
      "a first step that comes again too late does not",
      [],
      [
        [0, "A"],
        [6_000, "B"],
        [7_000, "A"],
        [10_001, "C"],
      ],
      2,
    ],
    [
      "the longest of several chains counts",
      [],
      [
        [0, "A"],
        [1_000, "B"],
        [60_000, "A"],
      ],
      2,
    ],
    [
      "ties count in their order",
      [],
      [
        [0, "A"],
        [0, "B"],
        [0, "C"],
      ],
      3,
    ],
    [
      "ties in the wrong order do not",
      [],
      [
        [0, "B"],
        [0, "A"],
        [0, "C"],
      ],
      1,
    ],

    ["strict_order: what is no step ends it", ["strict_order"], inTurn("A", "B", "-", "C"), 2],
    ["strict_order: but not before the first step", ["strict_order"], inTurn("-", "B", "A", "B", "C"), 3],
    ["strict_order: a step too early ends it", ["strict_order"], inTurn("A", "C", "B", "C"), 1],
    ["strict_order: a step that comes again does not", ["strict_order"], inTurn("A", "A", "B", "A", "B", "C"), 3],
    ["strict_order: the same event as several steps does not", ["strict_order"], inTurn("AB", "C"), 3],

    ["strict_deduplication: a step that comes again ends it", ["strict_deduplication"], inTurn("A", "B", "B", "C"), 2],
    ["strict_deduplication: the first step may come again", ["strict_deduplication"], inTurn("A", "A", "B", "A", "C"), 3],
    ["strict_deduplication: others do not end it", ["strict_deduplication"], inTurn("A", "-", "B", "-", "C"), 3],
    ["strict_deduplication: a step out of turn does not", ["strict_deduplication"], inTurn("C", "A", "C", "B", "C"), 3],

    ["strict_increase: later and later", ["strict_increase"], inTurn("A", "B", "C"), 3],
    [
      "strict_increase: at the same time is not later",
      ["strict_increase"],
      [
        [0, "A"],
        [1_000, "B"],
        [1_000, "C"],
      ],
      2,
    ],
    [
      "strict_increase: an earlier one of the step before will do",
      ["strict_increase"],
      [
        [0, "A"],
        [1_000, "A"],
        [1_000, "B"],
      ],
      2,
    ],
    ["strict_increase: one event is one step", ["strict_increase"], inTurn("AB", "AB", "C"), 3],

    ["strict_once: one event is one step", ["strict_once"], [[0, "ABC"]], 1],
    ["strict_once: each event a further one", ["strict_once"], inTurn("ABC", "ABC", "ABC"), 3],
    [
      "strict_once: at the same time is fine",
      ["strict_once"],
      [
        [0, "A"],
        [0, "B"],
        [0, "C"],
      ],
      3,
    ],

    ["all modes: steps in their order", FUNNEL_MODES, inTurn("A", "B", "C"), 3],
    ["all modes: the first to object ends it", FUNNEL_MODES, inTurn("A", "B", "-", "B", "C"), 2],
  ])("computes the number of completed steps for %s", async (_name, modes, events, wanted) => {
    expect(await reached(modes, events)).toBe(wanted);
  });

  it("counts a step that repeats another one as a separate step", async () => {
    const again = (...met: readonly string[]) => reached(["strict_once"], inTurn(...met), { steps: 2 });
    expect([await again("AB"), await again("AB", "AB")]).toEqual([1, 2]);
  });

  it("accepts 32 steps", async () => {
    const letters = Array.from({ length: 32 }, (_, i) => String.fromCharCode(65 + i));
    expect(await reached([], inTurn(...letters), { steps: 32, windowMs: 31_000 })).toBe(32);
    expect(await reached([], inTurn(...letters), { steps: 32, windowMs: 30_999 })).toBe(31);
  });
});

describe("sequence_match and sequence_count", () => {
  it.each<[pattern: string, events: readonly Sketch[], count: number]>([
    ["(?1)(?2)", inTurn("A", "B"), 1],
    ["(?1)(?2)", inTurn("B", "A"), 0],
    ["(?1)(?2)", inTurn("A", "-", "B"), 1],
    ["(?1)(?2)", inTurn("A", "C", "B"), 0],
    ["(?1)(?2)", inTurn("AB"), 0],
    ["(?1)(?2)", inTurn("AB", "AB"), 1],
    ["(?1)(?2)", inTurn("AB", "AB", "AB", "AB"), 2],
    ["(?1).*(?2)", inTurn("A", "C", "B", "A", "C", "B"), 2],
    ["(?1).*(?2)", inTurn("A", "A", "B", "B"), 1],
    ["(?1).(?2)", inTurn("A", "C", "B"), 1],
    ["(?1).(?2)", inTurn("A", "B"), 0],
    ["..", inTurn("A", "B", "C"), 1],
    [".", inTurn("A", "-", "C"), 2],
    [".*(?2).*", inTurn("A", "B", "C"), 1],
    ["(?1).*(?1)", inTurn("A", "A", "A"), 1],
    // The first A is too early for the B, the second is not: the chain starts with the second.
    ["(?1)(?t<=2)(?2)", inTurn("A", "A", "C", "B"), 1],
    [
      "(?1)(?t<=2)(?2)",
      [
        [0, "A"],
        [2_000, "B"],
      ],
      1,
    ],
    [
      "(?1)(?t<=2)(?2)",
      [
        [0, "A"],
        [2_001, "B"],
      ],
      0,
    ],
    [
      "(?1)(?t<2)(?2)",
      [
        [0, "A"],
        [1_999, "B"],
      ],
      1,
    ],
    [
      "(?1)(?t<2)(?2)",
      [
        [0, "A"],
        [2_000, "B"],
      ],
      0,
    ],
    [
      "(?1)(?t>=2)(?2)",
      [
        [0, "A"],
        [2_000, "B"],
      ],
      1,
    ],
    [
      "(?1)(?t>=2)(?2)",
      [
        [0, "A"],
        [1_999, "B"],
      ],
      0,
    ],
    [
      "(?1)(?t>2)(?2)",
      [
        [0, "A"],
        [2_001, "B"],
      ],
      1,
    ],
    [
      "(?1)(?t>2)(?2)",
      [
        [0, "A"],
        [2_000, "B"],
      ],
      0,
    ],
    [
      "(?1)(?t==2)(?2)",
      [
        [0, "A"],
        [2_999, "B"],
      ],
      1,
    ],
    [
      "(?1)(?t==2)(?2)",
      [
        [0, "A"],
        [3_000, "B"],
      ],
      0,
    ],
    ["(?1)(?t>=1)(?t<=2)(?2)", inTurn("A", "-", "B"), 1],
    // Any event may occur between the two, even a B that is too early.
    ["(?1)(?t>2)(?2)", inTurn("A", "B", "C", "B"), 1],
    // A chain that cannot be completed is abandoned for a later one.
    ["(?1)(?2)(?3)", inTurn("A", "B", "A", "B", "C"), 1],
    ["(?1).*(?2)(?t<=1)(?3)", inTurn("A", "B", "-", "-", "B", "C"), 1],
    [
      "(?1)(?t<=0)(?2)",
      [
        [0, "A"],
        [0, "B"],
      ],
      1,
    ],
  ])("%s occurs in %j %i times", async (pattern, events, count) => {
    expect(await valueOf({ name: "sequence_count", pattern, conditions: 3 }, ...events)).toBe(count);
    expect(await valueOf({ name: "sequence_match", pattern, conditions: 3 }, ...events)).toBe(Math.min(count, 1));
  });

  it("take no longer for patterns that make a backtracking search exponential", async () => {
    const events = inTurn(...Array.from({ length: 5_000 }, () => "A"));
    const pattern = `${"(?1).*".repeat(63)}(?2)`;
    expect(await valueOf({ name: "sequence_count", pattern, conditions: 2 }, ...events)).toBe(0);
  });
});

describe("the time of visitor functions", () => {
  /** The function over the events of one visitor. */
  const applied = (perVisitor: VisitorFunction, events: readonly Sketch[]): Work => {
    const rows = rowsOf([events]);
    return () => applyPerVisitor(perVisitor, rows, atOnce);
  };
  const alike = (count: number): Sketch[] => inTurn(...Array.from({ length: count }, () => "A"));
  const alternating = (count: number): Sketch[] => inTurn(...Array.from({ length: count }, (_, i) => (i % 2 === 0 ? "A" : "AB")));
  const ALL_STEPS = Array.from({ length: 32 }, (_, i) => String.fromCharCode(65 + i)).join("");

  it.each<[name: string, perVisitor: VisitorFunction, events: (count: number) => readonly Sketch[]]>([
    ["a pattern that never ends", { name: "sequence_count", pattern: `${"(?1).*".repeat(63)}(?2)`, conditions: 2 }, alike],
    [
      "a pattern that almost ends at every event",
      { name: "sequence_count", pattern: `${"(?1).*".repeat(62)}(?2)(?t>=999999)(?1)`, conditions: 2 },
      alternating,
    ],
    [
      "a pattern with times everywhere",
      { name: "sequence_count", pattern: `${"(?1)(?t<=3600)".repeat(63)}(?2)`, conditions: 2 },
      alternating,
    ],
    [
      "a funnel of 32 steps that every event meets",
      { name: "window_funnel", windowMs: 0, steps: 32, modes: ["strict_once"] },
      (count) => inTurn(...Array.from({ length: count }, () => ALL_STEPS)),
    ],
  ])("grows linearly with the number of events: %s", async (_, perVisitor, events) => {
    const [few, many] = [applied(perVisitor, events(5_000)), applied(perVisitor, events(5_000 * SIZE_RATIO))];
    expect(await growthOf(few, many)).toBeLessThan(GROWTH_MAX);
  });
});

describe("visitor functions", () => {
  const funnel: VisitorFunction = { name: "window_funnel", windowMs: 1000, steps: 2, modes: [] };

  it("return no values for no rows", async () => {
    expect(await applyPerVisitor(funnel, rowsOf([]), atOnce)).toEqual(new Int32Array());
  });

  it("give each visitor a value from its own events only", async () => {
    const rows = rowsOf([[[0, "A"]], [[0, "B"]], inTurn("A", "B"), [[0, "A"]]]);
    expect(await applyPerVisitor(funnel, rows, atOnce)).toEqual(Int32Array.of(1, 0, 2, 1));
  });

  it("let other work run between batches, and end at an abort", async () => {
    const rows = rowsOf(Array.from({ length: 250_000 }, () => [[0, "A"]] as const));
    let turns = 0;
    const others = async () => {
      if (++turns === 2) throw new Error("given up");
    };
    await expect(applyPerVisitor(funnel, rows, others)).rejects.toThrow("given up");
    expect(turns).toBe(2);
  });
});
