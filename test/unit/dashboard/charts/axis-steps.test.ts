/** The distances between the marks of the chart's axis. */
import { describe, expect, it } from "vitest";

const { axisSteps } = await import("../../../../dashboard/charts/axis.ts");
const { compactCount, formatAverage, formatCount, formatDuration, formatRate } = await import("../../../../dashboard/format/locale.ts");

describe("the steps of the axis", () => {
  it("steps of counts are whole, so that there are no fractions of visitors", () => {
    for (const format of [compactCount, formatCount]) {
      expect(axisSteps(format).every(Number.isInteger)).toBe(true);
      expect(axisSteps(format).slice(0, 5)).toEqual([1, 2, 5, 10, 20]);
    }
  });

  it("steps of rates and averages are as fine as their format", () => {
    expect(axisSteps(formatRate).slice(0, 4)).toEqual([0.001, 0.002, 0.005, 0.01]);
    expect(axisSteps(formatAverage).slice(0, 4)).toEqual([0.1, 0.2, 0.5, 1]);
  });

  it("steps of durations are those of a clock", () => {
    const steps = axisSteps(formatDuration);
    expect(steps.slice(0, 14)).toEqual([1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200]);
  });

  it("steps grow, and each has another text", () => {
    for (const format of [compactCount, formatAverage, formatRate, formatDuration]) {
      const steps = axisSteps(format);
      expect([...steps].sort((a, b) => a - b)).toEqual(steps);
      expect(new Set(steps.slice(0, 9).map(format)).size).toBe(9);
    }
  });
});
