/**
 * The size of a regular expression once its repetitions are written out, computed from its text, before anything is compiled. It is never
 * less than the size of re2js's program. It is meaningless for invalid expressions, which re2js refuses before it writes out repetitions.
 */

interface ExpressionSize {
  /** Instructions of the compiled program. A large class counts as several, because each of its instructions has a copy of it. */
  readonly instructions: number;
  /** Classes of characters, those within others included. */
  readonly classes: number;
  /** Characters in all ranges of classes together: if case is ignored, each is looked up. */
  readonly rangeChars: number;
}

/** A program has an instruction that matches and one that fails. */
const FRAME = 2;

/** Members of a class that count as an instruction. */
const CLASS_MEMBERS = 8;

/** A class with a name has a few ranges, but those of Unicode, such as `\pL`, have up to 700. */
const NAMED_MEMBERS = 4;
const UNICODE_MEMBERS = 80;

/** Characters of a range that count as one more member: the other cases of some are scattered. */
const SCATTERED_CHARS = 64;

const CLASS_ESCAPE = String.raw`\\(?:[pP](?:\{[^}]*\}|.)|[dDsSwW])`;
const CHAR_ESCAPE = String.raw`\\(?:x\{[^}]*\}|x..|[0-7]{1,3}|.)`;
const NAMED_CLASS = String.raw`\[:.*?:\]`;
const COUNT = "(?:0|[1-9][0-9]*)";

const TOKEN = new RegExp(
  [
    String.raw`\\Q(?<quoted>.*?)(?:\\E|$)`,
    String.raw`(?<bracket>\[)\^?(?<members>\]?(?:${NAMED_CLASS}|${CLASS_ESCAPE}|${CHAR_ESCAPE}|[^\]])*)\]?`,
    String.raw`(?<flags>\(\?[a-zA-Z-]*\))`,
    String.raw`(?<open>\((?:\?[a-zA-Z-]*:|(?<capture>(?:\?P?<[^>]*>)?)))`,
    String.raw`(?<close>\))`,
    String.raw`(?<bar>\|)`,
    String.raw`(?<repeat>[*+?]|\{(?<min>${COUNT})(?<to>,(?<max>${COUNT})?)?\})\??`,
    String.raw`(?<classEscape>${CLASS_ESCAPE})`,
    `${CHAR_ESCAPE}|.`,
  ].join("|"),
  "gsu",
);

const MEMBER = new RegExp(`(?<named>${NAMED_CLASS}|${CLASS_ESCAPE})|(?<first>${CHAR_ESCAPE}|.)(?:-(?<last>${CHAR_ESCAPE}|.))?`, "gsu");

type Groups = Readonly<Record<string, string | undefined>>;

const groupsIn = (text: string, pattern: RegExp): Groups[] => [...text.matchAll(pattern)].map(({ groups = {} }) => groups);

/** The code point of a character as it is written. Other escapes stand for ASCII characters. */
function codePointOf(written: string): number {
  const [, hex, octal] = /^\\(?:x\{?([0-9a-f]+)\}?|([0-7]+))/i.exec(written) ?? [];
  if (hex !== undefined) return Number.parseInt(hex, 16);
  return octal === undefined ? (written.codePointAt(0) ?? 0) : Number.parseInt(octal, 8);
}

const namedMembers = (name: string): number => (/^\\[pP]/.test(name) ? UNICODE_MEMBERS : NAMED_MEMBERS);

const rangeChars = ({ first = "", last = first }: Groups): number => Math.max(0, codePointOf(last) - codePointOf(first));

/** The size of the part between the brackets. */
function sizeOfMembers(members: readonly Groups[]): ExpressionSize {
  const named = members.flatMap(({ named: name }) => (name === undefined ? [] : [name]));
  const chars = members.reduce((sum, member) => sum + (member["named"] === undefined ? rangeChars(member) : 0), 0);
  const weight = members.length + chars / SCATTERED_CHARS + named.reduce((sum, name) => sum + namedMembers(name), 0);
  return { instructions: Math.ceil(weight / CLASS_MEMBERS), classes: named.length, rangeChars: chars };
}

/** Bounds of a repetition; without an upper one, `max` is infinite. */
function boundsOf({ repeat, min = "", to, max }: Groups): readonly [min: number, max: number] {
  if (repeat === "*") return [0, Number.POSITIVE_INFINITY];
  if (repeat === "+") return [1, Number.POSITIVE_INFINITY];
  if (repeat === "?") return [0, 1];
  return [Number(min), to === undefined ? Number(min) : Number(max ?? Number.POSITIVE_INFINITY)];
}

/** The instructions of a repetition of something with so many. */
function repeated(instructions: number, [min, max]: readonly [min: number, max: number]): number {
  if (max !== Number.POSITIVE_INFINITY) return Math.max(1, max * instructions + (max - min));
  return Math.max(1, min) * instructions + (min === 0 ? 2 : 1);
}

/** A group that is not closed yet, or the whole. */
class OpenGroup {
  /** Its own, and those of all alternatives but the last. */
  #before: number;
  /** Size of the last alternative, without its last item. */
  #alternative = 0;
  /** Size of the item that a repetition would repeat. */
  #item = 0;

  constructor(own: number) {
    this.#before = own;
  }

  add(instructions: number): void {
    this.#alternative += this.#item;
    this.#item = instructions;
  }

  repeat(bounds: readonly [min: number, max: number]): void {
    this.#item = repeated(this.#item, bounds);
  }

  beginAlternative(): void {
    this.#before = this.instructions + 1;
    this.#alternative = 0;
    this.#item = 0;
  }

  /** An alternative of nothing is an instruction that does nothing. */
  get instructions(): number {
    return this.#before + Math.max(1, this.#alternative + this.#item);
  }
}

export function expressionSize(expression: string): ExpressionSize {
  const open = [new OpenGroup(FRAME)];
  let [classes, chars] = [0, 0];
  const close = () => {
    const closed = open.length > 1 ? open.pop() : undefined;
    if (closed) open.at(-1)?.add(closed.instructions);
  };
  for (const token of groupsIn(expression, TOKEN)) {
    const group = open.at(-1);
    if (token["open"] !== undefined) open.push(new OpenGroup(token["capture"] === undefined ? 0 : 2));
    else if (token["close"] !== undefined) close();
    else if (token["bar"] !== undefined) group?.beginAlternative();
    else if (token["repeat"] !== undefined) group?.repeat(boundsOf(token));
    else if (token["quoted"] !== undefined) for (const _ of token["quoted"]) group?.add(1);
    else if (token["bracket"] !== undefined) {
      const size = sizeOfMembers(groupsIn(token["members"] ?? "", MEMBER));
      group?.add(Math.max(1, size.instructions));
      classes += 1 + size.classes;
      chars += size.rangeChars;
    } else if (token["classEscape"] !== undefined) {
      group?.add(Math.ceil(namedMembers(token["classEscape"]) / CLASS_MEMBERS));
      classes += 1;
    } else if (token["flags"] === undefined) group?.add(1);
  }
  while (open.length > 1) close();
  return { instructions: open[0]?.instructions ?? FRAME, classes, rangeChars: chars };
}
