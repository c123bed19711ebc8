/** The measures that rollups store, and the queries that read them. */
import { describe, expect, it } from "vitest";
import { DIMENSIONS } from "../../../../src/runtime/query/filters.ts";
import { rangeOfDays } from "../../../../src/runtime/query/date-range.ts";
import type { Scope } from "../../../../src/runtime/query/scope.ts";
import { countsByPropertyValue } from "../../../../src/runtime/reports/properties.ts";
import { visitorCounts } from "../../../../src/runtime/reports/measures/counts.ts";
import { sessionSums } from "../../../../src/runtime/reports/measures/sessions.ts";
import type { Report } from "../../../../src/runtime/reports/report.ts";
import { sessionTimeseries } from "../../../../src/runtime/reports/sessions.ts";
import { timeseries } from "../../../../src/runtime/reports/timeseries.ts";
import { rolledMeasures } from "../../../../src/runtime/reports/registry.ts";
import { ROLLUP_COLUMNS } from "../../../../src/storage/rollup.ts";
import type { LocalDate, SiteId } from "../../../../src/storage/event.ts";
import { ownerAt } from "../../../support/reader.ts";

const SETTINGS = { sessionWindowMinutes: 30, saltRotationDays: 1, hasExtension: true, hash: (text: string) => text };

const rolled = rolledMeasures(SETTINGS);

const scope: Scope = {
  siteId: "example.com" as SiteId,
  range: rangeOfDays("2026-03-01" as LocalDate, "2026-03-31" as LocalDate),
  conditions: [],
  sessionRules: { sessionGapMs: 1_800_000, rotationDays: 1 },
};

describe("rolled measures", () => {
  it("measures have unique names, and every dimension has one", () => {
    const names = rolled.measures.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining([...DIMENSIONS, "visits", "sessions", "entry-pages", "goals", "properties"]));
  });

  it("every column of a measure is a column of the rollup file of the same kind", () => {
    const kinds = new Map(ROLLUP_COLUMNS.map(({ name, kind }) => [name, kind]));
    for (const query of [...rolled.measures.map((measure) => measure.query), rolled.ofProperty("plan")]) {
      const { keys, codes = [], names = [], counts, amounts = [] } = query;
      expect(keys.map((name) => kinds.get(name))).toEqual(keys.map(() => "key"));
      expect([...codes, ...names].map((name) => kinds.get(name))).toEqual([...codes, ...names].map(() => "text"));
      expect(counts.map((name) => kinds.get(name))).toEqual(counts.map(() => "count"));
      expect(amounts.map((name) => kinds.get(name))).toEqual(amounts.map(() => "amount"));
    }
  });

  it("queries over any site and range find their measure", () => {
    expect(rolled.nameOf(visitorCounts(scope))).toBe("visits");
    expect(rolled.nameOf(sessionSums(scope, 1_800_000))).toBe("sessions");
    expect(rolled.nameOf(countsByPropertyValue(scope, "plan", null))).toBe("property-values/plan");
  });

  it("time series of weeks read the measures of days, for visitors only if their ids live a day", async () => {
    const read = (name: string) => ({ site_id: "example.com", period: "12mo", interval: "week" })[name] ?? null;
    const settings = { sessionGapMs: 1_800_000, realtimeWindowMinutes: 5, hasExtension: true };
    const measures = async (report: Report, rotationDays: number) => {
      const { query: asked } = await report.prepare(read, ownerAt(Date.parse("2026-03-31")));
      const plan = report.plan(asked, { ...settings, rotationDays });
      return plan.steps.flatMap(({ queries }) => queries.map((query) => rolled.nameOf(query)));
    };
    expect([await measures(timeseries, 1), await measures(timeseries, 7)]).toEqual([["visits-by-day"], [null]]);
    expect([await measures(sessionTimeseries, 1), await measures(sessionTimeseries, 7)]).toEqual([
      ["sessions-by-day"],
      ["sessions-by-day"],
    ]);
  });

  it("queries with a filter, other rules of sessions or an event name find no measure", () => {
    const filtered: Scope = { ...scope, conditions: [{ dimension: "pages", test: { kind: "is", values: ["/"] }, isNegated: false }] };
    expect(rolled.nameOf(visitorCounts(filtered))).toBeNull();
    expect(rolled.nameOf(sessionSums(filtered, 1_800_000))).toBeNull();
    expect(rolled.nameOf(sessionSums({ ...scope, sessionRules: { sessionGapMs: 1_000, rotationDays: 2 } }, 1_000))).toBeNull();
    expect(rolled.nameOf(countsByPropertyValue(scope, "plan", "Signup"))).toBeNull();
  });

  it("definitions depend on the session window, the salt rotation and the extension", () => {
    const others = [{ sessionWindowMinutes: 31 }, { saltRotationDays: 2 }, { hasExtension: false }];
    const definitions = others.map((other) => rolledMeasures({ ...SETTINGS, ...other }).definitions);
    expect(new Set([rolled.definitions, ...definitions]).size).toBe(4);
    expect(rolledMeasures(SETTINGS).definitions).toBe(rolled.definitions);
  });
});
