/** Where the time axis has texts: at the begins of days, also around days with a skipped hour. */
import { describe, expect, it } from "vitest";
import { tickIndices } from "../../../../dashboard/charts/time-ticks.ts";

const hours = (day: string, skipped: readonly number[] = []): string[] =>
  Array.from({ length: 24 }, (_, hour) => hour)
    .filter((hour) => !skipped.includes(hour))
    .map((hour) => `${day} ${String(hour).padStart(2, "0")}:00`);

const ticksOf = (labels: readonly string[], least: number) => tickIndices(labels, least).map((i) => labels[i]);

describe("ticks", () => {
  it("of days are every n-th", () => {
    expect(ticksOf(["2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04", "2026-03-05"], 2)).toEqual([
      "2026-03-01",
      "2026-03-03",
      "2026-03-05",
    ]);
  });

  it("of hours stand so that each day begins with one", () => {
    expect(ticksOf(hours("2026-03-15"), 5)).toEqual(["2026-03-15 00:00", "2026-03-15 06:00", "2026-03-15 12:00", "2026-03-15 18:00"]);
    expect(ticksOf([...hours("2026-03-15"), ...hours("2026-03-16")], 9)).toEqual([
      "2026-03-15 00:00",
      "2026-03-15 12:00",
      "2026-03-16 00:00",
      "2026-03-16 12:00",
    ]);
  });

  it("of hours keep to the clock on and after a day of 23 hours", () => {
    expect(ticksOf([...hours("2026-03-29", [2]), ...hours("2026-03-30")], 24)).toEqual(["2026-03-29 00:00", "2026-03-30 00:00"]);
    expect(ticksOf(hours("2026-03-29", [2]), 2).slice(0, 3)).toEqual(["2026-03-29 00:00", "2026-03-29 03:00", "2026-03-29 04:00"]);
  });

  it("of a day without a midnight begin with its first hour", () => {
    expect(ticksOf([...hours("2026-04-23"), ...hours("2026-04-24", [0])], 24)).toEqual(["2026-04-23 00:00", "2026-04-24 01:00"]);
  });
});
