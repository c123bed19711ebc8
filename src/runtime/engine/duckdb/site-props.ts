/** The custom properties of a site's events as the texts that they came as, by block and numbered. Only reports of properties look into them. */
import { NOT_RECORDED } from "./string-dictionary.ts";

/** Numbers are given to blocks so many at a time. */
const PAGE_TEXTS = 4096;

/** So many pages fit into an INTEGER column. */
const PAGES_MAX = 2 ** 31 / PAGE_TEXTS - 1;

/** What a text costs beside its characters. */
const ENTRY_BYTES = 96;

/** Each distinct text of a block once. */
export class BlockProps {
  readonly #numbers = new Map<string, number>();
  readonly #pages: number[] = [];
  readonly #takePage: (texts: readonly string[]) => number;
  #page: string[] = [];
  #bytes = 0;

  constructor(takePage: (texts: readonly string[]) => number) {
    this.#takePage = takePage;
  }

  /** The number of a text, given to it now if it has none. No other block of the site has it. */
  numberOf(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    if (this.#numbers.size % PAGE_TEXTS === 0) this.#pages.push(this.#takePage((this.#page = [])));
    const number = NOT_RECORDED + 1 + (this.#pages.at(-1) ?? 0) * PAGE_TEXTS + this.#page.length;
    this.#page.push(text);
    this.#numbers.set(text, number);
    this.#bytes += text.length * 2 + ENTRY_BYTES;
    return number;
  }

  entries(): Iterable<readonly [text: string, number: number]> {
    return this.#numbers;
  }

  get pages(): readonly number[] {
    return this.#pages;
  }

  get bytes(): number {
    return this.#bytes;
  }
}

export class SiteProps {
  readonly #blocks = new Map<number, BlockProps>();
  readonly #pages = new Map<number, readonly string[]>();
  #nextPage = 0;

  /** In turn, so that a page comes again only after all others: a query that still has numbers of a dropped block must not find another block's texts. */
  readonly #takePage = (texts: readonly string[]): number => {
    while (this.#pages.has(this.#nextPage)) this.#nextPage = (this.#nextPage + 1) % PAGES_MAX;
    const page = this.#nextPage;
    this.#nextPage = (page + 1) % PAGES_MAX;
    this.#pages.set(page, texts);
    return page;
  };

  /** Begins to keep those of a new block. */
  keep(block: number): void {
    this.#blocks.set(block, new BlockProps(this.#takePage));
  }

  /** Those of a block, if they are kept. */
  of(block: number): BlockProps | undefined {
    return this.#blocks.get(block);
  }

  /** The text of a number, as long as its block's are kept. */
  textOf(number: number): string | undefined {
    const at = number - NOT_RECORDED - 1;
    return this.#pages.get(Math.floor(at / PAGE_TEXTS))?.[at % PAGE_TEXTS];
  }

  /** Keeps those of the block no longer. */
  drop(block: number): void {
    for (const page of this.#blocks.get(block)?.pages ?? []) this.#pages.delete(page);
    this.#blocks.delete(block);
  }

  get bytes(): number {
    let bytes = 0;
    for (const props of this.#blocks.values()) bytes += props.bytes;
    return bytes;
  }
}
