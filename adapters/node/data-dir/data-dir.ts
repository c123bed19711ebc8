/** The data folder: what kind of folder it is, its stores, and how a process opens it for itself alone. */
import { join, dirname } from "node:path";
import type { Config } from "../../../src/runtime/base/config/config.ts";
import { createFileObjectStore, createFileRecordStore, createFileSecretStore } from "../files/file-stores.ts";
import { JOURNAL_FOLDER, openFileSegmentLog, isSegmentFile } from "../files/file-segment-log.ts";
import {
  isNotFound,
  type FileSystem,
  entriesOf,
  isMissing,
  withParents,
  nodeFileSystem,
  type FileStatus,
  type FolderEntry,
  isOpenToOthers,
  makePrivate,
} from "../files/file-system.ts";
import { parsePeriodSecret } from "../../../src/runtime/ingest/visitor-salt.ts";
import { EVENTS_FOLDER, SITE_FOLDER_PREFIX } from "../../../src/storage/partitions.ts";
import { MANIFEST_FILE } from "../backups/manifest.ts";
import { isTemporary, isLeftover, syncFolder, createFolder } from "../files/durable-files.ts";
import { reasonOf, type Log } from "../../../src/runtime/base/metrics/log.ts";
import { FolderLockedError, lockFolder, type FolderLock } from "./folder-lock.ts";
import { COLLECTIONS } from "../../../src/runtime/sites/collection.ts";

export async function openStores(folder: string, fsync: Config["journalFsync"], files: FileSystem) {
  return {
    objects: createFileObjectStore(folder, { files }),
    records: createFileRecordStore(folder, files),
    segmentLog: await openFileSegmentLog(join(folder, JOURNAL_FOLDER), fsync, files),
  };
}

export async function mustBeFolder(folder: string, files: FileSystem): Promise<void> {
  const status = await files.stat(folder).catch((error: unknown) => {
    throw isNotFound(error) ? new Error(`${folder} does not exist`, { cause: error }) : error;
  });
  if (!status.isDirectory()) throw new Error(`${folder} is not a folder`);
}

/** Marks a data folder into which a backup is being restored. While it exists, nothing else in the folder may be used. */
export const RESTORE_MARKER = "restore.unfinished";

export const WITHOUT_DATA = { empty: "is empty", other: "is not a data folder: it has neither events nor a secret" };

type FolderKind = "data folder" | "backup" | "unfinished restore" | "empty" | "other";

/** The lock, and what file systems keep in the root of a volume, do not count as data. */
export const isNoData = (name: string): boolean => /^lock(\.next)*$|^lost\+found$/.test(name);

async function hasSecret(folder: string, files: FileSystem): Promise<boolean> {
  const store = createFileSecretStore(folder, files);
  try {
    const texts = await Promise.all((await store.names()).map((name) => store.secret(name).read()));
    return texts.some((text) => text !== null && parsePeriodSecret(text, folder) !== null);
  } catch {
    return false;
  }
}

export async function kindOf(folder: string, files: FileSystem): Promise<FolderKind> {
  const names = (await entriesOf(folder, files)).map(({ name }) => name).filter((name) => !isNoData(name) && !isTemporary(name));
  if (names.length === 0) return "empty";
  if (names.includes(RESTORE_MARKER)) return "unfinished restore";
  if (names.includes(MANIFEST_FILE)) return "backup";
  const isIn = async (name: string, isOurs: (name: string) => boolean) =>
    names.includes(name) && (await entriesOf(join(folder, name), files, isMissing)).some((entry) => isOurs(entry.name));
  // Every start creates a journal segment before it listens. A folder that was copied from a bucket has events only.
  const isData =
    (await isIn(JOURNAL_FOLDER, isSegmentFile)) ||
    (await isIn(EVENTS_FOLDER, (name) => name.startsWith(SITE_FOLDER_PREFIX))) ||
    (await hasSecret(folder, files));
  return isData ? "data folder" : "other";
}

class UnusableFolderError extends Error {
  override readonly name = "UnusableFolderError";
}

/** Rejects with an `UnusableFolderError` if the program must not serve the folder. */
export async function mustBeUsable(folder: string, files: FileSystem): Promise<void> {
  const kind = await kindOf(folder, files);
  if (kind === "unfinished restore") {
    throw new UnusableFolderError(`a restore into the data folder ${folder} was interrupted. Run it again to complete it`);
  }
  if (kind === "backup") {
    throw new UnusableFolderError(`${folder} (data_dir) is a backup. Set data_dir to another folder, and restore the backup into it`);
  }
}

/** Rejects if the path is inside a backup: what is written there would change the backup. */
export async function mustBeOutsideBackups(path: string, files: FileSystem): Promise<void> {
  const [, ...parents] = await withParents(path, files);
  for (const parent of parents) {
    const isBackup = await files.stat(join(parent, MANIFEST_FILE)).then(
      (status) => !status.isDirectory(),
      () => false,
    );
    if (isBackup) throw new Error(`${path} is inside the backup ${parent}. Name a folder outside of it`);
  }
}

/** Set on folders in which everybody may create files, such as `/tmp`. */
const STICKY_BIT = 0o1000;

/** The program's own entries of the data folder. Everything else in it is foreign. */
const OWN_FOLDERS = ["downloads", "events", "imports", "journal", "keys", "pings", "renames", "secrets", "shares", "sites", ...COLLECTIONS];
const OWN_FILES = ["admin.json", "calendar.json", "clock.json", "secret", "sessions.json"];

/** What is in them is not looked at: it is too much, or about to be removed, with the lock of who has made it. */
const UNREAD_FOLDERS = ["downloads", "events"];

/** The reason to keep the permissions of the data folder itself; null if they may be changed. */
async function reasonToLeave(folder: string, status: FileStatus, files: FileSystem): Promise<string | null> {
  if (status.uid !== process.getuid?.()) return "it belongs to another user";
  if ((status.mode & STICKY_BIT) !== 0) return "everybody may create files in it";
  if (status.dev !== (await files.stat(dirname(folder))).dev) return "it is a mount point";
  return null;
}

/**
 * Makes the data folder private, which keeps other users from everything in it, and then what Sandpiper keeps directly in it and in
 * its small folders. Files of events follow when they are listed. Returns why the folder itself is still open to others, else null.
 */
async function makeFolderPrivate(folder: string, files: FileSystem = nodeFileSystem): Promise<string | null> {
  // The system has no such permissions.
  if (process.getuid === undefined) return null;
  const status = await files.stat(folder);
  const reason = isOpenToOthers(status) ? await reasonToLeave(folder, status, files) : null;
  if (reason === null) await makePrivate(folder, status, files);
  for (const { name } of await files.readdir(folder)) {
    if (OWN_FOLDERS.includes(name)) await makeTreePrivate(join(folder, name), UNREAD_FOLDERS.includes(name) ? 0 : 2, files);
    if (OWN_FILES.includes(name)) await makeTreePrivate(join(folder, name), 0, files);
  }
  return reason;
}

async function makeTreePrivate(path: string, depth: number, files: FileSystem): Promise<void> {
  const status = await statusOfListed(path, files);
  await makePrivate(path, status, files);
  if (depth === 0 || !status.isDirectory()) return;
  for (const { name } of await files.readdir(path)) await makeTreePrivate(join(path, name), depth - 1, files);
}

/** `stat` follows symbolic links, so a name that was just listed is "not found" only if its link dangles. */
const statusOfListed = (path: string, files: FileSystem): Promise<FileStatus> =>
  files.stat(path).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
    throw new Error(`${path} is a symbolic link to a file that does not exist. Restore that file, or remove the link`, { cause: error });
  });

async function removeLeftovers(folder: string, files: FileSystem): Promise<FolderEntry[]> {
  const entries = await files.readdir(folder);
  for (const entry of entries) if (entry.isFile() && isLeftover(entry.name, files)) await files.rm(join(folder, entry.name));
  return entries;
}

/**
 * Removes the unfinished files of an earlier process, and makes durable what it created, replaced and removed: it may have died
 * before it could. Records and journal segments are at most one folder deep; deeper files belong to the object store.
 */
export async function tidyFolder(folder: string, files: FileSystem = nodeFileSystem): Promise<void> {
  for (const entry of await removeLeftovers(folder, files)) {
    if (!entry.isDirectory()) continue;
    await removeLeftovers(join(folder, entry.name), files);
    await syncFolder(join(folder, entry.name), files);
  }
  await syncFolder(folder, files);
}

/** Ends a process that has lost its folder: anything that it still writes is lost or does harm. */
export const exitWhenLost = (dataFolder: string, log: Pick<Log, "error">) => (): never => {
  log.error("another process has taken the data folder while this one was paused; exiting", { dataFolder });
  process.exit(1);
};

/**
 * Locks the folder until the lock is released. Rejects with a message that names the folder if it cannot be created or written, or
 * if another process has it. `onLost` is passed to the lock. `warn` is called if other users can open the folder and Sandpiper must
 * not change that.
 */
export async function openDataDir(folder: string, onLost: () => void, warn: (message: string) => void = () => {}): Promise<FolderLock> {
  const failedTo = (what: string) => (error: unknown) => {
    if (error instanceof FolderLockedError || error instanceof UnusableFolderError) throw error;
    throw new Error(`the data folder ${folder} (data_dir) cannot be ${what}: ${reasonOf(error)}`, { cause: error });
  };
  await createFolder(folder).catch(failedTo("created"));
  const lock = await lockFolder(folder, onLost).catch(failedTo("written"));
  try {
    await mustBeUsable(folder, nodeFileSystem);
    const reason = await makeFolderPrivate(folder);
    if (reason !== null)
      warn(
        `other users can open the data folder ${folder}. Its permissions are not changed because ${reason}. Only Sandpiper's user can open the files in it`,
      );
    await tidyFolder(folder);
  } catch (error) {
    await lock.release();
    return failedTo("read")(error);
  }
  return lock;
}
