/** docs/reports.md lists the rules of the lens `strict`, with their dates, codes and numbers. */
import { expect, it } from "vitest";
import { EVIDENCE_CODES } from "../../src/runtime/ingest/evidence.ts";
import { BUILT_IN_RULES, countsFrom } from "../../src/runtime/query/built-in-rules.ts";
import { readPage } from "./pages.ts";

const { text } = readPage("docs/reports.md");

const ROW = /^\| `([a-z_]+)` \| (2\d{3}-\d\d-\d\d) \| (2\d{3}-\d\d-\d\d) \| (\d+) \| (.+?) \|$/gm;

const LISTED = [...text.matchAll(ROW)].map(([, id, since, from, version, leavesOut = ""]) => ({
  ...{ id, since, from, version: Number(version) },
  codes: Array.from(leavesOut.matchAll(/`(\w+)`/g), ([, code]) => code),
}));

it("docs/reports.md lists each rule of strict with its dates, version and codes, all of which there are", () => {
  expect(LISTED).toEqual(
    BUILT_IN_RULES.map(({ rule, ...built }) => ({
      ...{ id: built.id, since: built.since, from: countsFrom(built), version: built.version },
      codes: "codes" in rule ? rule.codes : "conditions" in rule ? rule.conditions.flatMap(({ test }) => test.values) : [],
    })),
  );
  expect(LISTED.flatMap(({ codes }) => codes).filter((code) => !EVIDENCE_CODES.some((known) => known === code))).toEqual([]);
});

it("docs/reports.md has the numbers of the rule about waves", () => {
  const waves = BUILT_IN_RULES.flatMap(({ rule }) => ("bareMin" in rule ? [rule] : []));
  expect(waves).toHaveLength(1);
  for (const { bareMin, barePercentMin, activeExpectedMin, timesFewer } of waves) {
    expect(text).toContain(`- at least ${bareMin} of their visits are bounces, and these are at least ${barePercentMin} % of them,`);
    expect(text).toContain(
      `- at least ${activeExpectedMin} of their visits would be no bounces if they were like all others of that date, and`,
    );
    expect(text).toContain("- they have at most a quarter of that.");
    expect(timesFewer).toBe(4);
  }
});

it("each version of strict has the next number, and no rule has the id of another", () => {
  const versions = BUILT_IN_RULES.map(({ version }) => version);
  expect(versions).toEqual(versions.toSorted((a, b) => a - b));
  expect([...new Set(versions)]).toEqual(Array.from({ length: Math.max(...versions) }, (_, i) => i + 1));
  expect(new Set(BUILT_IN_RULES.map(({ id }) => id)).size).toBe(BUILT_IN_RULES.length);
});
