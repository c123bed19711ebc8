/** The part of the Workers platform that the adapter uses, in the platform's own words. */

export type SqlStorageValue = ArrayBuffer | string | number | null;

export interface SqlStorageCursor {
  toArray(): Record<string, SqlStorageValue>[];
}

export interface SqlStorage {
  exec(query: string, ...bindings: SqlStorageValue[]): SqlStorageCursor;
}

export interface DurableObjectStorage {
  readonly sql: SqlStorage;
  /** Runs the closure in one transaction: all of its writes happen, or none. */
  transactionSync<T>(closure: () => T): T;
  /** Resolves when everything written so far is durable. */
  sync(): Promise<void>;
  /** When the next alarm rings, in milliseconds since the epoch. */
  getAlarm(): Promise<number | null>;
  setAlarm(scheduledTimeMs: number): Promise<void>;
  deleteAlarm(): Promise<void>;
  /** Forgets everything that was stored. */
  deleteAll(): Promise<void>;
}

export interface DurableObjectState {
  readonly storage: DurableObjectStorage;
  /** Ends this object at once; the next request meets a new one with the same storage. */
  abort(reason?: string): void;
}

export interface DurableObjectStub {
  fetch(request: Request): Promise<Response>;
}

export interface DurableObjectNamespace {
  idFromName(name: string): unknown;
  get(id: unknown): DurableObjectStub;
}

export interface R2Object {
  readonly key: string;
  readonly size: number;
}

export interface R2ObjectBody extends R2Object {
  arrayBuffer(): Promise<ArrayBuffer>;
}

export interface R2Objects {
  readonly objects: R2Object[];
  readonly delimitedPrefixes: string[];
  readonly truncated: boolean;
  readonly cursor?: string;
}

export interface R2Bucket {
  get(key: string): Promise<R2ObjectBody | null>;
  put(key: string, value: Uint8Array): Promise<unknown>;
  delete(key: string): Promise<void>;
  list(options: { prefix: string; delimiter?: string; cursor?: string }): Promise<R2Objects>;
}

/** What the platform tells of a request beside its headers; absent where nobody knows. */
export interface IncomingRequestProperties {
  readonly country?: string;
  readonly region?: string;
  readonly city?: string;
}
