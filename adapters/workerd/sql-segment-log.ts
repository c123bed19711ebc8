/**
 * The segment log port on the Durable Object's SQLite database: an append is one row, or several if it is long. Each append commits,
 * and a commit blocks the isolate, so appends first gather the requests that are ready by the next timer.
 */
import type { ObjectStore } from "../../src/storage/object-store.ts";
import { reasonOf } from "../../src/runtime/base/metrics/log.ts";
import { NothingAppendedError, type SegmentLog } from "../../src/storage/segment-log.ts";
import type { DurableObjectStorage } from "./platform.ts";

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

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/** Quarantines damaged segments in the object store, where an operator can read them. */
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
