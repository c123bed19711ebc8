/** What a route is, which paths belong to it, and which further paths options give to some. */
import { ConfigError, type Config } from "../runtime/config.ts";
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

/**
 * The routes and, at the end, the script's and the events' once more for each path that `script_paths` and `event_paths`
 * name: for sites that pass both through under names of their own. ConfigError where a path is taken already.
 */
export function withExtraPaths(routes: readonly Route[], { scriptPaths, eventPaths }: Pick<Config, "scriptPaths" | "eventPaths">): Route[] {
  const all = [...routes];
  const problems: string[] = [];
  const add = (option: string, original: string, paths: readonly string[]) => {
    for (const path of paths) {
      if (routesAt(all, path).length > 0) problems.push(`${option}: found "${path}"; allowed: paths that the service does not have already`);
      else all.push(...routes.filter((route) => route.path === original).map((route) => ({ ...route, path })));
    }
  };
  add("script_paths", SCRIPT_PATHS[0], scriptPaths);
  add("event_paths", EVENT_PATH, eventPaths);
  if (problems.length > 0) throw new ConfigError(problems);
  return all;
}
