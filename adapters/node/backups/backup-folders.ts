/**
 * The folders of a backup target. A complete backup is named by the UTC time at which it began, `2026-11-22T13-35-11Z`, so names sort in
 * the order of the backups. While a backup is made or removed its folder has another name, so that it never counts as a backup.
 */
import { join } from "node:path";
import { syncFolder } from "../files/durable-files.ts";
import { codeOf, type FileSystem } from "../files/file-system.ts";
import { removeTree } from "./copied-files.ts";
import { readHeader, readManifest, type Manifest } from "./manifest.ts";

const NAME = /^(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\dZ)$/;

const UNFINISHED = /^\.\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.unfinished$/;

const SECOND_MS = 1000;

/** ISO 8601 without colons, which Windows does not allow. */
const nameAt = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replaceAll(":", "-")}Z`;

const timeOf = (name: string): number => (NAME.test(name) ? Date.parse(name.replace(NAME, "$1$2:$3:$4")) : Number.NaN);

const unfinishedName = (name: string): string => `.${name}.unfinished`;

export async function backupNames(target: string, files: FileSystem): Promise<string[]> {
  const entries = await files.readdir(target);
  return entries
    .filter((entry) => entry.isDirectory() && !Number.isNaN(timeOf(entry.name)))
    .map(({ name }) => name)
    .sort();
}

/** Removes what killed runs have left unfinished. Nobody else may be writing in the target. Returns how many there were. */
export async function removeUnfinished(target: string, files: FileSystem): Promise<number> {
  // A link of such a name is nothing that a run has left, and leads elsewhere.
  const unfinished = (await files.readdir(target)).filter((entry) => entry.isDirectory() && UNFINISHED.test(entry.name));
  for (const { name } of unfinished) await removeTree(join(target, name), files);
  if (unfinished.length > 0) await syncFolder(target, files);
  return unfinished.length;
}

/**
 * Creates a folder for a backup that begins at this time. It is named by a later second if the newest backup has this name or a later
 * one, as after the clock was ahead.
 */
export async function beginBackup(target: string, begun: Date, files: FileSystem) {
  const newest = (await backupNames(target, files)).at(-1);
  const name = nameAt(newest === undefined ? begun.getTime() : Math.max(begun.getTime(), timeOf(newest) + SECOND_MS));
  const folder = join(target, unfinishedName(name));
  await files.mkdir(folder);
  return {
    name,
    folder,
    /** Gives the folder its name. Everything in it must be durable. Returns its new path, which is durable. */
    async finish(): Promise<string> {
      await files.rename(folder, join(target, name));
      await syncFolder(target, files);
      return join(target, name);
    },
  };
}

/** Removes a complete backup. If it is interrupted, the rest no longer counts as one. */
async function removeBackup(target: string, name: string, files: FileSystem): Promise<void> {
  const unfinished = join(target, unfinishedName(name));
  await files.rename(join(target, name), unfinished);
  await syncFolder(target, files);
  await removeTree(unfinished, files);
  await syncFolder(target, files);
}

/** The errors of file systems that cannot give a file a second name, and of a file that has as many as are possible. */
const NO_HARD_LINK = ["EXDEV", "EPERM", "EMLINK", "ENOSYS", "ENOTSUP", "EOPNOTSUPP", "EACCES"];

/** Gives a file another name. Returns false if that is impossible there. */
export async function tryLink(path: string, to: string, files: FileSystem): Promise<boolean> {
  try {
    await files.link(path, to);
    return true;
  } catch (error) {
    if (NO_HARD_LINK.includes(codeOf(error))) return false;
    throw error;
  }
}

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
