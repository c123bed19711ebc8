/**
 * The option `base_path`: where the service is within its host (docs/reverse-proxy.md, "Sub-path"). Only this file looks for it in the
 * path of a request.
 */
import { emptyReply, NO_STORE, type Reply } from "./reply.ts";

/**
 * The path that the router sees. The base path is removed once, if it is there: a proxy may pass the whole path on or remove the base
 * path itself.
 */
export function pathBelow(basePath: string, pathname: string): string {
  if (pathname === basePath) return "/";
  return pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : pathname;
}

/** From other spellings of the page's path, e.g. `/stats` and `//`: its relative addresses begin at one slash. Null at the page itself. */
export function redirectToPage({ pathname, search }: URL, basePath: string): Reply | null {
  const page = `${basePath}/`;
  return pathname === "/" || pathname === page ? null : emptyReply(308, { Location: page + search, ...NO_STORE });
}
