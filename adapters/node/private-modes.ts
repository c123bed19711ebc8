/** Who may read the data: the user that Sandpiper runs as, and nobody else, also where an older version or a person let others. */
import { dirname, join } from "node:path";
import { FILE_MODE, FOLDER_MODE, nodeFileSystem, type FileSystem, type FileStatus } from "./file-system.ts";

const OTHERS_BITS = 0o077;

/** On folders in which everybody may make files, such as `/tmp`. */
const STICKY_BIT = 0o1000;

/** What the data folder holds. Whatever else lies there is somebody's own. */
const OWN_FOLDERS = ["events", "journal", "keys"];
const OWN_FILES = ["admin.json", "clock.json", "secret"];

/** Whether others may do anything with it as it is. */
const isOpenToOthers = ({ mode }: FileStatus): boolean => (mode & OTHERS_BITS) !== 0;

/** Takes away what others may do. What is another user's stays as it is: only that one can change it. */
export async function makePrivate(path: string, status: FileStatus, files: FileSystem): Promise<void> {
  if (!isOpenToOthers(status)) return;
  await files.chmod(path, status.isDirectory() ? FOLDER_MODE : FILE_MODE).catch(() => {});
}

/** Null where there is none: the system knows no such bits, or the folder is private already. */
async function reasonToLeave(folder: string, status: FileStatus, files: FileSystem): Promise<string | null> {
  if (status.uid !== process.getuid?.()) return "it belongs to another user";
  if ((status.mode & STICKY_BIT) !== 0) return "everybody may make files in it";
  if (status.dev !== (await files.stat(dirname(folder))).dev) return "it is a mount point";
  return null;
}

/**
 * Takes the folder away from others, which is enough to keep them from all that is in it, and then what lies directly in it and in
 * its small folders. Files of events follow when they are listed. A folder that is not ours to change is left; the result is why.
 */
export async function makeFolderPrivate(folder: string, files: FileSystem = nodeFileSystem): Promise<string | null> {
  if (process.getuid === undefined) return null;
  const status = await files.stat(folder);
  const reason = isOpenToOthers(status) ? await reasonToLeave(folder, status, files) : null;
  if (reason === null) await makePrivate(folder, status, files);
  for (const { name } of await files.readdir(folder)) {
    if (OWN_FOLDERS.includes(name)) await makeTreePrivate(join(folder, name), name === "events" ? 0 : 2, files);
    if (OWN_FILES.includes(name)) await makeTreePrivate(join(folder, name), 0, files);
  }
  return reason;
}

async function makeTreePrivate(path: string, depth: number, files: FileSystem): Promise<void> {
  const status = await files.stat(path);
  await makePrivate(path, status, files);
  if (depth === 0 || !status.isDirectory()) return;
  for (const { name } of await files.readdir(path)) await makeTreePrivate(join(path, name), depth - 1, files);
}
