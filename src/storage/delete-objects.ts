/** Deletes many objects, several at a time, because each deletion waits for the disk. */
import type { ObjectKey, ObjectStore } from "./object-store.ts";

const DELETIONS_AT_ONCE = 16;

/** Deletes objects in any order. After a rejection some may be deleted; may be retried. */
export async function deleteObjects(objects: ObjectStore, keys: readonly ObjectKey[]): Promise<void> {
  const left = [...keys];
  const deleteOneByOne = async () => {
    for (let key = left.pop(); key !== undefined; key = left.pop()) await objects.delete(key);
  };
  const outcomes = await Promise.allSettled(Array.from({ length: DELETIONS_AT_ONCE }, deleteOneByOne));
  const failure = outcomes.find((outcome) => outcome.status === "rejected");
  if (failure) throw failure.reason;
}
