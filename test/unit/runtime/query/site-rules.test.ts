/** Which rules of a site are applied together (docs/reports.md, "Rules of a site"). */
import { describe, expect, it } from "vitest";
import { FILTER_VALUES_MAX } from "../../../../src/shared/limits.ts";
import { RULES_CONDITIONS_MAX } from "../../../../src/runtime/base/config/admin-limits.ts";
import { AppError } from "../../../../src/runtime/base/errors.ts";
import { appliedRules, checkApplied, filterRuleOf } from "../../../../src/runtime/query/site-rules.ts";
import type { RuleText } from "../../../../src/runtime/sites/rule.ts";

const DUCKDB = { engine: "duckdb" } as const;
const CLICKHOUSE = { engine: "clickhouse" } as const;

const rule = (filters: string): RuleText => ({ filters, firstDate: null, lastDate: null, sparesPeople: true });

const conditions = (count: number): string => Array.from({ length: count }, (_, i) => `pages!=/${i}`).join(";");

const refusalOf = (...args: Parameters<typeof checkApplied>): string | null => {
  try {
    checkApplied(...args);
    return null;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
};

describe("rules of a site", () => {
  it("are applied up to the limits of all together, and those that do not fit are skipped", () => {
    const [many, more] = [rule(conditions(10)), rule("pages==/a;browsers==Chrome")];
    const all = [rule(conditions(10)), rule(conditions(10)), many];
    expect(RULES_CONDITIONS_MAX).toBe(30);
    expect(refusalOf(many, all.slice(0, 2), DUCKDB)).toBeNull();
    expect(refusalOf(more, all, DUCKDB)).toBe("The filters of all applied rules must have at most 30 conditions together");
    expect(appliedRules([...all, more], DUCKDB).map((each) => each.conditions.length)).toEqual([10, 10, 10]);
    const values = rule(`pages=in=(${Array.from({ length: FILTER_VALUES_MAX }, (_, i) => `/${i}`).join(",")})`);
    expect(refusalOf(more, [values], DUCKDB)).toContain(`${FILTER_VALUES_MAX} values together`);
    expect(appliedRules([values, more, rule("pages==/b")], DUCKDB)).toHaveLength(1);
  });

  it("that the backend does not know count nowhere, and keep no other rule from being applied", () => {
    const unknown = () => [rule("visit-channels==Direct"), rule("pages=matches=a"), rule("nothing==1")];
    expect(() => filterRuleOf(rule("visit-channels==Direct"), CLICKHOUSE)).toThrow("with ClickHouse");
    const own = rule("pages==/a");
    expect(refusalOf(own, unknown(), CLICKHOUSE)).toBeNull();
    expect(appliedRules([...unknown(), own], CLICKHOUSE)).toEqual([filterRuleOf(own, CLICKHOUSE)]);
    expect(refusalOf(rule("pages=matches=a"), [], DUCKDB)).toBe('Field "filters": a rule cannot have regular expressions');
  });
});
