/** Rules that every report keeps. */
import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { REPORTS } from "../../../../src/runtime/reports/registry.ts";
import type { Report } from "../../../../src/runtime/reports/report.ts";
import { ownerAt } from "../../../support/reader.ts";

const ALL: readonly Report[] = REPORTS;

const NOW_MS = Date.parse("2026-03-15T12:00:00Z");

const FOLDER = fileURLToPath(new URL("../../../../src/runtime/reports/", import.meta.url));

const nameOf = ({ path }: Report): string => path.replace("/api/stats/", "").replace(/\/:.*$/, "");

/** Adds the parameters that the report requires, or one of several alternatives. */
function prepare(report: Report, given: Readonly<Record<string, string>>) {
  const needs = (name: string): boolean => report.parameters[name]?.required === true || ["key", "steps"].includes(name);
  return report.prepare((name) => given[name] ?? (needs(name) ? String(report.parameters[name]?.example) : null), ownerAt(NOW_MS));
}

describe("reports", () => {
  it("every report that a file of the folder declares is in registry.ts", () => {
    const files = readdirSync(FOLDER).filter((name) => name.endsWith(".ts"));
    const declared = files.flatMap((name) => [...readFileSync(`${FOLDER}${name}`, "utf8").matchAll(/^ {2}path: "([^"]+)"/gm)]);
    expect(declared.map(([, path]) => path).sort()).toEqual(ALL.map(({ path }) => path).sort());
  });

  it("every report has a unique path, operation id and result name", () => {
    for (const part of [ALL.map(({ path }) => path), ALL.map(({ operationId }) => operationId), ALL.map(({ result }) => result.name)]) {
      expect(new Set(part).size).toBe(ALL.length);
    }
  });

  it.each(ALL.map((report) => [nameOf(report), report] as const))(
    "%s: results are cached by site, dates and filters",
    async (_, report) => {
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
    },
  );

  it.each(ALL.map((report) => [nameOf(report), report] as const))("%s: a request without a site is refused", async (_, report) => {
    await expect(prepare(report, {})).rejects.toThrow('"site_id" is required');
  });
});
