/** Deletes many objects, several at a time, because each deletion waits for the disk. */
import type { ObjectKey, ObjectStore } from "./object-store.ts";
import { severalAtOnce } from "./several-at-once.ts";

const DELETIONS_AT_ONCE = 16;

/** Deletes objects in any order. After a rejection some may be deleted; may be retried. */
export const deleteObjects = (objects: ObjectStore, keys: readonly ObjectKey[]): Promise<void> =>
  severalAtOnce(keys, DELETIONS_AT_ONCE, (key) => objects.delete(key));
