/** docs/http-api.md as data: its sections, and the routes, parameters and tables in them. */
import { readFileSync } from "node:fs";
import type { Schema } from "../../src/runtime/query/json-schema.ts";
import { resolveReference, type SchemaRoot } from "../support/json-schema.ts";

export const PAGE = readFileSync(new URL("../../docs/http-api.md", import.meta.url), "utf8");

export interface Section {
  readonly title: string;
  readonly text: string;
}

/** A `- Route: …` with what follows it up to the next one of its section. */
export interface RouteEntry {
  /** E.g. `GET /api/stats/breakdown/{dimension}`. */
  readonly id: string;
  readonly section: Section;
  readonly access: string;
  readonly statuses: readonly string[];
  /** Types as they are written; null where there are none. */
  readonly body: string | null;
  readonly response: string | null;
  /** Names and what stands in their parentheses. */
  readonly parameters: Readonly<Record<string, string>>;
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

/** The items of its lists, each on one line. */
const itemsOf = ({ text }: Section): string[] =>
  [...text.matchAll(/^- (.+(?:\n {2}.+)*)/gm)].map(([, item = ""]) => item.replaceAll(/\n +/g, " "));

const PARAMETERS = /^(?:`\w+` \([^()]*\)(?:, |(?=:)))+:/;

/** `name` (facts), also several before one colon. */
export const parametersIn = (items: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    items.flatMap((item) =>
      [...(PARAMETERS.exec(item)?.[0] ?? "").matchAll(/`(\w+)` \(([^()]*)\)/g)].map(([, name = "", facts = ""]) => [name, facts]),
    ),
  );

export const parametersOf = (section: Section): Record<string, string> => parametersIn(itemsOf(section));

const ROUTE = /^Route: `(\S+ \S+)` · (\w+) · ([\d ]+)$/;

function routesIn(section: Section): RouteEntry[] {
  const items = itemsOf(section);
  const starts = items.flatMap((item, i) => (item.startsWith("Route:") ? [i] : []));
  return starts.map((start, i) => {
    const [head = "", ...rest] = items.slice(start, starts[i + 1]);
    const [, id, access, statuses] = ROUTE.exec(head) ?? [];
    if (id === undefined || access === undefined || statuses === undefined)
      throw new Error(
        `docs/http-api.md, "${section.title}": a route is written "- Route: \`GET /path\` · access · 200 400", not "- ${head}"`,
      );
    const typesAfter = (label: string) =>
      rest
        .find((item) => item.startsWith(`${label}: `))
        ?.slice(label.length + 2)
        .replace(/^`|`$/g, "") ?? null;
    return {
      id,
      section,
      access,
      statuses: statuses.split(" "),
      body: typesAfter("Body"),
      response: typesAfter("Response"),
      parameters: parametersIn(rest),
    };
  });
}

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

/** A schema in the notation of the page. */
export function typesOf(root: SchemaRoot, schema: Schema): string {
  if (schema.$ref !== undefined) return typesOf(root, resolveReference<Schema>(root, schema.$ref));
  if (schema.anyOf) return schema.anyOf.map((one) => typesOf(root, one)).join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((word) => JSON.stringify(word)).join(" | ");
  return [schema.type]
    .flat()
    .map((type) => typeOf(root, type ?? "", schema))
    .join(" | ");
}

function typeOf(root: SchemaRoot, type: string, { items, properties, required = [] }: Schema): string {
  if (type === "array" && items) return `[${typesOf(root, items)}]`;
  if (type !== "object" || !properties) return type;
  const fields = Object.entries(properties).map(([name, field]) => `${name}${required.includes(name) ? "" : "?"}: ${typesOf(root, field)}`);
  return `{ ${fields.join(", ")} }`;
}
