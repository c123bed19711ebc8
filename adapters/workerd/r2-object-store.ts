/** The object store port on an R2 bucket. R2 writes objects atomically and is strongly consistent, so a list shows every write. */
import type { ObjectKey, ObjectStore, StoredObject } from "../../src/storage/object-store.ts";
import type { R2Bucket, R2Objects } from "./platform.ts";

/** The port sorts by UTF-16 code units; R2 sorts by UTF-8 bytes. */
const inOrder = (a: string, b: string): number => (a < b ? -1 : 1);

export function createR2ObjectStore(bucket: R2Bucket): ObjectStore {
  /** All pages of a listing; each has up to a thousand entries. */
  async function* pagesOf(options: { prefix: string; delimiter?: string }): AsyncGenerator<R2Objects> {
    for (let cursor: string | undefined; ;) {
      const page = await bucket.list(cursor === undefined ? options : { ...options, cursor });
      yield page;
      if (!page.truncated || page.cursor === undefined) return;
      cursor = page.cursor;
    }
  }

  return {
    async get(key) {
      const object = await bucket.get(key);
      return object && new Uint8Array(await object.arrayBuffer());
    },
    async put(key: ObjectKey, bytes: Uint8Array) {
      await bucket.put(key, bytes);
    },
    async delete(key) {
      await bucket.delete(key);
    },
    async list(folder) {
      const found: StoredObject[] = [];
      for await (const { objects } of pagesOf({ prefix: `${folder}/` })) {
        found.push(...objects.map(({ key, size }) => ({ key, sizeBytes: size })));
      }
      return found.sort((a, b) => inOrder(a.key, b.key));
    },
    async folders(folder) {
      const prefix = `${folder}/`;
      const found: string[] = [];
      for await (const { delimitedPrefixes } of pagesOf({ prefix, delimiter: "/" })) {
        found.push(...delimitedPrefixes.map((below) => below.slice(prefix.length, -1)));
      }
      return found.sort(inOrder);
    },
  };
}
