/** The texts of the codes in an export, as bytes in the export's format. */
import { NOT_RECORDED } from "../../duckdb/tables/string-dictionary.ts";
import type { TextsOf } from "../../query/scan.ts";
import { ByteWriter } from "./byte-writer.ts";
import type { ExportReservation } from "./export-memory.ts";

/** Codes and texts are stored in pages of this many entries, a power of two. */
const TEXTS_PER_PAGE = 4096;
const PAGE_BITS = Math.log2(TEXTS_PER_PAGE);
const SLOT_MASK = TEXTS_PER_PAGE - 1;

/** The placeholder of a code that occurs, until `fetch` assigns its position. */
const MARK = 1;

interface TextPage {
  readonly bytes: Uint8Array;
  /** The offset of each text in `bytes`, and the end of the last. */
  readonly starts: Int32Array;
}

export class ExportTexts {
  readonly #write: (text: string) => string;
  readonly #memory: ExportReservation;
  /**
   * By code: the position of its text, from 1, in ascending order of codes; 0 for none. The array is sparse: pages without marked
   * codes do not exist, because the codes of a few events may be spread over millions.
   */
  readonly #positions: Int32Array[] = [];
  readonly #pages: TextPage[] = [];

  /** `write` formats a text for the export. */
  constructor(write: (text: string) => string, memory: ExportReservation) {
    this.#write = write;
    this.#memory = memory;
  }

  /** Marks the codes that occur. */
  mark(codes: Int32Array): void {
    for (const code of codes) this.#positionsOf(code)[code & SLOT_MASK] = MARK;
  }

  /** The positions in the page of the code. Creates the page if it is new. */
  #positionsOf(code: number): Int32Array {
    const page = code >> PAGE_BITS;
    const known = this.#positions[page];
    if (known) return known;
    const positions = new Int32Array(TEXTS_PER_PAGE);
    this.#memory.add(positions.byteLength);
    this.#positions[page] = positions;
    return positions;
  }

  /** Fetches the texts of all marked codes. Rejects with an `AppError` if the export exceeds its memory limit. */
  async fetch(textsOf: TextsOf): Promise<void> {
    const [firstPositions] = this.#positions;
    if (firstPositions) firstPositions[NOT_RECORDED] = 0;
    let position = 0;
    for (const codes of this.#markedInPages()) {
      for (const code of codes) this.#positionsOf(code)[code & SLOT_MASK] = ++position;
      const page = await this.#fetchPage(textsOf, codes);
      this.#memory.add(page.bytes.byteLength + page.starts.byteLength);
      this.#pages.push(page);
    }
  }

  *#markedInPages(): Iterable<readonly number[]> {
    let codes: number[] = [];
    for (const [page, positions] of this.#positions.entries()) {
      if (!positions) continue;
      for (let slot = 0; slot < TEXTS_PER_PAGE; slot++) {
        if (positions[slot] === 0) continue;
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
      if (text === undefined) throw new Error(`no text has the code ${code}`);
      writer.text(this.#write(text));
      starts[i + 1] = writer.length;
    });
    return { bytes: writer.take(), starts };
  }

  /** Copies the text of a code; false if the value was not recorded. */
  copyTo(writer: ByteWriter, code: number): boolean {
    const position = (this.#positions[code >> PAGE_BITS]?.[code & SLOT_MASK] ?? 0) - 1;
    const page = this.#pages[Math.floor(position / TEXTS_PER_PAGE)];
    if (!page) return false;
    const slot = position % TEXTS_PER_PAGE;
    writer.copy(page.bytes, page.starts[slot] ?? 0, page.starts[slot + 1] ?? 0);
    return true;
  }
}
