/** The program's connection to a ClickHouse for tests, with a fresh database. */
import { connectClickhouse } from "../../adapters/clickhouse-connection.ts";
import { Secret } from "../../src/runtime/base/config/option-kinds.ts";
import type { ClickhouseConnection } from "../../src/runtime/clickhouse/connection.ts";
import type { ClickhouseServer } from "./clickhouse-server.ts";

type Address = Pick<ClickhouseServer, "url" | "username" | "password">;

export const connectionTo = ({ url, username, password }: Address, database: string): ClickhouseConnection =>
  connectClickhouse({
    clickhouseUrl: url,
    clickhouseDatabase: database,
    clickhouseUser: username,
    clickhousePassword: password === "" ? null : new Secret(password),
  });
