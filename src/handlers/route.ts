/** A route: method, path, access level, handler, the site that it is about, and the roles of the instances that serve it. */
import type { Config } from "../runtime/base/config/config.ts";
import type { SiteId } from "../storage/event.ts";
import type { Handler } from "./context.ts";

export type Method = "GET" | "POST" | "PUT" | "DELETE" | "OPTIONS";

/**
 * Who may call a route (docs/http-api.md, "Access"). `public`: everyone. `ingest`: everyone, for allowed sites. `auth`: everyone,
 * to log in and out. `stats`: everyone until an admin password is set, then callers with a session or any key. `admin`: callers
 * with an Admin key or, on a page of the dashboard, a session; nobody until an admin password is set. `site`: the same, also with an
 * Admin key that is limited to the sites that the request names. `session`: the same without the keys. `instance`: as `stats`, but
 * without share links, and without keys that are limited to some sites. `share`: everyone, with `X-Share`. `manage`: everyone but
 * foreign pages until an admin password is set, then as `admin`. Until then, `host.ts` restricts the host names of all but the first
 * two.
 */
export type Access = "public" | "ingest" | "auth" | "share" | "stats" | "instance" | "site" | "admin" | "session" | "manage";

/** What an instance is for (the option `role`). */
export type Role = Config["role"];

/** A method and a path template, e.g. `DELETE /api/keys/:key_hash`. */
export type RouteId = `${Method} /${string}`;

export interface Route<M extends Method = Method, P extends `/${string}` = `/${string}`> {
  readonly method: M;
  /** A segment that begins with `:` matches any one segment. */
  readonly path: P;
  readonly access: Access;
  readonly handler: Handler;
  /** An instance of another role has nothing at the path (docs/http-api.md, "Roles"). */
  readonly roles: readonly Role[];
  /** The one site that a request is about: `true` for that of the query parameter `site_id`. Null if there is none; events name theirs. */
  readonly site: true | SiteId | null;
}

export const routeIdOf = ({ method, path }: Pick<Route, "method" | "path">): RouteId => `${method} ${path}`;
