/** The options of the query engine: which one it is, and where ClickHouse is. */
import { origin } from "./network-kinds.ts";
import { type Option, option } from "./option.ts";
import { choice, identifier, secretString, userName } from "./option-kinds.ts";
import type { Secret } from "./secret.ts";

/** In the order of the documentation. */
export const CLICKHOUSE_OPTIONS = {
  engine: option(choice(["duckdb", "clickhouse"]), {
    default: "duckdb",
    description: "What answers reports: DuckDB within the process, or a ClickHouse server ([Scaling](scaling.md)).",
  }),
  clickhouse_url: option<string | null>(origin, {
    default: null,
    description: 'Origin of ClickHouse\'s HTTP interface. Required with `engine = "clickhouse"`.',
  }),
  clickhouse_database: option(identifier, {
    default: "sandpiper",
    description: "Database in ClickHouse. Created if it does not exist.",
  }),
  clickhouse_user: option(userName, {
    default: "default",
    description: "User in ClickHouse.",
  }),
  clickhouse_password: option<Secret | null>(secretString({ charsMin: 1 }), {
    default: null,
    defaultInWords: "empty",
    description: "Password of the ClickHouse user.",
  }),
  clickhouse_cluster: option<string | null>(identifier, {
    default: null,
    description: "Name of the ClickHouse cluster over which tables are replicated and sharded. Without it, one server holds all events.",
  }),
  role: option(choice(["all", "ingest"]), {
    default: "all",
    description: '`ingest`: accept events only; statistics and the dashboard are elsewhere. Requires `engine = "clickhouse"` and `secret`.',
  }),
} satisfies Record<string, Option<unknown>>;
