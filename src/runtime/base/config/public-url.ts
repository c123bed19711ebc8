/** The public URL: where people and browsers reach the service. */
import type { Config } from "./config.ts";

/** An address of all interfaces: it can be listened on, but not every client can connect to it. */
const ALL_INTERFACES = /^(https?:\/\/)(?:0\.0\.0\.0|\[::\])(?=:|$)/;

/**
 * Without a trailing slash, e.g. `https://example.com/stats`: below `dashboard_origin`, else below the origin on which the service
 * listens, e.g. `http://0.0.0.0:8000`.
 */
export function publicUrl({ dashboardOrigin, basePath }: Pick<Config, "dashboardOrigin" | "basePath">, listening: string): string {
  return (dashboardOrigin ?? listening.replace(ALL_INTERFACES, "$1localhost")) + basePath;
}
