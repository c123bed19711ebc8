/** Options that are each valid, but not together, and options that others make ineffective. */
import type { Platform } from "./option.ts";
import type { OptionValue } from "./options.ts";

interface ProxyConfig {
  readonly trustProxy: OptionValue<"trust_proxy">;
  readonly geoHeaders: OptionValue<"geo_headers">;
}

interface EngineConfig {
  readonly engine: OptionValue<"engine">;
  readonly clickhouseUrl: OptionValue<"clickhouse_url">;
  readonly role: OptionValue<"role">;
  readonly secret: OptionValue<"secret">;
}

/** Problems that stop the start. */
export function conflictsIn(config: EngineConfig & ProxyConfig, platform: Platform): readonly string[] {
  const { engine, clickhouseUrl, role, secret, trustProxy, geoHeaders } = config;
  const problems: string[] = [];
  if (geoHeaders !== null && trustProxy === 0) problems.push("geo_headers requires trust_proxy: otherwise anyone could send these headers");
  if (engine === "clickhouse" && clickhouseUrl === null) problems.push("clickhouse_url is required with engine = clickhouse");
  if (role === "ingest" && platform === "workerd") problems.push("role = ingest is of the Node program only");
  if (role === "ingest" && engine !== "clickhouse") problems.push("role = ingest requires engine = clickhouse");
  if (role === "ingest" && secret === null) problems.push("role = ingest requires secret, the same on every node");
  return problems;
}

/** ClickHouse reads events in the time that rollups would save, and a node lacks the files of the others. */
export const withoutRollups = <C extends Pick<EngineConfig, "engine">>(config: C): C =>
  config.engine === "clickhouse" ? { ...config, rollups: false } : config;
