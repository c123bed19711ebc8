/**
 * The folders of a backup target: a complete backup is named by the UTC time at which it began, `2026-11-22T13-35-11Z`. The order of the
 * names is that in which backups were made. One that is being made or removed has another name, so that it never counts as a backup.
 */
import { join } from "node:path";
import { syncFolder } from "../files/durable-file.ts";
import { codeOf, type FileSystem } from "../files/file-system.ts";
import { removeTree } from "./folder-tree.ts";

const NAME = /^(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\dZ)$/;

const UNFINISHED = /^\.\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.unfinished$/;

const SECOND_MS = 1000;

/** ISO 8601 without colons, which Windows does not allow. */
const nameAt = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replaceAll(":", "-")}Z`;

/** The time in a name; NaN if the text is no name. */
const timeOf = (name: string): number => (NAME.test(name) ? Date.parse(name.replace(NAME, "$1$2:$3:$4")) : Number.NaN);

const unfinishedName = (name: string): string => `.${name}.unfinished`;

/** The names of the complete backups in a target, oldest first. */
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

/** A backup that is being made. */
export interface UnfinishedBackup {
  readonly name: string;
  /** Where it is until it is finished. */
  readonly folder: string;
  /** Gives the folder its name. Everything in it has to be durable. Returns its new path, which is durable. */
  finish(): Promise<string>;
}

/**
 * Creates a folder for a backup that begins at this time. It is named by a later second if the newest backup has this name or a later
 * one, as after the clock was ahead.
 */
export async function beginBackup(target: string, begun: Date, files: FileSystem): Promise<UnfinishedBackup> {
  const newest = (await backupNames(target, files)).at(-1);
  const name = nameAt(newest === undefined ? begun.getTime() : Math.max(begun.getTime(), timeOf(newest) + SECOND_MS));
  const folder = join(target, unfinishedName(name));
  await files.mkdir(folder);
  return {
    name,
    folder,
    async finish() {
      await files.rename(folder, join(target, name));
      await syncFolder(target, files);
      return join(target, name);
    },
  };
}

/** Removes a complete backup. If it is interrupted, the rest no longer counts as one. */
export async function removeBackup(target: string, name: string, files: FileSystem): Promise<void> {
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
