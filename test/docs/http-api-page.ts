/** docs/http-api.md as data: its sections, and the routes, parameters and tables in them. */
import { readFileSync } from "node:fs";

export const PAGE = readFileSync(new URL("../../docs/http-api.md", import.meta.url), "utf8");

export interface Section {
  readonly title: string;
  readonly text: string;
}

/** A route that a generated part of the page describes. */
export interface RouteEntry {
  /** E.g. `GET /api/stats/breakdown/{dimension}`. */
  readonly id: string;
  readonly section: Section;
}

/** A shell comment in an example is no heading. */
const withoutCode = (markdown: string): string => markdown.replaceAll(/^```[^]*?^```$/gm, "");

export const headingsOf = (markdown: string): string[] => [...withoutCode(markdown).matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) => title);

/** Each heading with the text up to the next one. */
export const SECTIONS: readonly Section[] = withoutCode(PAGE)
  .split(/^#+ /m)
  .slice(1)
  .map((part) => ({ title: part.slice(0, part.indexOf("\n")), text: part.slice(part.indexOf("\n")) }));

export function sectionOf(title: string): Section {
  const section = SECTIONS.find((known) => known.title === title);
  if (!section) throw new Error(`docs/http-api.md has no section "${title}"; its tests read it by this name`);
  return section;
}

const routesIn = (section: Section): RouteEntry[] =>
  [...section.text.matchAll(/^- Route: `(\S+ \S+)`/gm)].map(([, id = ""]) => ({ id, section }));

export const ROUTE_ENTRIES: readonly RouteEntry[] = SECTIONS.flatMap(routesIn);

/** The rows of the section's tables whose first column has this heading, as texts. */
export function rowsOf(section: Section, heading: string): string[][] {
  const table = section.text
    .split("\n\n")
    .map((block) => block.trim())
    .find((block) => block.startsWith(`| ${heading} |`));
  if (table === undefined) throw new Error(`docs/http-api.md, "${section.title}": there is no table that begins with "${heading}"`);
  return table
    .split("\n")
    .slice(2)
    .map((row) => row.slice(2, -2).split(" | "));
}

/** A number as the page writes it. */
export const count = (value: number): string => value.toLocaleString("en-US");

/** All that is marked as code in a text. */
export const codesIn = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);

/** The commands of the examples in their order, each with its continuation lines. */
export const COMMANDS: readonly string[] = [...PAGE.matchAll(/^```sh\n([^]*?)^```$/gm)].flatMap(([, block = ""]) =>
  block.trim().split(/(?<!\\)\n/),
);
