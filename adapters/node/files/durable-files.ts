/** Writes files and creates folders so that they survive a power loss, whole or not at all. */
import { createHash } from "node:crypto";
import { LruMap } from "../../../src/storage/lru-map.ts";
import { dirname, join } from "node:path";
import { nodeFileSystem, type FileSystem, type OpenFile, codeOf, isExisting, isMissing, orIf, writeAll } from "./file-system.ts";

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
 * Writes a file so that it is complete or absent after a crash: temporary file, fsync, rename, fsync of the folder. The target may exist even
 * if this rejects. A retry writes another temporary file: after a failed fsync the system may have dropped dirty pages, and a second fsync of
 * the same file would report success. The temporary name is short and has a counter, so that long target names fit and two writers of one
 * target do not collide.
 */
export async function writeDurably(path: string, bytes: Uint8Array, files: FileSystem = nodeFileSystem): Promise<void> {
  const folder = dirname(path);
  const unfinished = temporaryPath(folder, files);
  try {
    await writeAndSync(unfinished, bytes, files);
    await files.rename(unfinished, path);
  } catch (error) {
    await files.rm(unfinished);
    throw error;
  }
  await syncFolder(folder, files);
}

export const temporaryPath = (folder: string, files: FileSystem): string =>
  join(folder, `${ownPrefix(files)}${++writes}${UNFINISHED_SUFFIX}`);

export interface StreamedFile {
  /** Its content is durable, and its name is not. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Writes a temporary file in a folder, in bounded memory. Removes it if the chunks reject. */
export async function writeTemporary(
  folder: string,
  chunks: AsyncIterable<Uint8Array>,
  files: FileSystem = nodeFileSystem,
): Promise<StreamedFile> {
  const path = temporaryPath(folder, files);
  const hash = createHash("sha256");
  let bytes = 0;
  const handle = await files.open(path, "w");
  try {
    for await (const chunk of chunks) {
      writeAll(handle, chunk, bytes);
      hash.update(chunk);
      bytes += chunk.length;
    }
    await handle.sync();
  } catch (error) {
    await files.rm(path);
    throw error;
  } finally {
    await handle.close();
  }
  return { path, bytes, sha256: hash.digest("hex") };
}

/** Removes temporary files of dead processes directly in a folder. */
export async function removeLeftovers(folder: string, files: FileSystem = nodeFileSystem): Promise<void> {
  for (const entry of await files.readdir(folder))
    if (entry.isFile() && isLeftover(entry.name, files)) await files.rm(join(folder, entry.name));
}

/** Maximum number of folders remembered as durable. A forgotten one is synced again when it is needed. */
const DURABLE_FOLDERS_MAX = 10_000;

const exists = async (path: string, files: FileSystem): Promise<boolean> => (await orIf(isMissing, null, files.stat(path))) !== null;

export const createOne = (path: string, files: FileSystem): Promise<void> => orIf(isExisting, undefined, files.mkdir(path));

/**
 * Creates a folder and its parents, one by one: Node's recursive mkdir never returns where that is impossible, as in `/proc`. Syncs
 * also the existing names, because a process may have died between creating a folder and syncing it. A folder of another user
 * may not allow that, so only an I/O error rejects.
 */
export async function createFolder(folder: string, files: FileSystem = nodeFileSystem): Promise<void> {
  const missing: string[] = [];
  let at = folder;
  for (; !(await exists(at, files)); at = dirname(at)) missing.push(at);
  for (const path of missing.reverse()) await createOne(path, files);
  if (!(await files.stat(folder)).isDirectory()) throw new Error("it is not a folder");
  for (const path of missing) await syncFolder(dirname(path), files);
  for (; at !== dirname(at); at = dirname(at)) {
    await syncFolder(dirname(at), files).catch((error: unknown) => {
      if (codeOf(error) === "EIO") throw error;
    });
  }
}

/** Identifies one incarnation of a folder: from the time it is known to be durable until it is removed. */
type Incarnation = object;

const FOLDER_ATTEMPTS_MAX = 5;

/** Folders below a root: a folder's name is fsynced before anything in it counts as stored, and folders that become empty are removed. */
export class DurableFolders {
  readonly #root: string;
  readonly #files: FileSystem;
  readonly #durable = new LruMap<string, Incarnation>({ max: DURABLE_FOLDERS_MAX });
  /** Serialises creating and removing. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(root: string, files: FileSystem) {
    this.#root = root;
    this.#files = files;
  }

  /**
   * Runs work in a folder at or below the root, which is created durably if need be. Repeats the work if the folder is removed
   * meanwhile: its result may be in a new folder of that name, which is not durable yet.
   */
  async within<T>(folder: string, work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        const incarnation = this.#durable.get(folder) ?? (await this.#enqueue(() => this.#create(folder)));
        const result = await work();
        if ((await this.#enqueue(async () => this.#durable.get(folder))) === incarnation) return result;
        if (attempt === FOLDER_ATTEMPTS_MAX) throw new Error(`${folder} was removed during each of ${attempt} writes to it`);
      } catch (error) {
        if (!isMissing(error) || attempt === FOLDER_ATTEMPTS_MAX) throw error;
        // Another process has removed it or one of its parents.
        await this.#enqueue(async () => this.#durable.clear());
      }
    }
  }

  /**
   * Removes the folder if it is empty, then its parent, and so on up to but not including the root. Makes durable what was removed
   * from the remaining one, whichever process did it.
   */
  async removeEmpty(folder: string): Promise<void> {
    let at = await this.#enqueue(async () => {
      let left = folder;
      while (left !== this.#root && (await this.#isRemoved(left))) left = dirname(left);
      return left;
    });
    while ((await orIf(isMissing, "missing", syncFolder(at, this.#files))) === "missing" && at !== this.#root) at = dirname(at);
  }

  async #isRemoved(folder: string): Promise<boolean> {
    const incarnation = this.#durable.get(folder);
    this.#durable.delete(folder);
    try {
      await this.#files.rmdir(folder);
    } catch (error) {
      if (isMissing(error)) return true;
      // It is not empty, or cannot be removed.
      if (incarnation) this.#durable.set(folder, incarnation);
      return false;
    }
    return true;
  }

  async #create(folder: string): Promise<Incarnation> {
    const durable = this.#durable.get(folder);
    if (durable) return durable;
    if (folder === this.#root) {
      if (!(await exists(folder, this.#files))) await createFolder(folder, this.#files);
    } else {
      await this.#create(dirname(folder));
      await createOne(folder, this.#files);
      await syncFolder(dirname(folder), this.#files);
    }
    const incarnation: Incarnation = {};
    this.#durable.set(folder, incarnation);
    return incarnation;
  }

  #enqueue<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(task);
    this.#queue = result.catch(() => {});
    return result;
  }
}
