/** What a route is, which paths belong to it, and which further paths options give to some. */
import type { Config } from "../runtime/config.ts";
import { AppError } from "../runtime/errors.ts";
import { EVENT_PATH, SCRIPT_PATHS } from "../runtime/names.ts";
import type { Access } from "./access.ts";
import type { Handler } from "./context.ts";

export type Method = "GET" | "POST" | "DELETE" | "OPTIONS";

export interface Route<M extends Method = Method, P extends string = string> {
  readonly method: M;
  /** Parts that begin with `:` stand for any one part. */
  readonly path: P;
  readonly access: Access;
  readonly handler: Handler;
}

/** Whatever is read by GET can be asked for by HEAD, except the pixel, whose GET records an event. */
export const methodsOf = ({ method, access }: Route): readonly (Method | "HEAD")[] =>
  method === "GET" && access !== "ingest" ? ["GET", "HEAD"] : [method];

/** Whether a path is of a route's form, a trailing slash aside (as the router has it). */
function matches(path: string, pathname: string): boolean {
  const parts = pathname.replace(/\/+$/, "").split("/");
  const pattern = path.replace(/\/$/, "").split("/");
  return parts.length === pattern.length && pattern.every((part, i) => part.startsWith(":") || part === parts[i]);
}

export const routesAt = (routes: readonly Route[], pathname: string): Route[] => routes.filter(({ path }) => matches(path, pathname));

/** As `Allow` lists them; empty where there is nothing. */
export const methodsAt = (routes: readonly Route[], pathname: string): string =>
  [...new Set(routesAt(routes, pathname).flatMap(methodsOf))].join(", ");

/** Why no route answers: 405 with the methods there are when only the method is wrong, else 404. */
export function unmatched(routes: readonly Route[], method: string, pathname: string): AppError {
  const allow = methodsAt(routes, pathname);
  if (allow === "") return new AppError({ code: "not_found" }, "There is nothing at this path");
  return new AppError({ code: "method_not_allowed", allow }, `${method} is not allowed here; allowed: ${allow}`);
}

type ExtraPaths = Pick<Config, "scriptPaths" | "eventPaths">;

/** The script's and the events' routes once more, at a path that `script_paths` or `event_paths` names. */
const copiesAt = (routes: readonly Route[], original: string, path: string): Route[] =>
  routes.filter((route) => route.path === original).map((route) => ({ ...route, path }));

/** The routes, and then those at extra paths: for sites that pass both through under names of their own. */
export const withExtraPaths = (routes: readonly Route[], { scriptPaths, eventPaths }: ExtraPaths): Route[] => [
  ...routes,
  ...scriptPaths.flatMap((path) => copiesAt(routes, SCRIPT_PATHS[0], path)),
  ...eventPaths.flatMap((path) => copiesAt(routes, EVENT_PATH, path)),
];

/** What is wrong with the extra paths: those that the service has already, or that are named twice. */
export function problemsOfExtraPaths(routes: readonly Route[], { scriptPaths, eventPaths }: ExtraPaths): string[] {
  const named = [...scriptPaths.map((path) => ["script_paths", path] as const), ...eventPaths.map((path) => ["event_paths", path] as const)];
  return named
    .filter(([, path], index) => routesAt(routes, path).length > 0 || named.slice(0, index).some(([, earlier]) => earlier === path))
    .map(([option, path]) => `${option}: found "${path}"; allowed: paths that the service does not have already`);
}
