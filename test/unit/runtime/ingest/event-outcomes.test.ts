/** Which names are counted when there are too many. */
import { describe, expect, it } from "vitest";
import { EventOutcomes } from "../../../../src/runtime/ingest/event-outcomes.ts";

describe("the counts of events by outcome", () => {
  it("drop the name whose latest event is oldest above their limit", () => {
    const outcomes = new EventOutcomes({ hasAllowlist: false, startedAtMs: 0, namesMax: 2 });
    outcomes.note("first.test", "accepted", 1);
    outcomes.note("second.test", "accepted", 2);
    outcomes.note("first.test", "bot", 3);
    outcomes.note("third.test", "accepted", 4);
    expect(outcomes.of("second.test")).toEqual([]);
    expect(outcomes.of("first.test")).toEqual([
      { name: "first.test", outcome: "accepted", count: 1, latestMs: 1 },
      { name: "first.test", outcome: "bot", count: 1, latestMs: 3 },
    ]);
    expect(outcomes.ofOthers("nothing.test", 1)).toEqual([{ name: "third.test", outcome: "accepted", count: 1, latestMs: 4 }]);
  });

  it("report since when they are complete: the start, or the latest event of a dropped name", () => {
    const outcomes = new EventOutcomes({ hasAllowlist: false, startedAtMs: 1_000, namesMax: 2 });
    expect(outcomes.sinceMsOf("first.test")).toBe(1_000);
    for (const [at, name] of ["first.test", "second.test", "third.test", "fourth.test"].entries())
      outcomes.note(name, "accepted", 2_000 + at);
    expect(["first.test", "second.test", "third.test", "fourth.test", "never.test"].map((name) => outcomes.sinceMsOf(name))).toEqual([
      2_001, 2_001, 2_000, 2_001, 2_001,
    ]);
  });
});
