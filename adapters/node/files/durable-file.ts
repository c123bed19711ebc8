/**
 * Writes files atomically and durably: write to a temporary file, fsync it, rename it, fsync the folder. After a crash the file is
 * complete or absent.
 */
import { dirname, join } from "node:path";
import { nodeFileSystem, type FileSystem, type OpenFile } from "./file-system.ts";

/** Marks a file that is being written. */
export const UNFINISHED_SUFFIX = ".unfinished";

/** Distinguishes temporary files of this process from those that a crash of another one left. */
const ownPrefix = ({ writer }: FileSystem): string => `.${writer}-`;

/** True if the file is a temporary one of another process, which died while it wrote. */
export const isLeftover = (name: string, files: FileSystem): boolean => isTemporary(name) && !name.startsWith(ownPrefix(files));

/** True if the name is that of a temporary file, of whichever process. */
export const isTemporary = (name: string): boolean => name.startsWith(".") && name.endsWith(UNFINISHED_SUFFIX);

/** Makes the names in a folder durable, whichever process added or removed them. */
export const syncFolder = (folder: string, files: FileSystem = nodeFileSystem): Promise<void> => syncFile(folder, files);

/** Makes the content of a file durable, whichever process wrote it. */
export async function syncFile(path: string, files: FileSystem = nodeFileSystem): Promise<void> {
  const handle = await files.open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function writeAndSync(path: string, bytes: Uint8Array, files: FileSystem): Promise<void> {
  let handle: OpenFile | undefined;
  try {
    handle = await files.open(path, "w");
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle?.close();
  }
}

let writes = 0;

/**
 * The temporary name is short and has a counter, so that long target names fit and two writers of one target do not collide. The
 * target may exist even if this rejects. A retry writes another temporary file: after a failed fsync the system may have dropped
 * dirty pages, and a second fsync of the same file would report success.
 */
export async function writeDurably(path: string, bytes: Uint8Array, files: FileSystem = nodeFileSystem): Promise<void> {
  const folder = dirname(path);
  const unfinished = join(folder, `${ownPrefix(files)}${++writes}${UNFINISHED_SUFFIX}`);
  try {
    await writeAndSync(unfinished, bytes, files);
    await files.rename(unfinished, path);
  } catch (error) {
    await files.rm(unfinished);
    throw error;
  }
  await syncFolder(folder, files);
}
