/** The Markdown files of the repository, with their headings, links and code blocks. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

export interface Page {
  /** Relative to the repository, such as `docs/tracking.md`. */
  readonly path: string;
  readonly text: string;
}

export interface CodeBlock {
  readonly language: string;
  readonly code: string;
}

/** Folders that have documents; "" is the repository's own. */
const FOLDERS = ["", "docs", "docs/internals", ".github", ".github/ISSUE_TEMPLATE"];

export const readPage = (path: string): Page => ({ path, text: readFileSync(join(ROOT, path), "utf8") });

export const PAGES: readonly Page[] = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => readPage(join(folder, name))),
);

const FENCED = /^( *)```(\w*)\n([^]*?)^\1```$/gm;

export const codeBlocksOf = ({ text }: Page): CodeBlock[] =>
  [...text.matchAll(FENCED)].map(([, , language = "", code = ""]) => ({ language, code }));

export const withoutCode = ({ text }: Page): string => text.replace(FENCED, "");

export const headingsOf = (page: Page): string[] => [...withoutCode(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => heading);

/** The anchors that GitHub gives to headings: lower case, no punctuation, hyphens for spaces, a number for repeated ones. */
export function anchorsOf(page: Page): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const heading of headingsOf(page)) {
    const slug = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-");
    let anchor = slug;
    for (let repeated = 1; anchors.has(anchor); repeated++) anchor = `${slug}-${repeated}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** Targets of links and images, without those in code. */
export const linksOf = (page: Page): string[] =>
  [
    ...withoutCode(page)
      .replace(/`[^`\n]*`/g, "")
      .matchAll(/\]\(([^)\s]+)\)/g),
  ].map(([, target = ""]) => target);
