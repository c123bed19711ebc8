/** The recipe by which a file is there whole or not at all, and stays there through a crash of the machine. */
import { randomUUID } from "node:crypto";
import { open, rename, rm, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Marks a file that is being written. */
export const UNFINISHED_SUFFIX = ".unfinished";

/** Tells the files that this process is writing from what a crash of another one left over. */
const OWN_PREFIX = `.${randomUUID().slice(0, 8)}-`;

/** Whether a file was being written when another process died. What that wrote is nobody's any more. */
export const isLeftOver = (name: string): boolean => name.startsWith(".") && name.endsWith(UNFINISHED_SUFFIX) && !name.startsWith(OWN_PREFIX);

/** Makes names that were added to or removed from a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function writeAndSync(path: string, bytes: Uint8Array, mode: number): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, "w", mode);
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
 */
export async function writeDurably(path: string, bytes: Uint8Array, mode = 0o644): Promise<void> {
  const folder = dirname(path);
  const unfinished = join(folder, `${OWN_PREFIX}${++writes}${UNFINISHED_SUFFIX}`);
  try {
    await writeAndSync(unfinished, bytes, mode);
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  await syncFolder(folder);
}
