/** The texts that an export's numbers stand for, as bytes in the form in which the export writes them. */
import { NOT_RECORDED } from "../../engine/site-texts.ts";
import type { AskProps, Stretches } from "../asked-range.ts";
import { queryTextRange, queryTexts } from "../queries/raw-export.ts";
import type { SqlText } from "../sql.ts";
import { numberIn, textIn } from "../row-values.ts";
import { ByteWriter } from "./byte-writer.ts";
import type { ExportReservation } from "./export-memory.ts";

/** So many are kept as one. */
const TEXTS_PER_PAGE = 4096;

/** So many are asked for by their numbers: each is a parameter of the query. */
const TEXTS_PER_LIST = 1024;

/** Where one text in so many is wanted, all are asked for and the others left: that takes less than a list of numbers. */
const LEFT_PER_WANTED_MAX = 8;

interface TextPage {
  readonly bytes: Uint8Array;
  /** Where each text begins; one more is where the last ends. */
  readonly starts: Int32Array;
}

/** What to ask for the texts of these numbers, which come in ascending order. */
function questionsFor(codes: readonly number[]): SqlText[] {
  const [first = 0, last = 0] = [codes[0], codes.at(-1)];
  if (last - first < codes.length * LEFT_PER_WANTED_MAX) return [queryTextRange(first, last)];
  const lists = Array.from({ length: Math.ceil(codes.length / TEXTS_PER_LIST) }, (_, i) => codes.slice(i * TEXTS_PER_LIST, (i + 1) * TEXTS_PER_LIST));
  return lists.map(queryTexts);
}

/** The texts of numbers, which come in ascending order. */
type TextsOf = (codes: readonly number[]) => Promise<ReadonlyMap<number, string>>;

/** Those that the relation `texts` has. */
export const textsByQuestion =
  (ask: Stretches["askTexts"]): TextsOf =>
  async (codes) => {
    const found = new Map<number, string>();
    for (const question of questionsFor(codes)) {
      for (const row of await ask(question)) found.set(numberIn(row, "code"), textIn(row, "text"));
    }
    return found;
  };

/** Those of properties. */
export const textsOfProps =
  (ask: AskProps): TextsOf =>
  async (codes) => {
    const texts = await ask(codes);
    return new Map(codes.map((code, i) => [code, texts[i] ?? ""]));
  };

export class ExportTexts {
  readonly #write: (text: string) => string;
  readonly #memory: ExportReservation;
  /** 1 for each number that occurs. */
  #marks = new Uint8Array(0);
  /** By number: the place of its text, counted from 1, in ascending order of numbers. 0 stands for none. */
  #places = new Int32Array(0);
  #pages: TextPage[] = [];

  /** `write` is how the export writes a text. */
  constructor(write: (text: string) => string, memory: ExportReservation) {
    this.#write = write;
    this.#memory = memory;
  }

  /** Notes which numbers occur. */
  mark(codes: Int32Array): void {
    for (const code of codes) {
      if (code >= this.#marks.length) this.#grow(code);
      this.#marks[code] = 1;
    }
  }

  #grow(code: number): void {
    const larger = new Uint8Array(Math.max(this.#marks.length * 2, code + 1));
    this.#memory.add(larger.length - this.#marks.length);
    larger.set(this.#marks);
    this.#marks = larger;
  }

  /** Gets the text of every number that was marked. Rejects when they are too long together. */
  async fetch(textsOf: TextsOf): Promise<void> {
    this.#marks[NOT_RECORDED] = 0;
    this.#memory.add(this.#marks.length * Int32Array.BYTES_PER_ELEMENT);
    this.#places = new Int32Array(this.#marks.length);
    let places = 0;
    for (const codes of this.#markedInPages()) {
      for (const code of codes) this.#places[code] = ++places;
      const page = await this.#fetchPage(textsOf, codes);
      this.#memory.add(page.bytes.byteLength + page.starts.byteLength);
      this.#pages.push(page);
    }
  }

  *#markedInPages(): Iterable<readonly number[]> {
    let codes: number[] = [];
    for (let code = this.#marks.indexOf(1); code !== -1; code = this.#marks.indexOf(1, code + 1)) {
      codes.push(code);
      if (codes.length < TEXTS_PER_PAGE) continue;
      yield codes;
      codes = [];
    }
    if (codes.length > 0) yield codes;
  }

  async #fetchPage(textsOf: TextsOf, codes: readonly number[]): Promise<TextPage> {
    const found = await textsOf(codes);
    const writer = new ByteWriter(TEXTS_PER_PAGE * 64);
    const starts = new Int32Array(codes.length + 1);
    codes.forEach((code, i) => {
      const text = found.get(code);
      if (text === undefined) throw new Error(`no text has the number ${code}`);
      writer.text(this.#write(text));
      starts[i + 1] = writer.length;
    });
    return { bytes: writer.take(), starts };
  }

  /** Copies the text of a number; false where nothing was recorded. */
  copyTo(writer: ByteWriter, code: number): boolean {
    const place = (this.#places[code] ?? 0) - 1;
    const page = this.#pages[Math.floor(place / TEXTS_PER_PAGE)];
    if (!page) return false;
    const slot = place % TEXTS_PER_PAGE;
    writer.copy(page.bytes, page.starts[slot] ?? 0, page.starts[slot + 1] ?? 0);
    return true;
  }
}
