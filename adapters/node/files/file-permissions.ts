/** Keeps the data readable only for the user that Sandpiper runs as, even if a person or a restored backup allowed more. */
import { dirname, join } from "node:path";
import { COLLECTIONS } from "../../../src/runtime/sites/collection.ts";
import { FILE_MODE, FOLDER_MODE, isNotFound, nodeFileSystem, type FileStatus, type FileSystem } from "./file-system.ts";

/** All permission bits of the group and of others. */
const OTHERS_BITS = 0o077;

/** Set on folders in which everybody may create files, such as `/tmp`. */
const STICKY_BIT = 0o1000;

/** What Sandpiper keeps in the data folder. Anything else in it is not Sandpiper's. */
const OWN_FOLDERS = ["events", "journal", "keys", "secrets", "shares", "sites", ...COLLECTIONS];
const OWN_FILES = ["admin.json", "calendar.json", "clock.json", "secret"];

/** True if other users have any permission. */
const isOpenToOthers = ({ mode }: FileStatus): boolean => (mode & OTHERS_BITS) !== 0;

/** Removes all permissions of other users. Leaves what belongs to another user: only that user can change it. */
export async function makePrivate(path: string, status: FileStatus, files: FileSystem): Promise<void> {
  if (!isOpenToOthers(status)) return;
  await files.chmod(path, status.isDirectory() ? FOLDER_MODE : FILE_MODE).catch(() => {});
}

/** Why the permissions of the data folder itself are left as they are; null if they may be changed. */
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
export async function makeFolderPrivate(folder: string, files: FileSystem = nodeFileSystem): Promise<string | null> {
  // The system has no such permissions.
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
  const status = await statusOfListed(path, files);
  await makePrivate(path, status, files);
  if (depth === 0 || !status.isDirectory()) return;
  for (const { name } of await files.readdir(path)) await makeTreePrivate(join(path, name), depth - 1, files);
}

/** `stat` follows symbolic links, so a name that was just listed is "not found" only if its link dangles. */
async function statusOfListed(path: string, files: FileSystem): Promise<FileStatus> {
  try {
    return await files.stat(path);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new Error(`${path} is a symbolic link to a file that does not exist. Restore that file, or remove the link`, { cause: error });
  }
}
