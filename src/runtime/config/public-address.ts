/** The address at which people and browsers reach the service. */
import type { Config } from "./config.ts";

/** What an address of all interfaces is called: it can be listened on, but not every client can connect to it. */
const ALL_INTERFACES = /^(https?:\/\/)(?:0\.0\.0\.0|\[::\])(?=:|$)/;

/**
 * The public address without a trailing slash, e.g. `https://example.com/stats`: that of `dashboard_origin`, else that on which the
 * service listens, e.g. `http://0.0.0.0:8000`.
 */
export function publicAddress({ dashboardOrigin, basePath }: Pick<Config, "dashboardOrigin" | "basePath">, listening: string): string {
  return (dashboardOrigin ?? listening.replace(ALL_INTERFACES, "$1localhost")) + basePath;
}
