/** The record store port on the Durable Object's SQLite database: one row per record. */
import { recordName, type RecordStore } from "../../src/storage/record-store.ts";
import type { DurableObjectStorage } from "./platform.ts";

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
