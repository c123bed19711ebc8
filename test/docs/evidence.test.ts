/** docs/privacy.md lists the codes of evidence, with their meanings and dates. */
import { expect, it } from "vitest";
import { EVIDENCE, EVIDENCE_CODES } from "../../src/runtime/ingest/evidence.ts";
import { readPage } from "./pages.ts";

const { text } = readPage("docs/privacy.md");

it("docs/privacy.md lists each code of evidence with its meaning", () => {
  const listed = [...text.matchAll(/^\| `([a-z_]+)` \| (.+?) \| .+ \|$/gm)].map(([, code, meaning]) => [code, meaning]);
  expect(listed).toEqual(EVIDENCE_CODES.map((code) => [code, EVIDENCE[code].meaning]));
});

it("docs/privacy.md says since when there are codes", () => {
  const { data_centre, ...first } = EVIDENCE;
  expect(text).toContain(`\`data_centre\` is of ${data_centre.since}`);
  for (const { since } of Object.values(first)) expect(text).toContain(`all other codes of ${since}`);
});
