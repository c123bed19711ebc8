/** How a process makes a folder its own before it works there: made if need be, locked, and rid of what another one left half written. */
import { join } from "node:path";
import { reasonOf } from "../../src/runtime/metrics/log.ts";
import { isLeftOver, syncFolder } from "./durable-file.ts";
import { makeFolder } from "./durable-folders.ts";
import { nodeFileSystem, type FileSystem, type FolderEntry } from "./file-system.ts";
import { makeFolderPrivate } from "./private-modes.ts";
import { FolderLockedError, lockFolder, type FolderLock } from "./folder-lock.ts";

/** Files directly in a folder that a write of another process has left. None of them was ever anything whole. */
async function removeLeftOvers(folder: string, files: FileSystem): Promise<FolderEntry[]> {
  const entries = await files.readdir(folder);
  for (const entry of entries) if (entry.isFile() && isLeftOver(entry.name, files)) await files.rm(join(folder, entry.name));
  return entries;
}

/**
 * Removes what an earlier process has left half written, and makes durable what it has made, replaced and removed: it may have died
 * before it could. Records and journal segments lie at most one folder deep; deeper files are the object store's.
 */
export async function tidyFolder(folder: string, files: FileSystem = nodeFileSystem): Promise<void> {
  for (const entry of await removeLeftOvers(folder, files)) {
    if (!entry.isDirectory()) continue;
    await removeLeftOvers(join(folder, entry.name), files);
    await syncFolder(join(folder, entry.name), files);
  }
  await syncFolder(folder, files);
}

/**
 * The folder, for this process alone until the lock is released. Rejects with a sentence that names it when it cannot be made,
 * cannot be written, or is another process's; `onLost` as the lock has it. `warn` hears when other users can open the folder and that
 * is not ours to change.
 */
export async function openDataDir(folder: string, onLost: () => void, warn: (message: string) => void = () => {}): Promise<FolderLock> {
  const saying = (what: string) => (error: unknown) => {
    if (error instanceof FolderLockedError) throw error;
    throw new Error(`the data folder ${folder} (data_dir) cannot be ${what}: ${reasonOf(error)}`, { cause: error });
  };
  await makeFolder(folder).catch(saying("made"));
  const lock = await lockFolder(folder, onLost).catch(saying("written"));
  try {
    const reason = await makeFolderPrivate(folder);
    if (reason !== null)
      warn(
        `other users can open the data folder ${folder}, and it is left so because ${reason}; what Sandpiper keeps in it is its own user's only`,
      );
    await tidyFolder(folder);
  } catch (error) {
    await lock.release();
    return saying("read")(error);
  }
  return lock;
}
