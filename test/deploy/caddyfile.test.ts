/** deploy/caddy/Caddyfile, in a real Caddy in front of the program: everything is proxied but what is for monitoring. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "../docs/pages.ts";
import { createNodeTarget, type NodeTarget } from "../support/node-target.ts";
import { requestProxy, startProxy, whyMissing, type Proxy } from "../support/proxy.ts";
import { browserHeaders, getMain, wireEvent } from "../support/requests.ts";
import { skippedFor } from "../support/skipped.ts";

const FILE = join(ROOT, "deploy/caddy/Caddyfile");
const text = readFileSync(FILE, "utf8");

/** The content of the site's block. */
const [, site = ""] = /^\{\$DOMAIN\} \{\n([^]*)^\}$/m.exec(text) ?? [];

describe("the Caddyfile", skippedFor(whyMissing("caddy")), () => {
  const caddy = (...args: string[]) =>
    spawnSync("caddy", args, { encoding: "utf8", env: { PATH: process.env["PATH"], HOME: "/nonexistent", DOMAIN: "stats.example.com" } });

  it("is valid, formatted, and asks for a certificate of the domain", () => {
    expect(caddy("fmt", "--diff", FILE)).toMatchObject({ status: 0, stdout: expect.not.stringMatching(/^[-+]/m) });
    const adapted = caddy("adapt", "--validate", "--adapter", "caddyfile", "--config", FILE);
    expect([adapted.status, adapted.stdout]).toEqual([0, expect.stringContaining(`"listen":[":443"]`)]);
    expect(adapted.stdout).toContain(`"host":["stats.example.com"]`);
  });

  describe("in front of the program", () => {
    let target: NodeTarget;
    let proxy: Proxy;
    beforeAll(async () => {
      target = await createNodeTarget({ SVC_TRUST_PROXY: "1" });
      proxy = await startProxy("caddy", { snippet: site.replace("sandpiper:8000", new URL(target.origin()).host) });
    });
    afterAll(async () => {
      await proxy.stop();
      await target.close();
    });

    it("proxies events with the visitor's address, and the dashboard", async () => {
      const event = { method: "POST" as const, headers: browserHeaders(), body: JSON.stringify(wireEvent("example.com")) };
      for (const from of ["127.0.0.2", "127.0.0.3"]) {
        const headers = { ...event.headers, "x-forwarded-for": "203.0.113.7" };
        expect((await requestProxy(proxy.port, "/api/event", { ...event, from, headers })).status).toBe(202);
      }
      expect((await getMain(target, "example.com")).unique_visitors).toBe(2);
      expect((await requestProxy(proxy.port, "/")).headers["content-type"]).toBe("text/html; charset=utf-8");
      expect((await requestProxy(proxy.port, "/health")).text).toBe("ok");
    });

    it("answers 404 for metrics and details, however their paths are written", async () => {
      expect((await target.fetch("/metrics")).status).toBe(200);
      for (const path of ["/metrics", "/metrics/", "/METRICS", "//metrics", "/%6detrics", "/./metrics", "/metrics?x", "/health/detailed"]) {
        const { status, headers } = await requestProxy(proxy.port, path);
        expect([path, status]).toEqual([path, 404]);
        expect([path, headers["content-type"]?.startsWith("text/plain; version")]).not.toEqual([path, true]);
      }
      for (const path of ["/health/detailed/", "/health//detailed", "/health/%64etailed", "/health/x/../detailed"]) {
        expect([path, (await requestProxy(proxy.port, path)).text]).toEqual([path, expect.not.stringContaining("buffered_events")]);
      }
    });
  });
});
