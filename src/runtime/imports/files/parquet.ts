/** Rows of Parquet files that other products wrote, nested ones included, in bounded memory. */
import { type AsyncBuffer, type FileMetaData, parquetMetadataAsync, parquetReadObjects, parquetSchema, snappyUncompress } from "hyparquet";
import { IMPORT_PARQUET_BYTES_MAX, IMPORT_PARQUET_FOOTER_BYTES_MAX, IMPORT_PARQUET_SLICE_BYTES } from "../../base/config/limits.ts";
import { type Opening, type RandomAccess, type SourceFile, UnreadableFile } from "./file.ts";

const MAGIC = "PAR1";

const isParquet = (head: Uint8Array): boolean => String.fromCharCode(...head.subarray(0, MAGIC.length)) === MAGIC;

/** The columns of a Parquet file, by which its format is recognized. null for another file, and for one that cannot be read. */
export async function parquetColumnsOf({ file, head }: Opening): Promise<readonly string[] | null> {
  if (!isParquet(head)) return null;
  try {
    return (await openParquet(file)).columns;
  } catch (error) {
    if (error instanceof UnreadableFile) return null;
    throw error;
  }
}

export type ParquetRow = Readonly<Record<string, unknown>>;

export interface ParquetFile {
  /** Names of the top level only. */
  readonly columns: readonly string[];
  /** Rows with these columns, in batches. Integers of 64 bits are BigInt. */
  read(columns: readonly string[]): AsyncGenerator<readonly ParquetRow[]>;
}

/** Reads the footer, which is at the end: a file in an archive is held in memory. */
export async function openParquet(file: SourceFile): Promise<ParquetFile> {
  const buffer = await bufferOf(file);
  const metadata = await readable(file, () => metadataOf(buffer));
  const columns = parquetSchema(metadata).children.map(({ element }) => element.name);
  return { columns, read: (asked) => rowsOf(file, buffer, metadata, columns, asked) };
}

async function bufferOf({ path, randomAccess, open }: SourceFile): Promise<AsyncBuffer> {
  if (randomAccess !== null) {
    const { size } = randomAccess;
    // Copied: the buffer of a view is the whole that it is part of.
    const slice = async (from: number, to = size) => new Uint8Array(await readAt(randomAccess, from, Math.min(to, size))).buffer;
    return { byteLength: size, slice };
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of open()) {
    size += chunk.length;
    if (size > IMPORT_PARQUET_BYTES_MAX) {
      throw new UnreadableFile(
        `${path} is larger than ${IMPORT_PARQUET_BYTES_MAX / 2 ** 20} MB. Unpack the archive: Parquet is read from its end.`,
      );
    }
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return { byteLength: size, slice: (from, to) => Promise.resolve(bytes.slice(from, to).buffer) };
}

/** Storage has failed, or the import ends: that says nothing of the file. */
class FailedRead extends Error {}

async function readAt(access: RandomAccess, from: number, to: number): Promise<Uint8Array> {
  try {
    return await access.read(from, to);
  } catch (error) {
    throw new FailedRead("the file could not be read", { cause: error });
  }
}

/** Damaged files make the decoder throw whatever comes first. */
async function readable<Value>({ path }: SourceFile, read: () => Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof FailedRead) throw error.cause;
    if (error instanceof UnreadableFile) throw error;
    throw new UnreadableFile(`${path} cannot be read as Parquet: ${error instanceof Error ? error.message : String(error)}.`, {
      cause: error,
    });
  }
}

const FOOTER_END_BYTES = 8;

async function metadataOf(buffer: AsyncBuffer): Promise<FileMetaData> {
  const end = new DataView(await buffer.slice(Math.max(0, buffer.byteLength - FOOTER_END_BYTES)));
  if (end.byteLength < FOOTER_END_BYTES || end.getUint32(0, true) > IMPORT_PARQUET_FOOTER_BYTES_MAX)
    throw new Error("the footer is too long");
  const metadata = await parquetMetadataAsync(buffer);
  return { ...metadata, schema: metadata.schema.map((element) => (element.converted_type === "JSON" ? { ...element, ...TEXT } : element)) };
}

/** JSON stays text: parsed, its long numbers would lose digits. */
const TEXT = { converted_type: "UTF8", logical_type: { type: "STRING" } } as const;

/** A page of a damaged or hostile file may claim any size. */
function boundedSnappy(compressed: Uint8Array, bytes: number): Uint8Array {
  if (bytes > IMPORT_PARQUET_BYTES_MAX) throw new UnreadableFile("A page of the Parquet file is too large.");
  const page = new Uint8Array(bytes);
  snappyUncompress(compressed, page);
  return page;
}

async function* rowsOf(
  file: SourceFile,
  buffer: AsyncBuffer,
  metadata: FileMetaData,
  known: readonly string[],
  asked: readonly string[],
): AsyncGenerator<readonly ParquetRow[]> {
  const columns = asked.filter((name) => known.includes(name));
  let start = 0;
  for (const group of metadata.row_groups) {
    const rows = Number(group.num_rows);
    const chunks = group.columns.map(({ meta_data }) => meta_data).filter((meta) => columns.includes(meta?.path_in_schema[0] ?? ""));
    const codec = chunks.find((meta) => meta !== undefined && meta.codec !== "SNAPPY" && meta.codec !== "UNCOMPRESSED")?.codec;
    if (codec !== undefined) throw new UnreadableFile(`${file.path} is compressed with ${codec}. Export it with Snappy, or as JSON lines.`);
    const bytes = chunks.reduce((sum, meta) => sum + Number(meta?.total_uncompressed_size ?? 0), 0);
    if (bytes > IMPORT_PARQUET_BYTES_MAX) {
      throw new UnreadableFile(`${file.path} has too large row groups (${Math.round(bytes / 2 ** 20)} MB). Export it as JSON lines.`);
    }
    // Objects take many times the bytes of columns.
    const slices = Math.max(1, Math.ceil(bytes / IMPORT_PARQUET_SLICE_BYTES));
    for (let slice = 0; slice < slices; slice++) {
      const [rowStart, rowEnd] = [slice, slice + 1].map((at) => start + Math.floor((rows * at) / slices)) as [number, number];
      const options = { file: buffer, metadata, columns, rowStart, rowEnd, compressors: { SNAPPY: boundedSnappy } };
      yield await readable(file, () => parquetReadObjects(options));
    }
    start += rows;
  }
}
