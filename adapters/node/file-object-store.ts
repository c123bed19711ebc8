/** The object store as a folder: a key is a path below it. */
import { dirname, join } from "node:path";
import type { ObjectKey, ObjectStore, StoredObject } from "../../src/storage/object-store.ts";
import { UNFINISHED_SUFFIX, isLeftOver, syncFolder, writeDurably } from "./durable-file.ts";
import { codeOf, nodeFileSystem, type FileSystem, type FolderEntry } from "./file-system.ts";

const isMissing = (error: unknown): boolean => ["ENOENT", "ENOTDIR"].includes(codeOf(error));

/** Deletions may take an empty folder away from under a write that often before it gives up. */
const FOLDER_ATTEMPTS_MAX = 5;

const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1);
const byKey = (a: StoredObject, b: StoredObject): number => (a.key < b.key ? -1 : 1);

export interface FileObjectStoreOptions {
  /** Whether nobody else writes there: then what a crash left half written goes when it is come upon. */
  readonly isOurs?: boolean;
  readonly files?: FileSystem;
}

export function createFileObjectStore(root: string, { isOurs = false, files = nodeFileSystem }: FileObjectStoreOptions = {}): ObjectStore {
  const pathOf = (key: ObjectKey) => {
    if (key.split("/").some((part) => part === "" || part === "." || part === "..")) {
      throw new Error(`not an object key: ${key}`);
    }
    return join(root, key);
  };

  async function entriesOf(path: string): Promise<FolderEntry[]> {
    try {
      return await files.readdir(path);
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  async function isMade(folder: string): Promise<boolean> {
    try {
      await files.mkdir(folder);
      return true;
    } catch (error) {
      if (codeOf(error) === "EEXIST") return false;
      throw error;
    }
  }

  /** New folders are synced from the bottom up, or a crash could lose the path to a synced file. */
  async function makeFolder(folder: string): Promise<void> {
    const made: string[] = [];
    const make = async (at: string): Promise<void> => {
      try {
        if (await isMade(at)) made.push(at);
      } catch (error) {
        if (codeOf(error) !== "ENOENT") throw error;
        await make(dirname(at));
        if (await isMade(at)) made.push(at);
      }
    };
    await make(folder);
    for (const at of made.reverse()) await syncFolder(dirname(at), files);
  }

  /** What crashes left half written holds the same events as what is deleted. */
  async function removeLeftOvers(folder: string): Promise<void> {
    for (const { name } of await entriesOf(folder)) if (isLeftOver(name, files)) await files.rm(join(folder, name));
  }

  /** Removes the folders in which nothing is left, from the bottom up, and makes that durable. Never the root. */
  async function removeEmptyFolders(keyParts: readonly string[]): Promise<void> {
    const parts = [...keyParts];
    for (; parts.length > 0; parts.pop()) {
      try {
        await files.rmdir(join(root, ...parts));
      } catch (error) {
        if (!isMissing(error)) break;
      }
    }
    await syncFolder(join(root, ...parts), files).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
  }

  async function listBelow(key: ObjectKey): Promise<StoredObject[]> {
    const found: StoredObject[] = [];
    for (const entry of await entriesOf(pathOf(key))) {
      const below = `${key}/${entry.name}`;
      if (entry.isDirectory()) found.push(...(await listBelow(below)));
      // What cannot be removed hinders nobody.
      else if (isOurs && entry.isFile() && isLeftOver(entry.name, files)) await files.rm(pathOf(below)).catch(() => {});
      else if (entry.isFile() && !entry.name.endsWith(UNFINISHED_SUFFIX)) {
        const status = await files.stat(pathOf(below)).catch((error: unknown) => {
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
        return await files.readFile(pathOf(key));
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
          await writeDurably(path, bytes, 0o644, files);
          return;
        } catch (error) {
          if (!isMissing(error) || attempt === FOLDER_ATTEMPTS_MAX) throw error;
        }
      }
    },
    async delete(key) {
      const path = pathOf(key);
      await files.rm(path);
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
