/** The definition of the table of events: columns, order, partitions, replication and shards. */
import { EVENT_COLUMNS, type ColumnKind } from "../../storage/event.ts";
import type { EventTables } from "./tables.ts";

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
export const createEvents = (tables: EventTables): string => `CREATE TABLE IF NOT EXISTS ${tables.stored} ${tables.onCluster}
  (
    ${COLUMNS.join(",\n    ")}
  )
  ENGINE = ${engineOf(tables)}
  PARTITION BY toYYYYMM(toDate32(day))
  ORDER BY (site_id, day, visitor_id, timestamp, segment, row)
  SETTINGS ${settingsOf(tables)}`;

/** A visitor id is a hash of site and visitor, so it is the sharding key as it is: everything about a visitor is on one shard. */
export const createEventsOfAllShards = ({ all, stored, onCluster, database }: EventTables, cluster: string): string =>
  `CREATE TABLE IF NOT EXISTS ${all} ${onCluster} AS ${stored}
  ENGINE = Distributed('${cluster}', '${database}', 'events_data', visitor_id)`;
