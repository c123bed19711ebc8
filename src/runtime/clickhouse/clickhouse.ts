/** The ClickHouse server of an instance: what reads and writes its events. Nothing is sent to it before the first statement. */
import type { Config } from "../base/config/config.ts";
import type { Counters } from "../base/metrics/metrics.ts";
import { ClickhouseEvents } from "./clickhouse-events.ts";
import { type ConnectClickhouse, PreparedConnection } from "./connection.ts";
import { ErasureRequests } from "./deletion.ts";
import { nodeIdOf, type NodeIdParts, Nodes } from "./nodes.ts";
import { eventTables, prepareSchema } from "./schema.ts";
import { SharedSettings } from "./shared-settings.ts";

interface ClickhouseParts extends NodeIdParts {
  readonly config: Config;
  readonly connectClickhouse: ConnectClickhouse;
  readonly counters: Counters;
  readonly monotonicMs: () => number;
}

/** null with `engine = duckdb`. */
export async function openClickhouse({ config, connectClickhouse, ...parts }: ClickhouseParts) {
  const { engine, clickhouseUrl } = config;
  if (engine === "duckdb" || clickhouseUrl === null) return null;
  const server = connectClickhouse({ ...config, clickhouseUrl });
  const tables = eventTables(config);
  const connection = new PreparedConnection(server, () => prepareSchema(server, tables));
  const node = await nodeIdOf(parts);
  return {
    connection,
    tables,
    node,
    events: new ClickhouseEvents({ ...parts, connection, tables, node }),
    nodes: new Nodes(connection, tables),
    requests: new ErasureRequests(connection, tables, node),
    settings: new SharedSettings(connection, tables),
  };
}

export type Clickhouse = NonNullable<Awaited<ReturnType<typeof openClickhouse>>>;
