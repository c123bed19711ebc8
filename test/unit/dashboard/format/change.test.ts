/** The change of a number: its arrow, and whether it is good or bad, as the reader sees them. */
import { describe, expect, it, vi } from "vitest";

// Node 20 has none, and formats are made when their module is loaded.
vi.stubGlobal("navigator", { languages: ["en-GB"] });
const { changeOf, isNotableCount, isNotableRate } = await import("../../../../dashboard/format/change.ts");

describe("a change", () => {
  it("a change is good or bad by its direction and by what is better", () => {
    expect(changeOf({ now: 3, before: 2 })).toMatchObject({ arrow: "↑", tone: "better", percentage: "50%" });
    expect(changeOf({ now: 1, before: 2, isLessBetter: true })).toMatchObject({ arrow: "↓", tone: "better", percentage: "50%" });
    expect(changeOf({ now: 1, before: 2 })).toMatchObject({ arrow: "↓", tone: "worse" });
  });

  it("a change that is written as 0% is neither, and shows no direction", () => {
    expect(changeOf({ now: 2, before: 2 })).toMatchObject({ arrow: "→", tone: null, direction: "same" });
    expect(changeOf({ now: 9999, before: 10_000 })).toMatchObject({ arrow: "→", tone: null, direction: "down", percentage: "0%" });
    const whole = (rate: number) => `${Math.round(rate * 100)}%`;
    expect(changeOf({ now: 1004, before: 1000, format: whole })).toMatchObject({ arrow: "→", tone: null });
  });

  it("a change from zero has no percentage", () => {
    expect(changeOf({ now: 5, before: 0 })).toBeNull();
  });

  it("a change that may be chance has a direction, but no tone", () => {
    expect(changeOf({ now: 3, before: 2, isNotable: false })).toMatchObject({ arrow: "↑", tone: null, percentage: "50%" });
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
});
