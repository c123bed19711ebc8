/** What a route is: a method, a path, who may call it, and its handler. */
import type { Handler } from "./context.ts";

export type Method = "GET" | "POST" | "DELETE" | "OPTIONS";

/**
 * Who may call a route. `public`: everyone. `ingest`: everyone whose site the allowlist names. `auth`: everyone, to log in and out.
 * `stats`: everyone until an admin password exists, then whoever has a session or any key. `admin`: whoever has a session,
 * on a page of the dashboard, or an Admin key; nobody until an admin password exists. Until then, `host.ts` says under
 * which host names the last three are open.
 */
export type Access = "public" | "ingest" | "auth" | "stats" | "admin";

/** A method and a path template, e.g. `DELETE /api/keys/:key_hash`. */
export type RouteId = `${Method} /${string}`;

export interface Route<M extends Method = Method, P extends `/${string}` = `/${string}`> {
  readonly method: M;
  /** Parts that begin with `:` stand for any one part. */
  readonly path: P;
  readonly access: Access;
  readonly handler: Handler;
}

export const routeIdOf = ({ method, path }: Pick<Route, "method" | "path">): RouteId => `${method} ${path}`;
