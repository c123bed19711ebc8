/** The ClickHouse server of an instance: connects to it, creates the tables, and opens what reads and writes them. */
import type { Config } from "../../config/config.ts";
import { ClickhouseEvents } from "./clickhouse-events.ts";
import type { ClickhouseConnection, ConnectClickhouse } from "./connection.ts";
import { nodeIdOf, type NodeIdParts } from "./node-id.ts";
import { prepareSchema } from "./schema.ts";

export interface Clickhouse {
  readonly connection: ClickhouseConnection;
  readonly events: ClickhouseEvents;
}

interface ClickhouseParts extends NodeIdParts {
  readonly config: Config;
  readonly connectClickhouse: ConnectClickhouse;
}

/** Null with `engine = duckdb`. */
export async function openClickhouse({ config, connectClickhouse, ...parts }: ClickhouseParts): Promise<Clickhouse | null> {
  const { engine, clickhouseUrl, clickhouseDatabase } = config;
  if (engine === "duckdb" || clickhouseUrl === null) return null;
  const connection = connectClickhouse({ ...config, clickhouseUrl });
  await prepareSchema(connection, clickhouseDatabase);
  return { connection, events: new ClickhouseEvents({ connection, node: await nodeIdOf(parts) }) };
}
