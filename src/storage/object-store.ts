/** The port to wherever immutable objects live: a folder on Node, a bucket on workerd, a map in tests. */

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
  /** Removes the object, and what earlier processes left half written beside it; removing what is not there is fine. Survives a crash once resolved. */
  delete(key: ObjectKey): Promise<void>;
  /** Every object below the folder, at any depth, sorted by key. Unfinished writes never show. */
  list(folder: ObjectKey): Promise<StoredObject[]>;
  /**
   * Makes durable which objects are directly in the folder and which are not, whichever process wrote or deleted them: one may have
   * died, or met a failing disk, before it made that durable itself. Absent where every change is durable at once.
   */
  sync?(folder: ObjectKey): Promise<void>;
  /** Names of the folders directly below the folder, sorted. A folder is there as long as an object is in it, at any depth. */
  folders(folder: ObjectKey): Promise<string[]>;
}
