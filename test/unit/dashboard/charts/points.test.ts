/** The points of a chart in the site's time zone: titles, the running hour, and what each point is compared with. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Series } from "../../../../dashboard/charts/points.ts";
import type { Interval } from "../../../../src/shared/periods.ts";

const { pointsOf } = await import("../../../../dashboard/charts/points.ts");
afterAll(() => vi.unstubAllGlobals());

const hours = (day: string, skipped: readonly number[] = []): string[] =>
  Array.from({ length: 24 }, (_, hour) => hour)
    .filter((hour) => !skipped.includes(hour))
    .map((hour) => `${day} ${String(hour).padStart(2, "0")}:00`);

/** The value of a point is its index. */
const seriesOf = (labels: readonly string[], days = 1): Series => ({
  rows: labels.map((date, i) => ({ date, visitors: i + 1 })),
  range: { start: labels[0]?.slice(0, 10) ?? "", end: labels.at(-1)?.slice(0, 10) ?? "", days },
});

const berlin = (time: string) => ({ time, timeZone: "Europe/Berlin" });

const points = (series: Series, compared: Series | null, time: string, interval: Interval = "hour") =>
  pointsOf(series, compared, "visitors", interval, berlin(time));

describe("points", () => {
  let spring: ReturnType<typeof pointsOf>;
  beforeAll(() => {
    spring = points(seriesOf(hours("2026-03-29", [2])), seriesOf(hours("2026-03-28")), "2026-03-29 03:10");
  });

  it("there are as many points as labels, even on a day of 23 hours", () => {
    expect(spring.length).toBe(23);
    expect(spring.map(({ tick }) => tick).slice(0, 3)).toEqual(["0:00", "1:00", "3:00"]);
  });

  it("points are running and ahead by the site's clock", () => {
    expect(spring.slice(0, 4).map(({ bucket }) => bucket.state)).toEqual(["whole", "whole", "running", "ahead"]);
  });

  it("points are compared with the same hour, although an hour was skipped", () => {
    expect(spring.slice(0, 3).map(({ label, before }) => [label, before?.label])).toEqual([
      ["2026-03-29 00:00", "2026-03-28 00:00"],
      ["2026-03-29 01:00", "2026-03-28 01:00"],
      ["2026-03-29 03:00", "2026-03-28 03:00"],
    ]);
    const after = points(seriesOf(hours("2026-03-30")), seriesOf(hours("2026-03-29", [2])), "2026-04-02 12:00");
    expect(after.slice(1, 4).map(({ before }) => before?.label ?? null)).toEqual(["2026-03-29 01:00", null, "2026-03-29 03:00"]);
  });

  it("points name the zone only if it is UTC", () => {
    expect(spring[2]?.title).toBe("29 Mar, 3:00");
    const clock = { time: "2026-04-02 12:00", timeZone: "UTC" };
    expect(pointsOf(seriesOf(hours("2026-03-29")), null, "visitors", "hour", clock)[2]?.title).toBe("29 Mar, 2:00 UTC");
  });

  it("points of minutes have the minute as their tick and title, and are compared with the same minute", () => {
    const minutes = (day: string) => [`${day} 00:00`, `${day} 00:01`, `${day} 00:02`];
    const of = points(seriesOf(minutes("2026-03-29")), seriesOf(minutes("2026-03-28")), "2026-03-29 00:01", "minute");
    expect(of.map(({ tick, bucket, before }) => [tick, bucket.state, before?.label])).toEqual([
      ["0:00", "whole", "2026-03-28 00:00"],
      ["0:01", "running", "2026-03-28 00:01"],
      ["0:02", "ahead", "2026-03-28 00:02"],
    ]);
    expect(of[1]?.title).toBe("29 Mar, 0:01");
  });

  it("points over several years have month and year as their tick", () => {
    const weeks = seriesOf(["2024-03-04", "2024-03-11", "2025-03-10"], 400);
    expect(points(weeks, null, "2026-05-01 00:00", "week").map(({ tick }) => tick)).toEqual(["Mar 2024", "Mar 2024", "Mar 2025"]);
  });

  it("points at the beginning of a day have the day as their tick, even without a midnight", () => {
    const two = points(seriesOf([...hours("2026-04-23"), ...hours("2026-04-24", [0])], 2), null, "2026-05-01 00:00");
    expect(two.flatMap(({ label, tick }) => (tick.includes("Apr") ? [[label, tick]] : []))).toEqual([
      ["2026-04-23 00:00", "23 Apr"],
      ["2026-04-24 01:00", "24 Apr"],
    ]);
  });
});
