/** The recipe by which a file is there whole or not at all, and stays there through a crash of the machine. */
import { dirname, join } from "node:path";
import { nodeFileSystem, type FileSystem, type OpenFile } from "./file-system.ts";

/** Marks a file that is being written. */
export const UNFINISHED_SUFFIX = ".unfinished";

/** Tells the files that this process is writing from what a crash of another one left over. */
const ownPrefix = ({ writer }: FileSystem): string => `.${writer}-`;

/** Whether a file was being written when another process died. What that wrote is nobody's any more. */
export const isLeftOver = (name: string, files: FileSystem): boolean =>
  name.startsWith(".") && name.endsWith(UNFINISHED_SUFFIX) && !name.startsWith(ownPrefix(files));

/** Makes names that were added to or removed from a folder durable. */
export const syncFolder = (folder: string, files: FileSystem = nodeFileSystem): Promise<void> => syncFile(folder, files);

/** Makes what was written to a file durable, by whomever. */
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
 * Writes beside the target, syncs, renames over it, syncs the folder. The temporary name is short and
 * counted, so that neither a long target name nor two writers of one target get in each other's way.
 * Where it rejects, the file may be there all the same; to try again is to write another temporary file: one whose sync failed is not synced again.
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
