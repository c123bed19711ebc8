/** How a process makes a folder its own before it works there: made if need be, locked, and rid of what another one left half written. */
import { dirname, join } from "node:path";
import { reasonOf } from "../../src/runtime/log.ts";
import { isLeftOver } from "./durable-file.ts";
import { codeOf, nodeFileSystem, type FileSystem, type FolderEntry } from "./file-system.ts";
import { FolderLockedError, lockFolder, type FolderLock } from "./folder-lock.ts";

async function isThere(path: string, files: FileSystem): Promise<boolean> {
  try {
    await files.stat(path);
    return true;
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(error))) return false;
    throw error;
  }
}

/** Makes a folder and those above it, one by one: Node's own way asks without end where it cannot be done, as in `/proc`. */
export async function makeFolder(folder: string, mode = 0o777, files: FileSystem = nodeFileSystem): Promise<void> {
  const missing: string[] = [];
  for (let at = folder; !(await isThere(at, files)); at = dirname(at)) missing.push(at);
  for (const path of missing.reverse()) {
    await files.mkdir(path, mode).catch((error: unknown) => {
      if (codeOf(error) !== "EEXIST") throw error;
    });
  }
  if (!(await files.stat(folder)).isDirectory()) throw new Error("it is no folder");
}

/** Files directly in a folder that a write of another process has left. None of them was ever anything whole. */
async function removeLeftOvers(folder: string, files: FileSystem): Promise<FolderEntry[]> {
  const entries = await files.readdir(folder);
  for (const entry of entries) if (entry.isFile() && isLeftOver(entry.name, files)) await files.rm(join(folder, entry.name));
  return entries;
}

/** Removes what an earlier process has left half written. Records lie at most one folder deep; deeper files are the object store's. */
export async function tidyFolder(folder: string, files: FileSystem = nodeFileSystem): Promise<void> {
  for (const entry of await removeLeftOvers(folder, files)) if (entry.isDirectory()) await removeLeftOvers(join(folder, entry.name), files);
}

/**
 * The folder, for this process alone until the lock is released. Rejects with a sentence that names it when it cannot be made,
 * cannot be written, or is another process's; `onLost` as the lock has it.
 */
export async function takeFolder(folder: string, onLost: () => void): Promise<FolderLock> {
  const saying = (what: string) => (error: unknown) => {
    if (error instanceof FolderLockedError) throw error;
    throw new Error(`the data folder ${folder} (data_dir) cannot be ${what}: ${reasonOf(error)}`, { cause: error });
  };
  await makeFolder(folder).catch(saying("made"));
  const lock = await lockFolder(folder, onLost).catch(saying("written"));
  try {
    await tidyFolder(folder);
  } catch (error) {
    await lock.release();
    return saying("read")(error);
  }
  return lock;
}
