/** The response of a host whose services cannot start: pages that may read a route's responses may read this one, too. */
import type { Config } from "../runtime/base/config/config.ts";
import { parseUrl } from "../runtime/ingest/parse-url.ts";
import { ROUTES } from "./app.ts";
import { pathBelow } from "./base-path.ts";
import { corsHeaders } from "./cors.ts";
import { responseTo, withHeaders, type Reply } from "./reply.ts";
import { createMatcher, extraRoutesOf } from "./router.ts";

type Paths = Pick<Config, "basePath" | "scriptPaths" | "eventPaths" | "dashboardOrigin">;

/** While an option is invalid, none counts. */
const WITHOUT_OPTIONS: Paths = { basePath: "", scriptPaths: [], eventPaths: [], dashboardOrigin: null };

/** `paths` is null while an option is invalid. */
export async function unstartedResponse(request: Request, reply: Reply, paths: Paths | null): Promise<Response> {
  const known = paths ?? WITHOUT_OPTIONS;
  const url = parseUrl(request.url);
  const match = url && (await createMatcher(ROUTES, extraRoutesOf(ROUTES, known))(pathBelow(known.basePath, url.pathname)));
  return responseTo(request.method, withHeaders(reply, corsHeaders(request, match?.endpoint ?? null, reply, known)));
}
