/** The object store as a folder: a key is a path below it. */
import { mkdir, readFile, readdir, rm, stat } from "node:fs/promises";
import type { Dirent } from "node:fs";
import { dirname, join } from "node:path";
import type { ObjectKey, ObjectStore, StoredObject } from "../../src/storage/object-store.ts";
import { UNFINISHED_SUFFIX, syncFolder, writeDurably } from "./durable-file.ts";

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

const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1);
const byKey = (a: StoredObject, b: StoredObject): number => (a.key < b.key ? -1 : 1);

export function createFileObjectStore(root: string): ObjectStore {
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

  async function listBelow(key: ObjectKey): Promise<StoredObject[]> {
    const found: StoredObject[] = [];
    for (const entry of await entriesOf(pathOf(key))) {
      const below = `${key}/${entry.name}`;
      if (entry.isDirectory()) found.push(...(await listBelow(below)));
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
      await makeFolder(dirname(path));
      await writeDurably(path, bytes);
    },
    async delete(key) {
      const path = pathOf(key);
      await rm(path, { force: true });
      await syncFolder(dirname(path)).catch((error: unknown) => {
        if (!isMissing(error)) throw error;
      });
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
