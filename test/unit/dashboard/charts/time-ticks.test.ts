/** Where the time axis has texts: at the begins of days, also around days with a skipped hour. */
import { afterAll, describe, expect, it, vi } from "vitest";
import { monthAfter } from "../../../../dashboard/state/range.ts";
import { dayAfter } from "../../../../src/shared/periods.ts";

const { tickIndices } = await import("../../../../dashboard/charts/axis.ts");
afterAll(() => vi.unstubAllGlobals());

const hours = (day: string, skipped: readonly number[] = []): string[] =>
  Array.from({ length: 24 }, (_, hour) => hour)
    .filter((hour) => !skipped.includes(hour))
    .map((hour) => `${day} ${String(hour).padStart(2, "0")}:00`);

const ticksOf = (labels: readonly string[], least: number) => tickIndices(labels, least).map((i) => labels[i]);

describe("ticks", () => {
  it("ticks of days are every n-th day", () => {
    expect(ticksOf(["2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04", "2026-03-05"], 2)).toEqual([
      "2026-03-01",
      "2026-03-03",
      "2026-03-05",
    ]);
  });

  it("ticks of hours stand so that each day begins with one", () => {
    expect(ticksOf(hours("2026-03-15"), 5)).toEqual(["2026-03-15 00:00", "2026-03-15 06:00", "2026-03-15 12:00", "2026-03-15 18:00"]);
    expect(ticksOf([...hours("2026-03-15"), ...hours("2026-03-16")], 9)).toEqual([
      "2026-03-15 00:00",
      "2026-03-15 12:00",
      "2026-03-16 00:00",
      "2026-03-16 12:00",
    ]);
  });

  it("ticks of minutes stand at round times", () => {
    const minutes = Array.from({ length: 120 }, (_, i) => `2026-03-15 0${Math.floor(i / 60)}:${String(i % 60).padStart(2, "0")}`);
    expect(ticksOf(minutes, 1)).toHaveLength(120);
    expect(ticksOf(minutes, 23)).toEqual(["2026-03-15 00:00", "2026-03-15 00:30", "2026-03-15 01:00", "2026-03-15 01:30"]);
    expect(ticksOf(minutes, 31)).toEqual(["2026-03-15 00:00", "2026-03-15 01:00"]);
  });

  it("ticks over several years stand where months and years begin", () => {
    const days = Array.from({ length: 1200 }, (_, i) => dayAfter("2023-02-20", i));
    expect(ticksOf(days, 170)).toEqual(["2023-07-01", "2024-01-01", "2024-07-01", "2025-01-01", "2025-07-01", "2026-01-01"]);
    expect(ticksOf(days, 300)).toEqual(["2023-02-20", "2024-01-01", "2025-01-01", "2026-01-01"]);
    const months = ["2023-02-20", ...Array.from({ length: 40 }, (_, i) => monthAfter("2023-02-20", i + 1))];
    expect(ticksOf(months, 5)).toEqual(["2023-02-20", "2023-07-01", "2024-01-01", "2024-07-01", "2025-01-01", "2025-07-01", "2026-01-01"]);
    for (const labels of [days, months]) {
      for (let least = 1; least < labels.length; least++) {
        const ticks = tickIndices(labels, least);
        const nearest = Math.min(...ticks.slice(1).map((tick, i) => tick - (ticks[i] ?? 0)));
        // Months are not equally long.
        expect(nearest).toBeGreaterThanOrEqual(0.9 * least);
      }
    }
  });

  it("ticks of hours keep to the clock on and after a day of 23 hours", () => {
    expect(ticksOf([...hours("2026-03-29", [2]), ...hours("2026-03-30")], 24)).toEqual(["2026-03-29 00:00", "2026-03-30 00:00"]);
    expect(ticksOf(hours("2026-03-29", [2]), 2).slice(0, 3)).toEqual(["2026-03-29 00:00", "2026-03-29 03:00", "2026-03-29 04:00"]);
  });

  it("ticks of a day without a midnight begin with its first hour", () => {
    expect(ticksOf([...hours("2026-04-23"), ...hours("2026-04-24", [0])], 24)).toEqual(["2026-04-23 00:00", "2026-04-24 01:00"]);
  });
});
