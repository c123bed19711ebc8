/** Which paths can be given to the service, to the script and to events. */
import { describe, expect, it } from "vitest";
import { problemsWithRoutes, ROUTES } from "../../../src/handlers/app.ts";
import { extraRoutesOf, problemsOfPaths } from "../../../src/handlers/router.ts";
import { ConfigError, parseConfig } from "../../../src/runtime/base/config/config.ts";

describe("extra paths", () => {
  it("accept the methods of the original path", () => {
    const extra = extraRoutesOf(ROUTES, { scriptPaths: ["/s.js"], eventPaths: ["/e"] });
    expect(extra.map(({ method, path }) => `${method} ${path}`)).toEqual(["GET /s.js", "POST /e", "GET /e", "OPTIONS /e"]);
  });

  it("are refused together if they conflict with a route, a route pattern, or each other", () => {
    const extra = { basePath: "", scriptPaths: ["/svc.js", "/s.js"], eventPaths: ["/api/stats/breakdown/x", "/s.js", "/free"] };
    expect(problemsOfPaths(ROUTES, extra)).toEqual([
      'script_paths must be paths that the service does not serve already, got "/svc.js"',
      'event_paths must be paths that the service does not serve already, got "/api/stats/breakdown/x"',
      'event_paths must be paths that the service does not serve already, got "/s.js"',
    ]);
  });

  it("are reported with every other configuration problem if they conflict", () => {
    const environment = { SVC_PORT: "many", SVC_SCRIPT_PATHS: "/svc.js", SVC_EVENT_PATHS: "/health", SVC_LOG_LEVEL: "loud" };
    const parse = () => parseConfig({ environment, file: { colour: "red" }, platform: "node" }, problemsWithRoutes);
    expect(parse).toThrow(ConfigError);
    expect(parse).toThrow(/port[^]*log_level[^]*script_paths[^]*event_paths[^]*colour/);
  });
});

describe("the base path", () => {
  const problemsOf = (basePath: string, extra: { scriptPaths?: string[]; eventPaths?: string[] } = {}) =>
    problemsOfPaths(ROUTES, { basePath, scriptPaths: [], eventPaths: [], ...extra });

  it.each(["", "/stats", "/apis", "/a/api", "/svc", "/api/event/stats"])('may be "%s"', (basePath) => {
    expect(problemsOf(basePath)).toEqual([]);
  });

  it.each(["/api", "/api/stats", "/svc.js", "/js", "/health", "/metrics", "/assets/stats", "/.well-known", "/api/keys/stats"])(
    'is refused if a route is at or below it: "%s"',
    (basePath) => {
      expect(problemsOf(basePath)).toEqual([`base_path must be a path that the service does not serve already, got "${basePath}"`]);
    },
  );

  it("is not repeated in extra paths", () => {
    expect(problemsOf("/stats", { scriptPaths: ["/stats/lib.js", "/stats.js"], eventPaths: ["/stats", "/e/stats"] })).toEqual([
      'script_paths must be written without base_path, which is "/stats", got "/stats/lib.js"',
      'event_paths must be written without base_path, which is "/stats", got "/stats"',
    ]);
  });
});
