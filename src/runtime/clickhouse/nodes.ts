/** The nodes that share a database: each announces itself every few seconds. */
import type { RecordStore } from "../../storage/record-store.ts";
import { toHex } from "../base/bytes.ts";
import { CLICKHOUSE_CHECK_MS_MAX } from "../base/config/clickhouse-limits.ts";
import type { Config } from "../base/config/config.ts";
import type { ClickhouseConnection } from "./connection.ts";
import { type EventTables, nodeTables, type NodeTables, SERVER_MS } from "./schema.ts";

/** `removed`: an administrator has declared that the node never returns (docs/scaling.md). */
export type NodeState = "running" | "stopped" | "removed";

interface NodeAnnouncement {
  readonly node: string;
  readonly role: Config["role"];
  readonly version: string;
  readonly state: NodeState;
  readonly startedMs: number;
  /** Equal on nodes with the same secret; empty without one. */
  readonly secretCheck: string;
  readonly rotationDays: number;
  /** Events in its journal that ClickHouse may lack. */
  readonly unflushed: number;
  readonly lastSegment: number;
}

export interface KnownNode extends NodeAnnouncement {
  /** Time since its announcement, by the server's clock. */
  readonly seenMsAgo: number;
}

/** True if the node neither has events that ClickHouse lacks nor accepts any. */
export const isEmptied = ({ state, unflushed }: Pick<KnownNode, "state" | "unflushed">): boolean =>
  state === "removed" || (state === "stopped" && unflushed === 0);

export class Nodes {
  readonly #connection: ClickhouseConnection;
  readonly #tables: NodeTables;

  constructor(connection: ClickhouseConnection, tables: EventTables) {
    this.#connection = connection;
    this.#tables = nodeTables(tables);
  }

  async announce(announcement: NodeAnnouncement, signal?: AbortSignal): Promise<void> {
    const { startedMs: started, secretCheck: check, rotationDays: rotation, lastSegment: segment, ...others } = announcement;
    await this.#connection.execute(
      {
        sql: `INSERT INTO ${this.#tables.nodes}
          (node, role, version, state, started_ms, secret_check, rotation_days, unflushed, last_segment)
          SELECT {node:String}, {role:String}, {version:String}, {state:String}, {started:Int64}, {check:String}, {rotation:UInt32},
            {unflushed:UInt64}, {segment:UInt64}`,
        parameters: { ...others, started, check, rotation, segment },
        timeoutMs: CLICKHOUSE_CHECK_MS_MAX,
      },
      signal,
    );
  }

  async all(): Promise<KnownNode[]> {
    const sql = `SELECT *, ${SERVER_MS} - seen_ms AS ago FROM ${this.#tables.nodes} FINAL ORDER BY node`;
    const rows = await this.#connection.rows({ sql, timeoutMs: CLICKHOUSE_CHECK_MS_MAX });
    return rows.map((row) => ({
      node: String(row["node"]),
      role: row["role"] === "ingest" ? "ingest" : "all",
      version: String(row["version"]),
      state: stateOf(row["state"]),
      startedMs: Number(row["started_ms"]),
      secretCheck: String(row["secret_check"]),
      rotationDays: Number(row["rotation_days"]),
      unflushed: Number(row["unflushed"]),
      lastSegment: Number(row["last_segment"]),
      seenMsAgo: Number(row["ago"]),
    }));
  }
}

const stateOf = (text: unknown): NodeState => (text === "stopped" || text === "removed" ? text : "running");

const RECORD = "node.json";

const ID_BYTES = 8;

export interface NodeIdParts {
  readonly records: RecordStore;
  readonly randomBytes: (length: number) => Uint8Array;
}

/** Rejects if the record is damaged: with another id, events of the journal might be inserted twice. */
export async function nodeIdOf({ records, randomBytes }: NodeIdParts): Promise<string> {
  const bytes = await records.read(RECORD);
  if (bytes === null) {
    const id = toHex(randomBytes(ID_BYTES));
    await records.write(RECORD, new TextEncoder().encode(`${JSON.stringify({ id })}\n`));
    return id;
  }
  const id = /^\{"id":"([0-9a-f]{16})"\}\n$/.exec(new TextDecoder().decode(bytes))?.[1];
  if (id === undefined) throw new Error(`${RECORD} in the data folder is damaged; restore it from a backup`);
  return id;
}
