/** The object store as a folder: a key is a path below it. */
import { dirname, join } from "node:path";
import type { ObjectKey, ObjectStore, StoredObject } from "../../src/storage/object-store.ts";
import { UNFINISHED_SUFFIX, isLeftOver, writeDurably } from "./durable-file.ts";
import { DurableFolders, isMissing } from "./durable-folders.ts";
import { nodeFileSystem, type FileStatus, type FileSystem, type FolderEntry } from "./file-system.ts";
import { makePrivate } from "./private-modes.ts";

const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1);
const byKey = (a: StoredObject, b: StoredObject): number => (a.key < b.key ? -1 : 1);

export interface FileObjectStoreOptions {
  /** Whether nobody else writes there: then what a crash left half written goes when it is come upon. */
  readonly isOurs?: boolean;
  readonly files?: FileSystem;
}

export function createFileObjectStore(root: string, { isOurs = false, files = nodeFileSystem }: FileObjectStoreOptions = {}): ObjectStore {
  const folders = new DurableFolders(root, files);

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

  /** What crashes left half written holds the same events as what is deleted. */
  async function removeLeftOvers(folder: string): Promise<void> {
    for (const { name } of await entriesOf(folder)) if (isLeftOver(name, files)) await files.rm(join(folder, name));
  }

  /** Null when it is gone. What an older version made readable for others is so no more. */
  async function statusOf(key: ObjectKey): Promise<FileStatus | null> {
    try {
      const status = await files.stat(pathOf(key));
      if (isOurs) await makePrivate(pathOf(key), status, files);
      return status;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  async function makeAncestorsPrivate(key: ObjectKey): Promise<void> {
    for (let end = key.lastIndexOf("/"); end > 0; end = key.lastIndexOf("/", end - 1)) await statusOf(key.slice(0, end));
  }

  async function listBelow(key: ObjectKey): Promise<StoredObject[]> {
    const found: StoredObject[] = [];
    if (isOurs) await statusOf(key);
    for (const entry of await entriesOf(pathOf(key))) {
      const below = `${key}/${entry.name}`;
      if (entry.isDirectory()) found.push(...(await listBelow(below)));
      // What cannot be removed hinders nobody.
      else if (isOurs && entry.isFile() && isLeftOver(entry.name, files)) await files.rm(pathOf(below)).catch(() => {});
      else if (entry.isFile() && !entry.name.endsWith(UNFINISHED_SUFFIX)) {
        const status = await statusOf(below);
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
      await folders.within(dirname(path), () => writeDurably(path, bytes, files));
    },
    async delete(key) {
      const path = pathOf(key);
      await files.rm(path);
      await removeLeftOvers(dirname(path));
      await folders.removeEmpty(dirname(path));
    },
    sync: (folder) => folders.removeEmpty(pathOf(folder)),
    async list(folder) {
      if (isOurs) await makeAncestorsPrivate(folder);
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
