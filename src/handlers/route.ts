/** A route of the table in app.ts, and what its handler gets in addition to the request. */
import type { Standing } from "../runtime/access/principal.ts";
import type { Config } from "../runtime/base/config/config.ts";
import type { EventInput } from "../runtime/ingest/event-input.ts";
import type { GeoPlace } from "../runtime/ingest/geo.ts";
import type { Reader } from "../runtime/query/scope.ts";
import type { Services } from "../runtime/service/services.ts";
import type { SiteId, EpochMs } from "../storage/event.ts";
import type { Reply } from "./reply.ts";
import type { ResponseStreams } from "./response-streams.ts";

export type Method = "GET" | "POST" | "PUT" | "DELETE" | "OPTIONS";

/**
 * The callers of a route (docs/http-api.md, "Access"). `public`: everyone. `ingest`: everyone, for allowed sites. `auth`: everyone, to log
 * in and out. `stats`: everyone until an admin password is set, then callers with a session or any key. `admin`: callers with an Admin key
 * or, on a page of the dashboard, a session; nobody until an admin password is set. `site`: the same, plus Admin keys limited to the sites
 * that the request names. `session`: the same without the keys. `instance`: like `stats`, but without share links, and without keys that
 * are limited to some sites. `share`: everyone, with `X-Share`. `manage`: everyone but foreign pages until an admin password is set, then
 * like `admin`. Until then, `origins.ts` restricts the host names of all but the first two.
 */
export type Access = "public" | "ingest" | "auth" | "share" | "stats" | "instance" | "site" | "admin" | "session" | "manage";

/** The tasks of an instance (the option `role`). */
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

export interface Context {
  readonly services: Services;
  /** Arrival of the request by the wall clock, for dates. */
  readonly nowMs: EpochMs;
  /** Arrival of the request by the monotonic clock, for durations. */
  readonly beganMs: number;
  /** The request's URL, parsed once. Its host is that of the `Host` header. */
  readonly url: URL;
  /** The peer address of the connection, regardless of proxy headers. Never logged, never stored. */
  readonly socketAddress: string;
  /** The location of that address, on hosts that know it for every connection. */
  readonly socketPlace: GeoPlace | null;
  /** The event in the request, if the host has parsed it already. */
  readonly event: EventInput | null;
  /** The rights of the request's credentials; null on routes that need none. */
  readonly standing: Standing | null;
  /** The reader of statistics. Made when it is first asked for, because events have none. */
  readonly reader: Reader;
  /** Aborts when the time limit of the request passes. */
  readonly deadline: { readonly signal: AbortSignal };
  /** Opens a body that is written while the client reads it. */
  readonly streams: ResponseStreams;
  readonly params: Readonly<Record<string, string>>;
}

/** The parts that recognize the service's own host. */
export type HostContext = Pick<Context, "services" | "url">;

export type Handler = (request: Request, context: Context) => Reply | Promise<Reply>;
