/** The object store port on a folder: a key is a path below it. */
import { dirname, join } from "node:path";
import type { ObjectKey, ObjectStore, StoredObject } from "../../../src/storage/object-store.ts";
import { severalAtOnce } from "../../../src/storage/several-at-once.ts";
import { UNFINISHED_SUFFIX, isLeftover, writeDurably } from "./durable-file.ts";
import { DurableFolders } from "./durable-folders.ts";
import { makePrivate } from "./file-permissions.ts";
import { entriesOf, isMissing, nodeFileSystem, type FileStatus, type FileSystem, type FolderEntry } from "./file-system.ts";

const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1);
const byKey = (a: StoredObject, b: StoredObject): number => (a.key < b.key ? -1 : 1);

/** Entries of one folder that are examined at the same time: each waits for the disk. */
const ENTRIES_AT_ONCE = 16;

export interface FileObjectStoreOptions {
  /** This process alone writes there. It then removes unfinished files of a crash when it finds them. */
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

  const entriesIn = (folder: string) => entriesOf(folder, files, isMissing);

  /** Unfinished files of a crash may contain the same events as the deleted file. */
  async function removeLeftovers(folder: string): Promise<void> {
    for (const { name } of await entriesIn(folder)) if (isLeftover(name, files)) await files.rm(join(folder, name));
  }

  /** null if it does not exist. Makes a file private that others may read. */
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

  async function listEntry(key: ObjectKey, entry: FolderEntry): Promise<StoredObject[]> {
    if (entry.isDirectory()) return listBelow(key);
    if (!entry.isFile()) return [];
    if (isOurs && isLeftover(entry.name, files)) {
      // A failure is harmless: unfinished files are never listed.
      await files.rm(pathOf(key)).catch(() => {});
      return [];
    }
    if (entry.name.endsWith(UNFINISHED_SUFFIX)) return [];
    const status = await statusOf(key);
    return status ? [{ key, sizeBytes: status.size }] : [];
  }

  async function listBelow(key: ObjectKey): Promise<StoredObject[]> {
    if (isOurs) await statusOf(key);
    const found: StoredObject[] = [];
    await severalAtOnce(await entriesIn(pathOf(key)), ENTRIES_AT_ONCE, async (entry) => {
      for (const object of await listEntry(`${key}/${entry.name}`, entry)) found.push(object);
    });
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
      await removeLeftovers(dirname(path));
      await folders.removeEmpty(dirname(path));
    },
    sync: (folder) => folders.removeEmpty(pathOf(folder)),
    async list(folder) {
      if (isOurs) await makeAncestorsPrivate(folder);
      return (await listBelow(folder)).sort(byKey);
    },
    async folders(folder) {
      return (await entriesIn(pathOf(folder)))
        .filter((entry) => entry.isDirectory())
        .sort(byName)
        .map(({ name }) => name);
    },
  };
}
