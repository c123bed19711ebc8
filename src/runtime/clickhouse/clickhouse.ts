/** The ClickHouse server of an instance: what reads and writes its events. Nothing is sent to it before the first statement. */
import type { Config } from "../base/config/config.ts";
import type { Counters } from "../base/metrics/metrics.ts";
import { ClickhouseEvents } from "./clickhouse-events.ts";
import { type ClickhouseConnection, type ConnectClickhouse, PreparedConnection } from "./connection.ts";
import { ErasureRequests } from "./deletion.ts";
import { nodeIdOf, type NodeIdParts, Nodes } from "./nodes.ts";
import { eventTables, type EventTables, prepareSchema } from "./schema.ts";
import { SharedSettings } from "./shared-settings.ts";

export interface Clickhouse {
  readonly connection: ClickhouseConnection;
  readonly tables: EventTables;
  readonly events: ClickhouseEvents;
  /** The id of this node. */
  readonly node: string;
  readonly nodes: Nodes;
  readonly requests: ErasureRequests;
  readonly settings: SharedSettings;
}

interface ClickhouseParts extends NodeIdParts {
  readonly config: Config;
  readonly connectClickhouse: ConnectClickhouse;
  readonly counters: Counters;
  readonly monotonicMs: () => number;
}

/** null with `engine = duckdb`. */
export async function openClickhouse({ config, connectClickhouse, ...parts }: ClickhouseParts): Promise<Clickhouse | null> {
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
