/** Folders that survive a crash of the machine: one is made, and its name synced, before anything in it may count as stored. */
import { dirname } from "node:path";
import { syncFolder } from "./durable-file.ts";
import { codeOf, nodeFileSystem, type FileSystem } from "./file-system.ts";

/** Folders whose names are known to be durable; beyond, the oldest are synced again when they are needed. */
const KNOWN_FOLDERS_MAX = 10_000;

export const isMissing = (error: unknown): boolean => ["ENOENT", "ENOTDIR"].includes(codeOf(error));

async function isThere(path: string, files: FileSystem): Promise<boolean> {
  try {
    await files.stat(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

async function makeOne(path: string, files: FileSystem): Promise<boolean> {
  try {
    await files.mkdir(path);
    return true;
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    return false;
  }
}

/**
 * Makes a folder and those above it, one by one: Node's own way asks without end where it cannot be done, as in `/proc`. Names that
 * were there are synced, too: a process may have died between making a folder and syncing it. Others' folders may refuse that.
 */
export async function makeFolder(folder: string, files: FileSystem = nodeFileSystem): Promise<void> {
  const missing: string[] = [];
  let at = folder;
  for (; !(await isThere(at, files)); at = dirname(at)) missing.push(at);
  for (const path of missing.reverse()) await makeOne(path, files);
  if (!(await files.stat(folder)).isDirectory()) throw new Error("it is no folder");
  for (const path of missing) await syncFolder(dirname(path), files);
  for (; at !== dirname(at); at = dirname(at)) {
    await syncFolder(dirname(at), files).catch((error: unknown) => {
      if (codeOf(error) === "EIO") throw error;
    });
  }
}

/** Identifies one life of a folder: from when it was found durable until it is removed. */
type FolderLife = object;

/** A folder may be taken away from under a write that often before it gives up. */
const FOLDER_ATTEMPTS_MAX = 5;

export class DurableFolders {
  readonly #root: string;
  readonly #files: FileSystem;
  readonly #known = new Map<string, FolderLife>();
  /** Making and removing take turns. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(root: string, files: FileSystem) {
    this.#root = root;
    this.#files = files;
  }

  /**
   * Does work in a folder at or below the root, which is made, durably, where need be. The work is done again if the folder is
   * removed meanwhile: it may have gone to another of that name, which is not durable yet.
   */
  async within<T>(folder: string, work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        const life = this.#known.get(folder) ?? (await this.#inTurn(() => this.#make(folder)));
        const result = await work();
        if ((await this.#inTurn(async () => this.#known.get(folder))) === life) return result;
        if (attempt === FOLDER_ATTEMPTS_MAX) throw new Error(`${folder} is removed each time that something is written to it`);
      } catch (error) {
        if (!isMissing(error) || attempt === FOLDER_ATTEMPTS_MAX) throw error;
        // Somebody else has removed it, or one above it.
        await this.#inTurn(async () => this.#known.clear());
      }
    }
  }

  /**
   * Removes the folder if nothing is left in it, then the one above it, and so on, never the root, and makes durable what was
   * removed from them, by whomever.
   */
  async removeEmpty(folder: string): Promise<void> {
    let at = await this.#inTurn(async () => {
      let left = folder;
      while (left !== this.#root && (await this.#isRemoved(left))) left = dirname(left);
      return left;
    });
    for (; ; at = dirname(at)) {
      try {
        return await syncFolder(at, this.#files);
      } catch (error) {
        if (!isMissing(error)) throw error;
        if (at === this.#root) return;
      }
    }
  }

  async #isRemoved(folder: string): Promise<boolean> {
    const life = this.#known.get(folder);
    this.#known.delete(folder);
    try {
      await this.#files.rmdir(folder);
    } catch (error) {
      if (isMissing(error)) return true;
      // There is something in it, or it cannot be removed: either way it stays.
      if (life) this.#known.set(folder, life);
      return false;
    }
    return true;
  }

  async #make(folder: string): Promise<FolderLife> {
    const known = this.#known.get(folder);
    if (known) return known;
    if (folder === this.#root) {
      if (!(await isThere(folder, this.#files))) await makeFolder(folder, this.#files);
    } else {
      await this.#make(dirname(folder));
      await makeOne(folder, this.#files);
      await syncFolder(dirname(folder), this.#files);
    }
    const life: FolderLife = {};
    this.#known.set(folder, life);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= KNOWN_FOLDERS_MAX) break;
      this.#known.delete(oldest);
    }
    return life;
  }

  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(task);
    this.#turn = turn.catch(() => {});
    return turn;
  }
}
