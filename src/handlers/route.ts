/** A route of the table in app.ts, and the context that its handler gets besides the request. */
import type { Standing } from "../runtime/access/principal.ts";
import type { Config } from "../runtime/base/config/config.ts";
import type { EventInput } from "../runtime/ingest/event-input.ts";
import type { GeoPlace } from "../runtime/ingest/geo.ts";
import type { Network } from "../runtime/ingest/network.ts";
import type { Reader } from "../runtime/query/scope.ts";
import type { Services } from "../runtime/service/services.ts";
import type { EpochMs, SiteId } from "../storage/event.ts";
import type { FailureLog } from "./error-reply.ts";
import type { Reply } from "./http.ts";
import type { ResponseStreams } from "./response-streams.ts";

export type Method = "GET" | "POST" | "PUT" | "DELETE" | "OPTIONS";

/**
 * Who may call a route (docs/http-api.md, "Access"). Until an admin password is set, `origins.ts` restricts the host names of all but
 * `public` and `ingest`.
 */
export type Access =
  | "public"
  /** Everyone, for allowed sites. */
  | "ingest"
  /** Everyone, to log in and out. */
  | "auth"
  /** Everyone with `X-Share`. */
  | "share"
  /** Everyone until an admin password is set, then sessions, keys and share links. */
  | "stats"
  /** The callers of `stats` without share links and keys limited to some sites. */
  | "instance"
  /** The callers of `admin`, plus Admin keys limited to the sites that the request names. */
  | "site"
  /** Admin keys, and sessions on a page of the dashboard; nobody until an admin password is set. */
  | "admin"
  /** The callers of `admin` without keys. */
  | "session"
  /** Everyone but foreign pages until an admin password is set, then the callers of `admin`. */
  | "manage"
  /** API keys only, and no pages of other origins; nobody until there is a key. */
  | "key";

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
  /**
   * The one site that a request is about; `true`: the query parameter `site_id` names it; a function if the path does. null if there is
   * none; events name theirs.
   */
  readonly site: true | SiteId | ((params: Context["params"]) => SiteId | null) | null;
  /** The share that the address names, for clients that cannot send `X-Share`, before which it counts. null: no route but these has one. */
  readonly guest: ((address: Pick<Context, "params" | "url">) => string | null) | null;
  /** Changes nothing, so that its work ends when the client goes away. */
  readonly isReport: boolean;
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
  /** The network of that address, on hosts that know it for every connection. */
  readonly socketNetwork: Network | null;
  /** The event in the request, if the host has parsed it already. */
  readonly event: EventInput | null;
  /** The rights of the request's credentials; null on routes that need none. */
  readonly standing: Standing | null;
  /** The reader of statistics. Made when it is first asked for, because events have none. */
  readonly reader: Reader;
  /** Aborts when the time limit of the request passes. */
  readonly deadline: { readonly signal: AbortSignal };
  readonly requestId: string;
  /** Logs failures for which a handler writes the reply itself. */
  readonly failures: FailureLog;
  /** Opens a body that is written while the client reads it. */
  readonly streams: ResponseStreams;
  readonly params: Readonly<Record<string, string>>;
}

/** The parts that recognize the service's own host. */
export type HostContext = Pick<Context, "services" | "url">;

export type Handler = (request: Request, context: Context) => Reply | Promise<Reply>;
