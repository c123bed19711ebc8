/** Opens the data folder for this process alone: creates and locks it, and removes the unfinished files of earlier processes. */
import { join } from "node:path";
import { reasonOf, type Log } from "../../../src/runtime/base/metrics/log.ts";
import { isLeftover, syncFolder } from "../files/durable-file.ts";
import { createFolder } from "../files/durable-folders.ts";
import { makeFolderPrivate } from "../files/file-permissions.ts";
import { nodeFileSystem, type FileSystem, type FolderEntry } from "../files/file-system.ts";
import { mustBeUsable, UnusableFolderError } from "./folder-kind.ts";
import { FolderLockedError, lockFolder, type FolderLock } from "./folder-lock.ts";

/** Removes unfinished files directly in a folder. Returns all of its entries. */
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

/** What a process does that has lost its folder: anything that it still writes is lost or does harm. */
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
