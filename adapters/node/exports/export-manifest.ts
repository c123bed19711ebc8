/**
 * The manifest of an export folder: a line for each day that was written, the last of which counts (docs/exporting.md, "The manifest"). A
 * line is added once its file is complete, so a killed run leaves a folder in which every line is true.
 */
import { join } from "node:path";
import { isObject } from "../../../src/runtime/base/body.ts";
import { isNotFound, orIf, writeAll, type FileSystem, type OpenFile } from "../files/file-system.ts";
import { writeDurably } from "../files/durable-files.ts";
import { linesIn } from "../backups/copied-files.ts";

/** Not the name of a backup's manifest, by which backups are recognized. */
export const EXPORT_MANIFEST_FILE = "export.jsonl";

const FORMAT = 1;

export interface ExportedDay {
  readonly format: string;
  readonly site: string;
  readonly date: string;
  /** The path in the export folder, with slashes. */
  readonly file: string;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
  /** What the file was made of: equal for two runs if the day has not changed. */
  readonly version: string;
}

const keyOf = ({ format, site, date }: Pick<ExportedDay, "format" | "site" | "date">): string => JSON.stringify([format, site, date]);

/** null for a line that a kill has left unfinished: its file is written again. */
function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

const isDay = (value: unknown): value is ExportedDay =>
  isObject(value) && ["format", "site", "date", "file", "version", "sha256"].every((name) => typeof value[name] === "string");

export class ExportManifest {
  readonly #file: OpenFile;
  readonly #days: Map<string, ExportedDay>;
  #position: number;

  private constructor(file: OpenFile, days: Map<string, ExportedDay>, position: number) {
    this.#file = file;
    this.#days = days;
    this.#position = position;
  }

  /** Replaces the manifest by one without lines that no longer count. Rejects if a newer version wrote it. */
  static async open(folder: string, files: FileSystem): Promise<ExportManifest> {
    const path = join(folder, EXPORT_MANIFEST_FILE);
    const days = await orIf(isNotFound, new Map<string, ExportedDay>(), readDays(path, files));
    const lines = [{ sandpiper_export: FORMAT }, ...days.values()].map((value) => `${JSON.stringify(value)}\n`);
    const bytes = new TextEncoder().encode(lines.join(""));
    await writeDurably(path, bytes, files);
    return new ExportManifest(await files.open(path, "r+"), days, bytes.length);
  }

  dayOf(day: Pick<ExportedDay, "format" | "site" | "date">): ExportedDay | null {
    return this.#days.get(keyOf(day)) ?? null;
  }

  async add(day: ExportedDay): Promise<void> {
    const bytes = new TextEncoder().encode(`${JSON.stringify(day)}\n`);
    writeAll(this.#file, bytes, this.#position);
    await this.#file.datasync();
    this.#position += bytes.length;
    this.#days.set(keyOf(day), day);
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

async function readDays(path: string, files: FileSystem): Promise<Map<string, ExportedDay>> {
  const days = new Map<string, ExportedDay>();
  for await (const line of linesIn(path, files)) {
    const value = parseLine(line);
    if (isDay(value)) days.set(keyOf(value), value);
    else if (isObject(value) && Number(value["sandpiper_export"]) > FORMAT)
      throw new Error(`${path} was written by a newer version of Sandpiper`);
  }
  return days;
}
