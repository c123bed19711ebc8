/** The service below a path of its host: the option `base_path` (docs/reverse-proxy.md, "Sub-path"). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CLOSED, getStatus, PASSWORD, postJson } from "../support/auth-requests.ts";
import { browserHeaders, expectAccepted, expectError, pixelPath, wireEvent } from "../support/requests.ts";
import { siteNames, type MakeTarget, type Target } from "../support/target.ts";

const siteName = siteNames("base-path");

/** Without the time in security.txt. */
const timeless = (text: string): string => text.replace(/^Expires: .*$/m, "");

const HTTPS = { "x-forwarded-proto": "https" };

export function describeBasePath(makeTarget: MakeTarget): void {
  describe("base_path", () => {
    let target: Target;
    beforeAll(async () => {
      target = await makeTarget({
        ...CLOSED,
        SVC_BASE_PATH: "/a/stats",
        SVC_SCRIPT_PATHS: "/lib.js",
        SVC_EVENT_PATHS: "/e",
        SVC_TRUST_PROXY: "1",
      });
    });
    afterAll(() => target.close());

    const textAt = async (path: string, headers: Record<string, string> = {}): Promise<string> => {
      const response = await target.fetch(path, { headers });
      expect([path, response.status]).toEqual([path, 200]);
      return response.text();
    };

    it("serves every route below it, and without it for proxies that remove it", async () => {
      for (const path of [
        "/",
        "/svc.js",
        "/js/script.js",
        "/lib.js",
        "/opt-out",
        "/opt-out.js",
        "/health",
        "/robots.txt",
        "/.well-known/security.txt",
        "/api/openapi.json",
      ])
        expect([path, timeless(await textAt(`/a/stats${path}`))]).toEqual([path, timeless(await textAt(path))]);
      await expectError(await target.fetch("/a/stats/api/sites"), 401);
      await expectError(await target.fetch("/api/sites"), 401);
    });

    it("is removed once, completely, and only from the beginning", async () => {
      for (const path of [
        "/a/stats/a/stats/health",
        "/a/statshealth",
        "/a/health",
        "/stats/health",
        "/A/stats/health",
        "/x/a/stats/health",
      ])
        await expectError(await target.fetch(path), 404);
    });

    it("leads to the page with a slash, in which all addresses are relative", async () => {
      for (const method of ["GET", "HEAD"]) {
        const response = await target.fetch("/a/stats?site=a.test&period=day", { method, redirect: "manual" });
        expect([response.status, response.headers.get("location"), await response.text()]).toEqual([
          308,
          "/a/stats/?site=a.test&period=day",
          "",
        ]);
      }
      const slashes = await target.fetch("/a/stats//", { redirect: "manual" });
      expect([slashes.status, slashes.headers.get("location")]).toEqual([308, "/a/stats/"]);
      await expectError(await target.fetch("/a/stats", { method: "POST", redirect: "manual" }), 405);
      const page = await textAt("/a/stats/");
      const addresses = [...page.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address = ""]) => address);
      expect(addresses.length).toBeGreaterThan(0);
      expect(addresses.filter((address) => !address.startsWith("./"))).toEqual([]);
      const [file = ""] = addresses.filter((address) => address.endsWith(".js"));
      expect(await textAt(new URL(file, "http://host/a/stats/").pathname)).not.toBe("");
    });

    it("is the path of the session cookie, which works below it", async () => {
      const login = await postJson(target, "/a/stats/api/auth/login", { password: PASSWORD });
      const cookie = login.headers.get("set-cookie") ?? "";
      expect(cookie).toMatch(/^svc_session=\w+; HttpOnly; SameSite=Strict; Path=\/a\/stats\/; Max-Age=86400/);
      const session = { cookie: cookie.split(";")[0] ?? "" };
      await textAt("/a/stats/api/sites", session);
      expect(await getStatus(target, session)).toEqual({ setup_required: false, authenticated: true });
      const logout = await target.fetch("/a/stats/api/auth/logout", { method: "POST", headers: session });
      expect(logout.headers.get("set-cookie")).toMatch(/^svc_session=; .*; Path=\/a\/stats\/; Max-Age=0/);
      await expectError(await target.fetch("/a/stats/api/sites", { headers: session }), 401);
    });

    it("does not change which pages may use a session", async () => {
      const foreign = await postJson(target, "/a/stats/api/auth/login", { password: PASSWORD }, { origin: "https://foreign.test" });
      await expectError(foreign, 403);
    });

    it("serves events, pixels and preflights below it, and at extra paths", async () => {
      const site = siteName();
      for (const path of ["/a/stats/api/event", "/a/stats/e", "/e"]) {
        const headers = { ...browserHeaders(), origin: "https://page.test" };
        await expectAccepted(await target.fetch(path, { method: "POST", headers, body: JSON.stringify(wireEvent(site)) }));
        const preflight = await target.fetch(path, { method: "OPTIONS", headers });
        expect([path, preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([path, 204, "https://page.test"]);
      }
      const pixel = await target.fetch(`/a/stats${pixelPath({ d: site, u: "/" })}`, { headers: browserHeaders() });
      expect([pixel.status, (await pixel.arrayBuffer()).byteLength]).toEqual([200, 43]);
    });

    it("is part of the event address in the script, which is compressed and has an ETag of its own", async () => {
      const plain = await target.fetch("/a/stats/svc.js", { headers: { "accept-encoding": "identity" } });
      const script = await plain.text();
      expect(script).toContain('"/a/stats/api/event"');
      expect(script.match(/\/api\/event/g)).toHaveLength(1);
      for (const path of ["/a/stats/js/script.js", "/a/stats/lib.js", "/lib.js"]) expect(await textAt(path)).toBe(script);
      const packed = await target.fetch("/a/stats/svc.js", { method: "HEAD", headers: { "accept-encoding": "gzip, br" } });
      expect(packed.headers.get("content-encoding")).toBe("gzip");
      expect(Number(packed.headers.get("content-length"))).toBeLessThan(2400);
      const tags = [plain, packed].map(({ headers }) => headers.get("etag") ?? "");
      expect(new Set(tags).size).toBe(2);
      const again = await target.fetch("/a/stats/svc.js", { headers: { "accept-encoding": "gzip", "if-none-match": tags[1] ?? "" } });
      expect([again.status, await again.text()]).toEqual([304, ""]);
    });

    it("is the server in the OpenAPI document", async () => {
      const { servers, paths } = JSON.parse(await textAt("/a/stats/api/openapi.json")) as { servers: unknown; paths: object };
      expect(servers).toEqual([{ url: "/a/stats" }]);
      expect(Object.keys(paths)).toContain("/api/event");
    });

    it("is not part of the routes in metrics", async () => {
      await textAt("/a/stats/health");
      const routes = new Set([...(await textAt("/a/stats/metrics")).matchAll(/route="([^"]*)"/g)].map(([, route]) => route));
      expect(routes).toContain("/health");
      expect([...routes].filter((route) => route?.includes("/a/stats"))).toEqual([]);
    });

    it("sends no Strict-Transport-Security, because the host serves other content", async () => {
      const response = await target.fetch("/a/stats/health", { headers: HTTPS });
      expect([await response.text(), response.headers.get("strict-transport-security")]).toEqual(["ok", null]);
    });
  });

  describe("base_path with dashboard_origin and hsts_max_age_secs", () => {
    let target: Target;
    beforeAll(async () => {
      target = await makeTarget({
        SVC_BASE_PATH: "/stats/",
        SVC_DASHBOARD_ORIGIN: "https://a&b.test",
        SVC_HSTS_MAX_AGE_SECS: "600",
        SVC_TRUST_PROXY: "1",
      });
    });
    afterAll(() => target.close());

    it("names the public address in the page, where the dashboard reads it", async () => {
      const response = await target.fetch("/stats/");
      expect(await response.text()).toContain('<link rel="canonical" href="https://a&amp;b.test/stats/" /></head>');
      const packed = await target.fetch("/stats/", { method: "HEAD", headers: { "accept-encoding": "gzip" } });
      expect([packed.status, packed.headers.get("content-encoding")]).toEqual([200, "gzip"]);
    });

    it("sends Strict-Transport-Security if it is set", async () => {
      const response = await target.fetch("/stats/health", { headers: HTTPS });
      expect([await response.text(), response.headers.get("strict-transport-security")]).toEqual(["ok", "max-age=600"]);
    });
  });
}
