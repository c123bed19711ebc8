/** The file of a rollup (docs/data-format.md, "Rollups"): Parquet that is compressed well rather than fast, and read one measure at a time. */
import { checkSeal, seal, SEAL_ENTRY } from "./checksum.ts";
import { compareCodePoints } from "./code-point-order.ts";
import { type Columns, rowCountOf } from "./columns.ts";
import { gunzip, gzip } from "./gzip.ts";
import { openParquet, type ParquetColumns, parquetHeader, type SchemaElement, type StoredPage } from "./parquet-columns.ts";
import { isGrouping, type Rollup, ROLLUP_COLUMNS, type RollupColumn, type RollupHeader } from "./rollup.ts";
import { ByteWriter, type ColumnSource, ParquetWriter as FileWriter } from "hyparquet-writer";
import { writePageHeader } from "hyparquet-writer/src/datapage.js";
import { deltaBinaryUnpack } from "hyparquet/src/delta.js";

/** The encodings of all columns that are read. */
const KEY_ENCODING = "PLAIN";
const COUNT_ENCODING = "BYTE_STREAM_SPLIT";
const TEXT_ENCODING = "DELTA_BYTE_ARRAY";

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

/** Decodes the columns of one row group of a rollup: on demand, and only the rows of one measure. */
class RollupRowGroup {
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

/** Counts the incompatible changes of the file. */
const FORMAT = 1;

/** The footer entry that has the header and the format, as JSON. */
const HEADER_ENTRY = "sandpiper.rollup";

/** Rows of a row group, and UTF-16 units of its texts: what a reader decompresses at a time. */
const ROW_GROUP_ROWS_MAX = 32_768;
const ROW_GROUP_CHARS_MAX = 4 * 1024 * 1024;

const STRING: Omit<SchemaElement, "name"> = { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } };

/**
 * The Parquet type of each kind. Counts are floating-point numbers, exact up to 2^53, because few readers know an encoding of integers that
 * compresses as well: integers would take a tenth more space.
 */
const STORED_AS = {
  key: { type: { type: "INT64" }, encoding: KEY_ENCODING, toStored: (value: number | bigint | string) => BigInt(value) },
  count: { type: { type: "DOUBLE" }, encoding: COUNT_ENCODING, toStored: Number },
  text: { type: STRING, encoding: TEXT_ENCODING, toStored: String },
  amount: { type: STRING, encoding: TEXT_ENCODING, toStored: String },
} as const;

const SCHEMA: SchemaElement[] = [
  { name: "rollup", num_children: 1 + ROLLUP_COLUMNS.length },
  { name: "measure", repetition_type: "REQUIRED", ...STRING },
  ...ROLLUP_COLUMNS.map((column): SchemaElement => ({
    name: column.name,
    repetition_type: "OPTIONAL",
    ...STORED_AS[column.kind].type,
  })),
];

/** Consecutive rows of a measure, as indexes of its columns. */
interface Run {
  readonly measure: string;
  readonly columns: Columns;
  readonly rows: readonly number[];
}

const SURROGATE = /[\ud800-\udfff]/;

/** JavaScript's own order, which is that of code points unless a text has surrogates. */
const compareUnits = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** All rows of a measure: similar texts stand together, because they compress well. */
function sortedRun(measure: string, columns: Columns): Run {
  const grouping = ROLLUP_COLUMNS.filter((column) => isGrouping(column) && columns[column.name]);
  const orders = [...grouping.filter(({ kind }) => kind === "text"), ...grouping.filter(({ kind }) => kind === "key")].map(({ name }) => {
    const values = columns[name] ?? [];
    if (!Array.isArray(values)) return (a: number, b: number) => Number(values[a]) - Number(values[b]);
    const texts = values as readonly string[];
    const compare = texts.some((text) => SURROGATE.test(text)) ? compareCodePoints : compareUnits;
    return (a: number, b: number) => compare(texts[a] ?? "", texts[b] ?? "");
  });
  const rows = Array.from({ length: rowCountOf(columns) }, (_, row) => row);
  rows.sort((a, b) => {
    for (const order of orders) {
      const difference = order(a, b);
      if (difference !== 0) return difference;
    }
    return 0;
  });
  return { measure, columns, rows };
}

const textsIn = (columns: Columns): readonly (readonly string[])[] =>
  Object.values(columns).filter((values): values is readonly string[] => Array.isArray(values));

/** The rows of all measures in row groups. */
function rowGroupsOf(runs: readonly Run[]): Run[][] {
  const rowGroups: Run[][] = [];
  let [rowsLeft, charsLeft] = [0, 0];
  for (const { measure, columns, rows } of runs) {
    let begin = 0;
    const texts = textsIn(columns);
    rows.forEach((row, i) => {
      if (rowsLeft === 0 || charsLeft <= 0) {
        if (i > begin) rowGroups.at(-1)?.push({ measure, columns, rows: rows.slice(begin, i) });
        rowGroups.push([]);
        [rowsLeft, charsLeft, begin] = [ROW_GROUP_ROWS_MAX, ROW_GROUP_CHARS_MAX, i];
      }
      rowsLeft--;
      for (const column of texts) charsLeft -= column[row]?.length ?? 0;
    });
    if (begin < rows.length) rowGroups.at(-1)?.push({ measure, columns, rows: rows.slice(begin) });
  }
  return rowGroups;
}

const encoder = new TextEncoder();

/** UTF-8, encoded as one text where all characters are ASCII, because that is much faster. */
function bytesOf(texts: readonly string[]): Uint8Array[] {
  const joined = texts.join("");
  const bytes = encoder.encode(joined);
  if (bytes.length !== joined.length) return texts.map((text) => encoder.encode(text));
  let end = 0;
  return texts.map(({ length }) => bytes.subarray(end, (end += length)));
}

type Value = bigint | number | Uint8Array | null;

function storedValues({ kind }: RollupColumn, values: Columns[string], rows: readonly number[]): readonly Value[] {
  const { toStored } = STORED_AS[kind];
  const stored = rows.map((row) => toStored(values[row] ?? 0));
  return STORED_AS[kind].type === STRING ? bytesOf(stored as string[]) : (stored as (bigint | number)[]);
}

/** A column of all rows of a row group; null where a measure lacks it. */
function valuesOf(column: RollupColumn, rowGroup: readonly Run[]): Value[] {
  const result: Value[] = [];
  for (const { columns, rows } of rowGroup) {
    const values = columns[column.name];
    if (values) for (const value of storedValues(column, values, rows)) result.push(value);
    else for (let row = 0; row < rows.length; row++) result.push(null);
  }
  return result;
}

const columnsOf = (rowGroup: readonly Run[]): ColumnSource[] => [
  // With statistics, readers skip row groups without the measure that they look for.
  { name: "measure", data: rowGroup.flatMap(({ measure, rows }) => rows.map(() => measure)), encoding: "RLE_DICTIONARY", statistics: true },
  ...ROLLUP_COLUMNS.map((column): ColumnSource => ({
    name: column.name,
    data: valuesOf(column, rowGroup),
    encoding: STORED_AS[column.kind].encoding,
    statistics: false,
  })),
];

function headerOf(rollup: Rollup, runs: readonly Run[]): RollupHeader {
  return { ...rollup, measures: Object.fromEntries(runs.map(({ measure, rows }) => [measure, rows.length])) };
}

const fileWriter = (writer: ByteWriter, header: RollupHeader): FileWriter =>
  new FileWriter({
    writer,
    schema: SCHEMA,
    codec: "GZIP",
    compressors: { GZIP: (page) => page },
    createdBy: "sandpiper",
    kvMetadata: [{ key: HEADER_ENTRY, value: JSON.stringify({ format: FORMAT, ...header }) }, SEAL_ENTRY],
  });

/** Compresses to gzip. */
export type Compress = (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>;

type ColumnChunk = FileWriter["row_groups"][number]["columns"][number];

/** Copies the pages of a column, and compresses their values. Returns where they are then. */
async function compressColumn(chunk: ColumnChunk, draft: Uint8Array, out: ByteWriter, compress: Compress): Promise<ColumnChunk> {
  const { meta_data: data } = chunk;
  if (!data) throw new Error("a column of the draft has no metadata");
  const begin = Number(data.dictionary_page_offset ?? data.data_page_offset);
  const reader = { view: new DataView(draft.buffer, draft.byteOffset + begin, Number(data.total_compressed_size)), offset: 0 };
  const firstOffset = out.offset;
  let dataOffset = firstOffset;
  let uncompressedSize = 0;
  while (reader.offset < reader.view.byteLength) {
    const header = parquetHeader(reader);
    const { data_page_header_v2: ofData, compressed_page_size: size } = header;
    const from = begin + reader.offset;
    const values = from + (ofData?.definition_levels_byte_length ?? 0) + (ofData?.repetition_levels_byte_length ?? 0);
    reader.offset += size;
    const packed = await compress(draft.subarray(values, from + size));
    const pageOffset = out.offset;
    if (ofData) dataOffset = pageOffset;
    writePageHeader(out, { ...header, compressed_page_size: values - from + packed.length });
    uncompressedSize += out.offset - pageOffset + header.uncompressed_page_size;
    out.appendBytes(draft.subarray(from, values));
    out.appendBytes(packed);
  }
  return {
    ...chunk,
    file_offset: BigInt(firstOffset),
    meta_data: {
      ...data,
      data_page_offset: BigInt(dataOffset),
      ...(data.dictionary_page_offset !== undefined && { dictionary_page_offset: BigInt(firstOffset) }),
      total_compressed_size: BigInt(out.offset - firstOffset),
      total_uncompressed_size: BigInt(uncompressedSize),
    },
  };
}

/** Equal measures yield equal bytes, in whatever order their rows are. A column of a row group is one page. */
export async function encodeRollup(rollup: Rollup, compress: Compress = gzip): Promise<Uint8Array> {
  const runs = [...rollup.measures].sort(([a], [b]) => compareCodePoints(a, b)).map(([name, columns]) => sortedRun(name, columns));
  const header = headerOf(rollup, runs);
  const bytes = new ByteWriter();
  const file = fileWriter(bytes, header);
  // First a draft without compression: the library compresses pages synchronously, the platform only asynchronously.
  for (const rowGroup of rowGroupsOf(runs)) {
    const draftBytes = new ByteWriter();
    const draft = fileWriter(draftBytes, header);
    void draft.write({ columnData: columnsOf(rowGroup), rowGroupSize: ROW_GROUP_ROWS_MAX, pageSize: 0 });
    const drafted = draftBytes.getBytes();
    for (const group of draft.row_groups) {
      const beganAt = bytes.offset;
      const columns: ColumnChunk[] = [];
      for (const chunk of group.columns) columns.push(await compressColumn(chunk, drafted, bytes, compress));
      const sizes = columns.map(({ meta_data: data }) => data?.total_uncompressed_size ?? 0n);
      const total_byte_size = sizes.reduce((sum, size) => sum + size, 0n);
      file.row_groups.push({ ...group, columns, total_byte_size, total_compressed_size: BigInt(bytes.offset - beganAt) });
    }
    file.num_rows += draft.num_rows;
  }
  void file.finish();
  const written = new Uint8Array(bytes.getBuffer());
  seal(written);
  return written;
}

export interface OpenedRollup {
  readonly header: RollupHeader;
  /** Size of the file. */
  readonly bytes: number;
  /** Decompressed data after all measures have been read. It is kept until `release`. */
  readonly unpackedBytes: number;
  /** The rows of a measure, with integers as `Float64Array`, and without columns if there are no rows. Null if it has no such measure. */
  measure(name: string): Promise<Columns | null>;
  release(): void;
}

/** The file is whole, but another version of the program wrote it. */
export class RollupFormatError extends Error {}

function parseHeader(entry: string | undefined): RollupHeader {
  if (entry === undefined) throw new Error("the file is no rollup");
  const { format, ...header } = JSON.parse(entry) as RollupHeader & { format: number };
  if (format !== FORMAT) throw new RollupFormatError(`the rollup has the format ${format}; this version reads format ${FORMAT}`);
  return header;
}

type DecodedColumn = Float64Array | readonly string[];

function joinedColumns(pieces: readonly DecodedColumn[]): DecodedColumn {
  const [first] = pieces;
  if (first && pieces.length === 1) return first;
  return first instanceof Float64Array
    ? Float64Array.from(pieces.flatMap((piece) => Array.from(piece, Number)))
    : pieces.flatMap((piece) => Array.from(piece, String));
}

/** Rows of the file from `first` to before `end`, all of one measure. */
async function readRows(rowGroups: readonly RollupRowGroup[], first: number, end: number): Promise<Columns> {
  const pieces = new Map<string, DecodedColumn[]>();
  let groupFirst = 0;
  for (const rowGroup of rowGroups) {
    const [from, to] = [Math.max(first - groupFirst, 0), Math.min(end - groupFirst, rowGroup.rows)];
    groupFirst += rowGroup.rows;
    if (from >= to) continue;
    const columns = await Promise.all(ROLLUP_COLUMNS.map(async ({ name }) => [name, await rowGroup.read(name, from, to)] as const));
    for (const [name, values] of columns) if (values) pieces.set(name, [...(pieces.get(name) ?? []), values]);
  }
  return Object.fromEntries(Array.from(pieces, ([name, values]) => [name, joinedColumns(values)]));
}

/** Throws unless the bytes are a rollup, whole and unchanged; `RollupFormatError` if it is one of another format. */
export function openRollup(bytes: Uint8Array): OpenedRollup {
  checkSeal(bytes);
  const { rows, parts, entries } = openParquet(bytes);
  const header = parseHeader(entries.get(HEADER_ENTRY));
  const rowGroups = parts.map((part) => new RollupRowGroup(part));
  const firsts = new Map<string, number>();
  let measured = 0;
  for (const [name, measureRows] of Object.entries(header.measures)) {
    firsts.set(name, measured);
    measured += measureRows;
  }
  if (measured !== rows) throw new Error(`the rollup has ${rows} rows in place of ${measured}`);
  return {
    header,
    bytes: bytes.length,
    unpackedBytes: parts.reduce((sum, { unpackedBytes }) => sum + unpackedBytes, 0),
    async measure(name) {
      const first = firsts.get(name);
      return first === undefined ? null : readRows(rowGroups, first, first + (header.measures[name] ?? 0));
    },
    release() {
      for (const rowGroup of rowGroups) rowGroup.release();
    },
  };
}
