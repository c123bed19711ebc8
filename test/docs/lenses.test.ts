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

it("docs/reports.md names the version of the rules", () => {
  expect(text).toContain(`These are the rules of its version ${STRICT.version}:`);
});
