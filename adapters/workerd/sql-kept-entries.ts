/**
 * The port for what logins leave until the service restarts, on the Durable Object's SQLite database: the platform ends an idle object
 * after seconds, which is not a restart. A deployment is one. The platform sends no response before the writes that precede it are durable.
 */
import { KEPT_IN_MEMORY, type KeepEntries } from "../../src/runtime/access/expiring-tokens.ts";
import type { DurableObjectStorage } from "./platform.ts";

/** Forgets what another deployment has left. Without the id of this one, nothing is stored: a restart could not end it. */
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
