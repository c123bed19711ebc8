/** Writes tables of days into a ZIP, a CSV file each. The tables grow together, day by day, in temporary files: no table is in memory. */
import { dirname, join } from "node:path";
import { EngineFullError } from "../../../src/runtime/duckdb/engine.ts";
import type { DataSnapshot, DayEvents } from "../../../src/runtime/exports/data-snapshot.ts";
import type { DayQueries, ExportedSite } from "../../../src/runtime/exports/day-queries.ts";
import { type DayTable, headerOf, linesOf } from "../../../src/runtime/exports/day-table.ts";
import { LOAD_BYTES_MAX } from "../../../src/runtime/base/config/limits.ts";
import { zipped, type ZipEntry } from "../../../src/runtime/exports/zip-stream.ts";
import type { LocalDate } from "../../../src/storage/event.ts";
import { createFolder, removeLeftovers, syncFolder, temporaryPath, writeTemporary } from "../files/durable-files.ts";
import { type FileSystem, type OpenFile, writeAll } from "../files/file-system.ts";
import type { ExportTarget } from "./event-files.ts";

/** Bytes that are read from a temporary file at a time. */
const READ_BYTES = 256 * 1024;

/** A table on disk, until it is in the archive. */
class SpooledTable {
  readonly table: DayTable;
  readonly #file: OpenFile;
  #bytes = 0;

  constructor(table: DayTable, file: OpenFile) {
    this.table = table;
    this.#file = file;
    this.write(headerOf(table));
  }

  write(text: string): void {
    const bytes = new TextEncoder().encode(text);
    writeAll(this.#file, bytes, this.#bytes);
    this.#bytes += bytes.length;
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    for (let position = 0; position < this.#bytes;) {
      const buffer = new Uint8Array(Math.min(READ_BYTES, this.#bytes - position));
      const read = await this.#file.read(buffer, position);
      if (read === 0) throw new Error("a temporary file of the export has been changed");
      yield buffer.subarray(0, read);
      position += read;
    }
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

export interface ArchiveParts {
  /** The path in the export folder, with slashes. */
  readonly name: string;
  readonly site: ExportedSite;
  /** Ascending, at least one. */
  readonly days: readonly LocalDate[];
  readonly tables: readonly DayTable[];
  /** The name of a table's file in the archive. */
  readonly entryOf: (table: DayTable) => string;
  /** Cells are kept from being read as formulas. */
  readonly guarded: boolean;
  readonly queries: DayQueries;
}

/** Returns the bytes of the archive. */
export async function writeArchive(snapshot: DataSnapshot, parts: ArchiveParts, target: ExportTarget): Promise<number> {
  const { folder, files, signal, progress } = target;
  const path = join(folder, parts.name);
  await createFolder(dirname(path), files);
  await removeLeftovers(dirname(path), files);
  const spooled: SpooledTable[] = [];
  try {
    for (const table of parts.tables) spooled.push(new SpooledTable(table, await unnamedFile(dirname(path), files)));
    for (const days of await snapshot.groupsOf(parts.site.siteId, parts.days, LOAD_BYTES_MAX)) {
      for await (const texts of textsOf(snapshot, parts, days)) {
        signal.throwIfAborted();
        for (const [i, text] of texts.entries()) spooled[i]?.write(text);
      }
      for (const _ of days) progress.fileDone(0);
    }
    const entries = spooled.map((each): ZipEntry => ({ name: parts.entryOf(each.table), chunks: () => each.chunks() }));
    const written = await writeTemporary(dirname(path), zipped(entries), files);
    await files.rename(written.path, path);
    await syncFolder(dirname(path), files);
    return written.bytes;
  } finally {
    for (const each of spooled) await each.close();
  }
}

/** What is written to each table for some days. They are halved if they do not fit into the engine together. */
async function* textsOf(snapshot: DataSnapshot, parts: ArchiveParts, days: readonly LocalDate[]): AsyncGenerator<readonly string[]> {
  const found = await snapshot
    .read(parts.site.siteId, days, (events) => textsOfDays(parts, events))
    .catch((error: unknown) => {
      if (error instanceof EngineFullError && days.length > 1) return null;
      throw error;
    });
  if (found) return yield found;
  const half = Math.ceil(days.length / 2);
  yield* textsOf(snapshot, parts, days.slice(0, half));
  yield* textsOf(snapshot, parts, days.slice(half));
}

const textsOfDays = ({ site, tables, queries, guarded }: ArchiveParts, events: readonly DayEvents[]): Promise<readonly string[]> =>
  queries.withDays(site, events, async (reader) => {
    const texts: string[] = [];
    for (const table of tables) texts.push(linesOf(await table.rows(reader), { guarded }));
    return texts;
  });

/** A file that is gone once it is closed, even by a kill. */
async function unnamedFile(folder: string, files: FileSystem): Promise<OpenFile> {
  const path = temporaryPath(folder, files);
  await (await files.open(path, "w")).close();
  const file = await files.open(path, "r+");
  await files.rm(path);
  return file;
}
