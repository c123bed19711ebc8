/** The tables in ClickHouse, and the statements that create them. */
import { EVENT_COLUMNS, type ColumnKind } from "../../../storage/event-columns.ts";
import type { ClickhouseConnection } from "./connection.ts";

/** The table that holds the events of this server, or of this shard. */
export const EVENTS_TABLE = "events_data";

/** How many inserts the server remembers by their token. */
const DEDUPLICATION_WINDOW = 10_000;

/** Texts that were not recorded are `(unknown)`, as reports show them, so that filters and groups need no special case. */
const COLUMN_TYPES: Readonly<Record<ColumnKind, string>> = {
  text: "LowCardinality(String)",
  json: "Nullable(String) CODEC(ZSTD(1))",
  cents: "Nullable(Int64)",
  visitor: "UInt64",
  timestamp: "Int64 CODEC(DoubleDelta, ZSTD(1))",
};

/**
 * `node` is the instance that accepted the event, `segment` the journal segment, and `row` the place in it: together they order
 * events with equal timestamps, and tell which events a segment has. The order of rows follows the reports, which read days of a site,
 * and group the events of a visitor.
 */
const createEvents = (): string => `
  CREATE TABLE IF NOT EXISTS ${EVENTS_TABLE} (
    site_id LowCardinality(String),
    day Int32 CODEC(Delta, ZSTD(1)),
    node LowCardinality(String),
    segment UInt64 CODEC(Delta, ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    ${EVENT_COLUMNS.filter(({ name }) => name !== "site_id")
      .map(({ name, kind }) => `${name} ${COLUMN_TYPES[kind]}`)
      .join(",\n    ")}
  )
  ENGINE = MergeTree
  PARTITION BY toYYYYMM(toDate32(day))
  ORDER BY (site_id, day, visitor_id, timestamp, segment, row)
  SETTINGS non_replicated_deduplication_window = ${DEDUPLICATION_WINDOW}`;

/** Creates what is missing. */
export async function prepareSchema(connection: ClickhouseConnection, database: string): Promise<void> {
  await connection.execute({ sql: "CREATE DATABASE IF NOT EXISTS {database:Identifier}", parameters: { database }, withoutDatabase: true });
  await connection.execute({ sql: createEvents() });
}
