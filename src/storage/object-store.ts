/** The port to storage of immutable objects: a folder on Node, a bucket on workerd, a map in tests. */

/** `/`-separated, relative, without empty, `.` or `..` parts. */
export type ObjectKey = string;

export interface StoredObject {
  readonly key: ObjectKey;
  readonly sizeBytes: number;
}

export interface ObjectStore {
  /** The whole object, or null when there is none. */
  get(key: ObjectKey): Promise<Uint8Array | null>;
  /**
   * Writes the whole object or nothing: a reader sees the old bytes or the new ones, and once this
   * resolves the new ones survive a crash of the machine. Replaces an object of the same key.
   */
  put(key: ObjectKey, bytes: Uint8Array): Promise<void>;
  /** Deletes the object and unfinished writes of earlier processes beside it; succeeds for an unknown key. Durable once resolved. */
  delete(key: ObjectKey): Promise<void>;
  /** Every object below the folder, at any depth, sorted by key. Never includes unfinished writes. */
  list(folder: ObjectKey): Promise<StoredObject[]>;
  /**
   * Makes earlier puts and deletes directly in the folder durable, whichever process made them: a process may have died, or had a
   * failing disk, before its own sync. Absent where every change is durable at once.
   */
  sync?(folder: ObjectKey): Promise<void>;
  /** Names of the folders directly below the folder, sorted. A folder exists while it contains an object, at any depth. */
  folders(folder: ObjectKey): Promise<string[]>;
}

/**
 * Runs a task for each item, several at a time, for tasks that mostly wait.
 *
 * No task begins after a rejection, and all running tasks have ended when this rejects.
 */
export async function severalAtOnce<T>(items: Iterable<T>, max: number, task: (item: T) => Promise<void>): Promise<void> {
  const left = [...items].reverse();
  const runOneByOne = async () => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) {
      try {
        await task(item);
      } catch (error) {
        left.length = 0;
        throw error;
      }
    }
  };
  const outcomes = await Promise.allSettled(Array.from({ length: Math.min(max, left.length) }, runOneByOne));
  const failure = outcomes.find((outcome) => outcome.status === "rejected");
  if (failure) throw failure.reason;
}

const DELETIONS_AT_ONCE = 16;

/**
 * Deletes many objects, several at a time, because each deletion waits for the disk.
 *
 * Deletes objects in any order. After a rejection some may be deleted; may be retried.
 */
export const deleteObjects = (objects: ObjectStore, keys: readonly ObjectKey[]): Promise<void> =>
  severalAtOnce(keys, DELETIONS_AT_ONCE, (key) => objects.delete(key));
