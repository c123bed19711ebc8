/** The start tags of an HTML page and their attributes, in time linear in its length: as much of the HTML standard as scripts need. */

export interface Tag {
  readonly name: string;
  /** Keyed by name in lower case. The first of several attributes with the same name counts. */
  readonly attributes: ReadonlyMap<string, string>;
}

/** Elements whose content has no tags, or none that a browser with scripts acts on. */
const OPAQUE = new Set(["script", "style", "title", "textarea", "noscript", "template", "iframe", "noembed", "noframes", "xmp"]);

const NAME = /[^\s/>]+/y;
const ATTRIBUTE_NAME = /[^\s/>=][^\s/>=]*/y;
const BETWEEN_ATTRIBUTES = /[\s/]*/y;
const COMMENT_START = /!--/y;
const SPACE = /\s*/y;
const UNQUOTED = /[^\s>]*/y;

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", quot: '"', apos: "'", "#39": "'", "#x27": "'", lt: "<", gt: ">" };

const decoded = (value: string): string =>
  value.replace(/&(amp|quot|apos|#39|#x27|lt|gt);/gi, (_, name: string) => ENTITIES[name.toLowerCase()] ?? "");

class Cursor {
  readonly #html: string;
  at = 0;

  constructor(html: string) {
    this.#html = html;
  }

  get isAtEnd(): boolean {
    return this.at >= this.#html.length;
  }

  get next(): string {
    return this.#html.charAt(this.at);
  }

  take(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const text = pattern.exec(this.#html)?.[0] ?? "";
    this.at += text.length;
    return text;
  }

  /** The text before the next `end`, or the rest; moves past it. */
  takeUntil(end: string): string {
    const found = this.#html.indexOf(end, this.at);
    const text = this.#html.slice(this.at, found === -1 ? undefined : found);
    this.at = found === -1 ? this.#html.length : found + end.length;
    return text;
  }

  /** Moves to the next end tag of this name, or to the end. */
  skipToEndTag(name: string): void {
    const endTag = new RegExp(`</${name}[\\s/>]`, "gi");
    endTag.lastIndex = this.at;
    this.at = endTag.exec(this.#html)?.index ?? this.#html.length;
  }
}

function valueAt(cursor: Cursor): string {
  cursor.take(SPACE);
  const quote = cursor.next;
  if (quote !== '"' && quote !== "'") return cursor.take(UNQUOTED);
  cursor.at++;
  return cursor.takeUntil(quote);
}

/** Moves past the tag's `>`. */
function attributesAt(cursor: Cursor): Map<string, string> {
  const attributes = new Map<string, string>();
  for (;;) {
    cursor.take(BETWEEN_ATTRIBUTES);
    if (cursor.next === "=") cursor.at++;
    const name = cursor.take(ATTRIBUTE_NAME).toLowerCase();
    if (name === "") {
      if (cursor.isAtEnd || cursor.next === ">") break;
      continue;
    }
    cursor.take(SPACE);
    let value = "";
    if (cursor.next === "=") {
      cursor.at++;
      value = decoded(valueAt(cursor));
    }
    if (!attributes.has(name)) attributes.set(name, value);
  }
  cursor.at++;
  return attributes;
}

/** The start tags that a browser with scripts sees, in their order. */
export function* tagsIn(html: string): Generator<Tag> {
  const cursor = new Cursor(html);
  for (;;) {
    cursor.takeUntil("<");
    if (cursor.isAtEnd) return;
    if (cursor.take(COMMENT_START) !== "") {
      // `<!-->` and `<!--->` end where they begin.
      cursor.at -= 2;
      cursor.takeUntil("-->");
      continue;
    }
    if (!/[a-z]/i.test(cursor.next)) continue;
    const name = cursor.take(NAME).toLowerCase();
    const attributes = attributesAt(cursor);
    yield { name, attributes };
    if (OPAQUE.has(name)) cursor.skipToEndTag(name);
  }
}
