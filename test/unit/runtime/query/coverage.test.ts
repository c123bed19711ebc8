/** What an answer says of days of which only sums are known, in the engine's text and in the response. */
import { describe, expect, it } from "vitest";
import { COVERAGE_MAX } from "../../../../src/runtime/base/config/report-limits.ts";
import { answerOf, type CoveredDays, coverageOf, type Lack, withCoverage } from "../../../../src/runtime/query/coverage.ts";
import type { LocalDate } from "../../../../src/storage/event.ts";

const days = (number: number, firstDay: string, isAnswered = true, lacks: readonly Lack[] = []): CoveredDays => ({
  import: number,
  firstDay: firstDay as LocalDate,
  lastDay: "2026-03-31" as LocalDate,
  isAnswered,
  lacks,
});

describe("coverage", () => {
  it("has the earliest days first, and equal ones once, which are answered if all are", () => {
    expect(coverageOf([days(2, "2026-03-05"), days(1, "2026-03-01"), days(2, "2026-03-05", false)])).toEqual({
      partial: [
        { import: 1, start_date: "2026-03-01", end_date: "2026-03-31", answered: true },
        { import: 2, start_date: "2026-03-05", end_date: "2026-03-31", answered: false },
      ],
    });
    expect(coverageOf([])).toBeNull();
    const many = Array.from({ length: COVERAGE_MAX + 1 }, (_, i) => days(i + 1, "2026-03-01"));
    expect(coverageOf(many)?.partial).toHaveLength(COVERAGE_MAX);
  });

  it("names what any of the reads lacks, of days that are answered", () => {
    const read = (lacks: readonly Lack[], isAnswered = true) => days(1, "2026-03-01", isAnswered, lacks);
    expect(coverageOf([read(["visits"]), read([]), read(["visitors"])])?.partial).toMatchObject([{ lacks: ["visitors", "visits"] }]);
    expect(coverageOf([read(["visits"]), read([], false)])?.partial[0]).not.toHaveProperty("lacks");
  });

  const COVERAGE = '{"partial":[{"import":1,"start_date":"2026-03-01","end_date":"2026-03-31","answered":true}]}';

  it("is a field of an object, and leaves a list as it is", () => {
    const covered = [days(1, "2026-03-01")];
    expect(answerOf(withCoverage('{"a":1}', covered))).toEqual({ json: `{"a":1,"coverage":${COVERAGE}}`, coverage: COVERAGE });
    expect(answerOf(withCoverage("{}", covered))).toEqual({ json: `{"coverage":${COVERAGE}}`, coverage: COVERAGE });
    expect(answerOf(withCoverage("[1]", covered))).toEqual({ json: "[1]", coverage: COVERAGE });
  });

  it("changes nothing without such days", () => {
    expect(answerOf(withCoverage('{"a":"\\n"}', []))).toEqual({ json: '{"a":"\\n"}', coverage: null });
  });
});
