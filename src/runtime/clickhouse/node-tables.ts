/** The tables by which nodes know of each other: which nodes there are, what is to be erased, which node has erased it, and what is set for sites. */
import type { EventTables } from "./tables.ts";

export interface NodeTables {
  readonly nodes: string;
  readonly requests: string;
  readonly confirmations: string;
  readonly settings: string;
}

export const nodeTables = ({ database }: Pick<EventTables, "database">): NodeTables => ({
  nodes: `\`${database}\`.nodes`,
  requests: `\`${database}\`.erasure_requests`,
  confirmations: `\`${database}\`.erasure_confirmations`,
  settings: `\`${database}\`.site_settings`,
});

/** Milliseconds by the server's clock, because those of the nodes may differ. */
export const SERVER_MS = "toUnixTimestamp64Milli(now64(3))";

/** All servers of a cluster are replicas of these tables. A newer row replaces the one with the same key. */
function createTable(tables: EventTables, name: string, { columns, key, version }: Record<"columns" | "key" | "version", string>): string {
  const { cluster, database, onCluster } = tables;
  const path = `'/clickhouse/tables/${cluster}/${database}/${name}', '{shard}-{replica}', `;
  const engine = cluster === null ? `ReplacingMergeTree(${version})` : `ReplicatedReplacingMergeTree(${path}${version})`;
  return `CREATE TABLE IF NOT EXISTS \`${database}\`.${name} ${onCluster} (${columns}) ENGINE = ${engine} ORDER BY ${key}`;
}

export const createNodeTables = (tables: EventTables): readonly string[] => [
  createTable(tables, "nodes", {
    columns:
      "node String, role String, version String, state String, started_ms Int64, secret_check String, rotation_days UInt32, " +
      `unflushed UInt64, last_segment UInt64, seen_ms Int64 DEFAULT ${SERVER_MS}`,
    key: "node",
    version: "seen_ms",
  }),
  createTable(tables, "erasure_requests", {
    columns: `id String, site_id String, first_day String, last_day String, requested_ms Int64 DEFAULT ${SERVER_MS}`,
    key: "id",
    version: "requested_ms",
  }),
  createTable(tables, "erasure_confirmations", {
    columns: `request String, node String, events UInt64, days UInt64, confirmed_ms Int64 DEFAULT ${SERVER_MS}`,
    key: "(request, node)",
    version: "confirmed_ms",
  }),
];

/** A row's site is empty for the calendar of all sites without one of their own; its record is empty after a removal. */
export const createSettingsTable = (tables: EventTables): readonly string[] => [
  createTable(tables, "site_settings", {
    columns: `site_id String, record String, changed_ms Int64, stored_ms Int64 DEFAULT ${SERVER_MS}`,
    key: "site_id",
    version: "changed_ms",
  }),
];
