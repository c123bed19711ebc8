/**
 * Codes for the distinct props strings of a site, by block. A props string is the JSON of an event's custom properties as it is
 * stored. It stays unparsed until a property report reads it, so keys and values chosen by clients never enter the site's
 * `StringDictionary`.
 */
import { NOT_RECORDED } from "./string-dictionary.ts";

/** Blocks reserve codes in pages of this size. */
const PAGE_CODES = 4096;

/** The number of pages that fit into an INTEGER column. */
const PAGES_MAX = 2 ** 31 / PAGE_CODES - 1;

/** Memory of an entry in addition to its characters. */
const ENTRY_BYTES = 96;

/** The distinct props strings of one block. */
export class BlockProps {
  readonly #codes = new Map<string, number>();
  readonly #pages: number[] = [];
  readonly #reservePage: (strings: readonly string[]) => number;
  #page: string[] = [];
  #bytes = 0;

  constructor(reservePage: (strings: readonly string[]) => number) {
    this.#reservePage = reservePage;
  }

  /** The code of a string; assigns one if it is new. No other block of the site uses that code. */
  codeOf(props: string): number {
    const known = this.#codes.get(props);
    if (known !== undefined) return known;
    if (this.#codes.size % PAGE_CODES === 0) this.#pages.push(this.#reservePage((this.#page = [])));
    const code = NOT_RECORDED + 1 + (this.#pages.at(-1) ?? 0) * PAGE_CODES + this.#page.length;
    this.#page.push(props);
    this.#codes.set(props, code);
    this.#bytes += props.length * 2 + ENTRY_BYTES;
    return code;
  }

  get size(): number {
    return this.#codes.size;
  }

  /** Characters of all strings. */
  get chars(): number {
    return (this.#bytes - this.#codes.size * ENTRY_BYTES) / 2;
  }

  entries(): Iterable<readonly [props: string, code: number]> {
    return this.#codes;
  }

  get pages(): readonly number[] {
    return this.#pages;
  }

  get bytes(): number {
    return this.#bytes;
  }
}

export class PropsDictionary {
  readonly #blocks = new Map<number, BlockProps>();
  readonly #pages = new Map<number, readonly string[]>();
  #nextPage = 0;

  /**
   * Cycles through all page numbers before it reuses one. A query may still hold codes of a dropped block, and must not find the
   * strings of another block under them.
   */
  readonly #reservePage = (strings: readonly string[]): number => {
    while (this.#pages.has(this.#nextPage)) this.#nextPage = (this.#nextPage + 1) % PAGES_MAX;
    const page = this.#nextPage;
    this.#nextPage = (page + 1) % PAGES_MAX;
    this.#pages.set(page, strings);
    return page;
  };

  addBlock(block: number): void {
    this.#blocks.set(block, new BlockProps(this.#reservePage));
  }

  /** The props of a block; undefined once they are dropped. */
  of(block: number): BlockProps | undefined {
    return this.#blocks.get(block);
  }

  /** The string of a code; undefined once its block is dropped. */
  stringOf(code: number): string | undefined {
    const at = code - NOT_RECORDED - 1;
    return this.#pages.get(Math.floor(at / PAGE_CODES))?.[at % PAGE_CODES];
  }

  dropBlock(block: number): void {
    for (const page of this.#blocks.get(block)?.pages ?? []) this.#pages.delete(page);
    this.#blocks.delete(block);
  }

  get bytes(): number {
    let bytes = 0;
    for (const props of this.#blocks.values()) bytes += props.bytes;
    return bytes;
  }
}
