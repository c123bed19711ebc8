/** Decodes the columns of one row group of a rollup: on demand, and only the rows of one measure. */
import { deltaBinaryUnpack } from "hyparquet/src/delta.js";
import { gunzip } from "./gzip.ts";
import type { ParquetColumns, StoredPage } from "./parquet-columns.ts";

/** The encodings of all columns that are read. */
export const KEY_ENCODING = "PLAIN";
export const COUNT_ENCODING = "BYTE_STREAM_SPLIT";
export const TEXT_ENCODING = "DELTA_BYTE_ARRAY";

const NUMBER_BYTES = 8;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The integers `first` to before `end`. */
function integersOf(bytes: Uint8Array, first: number, end: number): Float64Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Float64Array.from({ length: end - first }, (_, i) => Number(view.getBigInt64((first + i) * NUMBER_BYTES, true)));
}

/** The floating-point numbers `first` to before `end` of a page that has all first bytes, then all second bytes, and so on. */
function splitNumbersOf(bytes: Uint8Array, first: number, end: number): Float64Array {
  const stride = bytes.length / NUMBER_BYTES;
  const joined = new Uint8Array((end - first) * NUMBER_BYTES);
  for (let byte = 0; byte < NUMBER_BYTES; byte++) {
    const from = byte * stride + first;
    for (let i = 0; i < end - first; i++) joined[i * NUMBER_BYTES + byte] = bytes[from + i] ?? 0;
  }
  return new Float64Array(joined.buffer);
}

/** Texts that each begin with the first `prefixes` bytes of the one before. The rest of all of them is in `bytes`. */
interface SharedPrefixes {
  readonly prefixes: Int32Array;
  /** Start of each text's rest in `bytes`, and the end of the last one. */
  readonly offsets: Int32Array;
  readonly bytes: Uint8Array;
}

function sharedPrefixes(bytes: Uint8Array, count: number): SharedPrefixes {
  const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset: 0 };
  const prefixes = new Int32Array(count);
  const lengths = new Int32Array(count);
  deltaBinaryUnpack(reader, count, prefixes);
  deltaBinaryUnpack(reader, count, lengths);
  const offsets = new Int32Array(count + 1);
  for (let i = 0; i < count; i++) offsets[i + 1] = (offsets[i] ?? 0) + (lengths[i] ?? 0);
  return { prefixes, offsets, bytes: bytes.subarray(reader.offset) };
}

/** The last text at or before `first` from which the ones up to it can be decoded. */
function beginningOf({ prefixes }: SharedPrefixes, first: number): number {
  let begin = first;
  for (let missing = prefixes[begin] ?? 0; missing > 0; missing = Math.min(missing, prefixes[begin] ?? 0)) begin--;
  return begin;
}

/** The texts `first` to before `end`, decoded as one text where all characters are ASCII, because that is much faster. */
function textsOf(shared: SharedPrefixes, first: number, end: number): string[] {
  const { prefixes, offsets, bytes } = shared;
  const begin = beginningOf(shared, first);
  const starts = new Int32Array(end - begin + 1);
  for (let i = begin; i < end; i++) {
    const length = (prefixes[i] ?? 0) + (offsets[i + 1] ?? 0) - (offsets[i] ?? 0);
    starts[i - begin + 1] = (starts[i - begin] ?? 0) + length;
  }
  const all = new Uint8Array(starts[end - begin] ?? 0);
  for (let i = begin, before = 0; i < end; i++) {
    const [at, prefix] = [starts[i - begin] ?? 0, prefixes[i] ?? 0];
    all.copyWithin(at, before, before + prefix);
    all.set(bytes.subarray(offsets[i], offsets[i + 1]), at + prefix);
    before = at;
  }
  const joined = decoder.decode(all);
  const isAscii = joined.length === all.length;
  return Array.from({ length: end - first }, (_, row) => {
    const [from, to] = [starts[first - begin + row], starts[first - begin + row + 1]];
    return isAscii ? joined.slice(from, to) : decoder.decode(all.subarray(from, to));
  });
}

/** Decodes a column's values, counted without nulls. */
type DecodeValues = (first: number, end: number) => Float64Array | string[];

async function decoderOf({ codec, encoding, bytes, unpackedBytes, values }: StoredPage): Promise<DecodeValues> {
  if (codec !== "GZIP") throw new Error(`the rollup is compressed by ${codec}`);
  const unpacked = await gunzip(bytes, unpackedBytes);
  if (encoding === KEY_ENCODING) return (first, end) => integersOf(unpacked, first, end);
  if (encoding === COUNT_ENCODING) return (first, end) => splitNumbersOf(unpacked, first, end);
  if (encoding !== TEXT_ENCODING) throw new Error(`the rollup has values in the encoding ${encoding}`);
  const shared = sharedPrefixes(unpacked, values);
  return (first, end) => textsOf(shared, first, end);
}

/** Number of rows before `row` that have a value. */
function valuesBefore({ present }: StoredPage, row: number): number {
  if (!present) return row;
  let values = 0;
  for (let i = 0; i < row; i++) values += present[i] ?? 0;
  return values;
}

export class RollupRowGroup {
  readonly rows: number;
  readonly #columns: ParquetColumns;
  /** Decoders of the columns that were read before. */
  readonly #decoders = new Map<string, Promise<DecodeValues>>();

  constructor(columns: ParquetColumns) {
    this.rows = columns.rows;
    this.#columns = columns;
  }

  /** The values of rows that are of one measure; null if the measure lacks the column. */
  async read(column: string, first: number, end: number): Promise<Float64Array | string[] | null> {
    const page = this.#columns.firstPage(column);
    if (!page || page.present?.[first] === 0) return null;
    const from = valuesBefore(page, first);
    return (await this.#decoderOf(column, page))(from, from + end - first);
  }

  /** Forgets what is decompressed. */
  release(): void {
    this.#decoders.clear();
  }

  #decoderOf(column: string, page: StoredPage): Promise<DecodeValues> {
    let found = this.#decoders.get(column);
    if (!found) {
      found = decoderOf(page);
      found.catch(() => this.#decoders.delete(column));
      this.#decoders.set(column, found);
    }
    return found;
  }
}
