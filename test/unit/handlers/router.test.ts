/** Which names of a site's own can be given to script and events. */
import { describe, expect, it } from "vitest";
import { problemsWithRoutes, ROUTES } from "../../../src/handlers/app.ts";
import { extraRoutesOf, problemsOfExtraPaths } from "../../../src/handlers/router.ts";
import { ConfigError, parseConfig } from "../../../src/runtime/config/config.ts";

describe("extra paths", () => {
  it("have the methods of the original path", () => {
    const extra = extraRoutesOf(ROUTES, { scriptPaths: ["/s.js"], eventPaths: ["/e"] });
    expect(extra.map(({ method, path }) => `${method} ${path}`)).toEqual(["GET /s.js", "POST /e", "GET /e", "OPTIONS /e"]);
  });

  it("are refused together if they conflict with a route, a route pattern, or each other", () => {
    const extra = { scriptPaths: ["/svc.js", "/s.js"], eventPaths: ["/api/stats/breakdown/x", "/s.js", "/free"] };
    expect(problemsOfExtraPaths(ROUTES, extra)).toEqual([
      'script_paths must be paths that the service does not serve already, got "/svc.js"',
      'event_paths must be paths that the service does not serve already, got "/api/stats/breakdown/x"',
      'event_paths must be paths that the service does not serve already, got "/s.js"',
    ]);
  });

  it("that conflict are reported with every other configuration problem", () => {
    const environment = { SVC_PORT: "many", SVC_SCRIPT_PATHS: "/svc.js", SVC_EVENT_PATHS: "/health", SVC_LOG_LEVEL: "loud" };
    const parse = () => parseConfig({ environment, file: { colour: "red" }, platform: "node" }, problemsWithRoutes);
    expect(parse).toThrow(ConfigError);
    expect(parse).toThrow(/port[^]*log_level[^]*script_paths[^]*event_paths[^]*colour/);
  });
});
