/** The tables in ClickHouse, created and upgraded in numbered steps. */
import { UNRECORDED } from "../../shared/filters.ts";
import { type ColumnKind, EVENT_COLUMNS } from "../../storage/event.ts";
import { CLICKHOUSE_CHECK_MS_MAX } from "../base/config/clickhouse-limits.ts";
import type { Config } from "../base/config/config.ts";
import { type ClickhouseConnection, type ClickhouseStatement, lacksSchema } from "./connection.ts";

/**
 * Number and lifetime of the insert tokens that a server remembers: an insert that is repeated later is looked up before
 * (`ReplicatedEvents.isRepeated`).
 */
const DEDUPLICATED_INSERTS = 10_000;
const DEDUPLICATION_SECS = 604_800;

/** Texts that were not recorded are `(unknown)`, as reports show them, so that filters and groups need no special case. */
const COLUMN_TYPES: Readonly<Record<ColumnKind, string>> = {
  text: "LowCardinality(String) CODEC(ZSTD(1))",
  json: "Nullable(String) CODEC(ZSTD(1))",
  integer: "Nullable(Int64) CODEC(ZSTD(1))",
  cents: "Nullable(Int64) CODEC(ZSTD(1))",
  visitor: "UInt64 CODEC(ZSTD(1))",
  timestamp: "Int64 CODEC(Delta, ZSTD(1))",
};

/** `node` is the instance that accepted the event, `segment` the journal segment, and `row` the place in it. */
const COLUMNS: readonly string[] = [
  "site_id LowCardinality(String)",
  "day Int32 CODEC(Delta, ZSTD(1))",
  "node LowCardinality(String)",
  "segment UInt64 CODEC(Delta, ZSTD(1))",
  "row UInt32 CODEC(Delta, ZSTD(1))",
  ...EVENT_COLUMNS.filter(({ name }) => name !== "site_id").map(({ name, kind }) => `${name} ${COLUMN_TYPES[kind]}`),
];

/** The path has no `{uuid}`, so that a replica that is added later, by the same statement, finds the others. */
const engineOf = ({ cluster, database }: EventTables): string =>
  cluster === null ? "MergeTree" : `ReplicatedMergeTree('/clickhouse/tables/${cluster}/{shard}/${database}/events_data', '{replica}')`;

const settingsOf = ({ cluster }: EventTables): string =>
  cluster === null
    ? `non_replicated_deduplication_window = ${DEDUPLICATED_INSERTS}`
    : `replicated_deduplication_window = ${DEDUPLICATED_INSERTS}, replicated_deduplication_window_seconds = ${DEDUPLICATION_SECS}`;

/**
 * Reports read days of a site, and most then group by visitor or follow a visitor's events in order, so rows lie in that order. An
 * insert has one day, so it makes one part; a month is a partition, so that years of events have tens of them. There is no TTL: the
 * program does not trust the server's clock with deletions.
 */
const createEvents = (tables: EventTables): string => `CREATE TABLE IF NOT EXISTS ${tables.stored} ${tables.onCluster}
  (
    ${COLUMNS.join(",\n    ")}
  )
  ENGINE = ${engineOf(tables)}
  PARTITION BY toYYYYMM(toDate32(day))
  ORDER BY (site_id, day, visitor_id, timestamp, segment, row)
  SETTINGS ${settingsOf(tables)}`;

/** A visitor id is a hash of site and visitor, so it is the sharding key as it is: everything about a visitor is on one shard. */
const createEventsOfAllShards = ({ all, stored, onCluster, database }: EventTables, cluster: string): string =>
  `CREATE TABLE IF NOT EXISTS ${all} ${onCluster} AS ${stored}
  ENGINE = Distributed('${cluster}', '${database}', 'events_data', visitor_id)`;

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

const createNodeTables = (tables: EventTables): readonly string[] => [
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
const createSettingsTable = (tables: EventTables): readonly string[] => [
  createTable(tables, "site_settings", {
    columns: `site_id String, record String, changed_ms Int64, stored_ms Int64 DEFAULT ${SERVER_MS}`,
    key: "site_id",
    version: "changed_ms",
  }),
];

/**
 * Statements that may run again, at the same time on another node, and after a later step: a start that was killed repeats its step.
 * A step is never changed after its release, except that a new column of events is also in `createEvents`.
 */
export type SchemaStep = (tables: EventTables) => readonly string[];

/** Adds a column of events to tables of an earlier version. */
const addColumn = ({ stored, all, onCluster }: EventTables, definition: string): readonly string[] =>
  [...new Set([stored, all])].map((table) => `ALTER TABLE ${table} ${onCluster} ADD COLUMN IF NOT EXISTS ${definition}`);

/** A percent-encoding, as `normalizePathPart` has it; `piece` is what follows its "%". */
const ENCODING = "concat('%', upper(substring(piece, 1, 2)), substring(piece, 3))";
const DECODED = "concat(unhex(substring(piece, 1, 2)), substring(piece, 3))";

const NORMALIZED_PATHNAME = `arrayStringConcat(arrayMap(
    (piece, place) -> multiIf(
      place = 1, piece,
      NOT match(piece, '^[0-9A-Fa-f]{2}'), concat('%', piece),
      match(pathname, '%([^0-9A-Fa-f]|[0-9A-Fa-f]([^0-9A-Fa-f]|$)|$)'), ${ENCODING},
      match(unhex(substring(piece, 1, 2)), '^[0-9A-Za-z._~-]$'), ${DECODED},
      ${ENCODING}
    ),
    splitByChar('%', replaceAll(pathname, '^', '%5E')),
    arrayEnumerate(splitByChar('%', replaceAll(pathname, '^', '%5E')))
  ))`;

/** A mutation, which runs in the background. Paths of earlier versions are what the URL parser returned. */
const normalizePages = ({ stored, onCluster }: EventTables): string => `ALTER TABLE ${stored} ${onCluster} UPDATE
  pathname = ${NORMALIZED_PATHNAME},
  hostname = replaceRegexpOne(hostname, '([^.])[.]+$', '\\\\1')
  WHERE match(pathname, '[%^]') OR endsWith(hostname, '.')`;

/** The schema's version is the number of steps. */
const STEPS: readonly SchemaStep[] = [
  (tables) => (tables.cluster === null ? [createEvents(tables)] : [createEvents(tables), createEventsOfAllShards(tables, tables.cluster)]),
  createNodeTables,
  createSettingsTable,
  (tables) => addColumn(tables, "engaged_seconds Nullable(Int64) CODEC(ZSTD(1))"),
  (tables) => [
    // Rows of before have the text for "not recorded", as all new ones without a value.
    ...addColumn(tables, `click_id LowCardinality(String) DEFAULT '${UNRECORDED}' CODEC(ZSTD(1))`),
    ...addColumn(tables, "interactive Nullable(Int64) CODEC(ZSTD(1))"),
  ],
  (tables) => [normalizePages(tables)],
  (tables) => addColumn(tables, `evidence LowCardinality(String) DEFAULT '${UNRECORDED}' CODEC(ZSTD(1))`),
];

const versionsTable = ({ database }: EventTables): string => `\`${database}\`.schema_versions`;

function createVersions(tables: EventTables): string {
  const { cluster, database, onCluster } = tables;
  const path = `'/clickhouse/tables/${cluster}/${database}/schema_versions', '{shard}-{replica}'`;
  return `CREATE TABLE IF NOT EXISTS ${versionsTable(tables)} ${onCluster}
  (version UInt32, completed_at DateTime DEFAULT now())
  ENGINE = ${cluster === null ? "MergeTree" : `ReplicatedMergeTree(${path})`}
  ORDER BY version`;
}

const createDatabase = ({ database, onCluster }: EventTables): string => `CREATE DATABASE IF NOT EXISTS \`${database}\` ${onCluster}`;

export const creation = (tables: EventTables): readonly string[] => [
  createDatabase(tables),
  createVersions(tables),
  ...STEPS.flatMap((step) => step(tables)),
];

/**
 * 0 before the first step. A start that finds the newest version changes nothing, so it does not need every server of a cluster. It is
 * the first statement: a server that is silent must hold up neither the start nor what waits for the schema.
 */
async function storedVersion(connection: ClickhouseConnection, tables: EventTables): Promise<number> {
  try {
    const [row] = await connection.rows({
      sql: `SELECT max(version) AS version FROM ${versionsTable(tables)}`,
      timeoutMs: CLICKHOUSE_CHECK_MS_MAX,
    });
    return Number(row?.["version"] ?? 0);
  } catch (error) {
    if (lacksSchema(error)) return 0;
    throw error;
  }
}

/** Creates what is missing. Rejects if a newer program has upgraded the schema. */
export async function prepareSchema(connection: ClickhouseConnection, tables: EventTables, steps = STEPS): Promise<void> {
  const change = (sql: string) => connection.execute({ sql, settings: tables.changeSettings });
  const version = await storedVersion(connection, tables);
  if (version > steps.length) {
    throw new Error(
      `the database ${tables.database} in ClickHouse has version ${version} of the schema, and this program knows versions up to ` +
        `${steps.length}: install the newer release again, or set clickhouse_database to another name`,
    );
  }
  if (version === 0) {
    await connection.execute({ sql: createDatabase(tables), settings: tables.changeSettings, withoutDatabase: true });
    await change(createVersions(tables));
  }
  for (const [i, step] of steps.entries()) {
    if (i < version) continue;
    for (const sql of step(tables)) await change(sql);
    await connection.execute({
      sql: `INSERT INTO ${versionsTable(tables)} (version) SELECT {version:UInt32}`,
      parameters: { version: i + 1 },
    });
  }
}

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
  readonly insertSettings: Settings;
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

/** The tables of events on one server and on a cluster, and the settings of statements that concern several servers. */
export function eventTables({
  clickhouseDatabase: database,
  clickhouseCluster: cluster,
}: Pick<Config, "clickhouseDatabase" | "clickhouseCluster">): EventTables {
  const stored = qualified(database, "events_data");
  if (cluster === null) return { database, cluster, stored, all: stored, onCluster: "", ...SERVER_SETTINGS };
  return { database, cluster, stored, all: qualified(database, "events_all"), onCluster: `ON CLUSTER \`${cluster}\``, ...CLUSTER_SETTINGS };
}
