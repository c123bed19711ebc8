/** An instance with `role = ingest` (docs/http-api.md, "Roles"), in process, while ClickHouse does not respond. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { ROUTES } from "../../src/handlers/app.ts";
import { openapiDocument } from "../../src/handlers/openapi.ts";
import { createInProcessTarget, type InProcessTarget } from "../support/in-process-target.ts";
import { browserHeaders, expectError, post, wireEvent } from "../support/requests.ts";
import type { Environment } from "../support/target.ts";

const INGEST: Environment = {
  SVC_ROLE: "ingest",
  SVC_SECRET: "the secret of all the nodes of this test",
  SVC_ENGINE: "clickhouse",
  // Nothing listens on port 1.
  SVC_CLICKHOUSE_URL: "http://127.0.0.1:1",
  SVC_SCRIPT_PATHS: "/metrics.js",
  SVC_EVENT_PATHS: "/collect",
};

const served = ROUTES.filter(({ roles }) => roles.includes("ingest"));
const refused = ROUTES.filter(({ roles }) => !roles.includes("ingest"));

const QUERIES: Readonly<Record<string, string>> = { "/api/event": "?d=a.test&u=/", "/count": "?p=/", "/matomo.php": "?idsite=1" };

const idOf = ({ method, path }: (typeof ROUTES)[number]): string => `${method} ${path}`;

describe("an instance with role = ingest", () => {
  let target: InProcessTarget;
  beforeAll(async () => {
    target = await createInProcessTarget(INGEST);
  });
  afterAll(() => target.close());

  it("serves events, the scripts, the opt-out page, health, metrics and the well-known files, and nothing else", () => {
    expect(served.map(idOf).sort()).toEqual([
      "GET /.well-known/security.txt",
      "GET /api/event",
      "GET /count",
      "GET /health",
      "GET /health/detailed",
      "GET /health/ready",
      "GET /js/script.js",
      "GET /matomo.php",
      "GET /metrics",
      "GET /opt-out",
      "GET /opt-out.js",
      "GET /robots.txt",
      "GET /svc.js",
      "OPTIONS /api/event",
      "OPTIONS /api/send",
      "OPTIONS /matomo.php",
      "POST /api/event",
      "POST /api/send",
      "POST /count",
      "POST /matomo.php",
    ]);
  });

  it.each(served.map((route) => [idOf(route), route] as const))("answers %s", async (_id, { method, path }) => {
    if (method === "POST") return;
    const query = QUERIES[path] ?? "";
    const response = await target.fetch(`${path}${query}`, { method, headers: browserHeaders() });
    // No site has an alias for other products' tags.
    if (method === "GET" && path !== "/api/event" && query !== "") return expectError(response, 403, "aliases");
    expect(response.status).toBeLessThan(300);
    await response.arrayBuffer();
  });

  it("refuses events of the demo site, which another node may have made", async () => {
    await expectError(await post(target, wireEvent("demo.example")), 403);
  });

  it("accepts events while ClickHouse does not respond, even at an extra path", async () => {
    const before = target.services.eventStore.unflushedEvents;
    expect((await post(target, wireEvent("a.test"))).status).toBe(202);
    const body = JSON.stringify(wireEvent("a.test"));
    const response = await target.fetch("/collect", { method: "POST", headers: browserHeaders(), body });
    expect(response.status).toBe(202);
    expect(target.services.eventStore.unflushedEvents).toBe(before + 2);
    const script = await target.fetch("/metrics.js");
    expect(script.status).toBe(200);
    await script.arrayBuffer();
  });

  it.each(refused.map((route) => [idOf(route), route] as const))(
    "serves nothing at %s, and gives the reason",
    async (_id, { method, path }) => {
      const response = await target.fetch(path.replace(/:\w+/g, "x"), { method });
      await expectError(response, 404, "role = ingest");
    },
  );

  it("neither checks host names nor asks for a password", async () => {
    const response = await target.fetch("/health/detailed", { host: "attacker.example" });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ status: "ok", auth_configured: false });
  });
});

describe("an instance with role = ingest", () => {
  it("is ready while the journal has room, whatever the state of ClickHouse", async () => {
    const target = await createInProcessTarget(INGEST, { unflushedBytesMax: 1_000 });
    onTestFinished(() => target.close());
    const ready = async () => (await target.fetch("/health/ready")).status;
    expect(await ready()).toBe(200);
    while ((await post(target, wireEvent("a.test"))).status === 202);
    await target.advance(1_000);
    expect(await ready()).toBe(503);
  });
});

describe("an instance with role = all", () => {
  it("lists in its OpenAPI document which roles serve a route", () => {
    const { paths } = openapiDocument(ROUTES);
    expect(paths["/api/event"]?.["post"]).toMatchObject({ "x-roles": ["all", "ingest"] });
    expect(paths["/api/sites"]?.["get"]).toMatchObject({ "x-roles": ["all"] });
  });
});
