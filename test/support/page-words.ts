/** Finds words in the dashboard's code that readers see and that are not in the catalogue. */
import { parseAst } from "rolldown/parseAst";

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [property: string]: unknown;
}

/** Attributes and properties whose text is read by people, whatever it is. Others are if they look like words. */
const READ = new Set(["title", "aria-label", "alt", "placeholder", "label", "legend", "hint", "confirmLabel", "submitLabel", "search"]);

/** Attributes that nobody reads. */
const UNREAD = new Set([
  "class",
  "buttonClass",
  "id",
  "key",
  "d",
  "role",
  "type",
  "name",
  "rel",
  "href",
  "style",
  "kind",
  "aria-keyshortcuts",
]);

/** Calls whose texts are selectors, names of keys or of events, messages for developers, or tags of types. */
const UNREAD_CALLS = new Set(["querySelector", "querySelectorAll", "closest", "Error", "DateTimeFormat", "NumberFormat"]);

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && "type" in value;

const nameOf = (node: unknown): string =>
  isNode(node) ? String(node["name"] ?? (isNode(node["property"]) ? node["property"]["name"] : "")) : "";

/** `Save`, `No data`, `of the week`; not `day`, `utm_source`, `main-chart`. */
const looksRead = (text: string): boolean => /(?:^|\s)\p{Lu}\p{Ll}+(?:[\s.,:;!?…]|$)|\p{Ll} \p{Ll}|\p{L}…/u.test(text);

function isUnread(node: Node): boolean {
  if (/^(?:Import|TSType|TSInterface|TSLiteral|TSUnion)/.test(node.type)) return true;
  if (node.type === "JSXAttribute") return UNREAD.has(nameOf(node["name"]));
  if (node.type === "BinaryExpression") return /^[!=]==$/.test(String(node["operator"]));
  return (node.type === "CallExpression" || node.type === "NewExpression") && UNREAD_CALLS.has(nameOf(node["callee"]));
}

const textOf = (node: Node): string | null => {
  if (node.type === "JSXText" || (node.type === "Literal" && typeof node["value"] === "string")) return String(node["value"]);
  if (node.type !== "TemplateLiteral") return null;
  return (node["quasis"] as readonly { readonly value: { readonly cooked: string } }[]).map(({ value }) => value.cooked).join("{}");
};

/** `path` says whether the code has JSX. Template literals have `{}` in place of their expressions. */
export function wordsIn(code: string, path: string): string[] {
  const found: string[] = [];
  const visit = (node: Node, isRead: boolean): void => {
    if (isUnread(node)) return;
    const text = textOf(node);
    if (text !== null && /\p{L}{2}/u.test(text) && (node.type === "JSXText" || isRead || looksRead(text))) found.push(text.trim());
    for (const [property, child] of Object.entries(node)) {
      // Names of properties.
      if (property === "key" || (property === "property" && node.type === "MemberExpression")) continue;
      const read = node.type === "JSXAttribute" || node.type === "Property" ? READ.has(nameOf(node["name"] ?? node["key"])) : isRead;
      for (const each of Array.isArray(child) ? child : [child]) if (isNode(each)) visit(each, read && !each.type.startsWith("JSXElement"));
    }
  };
  visit(parseAst(code, { lang: path.endsWith("x") ? "tsx" : "ts" }) as unknown as Node, false);
  return found;
}
