/** Finds the route of a request, below the base path and at the paths in options. The only user of itty-router. */
import type { Config } from "../runtime/base/config/config.ts";
import { EVENT_PATH } from "../runtime/base/config/names.ts";
import { AppError } from "../runtime/base/errors.ts";
import { emptyReply, NO_STORE, type Reply } from "./http.ts";
import type { RouteId, Context, Access, Method, Role, Route } from "./route.ts";
import { Router, type IRequest } from "itty-router";
import { SCRIPT_PATHS } from "../shared/names.ts";

/**
 * The path that the router sees. The base path is removed once, if it is there: a proxy may pass the whole path on or remove the base
 * path itself.
 */
export function pathBelow(basePath: string, pathname: string): string {
  if (pathname === basePath) return "/";
  return pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : pathname;
}

/**
 * Redirects other spellings of the page's path, e.g. `/stats` and `//`: its relative addresses begin at one slash. null at the page itself.
 */
export function redirectToPage({ pathname, search }: URL, basePath: string): Reply | null {
  const page = `${basePath}/`;
  return pathname === "/" || pathname === page ? null : emptyReply(308, { Location: page + search, ...NO_STORE });
}

/** HEAD works wherever GET does, except for the pixel, whose GET records an event. */
const methodsOf = ({ method, access }: Route): readonly (Method | "HEAD")[] =>
  method === "GET" && access !== "ingest" ? ["GET", "HEAD"] : [method];

export interface Endpoint {
  readonly byMethod: ReadonlyMap<string, Route>;
  /** The methods in the form of the `Allow` header. */
  readonly allow: string;
  readonly access: ReadonlySet<Access>;
  /** An option added the path. */
  readonly isExtra: boolean;
}

export interface Match {
  readonly endpoint: Endpoint;
  /** The values of path segments that begin with `:`, decoded. One with a malformed escape is as sent: no name in a path has a `%`. */
  readonly params: Context["params"];
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

const decodedParams = (params: Context["params"]): Context["params"] =>
  Object.fromEntries(Object.entries(params).map(([name, segment]) => [name, decoded(segment)]));

function endpointAt(path: string, routes: readonly Route[], isExtra: boolean): Endpoint {
  const byMethod = new Map<string, Route>();
  for (const route of routes.filter((known) => known.path === path)) for (const method of methodsOf(route)) byMethod.set(method, route);
  const access = new Set([...byMethod.values()].map((route) => route.access));
  return { byMethod, allow: [...byMethod.keys()].join(", "), access, isExtra };
}

/** Finds the endpoint of a path, ignoring trailing slashes; null for an unknown path. */
export function createMatcher(routes: readonly Route[], extraRoutes: readonly Route[]): (pathname: string) => Promise<Match | null> {
  const router = Router<IRequest, []>();
  const addAll = (all: readonly Route[], isExtra: boolean) => {
    for (const path of new Set(all.map((route) => route.path))) {
      const endpoint = endpointAt(path, all, isExtra);
      router.all(path, ({ params }): Match => ({ endpoint, params: decodedParams(params) }));
    }
  };
  addAll(routes, false);
  addAll(extraRoutes, true);
  // The query is left out: the router would collect parameters of the same name in quadratic time.
  return async (pathname) => ((await router.fetch({ method: "GET", url: `http://path${pathname}` })) as Match | undefined) ?? null;
}

const NOTHING_THERE: Readonly<Record<Role, string>> = {
  all: "There is nothing at this path",
  ingest: "There is nothing at this path: this instance only accepts events (role = ingest)",
};

/** The route for a method; 404 for an unknown path, 405 with the allowed methods for another method. */
export function routeFor(method: string, endpoint: Endpoint | null, role: Role): Route {
  if (endpoint === null) throw new AppError({ code: "not_found" }, NOTHING_THERE[role]);
  const { byMethod, allow } = endpoint;
  const route = byMethod.get(method);
  if (!route) throw new AppError({ code: "method_not_allowed", allow }, `${method} is not allowed here; allowed: ${allow}`);
  return route;
}

export const routeIdOf = ({ method, path }: Pick<Route, "method" | "path">): RouteId => `${method} ${path}`;

type Paths = Pick<Config, "basePath" | "scriptPaths" | "eventPaths">;

const copiesAt = (routes: readonly Route[], original: string, path: string): Route[] =>
  routes.filter((route) => route.path === original).map((route) => ({ ...route, path: path as Route["path"] }));

/** The routes at the paths of `script_paths` and `event_paths`: for sites that proxy script and events under their own names. */
export const extraRoutesOf = (routes: readonly Route[], { scriptPaths, eventPaths }: Omit<Paths, "basePath">): Route[] => [
  ...scriptPaths.flatMap((path) => copiesAt(routes, SCRIPT_PATHS[0], path)),
  ...eventPaths.flatMap((path) => copiesAt(routes, EVENT_PATH, path)),
];

/** True if the segments of a path without a trailing slash are those with which a route's path begins. */
function leadsTo(path: string, { path: template }: Route): boolean {
  const known = template.split("/");
  return path.split("/").every((part, i) => known[i] === part || known[i]?.startsWith(":") === true);
}

const isTaken = (path: string, route: Route): boolean => leadsTo(path, route) && path.split("/").length === route.path.split("/").length;

const TAKEN = "that the service does not serve already";

/** Problems of `base_path` and the extra paths: those that the service already serves, and duplicates. */
export function problemsOfPaths(routes: readonly Route[], { basePath, scriptPaths, eventPaths }: Paths): string[] {
  const problems: string[] = [];
  if (basePath !== "" && routes.some((route) => leadsTo(basePath, route)))
    problems.push(`base_path must be a path ${TAKEN}, got "${basePath}"`);
  const seen = new Set<string>();
  const check = (option: string, path: string) => {
    if (seen.has(path) || routes.some((route) => isTaken(path, route))) problems.push(`${option} must be paths ${TAKEN}, got "${path}"`);
    // The base path would be removed before the path is matched.
    if (basePath !== "" && `${path}/`.startsWith(`${basePath}/`))
      problems.push(`${option} must be written without base_path, which is "${basePath}", got "${path}"`);
    seen.add(path);
  };
  for (const path of scriptPaths) check("script_paths", path);
  for (const path of eventPaths) check("event_paths", path);
  return problems;
}
