/**
 * The manifest of a backup: its source, and the SHA-256 of each of its files. One JSON value per line: first the header, then a line for
 * each file, and last the SHA-256 of all lines before it (docs/backup.md, "What a backup contains"). Checks a backup against it.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { reasonOf } from "../../../src/runtime/base/metrics/log.ts";
import { linesIn, type Digest, digestOf, isSameContent, filesBelow } from "./copied-files.ts";
import { writeAll, type FileSystem } from "../files/file-system.ts";
import type { Fault } from "../../../src/runtime/upkeep/verification.ts";
import type { Progress } from "../command-output.ts";

export const MANIFEST_FILE = "manifest.jsonl";

const FORMAT = 1;

interface BackupHeader {
  readonly format: number;
  readonly version: string;
  /** Start of the backup in ISO 8601. It contains every event accepted before. */
  readonly createdAt: string;
  readonly source: string;
  readonly sites: number;
  readonly events: number;
  readonly files: number;
  readonly bytes: number;
  /** Faults that `verify` found in it: damage of the data folder. */
  readonly faults: number;
}

export interface ManifestEntry extends Digest {
  /** The path in the backup, with slashes. */
  readonly name: string;
}

export interface Manifest {
  readonly header: BackupHeader;
  readonly entries: ReadonlyMap<string, Digest>;
}

const LINES_AT_ONCE = 1000;

export async function writeManifest(
  folder: string,
  header: Omit<BackupHeader, "format" | "files" | "bytes">,
  entries: readonly ManifestEntry[],
  files: FileSystem,
): Promise<void> {
  const hash = createHash("sha256");
  const file = await files.open(join(folder, MANIFEST_FILE), "wx");
  let position = 0;
  const write = (values: readonly object[]): void => {
    const bytes = new TextEncoder().encode(values.map((value) => `${JSON.stringify(value)}\n`).join(""));
    hash.update(bytes);
    writeAll(file, bytes, position);
    position += bytes.length;
  };
  try {
    const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
    write([{ format: FORMAT, ...header, files: entries.length, bytes } satisfies BackupHeader]);
    for (let at = 0; at < entries.length; at += LINES_AT_ONCE) write(entries.slice(at, at + LINES_AT_ONCE));
    write([{ sha256: hash.copy().digest("hex") }]);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Rejects if there is no manifest, if it is damaged, or if a newer version wrote it. */
export async function readManifest(folder: string, files: FileSystem): Promise<Manifest> {
  const path = join(folder, MANIFEST_FILE);
  const hash = createHash("sha256");
  const entries = new Map<string, Digest>();
  let header: BackupHeader | null = null;
  let last: string | null = null;
  try {
    for await (const line of linesIn(path, files)) {
      if (last !== null) {
        hash.update(`${last}\n`);
        if (header === null) header = parseHeader(last);
        else addEntry(entries, last);
      }
      last = line;
    }
    if (header === null || last !== JSON.stringify({ sha256: hash.digest("hex") })) throw new Error("its checksum does not match");
  } catch (error) {
    throw new Error(`${path} cannot be used: ${reasonOf(error)}`, { cause: error });
  }
  return { header, entries };
}

/** The header alone, without the checksum of the manifest. Rejects like `readManifest`. */
export async function readHeader(folder: string, files: FileSystem): Promise<BackupHeader> {
  for await (const line of linesIn(join(folder, MANIFEST_FILE), files)) return parseHeader(line);
  throw new Error(`${join(folder, MANIFEST_FILE)} is empty`);
}

function parseHeader(line: string): BackupHeader {
  const header = (JSON.parse(line) ?? {}) as BackupHeader;
  if (header.format > FORMAT) throw new Error(`it was written by Sandpiper ${header.version}, which is newer than this version`);
  if (header.format !== FORMAT) throw new Error("it does not begin like a manifest");
  return header;
}

function addEntry(entries: Map<string, Digest>, line: string): void {
  const { name, bytes, sha256 } = JSON.parse(line) as ManifestEntry;
  if (typeof name !== "string" || typeof sha256 !== "string") throw new Error("it has a line without a file name");
  entries.set(name, { bytes, sha256 });
}

/** Reads every file. Returns the differences; none if the backup equals its manifest. */
export async function checkBackup(folder: string, { entries }: Manifest, files: FileSystem, progress: Progress): Promise<Fault[]> {
  const differences: Fault[] = [];
  const present = new Set<string>();
  progress.begin("checking", entries.size);
  for await (const { name: file, isRegular } of filesBelow(folder, files)) {
    if (file === MANIFEST_FILE) continue;
    present.add(file);
    if (!isRegular) {
      // To read a pipe, for example, would never end.
      differences.push({ file, reason: "it is not a regular file" });
      continue;
    }
    const recorded = entries.get(file);
    if (!recorded) {
      differences.push({ file, reason: "it is not in the manifest" });
      continue;
    }
    const found = await digestOf(join(folder, file), files);
    if (found === null || !isSameContent(found, recorded)) differences.push({ file, reason: "its content has changed" });
    progress.fileDone(recorded.bytes);
  }
  for (const file of entries.keys()) if (!present.has(file)) differences.push({ file, reason: "it is missing" });
  return differences;
}
