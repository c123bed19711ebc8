/** A site's texts by their numbers, fetched from the engine in pages as an export comes to need them. */
import type { NumberColumns } from "../../engine/engine.ts";
import { EXPORT_TEXT_CHARS_MAX } from "../../limits.ts";
import { queryTexts } from "../queries/raw-export.ts";
import type { Ask } from "../query-runner.ts";
import { numberIn, textIn } from "../row-values.ts";

/** A power of two. So many rows come from the engine's thread within a few milliseconds. */
const TEXTS_PER_PAGE = 4096;

interface TextPage {
  /** By the place of their numbers in the page. */
  readonly texts: string[];
  /** The same as the export's format writes them, once they were asked for. */
  readonly written: (string | undefined)[];
  readonly chars: number;
}

const pageOf = (code: number): number => Math.floor(code / TEXTS_PER_PAGE);

export class TextPages {
  readonly #ask: Ask;
  readonly #write: (text: string) => string;
  readonly #charsMax: number;
  /** In order of last need. */
  readonly #pages = new Map<number, TextPage>();
  #chars = 0;

  /** `write` is how a text is written in the export. */
  constructor(ask: Ask, write: (text: string) => string, charsMax = EXPORT_TEXT_CHARS_MAX) {
    this.#ask = ask;
    this.#write = write;
    this.#charsMax = charsMax;
  }

  /** Makes sure of every text whose number is in the columns, and lets go of others when they take too much. */
  async need(columns: NumberColumns, names: readonly string[]): Promise<void> {
    const needed = new Set<number>();
    for (const name of names) addPages(columns[name] ?? [], needed);
    for (const number of needed) await this.#take(number);
    for (const [number, page] of this.#pages) {
      if (this.#chars <= this.#charsMax || needed.has(number)) return;
      this.#pages.delete(number);
      this.#chars -= page.chars;
    }
  }

  async #take(number: number): Promise<void> {
    const known = this.#pages.get(number);
    const page = known ?? (await this.#fetch(number));
    if (known) this.#pages.delete(number);
    else this.#chars += page.chars;
    this.#pages.set(number, page);
  }

  async #fetch(number: number): Promise<TextPage> {
    const firstCode = number * TEXTS_PER_PAGE;
    const texts: string[] = [];
    let chars = 0;
    for (const row of await this.#ask(queryTexts(firstCode, firstCode + TEXTS_PER_PAGE))) {
      const text = textIn(row, "text");
      texts[numberIn(row, "code") - firstCode] = text;
      chars += text.length;
    }
    return { texts, written: [], chars };
  }

  /** The text of a number that was made sure of. */
  text(code: number): string {
    const text = this.#pages.get(pageOf(code))?.texts[code % TEXTS_PER_PAGE];
    if (text === undefined) throw new Error(`no text has the number ${code}`);
    return text;
  }

  /** The same, as it is written in the export. */
  written(code: number): string {
    const known = this.#pages.get(pageOf(code))?.written;
    const place = code % TEXTS_PER_PAGE;
    const written = known?.[place] ?? this.#write(this.text(code));
    if (known) known[place] = written;
    return written;
  }
}

/** Neighbours are often the same text, or of the same page. */
function addPages(codes: Iterable<number | bigint>, pages: Set<number>): void {
  let last = -1;
  for (const code of codes) {
    const page = pageOf(Number(code));
    if (page !== last) pages.add(page);
    last = page;
  }
}
