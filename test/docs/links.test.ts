/** Links and anchors in the docs resolve, pages have an introduction, lines are short, and so is the README. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { anchorsOf, linksOf, PAGES, readPage, ROOT, withoutCode, type Page } from "./pages.ts";

const README_LINES_MAX = 200;

/** Of text; tables and code may be wider. */
const LINE_CHARS_MAX = 120;
const REFERENCE_LINE_CHARS_MAX = 135;

const readme = readPage("README.md");
const docs = PAGES.filter(({ path }) => path.startsWith("docs/"));
const internals = docs.filter(({ path }) => path.startsWith("docs/internals/"));
const forUsers = docs.filter((page) => !internals.includes(page));

/** Why the link leads nowhere; null when it leads somewhere, or out of the repository. */
function faultOf(page: Page, link: string): string | null {
  if (/^[a-z]+:/.test(link)) return null;
  const [file = "", anchor] = link.split("#");
  const path = file === "" ? page.path : join(dirname(page.path), file);
  if (!existsSync(join(ROOT, path))) return `${page.path}: ${link}: no such file`;
  if (anchor === undefined) return null;
  return anchorsOf(readPage(path)).has(anchor) ? null : `${page.path}: ${link}: no such heading`;
}

describe("the docs pages", () => {
  it("have no broken relative link or anchor", () => {
    const links = PAGES.flatMap((page) => linksOf(page).map((link) => ({ page, link })));
    expect(links.length).toBeGreaterThan(100);
    expect(links.map(({ page, link }) => faultOf(page, link)).filter((fault) => fault !== null)).toEqual([]);
  });

  it(`introduce Sandpiper in a README of at most ${README_LINES_MAX} lines, which opens with how to start and how to test`, () => {
    const lines = readme.text.trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(README_LINES_MAX);
    const start = lines.findIndex((line) => line.startsWith("npm ci && npm start"));
    expect(start).toBeGreaterThan(0);
    expect(start).toBeLessThan(10);
    expect(lines[start + 1]).toMatch(/^npm ci && npm test\b/);
  });

  it("have lines that an editor shows whole", () => {
    const long = docs.flatMap((page) => {
      const max = page.path.endsWith("http-api.md") ? REFERENCE_LINE_CHARS_MAX : LINE_CHARS_MAX;
      return withoutCode(page)
        .split("\n")
        .filter((line) => line.length > max && !line.startsWith("|") && !line.startsWith("<!--"))
        .map((line) => `${page.path}: ${line}`);
    });
    expect(long).toEqual([]);
  });

  it("each begin with a name, one sentence on their content, and those for users with a link to the README", () => {
    for (const { path, text } of docs) expect([path, text]).toEqual([path, expect.stringMatching(/^# .+\n\n[A-Z][^.]+[.?:]\s/)]);
    for (const { path, text } of forUsers) {
      expect([path, linksOf({ path, text: text.split("\n## ")[0] ?? "" })]).toEqual([path, expect.arrayContaining(["../README.md"])]);
    }
  });

  it("are all listed: those for users in the README, those on internals in ARCHITECTURE.md", () => {
    const isListedIn = (page: Page) => {
      const listed = new Set(linksOf(page));
      return ({ path }: Page) => listed.has(path);
    };
    expect(internals.length).toBeGreaterThan(5);
    expect(forUsers.filter((page) => !isListedIn(readme)(page)).map(({ path }) => path)).toEqual([]);
    expect(internals.filter((page) => !isListedIn(readPage("ARCHITECTURE.md"))(page)).map(({ path }) => path)).toEqual([]);
  });
});
