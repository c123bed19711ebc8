/** The texts that an export's numbers stand for, as bytes in the form in which the export writes them. */
import { NOT_RECORDED } from "../../engine/duckdb/string-dictionary.ts";
import type { TextsOf } from "../../execution/scan.ts";
import { ByteWriter } from "./byte-writer.ts";
import type { ExportReservation } from "./export-memory.ts";

/** So many are kept as one: numbers, and texts. A power of two. */
const TEXTS_PER_PAGE = 4096;
const PAGE_BITS = Math.log2(TEXTS_PER_PAGE);
const SLOT_MASK = TEXTS_PER_PAGE - 1;

/** In the place of a number that occurs, until it has one. */
const MARK = 1;

interface TextPage {
  readonly bytes: Uint8Array;
  /** Where each text begins; one more is where the last ends. */
  readonly starts: Int32Array;
}

export class ExportTexts {
  readonly #write: (text: string) => string;
  readonly #memory: ExportReservation;
  /**
   * By number: the place of its text, counted from 1, in ascending order of numbers; 0 stands for none. Only pages of numbers that
   * occur are there: those of a few events may be anywhere among millions.
   */
  readonly #places: Int32Array[] = [];
  readonly #pages: TextPage[] = [];

  /** `write` is how the export writes a text. */
  constructor(write: (text: string) => string, memory: ExportReservation) {
    this.#write = write;
    this.#memory = memory;
  }

  /** Notes which numbers occur. */
  mark(codes: Int32Array): void {
    for (const code of codes) this.#placesOf(code)[code & SLOT_MASK] = MARK;
  }

  /** The places of the page that the number is of. */
  #placesOf(code: number): Int32Array {
    const page = code >> PAGE_BITS;
    const known = this.#places[page];
    if (known) return known;
    const places = new Int32Array(TEXTS_PER_PAGE);
    this.#memory.add(places.byteLength);
    this.#places[page] = places;
    return places;
  }

  /** Gets the text of every number that was marked. Rejects when they are too long together. */
  async fetch(textsOf: TextsOf): Promise<void> {
    const [firstPlaces] = this.#places;
    if (firstPlaces) firstPlaces[NOT_RECORDED] = 0;
    let place = 0;
    for (const codes of this.#markedInPages()) {
      for (const code of codes) this.#placesOf(code)[code & SLOT_MASK] = ++place;
      const page = await this.#fetchPage(textsOf, codes);
      this.#memory.add(page.bytes.byteLength + page.starts.byteLength);
      this.#pages.push(page);
    }
  }

  *#markedInPages(): Iterable<readonly number[]> {
    let codes: number[] = [];
    for (const [page, places] of this.#places.entries()) {
      if (!places) continue;
      for (let slot = 0; slot < TEXTS_PER_PAGE; slot++) {
        if (places[slot] === 0) continue;
        codes.push((page << PAGE_BITS) | slot);
        if (codes.length < TEXTS_PER_PAGE) continue;
        yield codes;
        codes = [];
      }
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
    const place = (this.#places[code >> PAGE_BITS]?.[code & SLOT_MASK] ?? 0) - 1;
    const page = this.#pages[Math.floor(place / TEXTS_PER_PAGE)];
    if (!page) return false;
    const slot = place % TEXTS_PER_PAGE;
    writer.copy(page.bytes, page.starts[slot] ?? 0, page.starts[slot + 1] ?? 0);
    return true;
  }
}
