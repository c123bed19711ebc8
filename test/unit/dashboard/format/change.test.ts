/** The change of a number: its arrow, and whether it is good or bad, as the reader sees them. */
import { describe, expect, it } from "vitest";

const { changeOf, isNotableCount, isNotableRate } = await import("../../../../dashboard/format/change.ts");
const { formatAverage, formatRate, formatShare } = await import("../../../../dashboard/format/locale.ts");

describe("a change", () => {
  it("a change is good or bad by its direction and by what is better", () => {
    expect(changeOf({ now: 3, before: 2 })).toMatchObject({ mark: "↑ ", tone: "better", amount: "50.0%" });
    expect(changeOf({ now: 1, before: 2, isLessBetter: true })).toMatchObject({ mark: "↓ ", tone: "better", amount: "50.0%" });
    expect(changeOf({ now: 1, before: 2 })).toMatchObject({ mark: "↓ ", tone: "worse" });
  });

  it("a change that is written as 0.0% is neither, and shows no direction", () => {
    expect(changeOf({ now: 2, before: 2 })).toMatchObject({ mark: "→ ", tone: null, direction: "same", amount: "0.0%" });
    expect(changeOf({ now: 9999, before: 10_000 })).toMatchObject({ mark: "→ ", tone: null, direction: "down", amount: "0.0%" });
    expect(changeOf({ now: 1004, before: 1000, isShort: true })).toMatchObject({ mark: "→ ", tone: null, amount: "0%" });
  });

  it("averages that are written alike have not changed", () => {
    expect(changeOf({ now: 2.04, before: 1.98, written: formatAverage })).toMatchObject({ direction: "same", amount: "0.0%" });
    expect(changeOf({ now: 2.1, before: 2, written: formatAverage })).toMatchObject({ direction: "up", amount: "5.0%" });
  });

  it("rates change in points, from zero as well", () => {
    const rate = { isRate: true, written: formatRate };
    expect(changeOf({ now: 0.432, before: 0.366, isLessBetter: true, ...rate })).toMatchObject({
      mark: "+",
      tone: "worse",
      amount: "6.6 pts",
    });
    expect(changeOf({ now: 0.07, before: 0.08, ...rate })).toMatchObject({ mark: "−", tone: "worse", amount: "1.0 pts" });
    expect(changeOf({ now: 0.07, before: 0, ...rate })).toMatchObject({ mark: "+", amount: "7.0 pts" });
    expect(changeOf({ now: 0.0701, before: 0.07, ...rate })).toMatchObject({ mark: "±", tone: null, amount: "0.0 pts" });
  });

  it("a percentage is never longer than three digits, and a change from zero has none", () => {
    expect(changeOf({ now: 10_500, before: 100 })?.amount).toBe(">999%");
    expect(changeOf({ now: 10_500, before: 100, isShort: true })?.amount).toBe(">999%");
    expect(changeOf({ now: 5, before: 0 })).toBeNull();
  });

  it("a change that may be chance has a direction, but no tone", () => {
    expect(changeOf({ now: 3, before: 2, isNotable: false })).toMatchObject({ mark: "↑ ", tone: null, amount: "50.0%" });
  });

  it("a count has changed notably from 20 on, by 5% and by three standard deviations", () => {
    for (const [now, before] of [
      [20, 1],
      [500, 400],
      [1200, 1000],
      [0, 20],
      [105_000, 100_000],
    ] as const)
      expect([now, before, isNotableCount(now, before)]).toEqual([now, before, true]);
    for (const [now, before] of [
      [19, 0],
      [20, 12],
      [500, 450],
      [104_000, 100_000],
      [7, 7],
    ] as const)
      expect([now, before, isNotableCount(now, before)]).toEqual([now, before, false]);
  });

  it("a rate has changed notably if both are of 20 or more, and chance does not explain it", () => {
    expect(isNotableRate(0.5, 0.4, 1000, 1000)).toBe(true);
    expect(isNotableRate(0.5, 0.4, 100, 100)).toBe(false);
    expect(isNotableRate(1, 0, 19, 1000)).toBe(false);
    expect(isNotableRate(0, 0, 100, 100)).toBe(false);
    expect(isNotableRate(0.402, 0.4, 10_000_000, 10_000_000)).toBe(false);
  });

  it("a rate that is not nothing is never written as 0%, nor one that is not everything as 100%", () => {
    expect([0, 0.0001, 0.0005, 0.07, 0.366, 0.9999, 1].map(formatRate)).toEqual(["0%", "<0.1%", "0.1%", "7.0%", "36.6%", ">99.9%", "100%"]);
    expect([0, 0.0001, 0.042, 0.42].map(formatShare)).toEqual(["0%", "<0.1%", "4.2%", "42%"]);
  });
});
