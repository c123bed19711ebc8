/** What all reports have in common, whichever there are. */
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { REPORTS } from "../../../../src/runtime/reports/registry.ts";
import type { Report } from "../../../../src/runtime/reports/report.ts";
import { ownerAt } from "../../../support/reader.ts";

const ALL: readonly Report[] = REPORTS;

const NOW_MS = Date.parse("2026-03-15T12:00:00Z");

const FOLDER = fileURLToPath(new URL("../../../../src/runtime/reports/", import.meta.url));

/** Files of the folder that are no report. */
const OTHER_FILES = ["breakdown-parameters.ts", "json-text.ts", "registry.ts", "report.ts", "rolled-measures.ts"];

const nameOf = ({ path }: Report): string => path.replace("/api/stats/", "").replace(/\/:.*$/, "");

/** A request with what the report cannot do without: its required parameters, or one of several. */
function prepare(report: Report, given: Readonly<Record<string, string>>) {
  const needs = (name: string): boolean => report.parameters[name]?.required === true || ["key", "steps"].includes(name);
  return report.prepare((name) => given[name] ?? (needs(name) ? String(report.parameters[name]?.example) : null), ownerAt(NOW_MS));
}

describe("the reports", () => {
  it("have one file each, named after the path, and are all in registry.ts", () => {
    const files = readdirSync(FOLDER).filter((name) => name.endsWith(".ts") && !OTHER_FILES.includes(name));
    expect(ALL.map((report) => `${nameOf(report)}.ts`).sort()).toEqual(files.sort());
  });

  it("have unique paths, operation ids and result names", () => {
    for (const part of [ALL.map(({ path }) => path), ALL.map(({ operationId }) => operationId), ALL.map(({ result }) => result.name)]) {
      expect(new Set(part).size).toBe(ALL.length);
    }
  });

  it.each(ALL.map((report) => [nameOf(report), report] as const))("%s is cached by site, dates and filters", async (_, report) => {
    const keyOf = async (given: Readonly<Record<string, string>>) => JSON.stringify((await prepare(report, given)).cacheKey);
    const base = await keyOf({ site_id: "a.test" });
    expect(await keyOf({ site_id: "a.test" })).toBe(base);
    if (!report.hasDates) return expect(base).toBe("null");
    const others = [
      await keyOf({ site_id: "b.test" }),
      await keyOf({ site_id: "a.test", period: "7d" }),
      await keyOf({ site_id: "a.test", filters: "pages==/" }),
    ];
    expect(new Set([base, ...others]).size).toBe(4);
    expect(await keyOf({ site_id: "a.test", period: "30d" })).toBe(base);
  });

  it.each(ALL.map((report) => [nameOf(report), report] as const))("%s requires a site", async (_, report) => {
    await expect(prepare(report, {})).rejects.toThrow('"site_id" is required');
  });
});
