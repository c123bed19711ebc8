/** Writes the events of each day as a file of its own. Days that are there and have not changed are left. */
import { basename, dirname, join } from "node:path";
import type { DataSnapshot, DayEvents } from "../../../src/runtime/exports/data-snapshot.ts";
import { type DamagedFile, eventRows, exportedColumns, parquetOf } from "../../../src/runtime/exports/event-rows.ts";
import { csvFormat, type ExportFormat, jsonLinesFormat } from "../../../src/runtime/reports/exports/formats.ts";
import type { LocalDate, SiteId } from "../../../src/storage/event.ts";
import { partitionKey, segmentsOfKey, siteFolderIn } from "../../../src/storage/partitions.ts";
import type { Progress } from "../command-output.ts";
import { createFolder, removeLeftovers, syncFolder, writeTemporary } from "../files/durable-files.ts";
import { type FileSystem, isMissing, orIf } from "../files/file-system.ts";
import type { ExportManifest } from "./export-manifest.ts";

export const EVENT_FORMATS = ["parquet", "jsonl", "csv"] as const;
export type EventFormat = (typeof EVENT_FORMATS)[number];

const ROW_FORMATS: Readonly<Record<Exclude<EventFormat, "parquet">, ExportFormat>> = { jsonl: jsonLinesFormat, csv: csvFormat };

export interface ExportTarget {
  readonly folder: string;
  readonly files: FileSystem;
  readonly manifest: ExportManifest;
  readonly progress: Progress;
  /** Aborted if another process has taken the folder. */
  readonly signal: AbortSignal;
  readonly onDamage: (file: DamagedFile) => void;
}

/** Parquet files are named as in the data folder, so that `events` can be those of another instance. */
const nameOf = (format: EventFormat, { siteId, day, first, last }: DayEvents): string =>
  format === "parquet" ? partitionKey(siteId, day, first, last) : `${siteFolderIn(format, siteId)}/${day}.${format}`;

/** Counts rows while they are written. */
async function* counted(chunks: AsyncGenerator<Uint8Array, number>, onRows: (rows: number) => void): AsyncGenerator<Uint8Array> {
  onRows(yield* chunks);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

interface AskedFiles {
  readonly format: EventFormat;
  /** False to leave visitor ids out, which Parquet files have always. */
  readonly hasVisitors: boolean;
}

export interface WrittenDays {
  readonly written: number;
  readonly unchanged: number;
  /** Rows of all days, also of unchanged ones. */
  readonly rows: number;
}

export async function writeEventFiles(
  snapshot: DataSnapshot,
  { siteId, days, ...asked }: AskedFiles & { readonly siteId: SiteId; readonly days: readonly LocalDate[] },
  target: ExportTarget,
): Promise<WrittenDays> {
  const counts = { written: 0, unchanged: 0, rows: 0 };
  for (const day of days) {
    target.signal.throwIfAborted();
    const { isNew, rows } = await snapshot.read(siteId, [day], ([events]) => writeDay(events, asked, target));
    counts[isNew ? "written" : "unchanged"]++;
    counts.rows += rows;
  }
  return counts;
}

/** Removes the day's files of earlier names: a reader of all files must not find the events of a day in two of them. */
async function removeOthers(path: string, files: FileSystem): Promise<void> {
  for (const entry of await files.readdir(dirname(path)))
    if (entry.isFile() && entry.name !== basename(path) && segmentsOfKey(entry.name)) await files.rm(join(dirname(path), entry.name));
}

async function writeDay(
  events: DayEvents,
  { format, hasVisitors }: AskedFiles,
  target: ExportTarget,
): Promise<{ readonly isNew: boolean; readonly rows: number }> {
  const { folder, files, manifest, progress, onDamage } = target;
  const [site, date, file] = [events.siteId, events.day, nameOf(format, events)];
  const columns = exportedColumns(hasVisitors);
  const version = `${columns.length + 1} columns of ${events.version}`;
  const known = manifest.dayOf({ format, site, date });
  const path = join(folder, file);
  if (known?.version === version && known.file === file) {
    const status = await orIf(isMissing, null, files.stat(path));
    if (status?.size === known.bytes) return { isNew: false, rows: known.rows };
  }
  await createFolder(dirname(path), files);
  await removeLeftovers(dirname(path), files);
  let isDamaged = false;
  const note = (damaged: DamagedFile): void => {
    isDamaged = true;
    onDamage(damaged);
  };
  let rows = 0;
  let chunks: AsyncIterable<Uint8Array>;
  if (format === "parquet") {
    const made = await parquetOf(events, note);
    rows = made.rows;
    chunks = once(made.bytes);
  } else {
    chunks = counted(eventRows(events, { format: ROW_FORMATS[format], columns }, note), (count) => (rows = count));
  }
  const { path: unfinished, bytes, sha256 } = await writeTemporary(dirname(path), chunks, files);
  if (format === "parquet") await removeOthers(path, files);
  await files.rename(unfinished, path);
  await syncFolder(dirname(path), files);
  // A day with a damaged file is written again by the next run: the file may have been restored.
  await manifest.add({ format, site, date, file, rows, bytes, sha256, version: isDamaged ? `${version}, incomplete` : version });
  progress.fileDone(bytes);
  return { isNew: true, rows };
}
