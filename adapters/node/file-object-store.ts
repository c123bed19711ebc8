/** The object store as a folder: a key is a path below it. */
import { mkdir, readFile, readdir, rm, rmdir, stat } from "node:fs/promises";
import type { Dirent } from "node:fs";
import { dirname, join } from "node:path";
import type { ObjectKey, ObjectStore, StoredObject } from "../../src/storage/object-store.ts";
import { UNFINISHED_SUFFIX, isLeftOver, syncFolder, writeDurably } from "./durable-file.ts";

const isMissing = (error: unknown): boolean =>
  ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "");

async function entriesOf(path: string): Promise<Dirent[]> {
  try {
    return await readdir(path, { withFileTypes: true });
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Deletions may take an empty folder away from under a write that often before it gives up. */
const FOLDER_ATTEMPTS_MAX = 5;

const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1);
const byKey = (a: StoredObject, b: StoredObject): number => (a.key < b.key ? -1 : 1);

export interface FileObjectStoreOptions {
  /** Whether nobody else writes there: then what a crash left half written goes when it is come upon. */
  readonly isOurs?: boolean;
}

export function createFileObjectStore(root: string, { isOurs = false }: FileObjectStoreOptions = {}): ObjectStore {
  const pathOf = (key: ObjectKey) => {
    if (key.split("/").some((part) => part === "" || part === "." || part === "..")) {
      throw new Error(`not an object key: ${key}`);
    }
    return join(root, key);
  };

  /** New folders are synced from the bottom up, or a crash could lose the path to a synced file. */
  async function makeFolder(folder: string): Promise<void> {
    const topmostMade = await mkdir(folder, { recursive: true });
    if (topmostMade === undefined) return;
    for (let made = folder; made !== dirname(topmostMade); made = dirname(made)) await syncFolder(dirname(made));
  }

  /** What crashes left half written holds the same events as what is deleted. */
  async function removeLeftOvers(folder: string): Promise<void> {
    for (const { name } of await entriesOf(folder)) if (isLeftOver(name)) await rm(join(folder, name), { force: true });
  }

  /** Removes the folders in which nothing is left, from the bottom up, and makes that durable. Never the root. */
  async function removeEmptyFolders(keyParts: readonly string[]): Promise<void> {
    const parts = [...keyParts];
    for (; parts.length > 0; parts.pop()) {
      try {
        await rmdir(join(root, ...parts));
      } catch (error) {
        if (!isMissing(error)) break;
      }
    }
    await syncFolder(join(root, ...parts)).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
  }

  async function listBelow(key: ObjectKey): Promise<StoredObject[]> {
    const found: StoredObject[] = [];
    for (const entry of await entriesOf(pathOf(key))) {
      const below = `${key}/${entry.name}`;
      if (entry.isDirectory()) found.push(...(await listBelow(below)));
      // What cannot be removed hinders nobody.
      else if (isOurs && entry.isFile() && isLeftOver(entry.name)) await rm(pathOf(below), { force: true }).catch(() => {});
      else if (entry.isFile() && !entry.name.endsWith(UNFINISHED_SUFFIX)) {
        const status = await stat(pathOf(below)).catch((error: unknown) => {
          if (isMissing(error)) return null;
          throw error;
        });
        if (status) found.push({ key: below, sizeBytes: status.size });
      }
    }
    return found;
  }

  return {
    async get(key) {
      try {
        return await readFile(pathOf(key));
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },
    async put(key, bytes) {
      const path = pathOf(key);
      for (let attempt = 1; ; attempt++) {
        try {
          await makeFolder(dirname(path));
          await writeDurably(path, bytes);
          return;
        } catch (error) {
          if (!isMissing(error) || attempt === FOLDER_ATTEMPTS_MAX) throw error;
        }
      }
    },
    async delete(key) {
      const path = pathOf(key);
      await rm(path, { force: true });
      await removeLeftOvers(dirname(path));
      await removeEmptyFolders(key.split("/").slice(0, -1));
    },
    async list(folder) {
      return (await listBelow(folder)).sort(byKey);
    },
    async folders(folder) {
      return (await entriesOf(pathOf(folder)))
        .filter((entry) => entry.isDirectory())
        .sort(byName)
        .map(({ name }) => name);
    },
  };
}
