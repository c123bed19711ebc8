/** Which intervals a range offers, which days a bucket has, and whether it is whole. */
import { describe, expect, it } from "vitest";
import {
  bucketsOf,
  defaultInterval,
  intervalFor,
  linesOf,
  offeredIntervals,
  serviceInterval,
  type BucketState,
} from "../../../../dashboard/charts/points.ts";
import { dayAfter, type Interval } from "../../../../src/shared/periods.ts";

const NOW = "2026-11-18T14:20:00.000Z";

const rangeOf = (days: number) => ({ start: dayAfter("2026-11-18", 1 - days), end: "2026-11-18", days });

describe("intervals", () => {
  it.each([
    [1, "hour", ["minute", "hour"]],
    [2, "hour", ["hour", "day"]],
    [7, "day", ["hour", "day"]],
    [8, "day", ["hour", "day"]],
    [14, "day", ["hour", "day", "week"]],
    [31, "day", ["hour", "day", "week"]],
    [32, "day", ["day", "week"]],
    [60, "day", ["day", "week", "month"]],
    [180, "day", ["day", "week", "month"]],
    [181, "week", ["day", "week", "month"]],
    [366, "week", ["day", "week", "month"]],
    [1098, "week", ["day", "week", "month"]],
    [1099, "month", ["day", "week", "month"]],
    [10_000, "month", ["day", "week", "month"]],
  ] as const)("a range of %i days has the default interval %s, and %j are offered", (days, byDefault, offered) => {
    expect(defaultInterval(rangeOf(days))).toBe(byDefault);
    expect(offeredIntervals(rangeOf(days))).toEqual(offered);
  });

  it("the interval is left to the service only for ranges that need none", () => {
    expect([1, 2, 3, 366, 367].map((days) => serviceInterval(rangeOf(days)))).toEqual(["hour", "hour", "day", "day", null]);
  });

  it("the interval in the URL is used only if it suits the range", () => {
    expect(intervalFor(rangeOf(365), "month")).toBe("month");
    expect(intervalFor(rangeOf(7), "month")).toBe("day");
    expect(intervalFor(rangeOf(365), "year")).toBe("week");
  });
});

describe("buckets", () => {
  const states = (labels: string[], interval: Interval, end: string) => bucketsOf(labels, interval, end, NOW).map(({ state }) => state);

  it("buckets of minutes, hours and days are whole before now, then running, then ahead", () => {
    const expected: BucketState[] = ["whole", "running", "ahead"];
    expect(states(["2026-11-18 14:19", "2026-11-18 14:20", "2026-11-18 14:21"], "minute", "2026-11-18")).toEqual(expected);
    expect(states(["2026-11-18 13:00", "2026-11-18 14:00", "2026-11-18 15:00"], "hour", "2026-11-18")).toEqual(expected);
    expect(states(["2026-11-17", "2026-11-18", "2026-11-19"], "day", "2026-11-19")).toEqual(expected);
  });

  it("weeks are cut if the range begins or ends within them, and running if they contain today", () => {
    expect(bucketsOf(["2026-11-04", "2026-11-09", "2026-11-16"], "week", "2026-11-18", NOW)).toEqual([
      { start: "2026-11-04", end: "2026-11-08", state: "cut" },
      { start: "2026-11-09", end: "2026-11-15", state: "whole" },
      { start: "2026-11-16", end: "2026-11-18", state: "running" },
    ]);
    expect(states(["2026-10-26", "2026-11-02"], "week", "2026-11-05")).toEqual(["whole", "cut"]);
  });

  it.each([
    ["Sunday", "2026-10-25", "2026-11-01", "2026-11-08"],
    ["Saturday", "2026-10-24", "2026-10-31", "2026-11-07"],
  ])("weeks that begin on %s are whole with seven days", (_name, first, second, third) => {
    expect(states([dayAfter(first, -6), first, second, third], "week", dayAfter(third, 5))).toEqual(["cut", "whole", "whole", "cut"]);
    expect(states([first], "week", dayAfter(first, 6))).toEqual(["whole"]);
  });

  it("months are cut if the range begins or ends within them, and running if they contain today", () => {
    expect(bucketsOf(["2026-09-02", "2026-10-01", "2026-11-01"], "month", "2026-11-18", NOW)).toEqual([
      { start: "2026-09-02", end: "2026-09-30", state: "cut" },
      { start: "2026-10-01", end: "2026-10-31", state: "whole" },
      { start: "2026-11-01", end: "2026-11-18", state: "running" },
    ]);
  });
});

describe("lines", () => {
  const valued = (...states: readonly BucketState[]) =>
    states.map((state, i) => ({ bucket: { start: "", end: "", state }, value: state === "ahead" ? null : i }));

  it("lines are dotted to a running bucket and from a cut one, and solid between whole ones", () => {
    expect(linesOf(valued("cut", "whole", "whole", "whole", "running", "ahead"))).toEqual({
      solid: [null, 1, 2, 3, null, null],
      dotted: [0, 1, null, 3, 4, null],
    });
  });

  it("lines are solid if all buckets are whole", () => {
    expect(linesOf(valued("whole", "whole"))).toEqual({ solid: [0, 1], dotted: [null, null] });
  });
});
