/** An object store in memory, which does not outlive the process. */
import type { ObjectKey, ObjectStore, StoredObject } from "../../src/storage/object-store.ts";

export function createMemoryObjectStore(): ObjectStore {
  const objects = new Map<ObjectKey, Uint8Array>();
  const keysBelow = (folder: ObjectKey) => [...objects.keys()].filter((key) => key.startsWith(`${folder}/`)).sort();

  return {
    async get(key) {
      return objects.get(key)?.slice() ?? null;
    },
    async put(key, bytes) {
      objects.set(key, bytes.slice());
    },
    async delete(key) {
      objects.delete(key);
    },
    async list(folder): Promise<StoredObject[]> {
      return keysBelow(folder).map((key) => ({ key, sizeBytes: objects.get(key)?.length ?? 0 }));
    },
    async folders(folder) {
      const names = keysBelow(folder).map((key) => key.slice(folder.length + 1).split("/"));
      return [...new Set(names.filter((parts) => parts.length > 1).map((parts) => parts[0] ?? ""))].sort();
    },
  };
}
