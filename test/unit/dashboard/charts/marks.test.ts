/** Which points of a chart annotations are at, and which marks are joined. */
import { describe, expect, it } from "vitest";
import type { Annotation } from "../../../../dashboard/api/saved.ts";
import { joinedMarks, marksOf } from "../../../../dashboard/charts/marks.ts";
import { bucketsOf, type ChartPoint } from "../../../../dashboard/charts/points.ts";
import type { Interval } from "../../../../src/shared/periods.ts";

const annotation = (date: string, hour: number | null = null): Annotation => ({
  id: `${date} ${hour}`,
  date,
  hour,
  text: "Deployed",
  scope: "everybody",
  created_at: "2026-03-15T00:00:00.000Z",
});

const pointsOf = (labels: readonly string[], interval: Interval, end: string): ChartPoint[] =>
  bucketsOf(labels, interval, end, "2027-01-01 00:00").map((bucket, i) => ({
    label: labels[i] ?? "",
    title: "",
    tick: "",
    part: null,
    value: 0,
    before: null,
    bucket,
  }));

const placesOf = (labels: readonly string[], interval: Interval, end: string, ...annotations: readonly Annotation[]) =>
  marksOf(pointsOf(labels, interval, end), annotations, interval).map((mark) => [
    labels[mark.index],
    ...mark.annotations.map(({ date, hour }) => (hour === null ? date : `${date} ${hour}h`)),
  ]);

describe("marks", () => {
  it("marks of dates and hours stand at their day, week or month", () => {
    const found = [annotation("2026-03-02", 14), annotation("2026-03-03"), annotation("2026-03-03", 7), annotation("2026-04-01")];
    expect(placesOf(["2026-03-02", "2026-03-03"], "day", "2026-03-03", ...found)).toEqual([
      ["2026-03-02", "2026-03-02 14h"],
      ["2026-03-03", "2026-03-03", "2026-03-03 7h"],
    ]);
    expect(placesOf(["2026-02-27", "2026-03-02"], "week", "2026-03-08", ...found)).toEqual([
      ["2026-03-02", "2026-03-02 14h", "2026-03-03", "2026-03-03 7h"],
    ]);
    expect(placesOf(["2026-03-01", "2026-04-01"], "month", "2026-04-30", ...found).map(([label]) => label)).toEqual([
      "2026-03-01",
      "2026-04-01",
    ]);
  });

  it("marks by the hour and minute stand at their hour, those of dates at the first, and at the next hour if the clock skips one", () => {
    const hours = ["2026-03-29 00:00", "2026-03-29 01:00", "2026-03-29 03:00", "2026-03-30 00:00"];
    const found = [annotation("2026-03-29"), annotation("2026-03-29", 2), annotation("2026-03-29", 23), annotation("2026-03-30")];
    expect(placesOf(hours, "hour", "2026-03-30", ...found)).toEqual([
      ["2026-03-29 00:00", "2026-03-29"],
      ["2026-03-29 03:00", "2026-03-29 2h"],
      ["2026-03-30 00:00", "2026-03-30"],
    ]);
    const minutes = ["2026-03-29 00:59", "2026-03-29 01:00", "2026-03-29 01:01"];
    expect(placesOf(minutes, "minute", "2026-03-29", annotation("2026-03-29", 1))).toEqual([["2026-03-29 01:00", "2026-03-29 1h"]]);
  });

  it("marks that are too near are joined at the first, others are not", () => {
    const marks = [0, 1, 2, 5, 6].map((index) => ({ index, annotations: [annotation("2026-03-02", index)] }));
    const joined = joinedMarks(marks, (index) => index * 10, 25);
    expect(joined.map(({ index, annotations }) => [index, annotations.length])).toEqual([
      [0, 3],
      [5, 2],
    ]);
    expect(joinedMarks(marks, (index) => index * 30, 25)).toEqual(marks);
  });
});
