import { describe, expect, it } from "vitest";
import { warnOfOldGeoDatabase } from "../../../../src/runtime/ingest/geo.ts";

const BUILT_MS = Date.UTC(2026, 0, 1);

/** What is logged that many days after the build. */
function warningsAfter(days: number, geoBuiltMs: number | null = BUILT_MS): unknown[] {
  const lines: unknown[] = [];
  warnOfOldGeoDatabase({ geoBuiltMs, now: () => BUILT_MS + days * 86_400_000, log: { warn: (...line) => lines.push(line) } });
  return lines;
}

describe("the age of the geo database", () => {
  it.each([-1, 0, 1, 180])("causes no warning after %d days", (days) => {
    expect(warningsAfter(days)).toEqual([]);
  });

  it("causes one warning after more than 180 days, with the date and what to do", () => {
    expect(warningsAfter(181)).toEqual([[expect.stringMatching(/ 181 days old.*upgrade.*geoip_db.*Geography/), { built: "2026-01-01" }]]);
  });

  it("causes no warning without a database", () => {
    expect(warningsAfter(1000, null)).toEqual([]);
  });
});
