/** docs/reports.md lists the rules of the lens `strict`, with their dates and codes. */
import { expect, it } from "vitest";
import { EVIDENCE_CODES } from "../../src/runtime/ingest/evidence.ts";
import { STRICT } from "../../src/runtime/query/lenses.ts";
import { readPage } from "./pages.ts";

const { text } = readPage("docs/reports.md");

it("docs/reports.md lists each rule of strict with its codes, all of which there are", () => {
  const listed = [...text.matchAll(/^\| `([a-z]+)` \| (2\d{3}-\d\d-\d\d) \| visits with (.+?) on any event \|$/gm)];
  const rules = listed.map(([, id, since, codes = ""]) => ({
    id,
    since,
    codes: Array.from(codes.matchAll(/`(\w+)`/g), ([, code]) => code),
  }));
  expect(rules).toEqual(STRICT.codes);
  expect(STRICT.codes.flatMap(({ codes }) => codes).filter((code) => !EVIDENCE_CODES.some((known) => known === code))).toEqual([]);
});

it("docs/reports.md has the numbers of the rule about waves", () => {
  const { id, since, bareMin, barePercentMin, activeExpectedMin } = STRICT.wave;
  expect(text).toContain(`| \`${id}\` | ${since} | bounces of a country and browser that make a wave on a date |`);
  expect(text).toContain(`- at least ${bareMin} of their visits are bounces, and these are at least ${barePercentMin} % of them,`);
  expect(text).toContain(
    `- at least ${activeExpectedMin} of their visits would be no bounces if they were like all others of that date, and`,
  );
  expect(text).toContain("- they have at most a quarter of that.");
  expect(STRICT.wave.timesFewer).toBe(4);
});

it("docs/reports.md names the version of the rules", () => {
  expect(text).toContain(`These are the rules of its version ${STRICT.version}:`);
});
