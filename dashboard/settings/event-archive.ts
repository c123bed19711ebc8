/** Events as a ZIP with a file for each day: a request for each, so that no limit of rows cuts the range. Only what is compressed is kept. */
import { Zip, ZipDeflate } from "fflate";
import { EXPORT_ROWS_MAX, ZIP_BYTES_MAX } from "../../src/shared/limits.ts";
import { ServiceError } from "../api/http.ts";
import { formatRange } from "../format/locale.ts";
import { fill, words } from "../words/words.ts";

const tooMany = (message: string): ServiceError => new ServiceError("invalid", message);

const LINE_FEED = 10;

async function* chunksOf(file: Blob): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
}

async function linesIn(file: Blob): Promise<number> {
  let lines = 0;
  for await (const chunk of chunksOf(file)) for (const byte of chunk) if (byte === LINE_FEED) lines++;
  return lines;
}

interface ArchivedDays {
  readonly days: readonly string[];
  readonly format: "csv" | "json";
  readonly fetchDay: (day: string) => Promise<Blob>;
  /** Called before each day with the number of those that are done. */
  readonly onProgress: (done: number) => void;
}

/** Days without events have no file. @throws ServiceError for what does not fit */
export async function eventArchive({ days, format, fetchDay, onProgress }: ArchivedDays): Promise<Blob> {
  let written: Uint8Array<ArrayBuffer>[] = [];
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    written.push(chunk as Uint8Array<ArrayBuffer>);
  });
  const parts: Blob[] = [];
  for (const [done, day] of days.entries()) {
    onProgress(done);
    const file = await fetchDay(day);
    const lines = await linesIn(file);
    // The lines of JSON stand between rows; CSV has a header.
    if (format === "csv" ? lines <= 1 : file.size <= "[]".length) continue;
    if (lines >= EXPORT_ROWS_MAX)
      throw tooMany(fill(words.exportDialog.dayTooLarge, { date: formatRange(day, day), count: EXPORT_ROWS_MAX }));
    const entry = new ZipDeflate(`${day}.${format}`);
    zip.add(entry);
    for await (const chunk of chunksOf(file)) entry.push(chunk);
    entry.push(new Uint8Array(), true);
    parts.push(new Blob(written));
    written = [];
    if (parts.reduce((sum, { size }) => sum + size, 0) > ZIP_BYTES_MAX) throw tooMany(words.exportDialog.archiveTooLarge);
  }
  zip.end();
  return new Blob([...parts, ...written], { type: "application/zip" });
}
