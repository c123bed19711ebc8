/** The change of a number: its arrow, and whether it is good or bad, as the reader sees them. */
import { describe, expect, it, vi } from "vitest";

// Node 20 has none, and formats are made when their module is loaded.
vi.stubGlobal("navigator", { languages: ["en-GB"] });
const { changeOf } = await import("../../../../dashboard/format/change.ts");

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
});
