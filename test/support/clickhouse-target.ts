/** In-process targets whose reports ClickHouse answers, each with a database of its own. */
import type { ClickhouseServer } from "./clickhouse-server.ts";
import { createInProcessTarget, type InProcessParts, type InProcessTarget } from "./in-process-target.ts";
import type { Environment, MakeTarget } from "./target.ts";

/** A target on an empty database of the server. */
export async function createClickhouseTarget(
  server: ClickhouseServer,
  environment: Environment = {},
  parts: InProcessParts = {},
): Promise<InProcessTarget> {
  const { url, username, password } = server;
  const options = {
    SVC_ENGINE: "clickhouse",
    SVC_CLICKHOUSE_URL: url,
    SVC_CLICKHOUSE_DATABASE: await server.database(),
    SVC_CLICKHOUSE_USER: username,
    ...(password !== "" && { SVC_CLICKHOUSE_PASSWORD: password }),
  };
  return createInProcessTarget({ ...options, ...environment }, parts);
}

/** Why the targets skip cases about what DuckDB reads. */
export const NO_FILES_READ = "ClickHouse answers reports: a query flushes the journal, and reads no files.";

/** For the suites of one file, with the server of that file. */
export function clickhouseTargets(server: () => ClickhouseServer): MakeTarget {
  return Object.assign((environment?: Environment) => createClickhouseTarget(server(), environment), {
    lacks: { readsFiles: NO_FILES_READ },
    skipped: [],
    needing: [],
  });
}
