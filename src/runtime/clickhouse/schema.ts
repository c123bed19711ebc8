/** The tables in ClickHouse, created and upgraded in numbered steps. */
import { CLICKHOUSE_CHECK_MS_MAX } from "../base/config/clickhouse-limits.ts";
import { type ClickhouseConnection, ClickhouseError, type ClickhouseStatement } from "./connection.ts";
import { createEvents, createEventsOfAllShards } from "./events-table.ts";
import { createNodeTables, createSettingsTable } from "./node-tables.ts";
import type { EventTables } from "./tables.ts";

/**
 * Statements that may run again, at the same time on another node, and after a later step: a start that was killed repeats its step.
 * A step is never changed after its release, except that a new column of events is also in `createEvents`.
 */
export type SchemaStep = (tables: EventTables) => readonly string[];

/** The schema's version is the number of steps. */
const STEPS: readonly SchemaStep[] = [
  (tables) => (tables.cluster === null ? [createEvents(tables)] : [createEvents(tables), createEventsOfAllShards(tables, tables.cluster)]),
  createNodeTables,
  createSettingsTable,
];

const UNKNOWN_TABLE = 60;
const UNKNOWN_DATABASE = 81;

/** Has a row for each step that a node has completed. */
const versionsTable = ({ database }: EventTables): string => `\`${database}\`.schema_versions`;

/** All servers of a cluster are replicas of this table. */
function createVersions(tables: EventTables): string {
  const { cluster, database, onCluster } = tables;
  const path = `'/clickhouse/tables/${cluster}/${database}/schema_versions', '{shard}-{replica}'`;
  return `CREATE TABLE IF NOT EXISTS ${versionsTable(tables)} ${onCluster}
  (version UInt32, completed_at DateTime DEFAULT now())
  ENGINE = ${cluster === null ? "MergeTree" : `ReplicatedMergeTree(${path})`}
  ORDER BY version`;
}

const createDatabase = ({ database, onCluster }: EventTables): string => `CREATE DATABASE IF NOT EXISTS \`${database}\` ${onCluster}`;

/** Creates the tables of the newest version. */
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
    if (error instanceof ClickhouseError && [UNKNOWN_TABLE, UNKNOWN_DATABASE].includes(error.code)) return 0;
    throw error;
  }
}

function completion(tables: EventTables, version: number): ClickhouseStatement {
  return { sql: `INSERT INTO ${versionsTable(tables)} (version) SELECT {version:UInt32}`, parameters: { version } };
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
    await connection.execute(completion(tables, i + 1));
  }
}
