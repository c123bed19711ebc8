/** Conditions on goals in SQL: a statement of the size of goals plus conditions. What they select is shown by test/property. */
import { describe, expect, it } from "vitest";
import { GOALS_MAX } from "../../../../src/runtime/base/config/admin-limits.ts";
import { clickhouseStatement } from "../../../../src/runtime/clickhouse/dialect/dialect.ts";
import { conditionsOn, parseSegmentFilter } from "../../../../src/runtime/query/filters.ts";
import { rangeOfDays } from "../../../../src/runtime/query/date-range.ts";
import { eventsIn } from "../../../../src/runtime/query/scope.ts";
import type { SqlText } from "../../../../src/runtime/query/sql.ts";
import { FILTER_CONDITIONS_MAX } from "../../../../src/shared/limits.ts";
import type { LocalDate } from "../../../../src/storage/event.ts";
import { siteGoal } from "../../../support/reader.ts";
import { siteId } from "../../../support/stored-event.ts";

const RANGE = rangeOfDays("2026-03-01" as LocalDate, "2026-03-14" as LocalDate);

const goalsOf = (count: number) => Array.from({ length: count }, (_, i) => siteGoal(`goal ${i}`, { page: `/${i}/*` }));

/** The events of sessions that meet so many conditions, each of which names all goals. */
function statementOf(conditions: number, goals: number, rotationDays: number, isNegated: boolean): SqlText {
  const filters = Array.from({ length: conditions }, (_, i) => `goal=${isNegated ? "!" : ""}contains=(goal,other ${i})`).join(";");
  return eventsIn({
    siteId: siteId("site.test"),
    range: RANGE,
    conditions: conditionsOn(parseSegmentFilter(filters), () => goalsOf(goals)),
    sessionRules: { sessionGapMs: 1_800_000, rotationDays },
  });
}

/** Without the numbers and types of parameters. */
const charsOf = (statement: SqlText, dialect: "duckdb" | "clickhouse"): number =>
  (dialect === "duckdb" ? statement.text : clickhouseStatement(statement).sql).replaceAll(/\$\d+|\{p\d+:\w+\}/g, "$").length;

describe("conditions on goals", () => {
  it.each([
    ["duckdb", 1, false],
    ["duckdb", 1, true],
    ["duckdb", 30, false],
    ["clickhouse", 1, false],
    ["clickhouse", 30, true],
  ] as const)("compare events with each goal once, in %s with salt periods of %d days, negated: %s", (dialect, rotationDays, isNegated) => {
    const chars = (conditions: number, goals: number) => charsOf(statementOf(conditions, goals, rotationDays, isNegated), dialect);
    const ofGoals = chars(1, GOALS_MAX) - chars(1, 1);
    const ofConditions = chars(FILTER_CONDITIONS_MAX, 1) - chars(1, 1);
    expect(chars(FILTER_CONDITIONS_MAX, GOALS_MAX)).toBeLessThanOrEqual(chars(1, 1) + ofGoals + ofConditions);
  });

  it("name in DuckDB each test of a goal once", () => {
    const { values } = statementOf(FILTER_CONDITIONS_MAX, GOALS_MAX, 1, false);
    const patterns = values.filter((value) => typeof value === "object" && "test" in value && value.test.kind === "like");
    expect(patterns.length).toBe(GOALS_MAX);
  });
});
