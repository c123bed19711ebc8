/** The tables of events on one server and on a cluster, and the settings of statements that concern several servers. */
import type { Config } from "../base/config/config.ts";
import type { ClickhouseStatement } from "./connection.ts";

type Settings = NonNullable<ClickhouseStatement["settings"]>;

/** Names of tables include the database, because servers of a cluster run what they are sent in a database of their own choice. */
export interface EventTables {
  readonly database: string;
  /** null on one server. */
  readonly cluster: string | null;
  /** Has the events of one server, on a cluster those of its shard. Deletions name it. */
  readonly stored: string;
  /** Has all events. Inserts and SELECTs name it. */
  readonly all: string;
  /** Follows the name of a table in statements that every server executes. Empty on one server. */
  readonly onCluster: string;
  /** Settings for statements that read `all`, or from all shards. */
  readonly readSettings: Settings;
  /** Settings for INSERT. */
  readonly insertSettings: Settings;
  /** Settings for statements that create, change or delete. */
  readonly changeSettings: Settings;
}

/** Both are validated (`identifier`), so that quotes suffice. */
const qualified = (database: string, table: string): string => `\`${database}\`.${table}`;

/**
 * Reads and inserts use the first replica that is up, in the order of the cluster's definition, whichever server gets the statement:
 * a report then has what was inserted before. Further replicas take over when it fails.
 */
const FIRST_REPLICA = { load_balancing: "in_order", prefer_localhost_replica: 0, max_parallel_replicas: 1 } as const;

const CLUSTER_SETTINGS = {
  // A subquery has the events of all shards wherever it runs.
  readSettings: { ...FIRST_REPLICA, distributed_product_mode: "global" },
  // The insert resolves once each shard has its block. The token goes along, so that a repeated insert adds what a shard lacks.
  insertSettings: { ...FIRST_REPLICA, distributed_foreground_insert: 1 },
  // All replicas have executed the statement, or it fails.
  changeSettings: { distributed_ddl_output_mode: "throw", distributed_ddl_task_timeout: 180, alter_sync: 2 },
} as const;

const SERVER_SETTINGS = { readSettings: {}, insertSettings: {}, changeSettings: {} } as const;

export function eventTables({
  clickhouseDatabase: database,
  clickhouseCluster: cluster,
}: Pick<Config, "clickhouseDatabase" | "clickhouseCluster">): EventTables {
  const stored = qualified(database, "events_data");
  if (cluster === null) return { database, cluster, stored, all: stored, onCluster: "", ...SERVER_SETTINGS };
  return { database, cluster, stored, all: qualified(database, "events_all"), onCluster: `ON CLUSTER \`${cluster}\``, ...CLUSTER_SETTINGS };
}
