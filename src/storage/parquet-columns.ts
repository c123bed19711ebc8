/** Decodes the columns of a Parquet file without allocating a value per row. An owner of hyparquet. */
import { parquetMetadata, snappyUncompress, type ColumnMetaData, type RowGroup } from "hyparquet";
import { parquetHeader } from "hyparquet/src/column.js";

export type { SchemaElement } from "hyparquet";
export { parquetHeader };

/** The place of a row without a text. */
export const NO_PLACE = -1;

/** Strings of rows: `places` has each row's index in `texts`, or `NO_PLACE`. `texts` may contain a string twice. */
export interface TextColumn {
  readonly texts: readonly string[];
  readonly places: Int32Array;
}

/** Numbers of rows. `recorded` is 1 of each row that has one, and 0 of the others. */
export interface NumberColumn {
  readonly numbers: BigInt64Array;
  readonly recorded: Uint8Array;
}

/** So that a value and up to seven bits before it fit into 32 bits. */
const INDEX_BITS_MAX = 25;

/** `ignoreBOM` keeps a leading U+FEFF in a text. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

type PageHeader = ReturnType<typeof parquetHeader>;

/** A data page: which of its rows have a value (null: all), and the encoded values. */
interface DataPage {
  readonly rows: number;
  readonly present: Uint8Array | null;
  readonly values: number;
  readonly encoding: string;
  readonly bytes: Uint8Array;
}

/** A data page whose values are still compressed. */
export interface StoredPage extends DataPage {
  readonly codec: ColumnMetaData["codec"];
  /** Size of the values after decompression. */
  readonly unpackedBytes: number;
}

const WORD_BYTES = Int32Array.BYTES_PER_ELEMENT;

/** The last bytes, fewer than a word, as if zeros followed them. */
function lastBits(bytes: Uint8Array, begin: number): number {
  let bits = 0;
  for (let at = begin; at < bytes.length; at++) bits |= (bytes[at] ?? 0) << (8 * (at - begin));
  return bits;
}

/** Numbers in runs: either one value many times, or values of `width` bits each. Fills `out`. */
function readRuns<Out extends Int32Array | Uint8Array>(bytes: Uint8Array, begin: number, width: number, out: Out): Out {
  if (width > INDEX_BITS_MAX) throw new Error(`the file has numbers of ${width} bits in a run`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const lastWord = bytes.length - WORD_BYTES;
  let at = begin;
  let row = 0;
  while (row < out.length) {
    let header = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error("a run of the file ends too early");
      header |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    if (header & 1) {
      const end = Math.min(out.length, row + (header >>> 1) * 8);
      const mask = (1 << width) - 1;
      for (let bit = at * 8; row < end; row++, bit += width) {
        const byte = bit >>> 3;
        const bits = byte <= lastWord ? view.getInt32(byte, true) : lastBits(bytes, byte);
        out[row] = (bits >>> (bit & 7)) & mask;
      }
      at += (header >>> 1) * width;
    } else {
      let value = 0;
      for (let shift = 0; shift < width; shift += 8) value |= (bytes[at++] ?? 0) << shift;
      const end = Math.min(out.length, row + (header >>> 1));
      if (end === row) throw new Error("a run of the file is empty");
      out.fill(value, row, end);
      row = end;
    }
  }
  return out;
}

function unpacked(bytes: Uint8Array, codec: ColumnMetaData["codec"], size: number): Uint8Array {
  if (codec === "UNCOMPRESSED") return bytes;
  if (codec !== "SNAPPY") throw new Error(`the file is compressed by ${codec}`);
  const page = new Uint8Array(size);
  snappyUncompress(bytes, page);
  return page;
}

function storedPage(
  bytes: Uint8Array,
  { uncompressed_page_size: size, data_page_header_v2: data }: PageHeader,
  codec: ColumnMetaData["codec"],
): StoredPage {
  if (!data || data.repetition_levels_byte_length > 0) throw new Error("the file has pages of another kind");
  const levels = data.definition_levels_byte_length;
  const rows = data.num_values;
  return {
    rows,
    values: rows - data.num_nulls,
    present: data.num_nulls > 0 ? readRuns(bytes, 0, 1, new Uint8Array(rows)) : null,
    encoding: data.encoding,
    bytes: bytes.subarray(levels),
    codec: data.is_compressed === false ? "UNCOMPRESSED" : codec,
    unpackedBytes: size - levels,
  };
}

const isIndexed = ({ encoding }: DataPage): boolean => encoding === "RLE_DICTIONARY";

function dataPage(stored: StoredPage): DataPage {
  if (!isIndexed(stored) && stored.encoding !== "PLAIN") throw new Error(`the file has values in the encoding ${stored.encoding}`);
  return { ...stored, bytes: unpacked(stored.bytes, stored.codec, stored.unpackedBytes) };
}

/** The dictionary index of each of the page's values. */
const indexesOf = ({ bytes, values }: DataPage): Int32Array => readRuns(bytes, 1, bytes[0] ?? 0, new Int32Array(values));

function plainTexts(bytes: Uint8Array, count: number): string[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  return Array.from({ length: count }, () => {
    const begin = at + 4;
    at = begin + view.getUint32(at, true);
    return decoder.decode(bytes.subarray(begin, at));
  });
}

function plainNumbers(bytes: Uint8Array, count: number): BigInt64Array {
  const aligned = bytes.byteOffset % BigInt64Array.BYTES_PER_ELEMENT === 0 ? bytes : bytes.slice();
  return new BigInt64Array(aligned.buffer, aligned.byteOffset, count);
}

/** The dictionary's numbers at these indexes. Copied as words, because a BigInt of each takes several times as long. */
function numbersAt(indexes: Int32Array, dictionary: BigInt64Array): BigInt64Array {
  const words = new Int32Array(dictionary.buffer, dictionary.byteOffset, 2 * dictionary.length);
  const found = new Int32Array(2 * indexes.length);
  for (let i = 0; i < indexes.length; i++) {
    const at = 2 * (indexes[i] ?? 0);
    found[2 * i] = words[at] ?? 0;
    found[2 * i + 1] = words[at + 1] ?? 0;
  }
  return new BigInt64Array(found.buffer);
}

/** Writes each value at its row. */
function spread(present: Uint8Array, values: Int32Array, out: Int32Array, begin: number): void {
  let value = 0;
  for (let row = 0; row < present.length; row++) if (present[row] === 1) out[begin + row] = values[value++] ?? NO_PLACE;
}

/** The columns of one row group. Methods throw if the column cannot be decoded. */
export class ParquetColumns {
  readonly rows: number;
  readonly #bytes: Uint8Array;
  readonly #group: RowGroup;

  constructor(bytes: Uint8Array, group: RowGroup) {
    this.rows = Number(group.num_rows);
    this.#bytes = bytes;
    this.#group = group;
  }

  /** Calls for each page of data, with the row that it begins at and the dictionary that came before it. */
  #eachPage<Values>(
    name: string,
    dictionaryOf: (bytes: Uint8Array, count: number) => Values,
    onPage: (page: DataPage, row: number, dictionary: Values | null) => void,
  ): void {
    const chunk = this.#chunkOf(name);
    if (!chunk) return;
    let dictionary: Values | null = null;
    const reader = { view: this.#viewOf(chunk), offset: 0 };
    for (let row = 0; row < this.rows;) {
      const header = parquetHeader(reader);
      const bytes = new Uint8Array(reader.view.buffer, reader.view.byteOffset + reader.offset, header.compressed_page_size);
      reader.offset += header.compressed_page_size;
      if (header.dictionary_page_header) {
        dictionary = dictionaryOf(unpacked(bytes, chunk.codec, header.uncompressed_page_size), header.dictionary_page_header.num_values);
      } else {
        const page = dataPage(storedPage(bytes, header, chunk.codec));
        onPage(page, row, dictionary);
        row += page.rows;
      }
    }
  }

  #chunkOf(name: string): ColumnMetaData | undefined {
    return this.#group.columns.find(({ meta_data: data }) => data?.path_in_schema[0] === name)?.meta_data;
  }

  /** The first page of a column that has no dictionary; null where the file lacks the column. */
  firstPage(name: string): StoredPage | null {
    const chunk = this.#chunkOf(name);
    if (!chunk) return null;
    const reader = { view: this.#viewOf(chunk), offset: 0 };
    const header = parquetHeader(reader);
    return storedPage(
      new Uint8Array(reader.view.buffer, reader.view.byteOffset + reader.offset, header.compressed_page_size),
      header,
      chunk.codec,
    );
  }

  /** The size of all columns when they are no longer compressed. */
  get unpackedBytes(): number {
    return Number(this.#group.total_byte_size);
  }

  #viewOf({ dictionary_page_offset: dictionaryAt, data_page_offset: dataAt, total_compressed_size: size }: ColumnMetaData): DataView {
    const { buffer, byteOffset } = this.#bytes;
    return new DataView(buffer, byteOffset + Number(dictionaryAt ?? dataAt), Number(size));
  }

  /** The texts of a column; none where the file lacks it. */
  texts(name: string): TextColumn {
    let texts: string[] = [];
    const places = new Int32Array(this.rows).fill(NO_PLACE);
    const readDictionary = (bytes: Uint8Array, count: number) => (texts = plainTexts(bytes, count));
    this.#eachPage(name, readDictionary, (page, row) => {
      let valuePlaces: Int32Array;
      if (isIndexed(page)) {
        valuePlaces = indexesOf(page);
      } else {
        const from = texts.length;
        for (const text of plainTexts(page.bytes, page.values)) texts.push(text);
        valuePlaces = Int32Array.from({ length: page.values }, (_, i) => from + i);
      }
      if (page.present) spread(page.present, valuePlaces, places, row);
      else places.set(valuePlaces, row);
    });
    return { texts, places };
  }

  /** The numbers of a column; none where the file lacks it. */
  numbers(name: string): NumberColumn {
    let numbers: BigInt64Array = new BigInt64Array(0);
    const recorded = new Uint8Array(this.rows);
    this.#eachPage(name, plainNumbers, (page, row, dictionary) => {
      const values = isIndexed(page)
        ? numbersAt(indexesOf(page), dictionary ?? new BigInt64Array())
        : plainNumbers(page.bytes, page.values);
      if (page.values === this.rows) {
        numbers = values;
        recorded.fill(1);
        return;
      }
      if (row === 0) numbers = new BigInt64Array(this.rows);
      if (!page.present) {
        numbers.set(values, row);
        recorded.fill(1, row, row + page.rows);
        return;
      }
      recorded.set(page.present, row);
      let value = 0;
      for (let i = row; i < row + page.rows; i++) if (recorded[i] === 1) numbers[i] = values[value++] ?? 0n;
    });
    return { numbers: numbers.length === this.rows ? numbers : new BigInt64Array(this.rows), recorded };
  }
}

/** A file's row groups in order: each can be decoded on its own. */
export interface ParquetFile {
  readonly rows: number;
  readonly parts: readonly ParquetColumns[];
  /** The key-value metadata of the footer. */
  readonly entries: ReadonlyMap<string, string>;
}

/** Throws when the bytes have no footer. */
export function openParquet(bytes: Uint8Array): ParquetFile {
  const { num_rows: rows, row_groups: groups, key_value_metadata: entries = [] } = parquetMetadata(bytes);
  return {
    rows: Number(rows),
    parts: groups.map((group) => new ParquetColumns(bytes, group)),
    entries: new Map(entries.map(({ key, value }) => [key, value ?? ""])),
  };
}
