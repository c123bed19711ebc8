/** What a run does with the earlier backups of its target: which one it links files to, and which ones it deletes. */
import { join } from "node:path";
import type { FileSystem } from "../files/file-system.ts";
import { backupNames, removeBackup } from "./backup-folders.ts";
import { readHeader, readManifest, type Manifest } from "./manifest.ts";

/** A backup in which `verify` found no fault, with the manifest that is checked by its checksum. */
export interface SoundBackup {
  readonly folder: string;
  readonly entries: Manifest["entries"];
}

/** The newest backup without faults whose manifest can be read; null if there is none. */
export async function newestSoundBackup(target: string, files: FileSystem): Promise<SoundBackup | null> {
  for (const name of (await backupNames(target, files)).reverse()) {
    const folder = join(target, name);
    const manifest = await readManifest(folder, files).catch(() => null);
    if (manifest?.header.faults === 0) return { folder, entries: manifest.entries };
  }
  return null;
}

/**
 * Deletes the backups of a data folder that are older than the newest `keep` ones without faults, oldest first. Those of other data
 * folders, and those whose manifest cannot be read, are left alone. Returns how many were deleted.
 */
export async function removeExpired(target: string, source: string, keep: number, files: FileSystem): Promise<number> {
  const ofSource: { readonly name: string; readonly isSound: boolean }[] = [];
  for (const name of await backupNames(target, files)) {
    const header = await readHeader(join(target, name), files).catch(() => null);
    if (header?.source === source) ofSource.push({ name, isSound: header.faults === 0 });
  }
  const oldestKept = ofSource.filter(({ isSound }) => isSound).at(-keep)?.name ?? "";
  const expired = ofSource.filter(({ name }) => name < oldestKept);
  for (const { name } of expired) await removeBackup(target, name, files);
  return expired.length;
}
