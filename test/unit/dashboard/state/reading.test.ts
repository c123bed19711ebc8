import { expect, it } from "vitest";
import { announced, noteReading } from "../../../../dashboard/state/reading.ts";

const readingAt = (daysRead: number) => ({ days: 365, days_read: daysRead, reading: "2025-03-01" });

it("reports that take their time are announced at once, then every 15 seconds at most, and no longer once all have ended", () => {
  const [first, second] = [{}, {}];
  noteReading(first, readingAt(1), 100_000);
  expect(announced.value).toEqual(readingAt(1));
  noteReading(second, readingAt(2), 114_999);
  expect(announced.value).toEqual(readingAt(1));
  noteReading(first, readingAt(3), 115_000);
  expect(announced.value).toEqual(readingAt(3));
  noteReading(first, null, 116_000);
  expect(announced.value).toEqual(readingAt(3));
  noteReading(second, null, 117_000);
  expect(announced.value).toBe(null);
});
