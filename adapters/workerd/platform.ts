/** Types of the Workers platform, as far as the adapter uses it (https://developers.cloudflare.com/durable-objects/api/). */

type SqlStorageValue = ArrayBuffer | string | number | null;

interface SqlStorageCursor {
  toArray(): Record<string, SqlStorageValue>[];
}

interface SqlStorage {
  exec(query: string, ...bindings: SqlStorageValue[]): SqlStorageCursor;
}

export interface DurableObjectStorage {
  readonly sql: SqlStorage;
  transactionSync<T>(closure: () => T): T;
  /** Resolves when everything written so far is durable. */
  sync(): Promise<void>;
  /** The time of the next alarm, in milliseconds since the epoch. */
  getAlarm(): Promise<number | null>;
  setAlarm(scheduledTimeMs: number): Promise<void>;
  deleteAlarm(): Promise<void>;
  deleteAll(): Promise<void>;
}

export interface DurableObjectState {
  /** Set for an object that was found by its name. */
  readonly id: { readonly name?: string };
  readonly storage: DurableObjectStorage;
  /** Ends this object at once. The next request starts a new one with the same storage. */
  abort(reason?: string): void;
}

export interface DurableObjectStub {
  fetch(request: Request): Promise<Response>;
}

/** `Stub` has the methods of the objects' class that may be called. */
export interface DurableObjectNamespace<Stub extends DurableObjectStub = DurableObjectStub> {
  idFromName(name: string): unknown;
  get(id: unknown): Stub;
}

interface R2Object {
  readonly key: string;
  readonly size: number;
}

interface R2ObjectBody extends R2Object {
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

/** Properties of a request that the platform knows beyond its headers; unknown properties are absent. */
export interface IncomingRequestProperties {
  readonly country?: string;
  readonly region?: string;
  readonly city?: string;
  readonly asn?: number;
  readonly asOrganization?: string;
}
