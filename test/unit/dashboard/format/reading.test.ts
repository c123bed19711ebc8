import { expect, it } from "vitest";
import { daysReadText, readingText } from "../../../../dashboard/format/reading.ts";

const YEAR = { start: "2025-01-01", end: "2025-12-31" };
const UNKNOWN = { days: 0, days_read: 0, reading: null };

it.each([
  [{ days: 365, days_read: 120, reading: "2025-05-01" }, { start: "2024-11-28", end: "2025-11-27" }, "Reading 2025…", "120 of 365 days"],
  [{ days: 1, days_read: 0, reading: null }, YEAR, "Reading 2025…", "0 of 1 day"],
  [UNKNOWN, YEAR, "Reading 2025…", ""],
  [UNKNOWN, { start: "2023-11-28", end: "2025-11-27" }, "Reading 2023–2025…", ""],
  [{ days: 1461, days_read: 1000, reading: "2024-02-29" }, YEAR, "Reading 2024…", "1,000 of 1,461 days"],
])("%j in %j reads: %s %s", (reading, range, what, days) => {
  expect([readingText(reading, range), daysReadText(reading)]).toEqual([what, days]);
});
