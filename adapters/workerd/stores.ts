/** The storage ports on workerd: records, journal and what logins leave in the Durable Object's SQLite database, objects in an R2 bucket. */
import { recordName, type RecordStore } from "../../src/storage/record-store.ts";
import type { DurableObjectStorage, R2Bucket, R2Objects } from "./platform.ts";
import type { ObjectKey, ObjectStore, StoredObject } from "../../src/storage/object-store.ts";
import { reasonOf } from "../../src/runtime/base/metrics/log.ts";
import { NothingAppendedError, type SegmentLog } from "../../src/storage/segment.ts";
import { KEPT_IN_MEMORY, type KeepEntries } from "../../src/runtime/access/expiring-tokens.ts";

export function openSqlRecordStore(storage: DurableObjectStorage): RecordStore {
  const { sql } = storage;
  sql.exec("CREATE TABLE IF NOT EXISTS record (name TEXT PRIMARY KEY, bytes BLOB NOT NULL) WITHOUT ROWID");

  return {
    async read(name) {
      const [row] = sql.exec("SELECT bytes FROM record WHERE name = ?", recordName(name)).toArray();
      return row ? new Uint8Array(row["bytes"] as ArrayBuffer) : null;
    },
    async write(name, bytes) {
      sql.exec("INSERT OR REPLACE INTO record (name, bytes) VALUES (?, ?)", recordName(name), bytes.slice().buffer);
      await storage.sync();
    },
    async list(prefix) {
      return sql
        .exec("SELECT name FROM record WHERE substr(name, 1, length(?)) = ? ORDER BY name", prefix, prefix)
        .toArray()
        .map(({ name }) => String(name));
    },
    async remove(name) {
      sql.exec("DELETE FROM record WHERE name = ?", recordName(name));
      await storage.sync();
    },
  };
}

/** A value holds at most 2 MB (https://developers.cloudflare.com/durable-objects/platform/limits/). */
const CHUNK_BYTES_MAX = 1024 * 1024;

const QUARANTINE_FOLDER = "journal-damaged";

const TABLES = [
  "CREATE TABLE IF NOT EXISTS journal_segment (segment INTEGER PRIMARY KEY)",
  `CREATE TABLE IF NOT EXISTS journal_piece (
    segment INTEGER NOT NULL, piece INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (segment, piece)
  ) WITHOUT ROWID`,
];

const APPEND = `
  INSERT INTO journal_piece (segment, piece, bytes)
  SELECT ?, coalesce(max(piece), 0) + 1, ? FROM journal_piece WHERE segment = ?`;

/** One copy beside the pieces; a Blob would make two, in an isolate of 128 MB. */
function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/**
 * The journal: an append is one row, or several if it is long. Damaged segments are quarantined in the object store, where an operator can
 * read them.
 */
export function openSqlSegmentLog(storage: DurableObjectStorage, objects: ObjectStore): SegmentLog {
  const { sql } = storage;
  for (const table of TABLES) sql.exec(table);

  function mustExist(segment: number): void {
    const rows = sql.exec("SELECT 1 FROM journal_segment WHERE segment = ?", segment).toArray();
    if (rows.length === 0) throw new Error(`journal segment ${segment} does not exist`);
  }

  function read(segment: number): Uint8Array {
    const rows = sql.exec("SELECT bytes FROM journal_piece WHERE segment = ? ORDER BY piece", segment).toArray();
    return joined(rows.map(({ bytes }) => new Uint8Array(bytes as ArrayBuffer)));
  }

  return {
    async list() {
      return sql
        .exec("SELECT segment FROM journal_segment ORDER BY segment")
        .toArray()
        .map(({ segment }) => Number(segment));
    },
    async create(segment) {
      sql.exec("INSERT INTO journal_segment (segment) VALUES (?)", segment);
      await storage.sync();
    },
    /** A commit blocks the isolate for milliseconds. Requests that arrived meanwhile get this far before the timer fires. */
    async gather() {
      await new Promise((resolve) => setTimeout(resolve, 0));
    },
    async append(segment, bytes) {
      try {
        storage.transactionSync(() => {
          mustExist(segment);
          for (let at = 0; at < bytes.length; at += CHUNK_BYTES_MAX) {
            sql.exec(APPEND, segment, bytes.slice(at, at + CHUNK_BYTES_MAX).buffer, segment);
          }
        });
      } catch (error) {
        throw new NothingAppendedError(reasonOf(error), { cause: error });
      }
      // The platform's output gate holds the response back until then anyway. Waiting here lets events that arrive meanwhile share a row.
      await storage.sync();
    },
    async read(segment) {
      return read(segment);
    },
    async remove(segment) {
      storage.transactionSync(() => {
        sql.exec("DELETE FROM journal_piece WHERE segment = ?", segment);
        sql.exec("DELETE FROM journal_segment WHERE segment = ?", segment);
      });
      await storage.sync();
    },
    async quarantine(segment) {
      const key = `${QUARANTINE_FOLDER}/${segment}.journal`;
      await objects.put(key, read(segment));
      return `${key} in the bucket`;
    },
    async close() {
      await storage.sync();
    },
  };
}

/**
 * Keeps what logins leave until the service restarts. The platform ends an idle object after seconds, which is not a restart; a deployment is
 * one, and forgets what another has left. Without the id of the deployment, nothing is stored: a restart could not end it. The platform sends
 * no response before the writes that precede it are durable.
 */
export function openSqlKeptEntries({ sql }: Pick<DurableObjectStorage, "sql">, deployment: string | null): KeepEntries {
  sql.exec(`
    CREATE TABLE IF NOT EXISTS kept_entry (
      kind TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, end_ms INTEGER NOT NULL, deployment TEXT NOT NULL,
      PRIMARY KEY (kind, key)) WITHOUT ROWID`);
  if (deployment === null) {
    sql.exec("DELETE FROM kept_entry");
    return () => KEPT_IN_MEMORY;
  }
  sql.exec("DELETE FROM kept_entry WHERE deployment <> ?", deployment);
  return (kind) => ({
    list: () =>
      sql
        .exec("SELECT key, value, end_ms FROM kept_entry WHERE kind = ? ORDER BY end_ms, key", kind)
        .toArray()
        .map(({ key, value, end_ms: endMs }) => ({ key: String(key), value: String(value), endMs: Number(endMs) })),
    set({ key, value, endMs }) {
      sql.exec("INSERT OR REPLACE INTO kept_entry VALUES (?, ?, ?, ?, ?)", kind, key, value, endMs, deployment);
    },
    remove(key) {
      sql.exec("DELETE FROM kept_entry WHERE kind = ? AND key = ?", kind, key);
    },
  });
}

/** The port sorts by UTF-16 code units; R2 sorts by UTF-8 bytes. */
const inOrder = (a: string, b: string): number => (a < b ? -1 : 1);

/** R2 writes objects atomically and is strongly consistent, so a list shows every write. */
export function createR2ObjectStore(bucket: R2Bucket): ObjectStore {
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
