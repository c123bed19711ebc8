import { expect, it } from "vitest";
import { type DateRange, datesOf, rangeOfDays } from "../../../../src/runtime/query/date-range.ts";
import { type DaysRead, Progress } from "../../../../src/runtime/query/progress.ts";
import type { LocalDate } from "../../../../src/storage/event.ts";

const rangeOf = (first: string, last: string) => rangeOfDays(first as LocalDate, last as LocalDate);
const JANUARY = rangeOf("2026-01-01", "2026-01-31");
const FEBRUARY = rangeOf("2026-02-01", "2026-02-28");
const WEEK = rangeOf("2026-02-01", "2026-02-07");
const partOf = (range: DateRange) => ({ days: datesOf(range) });

function recorded() {
  const told: DaysRead[] = [];
  return { told, progress: new Progress((each) => told.push(each)) };
}

it("progress: days without a part to read count as read, and each part that is read is told before and at the end", async () => {
  const { told, progress } = recorded();
  const [first, last] = [partOf(rangeOf("2026-01-03", "2026-01-04")), partOf(rangeOf("2026-01-31", "2026-01-31"))];
  progress.ask([JANUARY]);
  const share = progress.ownShare();
  share.begin([first, last]);
  await share.read(first, async () => {});
  await share.read(last, async () => {});
  expect(told).toEqual([
    { days: 31, daysRead: 28, reading: null },
    { days: 31, daysRead: 28, reading: "2026-01-03" },
    { days: 31, daysRead: 30, reading: "2026-01-31" },
    { days: 31, daysRead: 31, reading: "2026-01-31" },
  ]);
});

it("progress: nothing is told of ranges whose rows are all known", () => {
  const { told, progress } = recorded();
  progress.ask([JANUARY]);
  progress.ownShare().begin([]);
  expect(told).toEqual([]);
});

it("progress: what another thread has left adds up with the own share, and counts as unread until it tells", async () => {
  const { told, progress } = recorded();
  progress.ask([JANUARY, FEBRUARY]);
  const tell = progress.share([FEBRUARY]);
  const own = progress.ownShare();
  own.begin([partOf(JANUARY)]);
  tell(WEEK.dayCount, WEEK.firstDay);
  tell(0, null);
  expect(told).toEqual([
    { days: 59, daysRead: 0, reading: null },
    { days: 59, daysRead: 21, reading: "2026-02-01" },
    { days: 59, daysRead: 28, reading: "2026-02-01" },
  ]);
});

it("progress: an attempt that cuts the same ranges in another way takes the place of the one before", async () => {
  const { told, progress } = recorded();
  progress.ask([FEBRUARY]);
  const share = progress.ownShare();
  share.begin([partOf(FEBRUARY)]);
  await expect(share.read(partOf(FEBRUARY), () => Promise.reject(new Error("too large")))).rejects.toThrow("too large");
  share.begin([partOf(WEEK), partOf(rangeOf("2026-02-08", "2026-02-28"))]);
  expect(told.at(-1)).toEqual({ days: 28, daysRead: 0, reading: "2026-02-01" });
});

it("progress: a step more adds its days to those asked", () => {
  const { told, progress } = recorded();
  progress.ask([JANUARY]);
  progress.share([JANUARY])(0, null);
  progress.ask([FEBRUARY]);
  progress.share([FEBRUARY])(20, "2026-02-09" as LocalDate);
  expect(told.at(-1)).toEqual({ days: 59, daysRead: 39, reading: "2026-02-09" });
});

it("progress: the days of a step whose rows are all known count as read in the next step", async () => {
  const { told, progress } = recorded();
  progress.ask([JANUARY]);
  progress.ownShare().begin([]);
  progress.ask([FEBRUARY]);
  progress.ownShare().begin([partOf(WEEK)]);
  expect(told).toEqual([{ days: 59, daysRead: 52, reading: null }]);
});

it("progress: a part that another query computes meanwhile counts as read, also if it is the last one", async () => {
  const { told, progress } = recorded();
  const [first, last] = [partOf(WEEK), partOf(rangeOf("2026-02-08", "2026-02-28"))];
  progress.ask([FEBRUARY]);
  const share = progress.ownShare();
  share.begin([first, last]);
  await share.read(first, async () => {});
  share.leaveOut(last);
  expect(told.at(-1)).toEqual({ days: 28, daysRead: 28, reading: "2026-02-01" });
});
