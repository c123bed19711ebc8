/** Common headers, errors, unknown paths and methods of all routes (docs/http-api.md, "Requests and errors"). */
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { browserHeaders, expectError, post, postBody, wireEvent } from "../support/requests.ts";
import { siteNames, type MakeTarget, type Target, type TargetRequest } from "../support/target.ts";

const siteName = siteNames("surface");

type Send = (target: Target) => Promise<Response>;

const get =
  (path: string, init: TargetRequest = {}): Send =>
  (target) =>
    target.fetch(path, { headers: browserHeaders(), ...init });

/** A request for each status there is so far. */
const ANSWERS: readonly (readonly [status: number, name: string, send: Send])[] = [
  [200, "health", get("/health")],
  [200, "readiness", get("/health/ready")],
  [200, "sites", get("/api/sites")],
  [200, "headline", get("/api/stats/main?site_id=a.test")],
  [200, "series", get("/api/stats/timeseries?site_id=a.test")],
  [200, "breakdown", get("/api/stats/breakdown/pages?site_id=a.test")],
  [200, "script", get("/svc.js")],
  [200, "pixel", get("/api/event?d=a.test&u=/")],
  [202, "event", (target) => post(target, wireEvent(siteName()))],
  [204, "preflight", get("/api/event", { method: "OPTIONS" })],
  [400, "malformed JSON", (target) => postBody(target, "{")],
  [400, "statistics without a site", get("/api/stats/main")],
  [404, "nothing there", get("/nothing/here")],
  [404, "a path that ends too early", get("/api/stats")],
  [405, "wrong method", get("/health", { method: "POST" })],
  [413, "body too large", (target) => postBody(target, new Uint8Array(65_537))],
  [422, "missing field", (target) => postBody(target, "{}")],
];

export function describeSurface(makeTarget: MakeTarget): void {
  describe("every response", () => {
    let target: Target;
    beforeAll(async () => {
      target = await makeTarget();
    });
    afterAll(() => target.close());

    it.each(ANSWERS)("%d has the common headers: %s", async (status, _name, send) => {
      const response = await send(target);
      await response.arrayBuffer();
      expect({
        status: response.status,
        nosniff: response.headers.get("x-content-type-options"),
        referrers: response.headers.get("referrer-policy"),
      }).toEqual({ status, nosniff: "nosniff", referrers: "strict-origin-when-cross-origin" });
      expect(response.headers.get("x-request-id")).toMatch(/^[\w-]{1,64}$/);
    });

    it("no two responses share a request id", async () => {
      const ids: (string | null)[] = [];
      for (const [, , send] of ANSWERS) {
        const response = await send(target);
        await response.arrayBuffer();
        ids.push(response.headers.get("x-request-id"));
      }
      expect(new Set(ids).size).toBe(ANSWERS.length);
    });

    it("a request id sent by the client is not used", async () => {
      const response = await target.fetch("/health", { headers: { "x-request-id": "mine" } });
      expect(response.headers.get("x-request-id")).not.toBe("mine");
      await response.text();
    });

    it.each(ANSWERS.filter(([status]) => status >= 400))("%d is {error} with no-store: %s", async (status, _name, send) => {
      const response = await send(target);
      expect(response.headers.get("cache-control")).toBe("no-store");
      await expectError(response, status);
    });

    it.each([
      "/nothing",
      "/api",
      "/api/",
      "/api/nothing",
      "/api/stats/nothing?site_id=a.test",
      "/health/nothing",
      "/API/SITES",
      "/svc.js.map",
      "/health%2Fready",
      "/api//sites",
    ])("%s gives 404", async (path) => {
      await expectError(await target.fetch(path), 404);
    });

    // workerd refuses what makes no URL by itself, before the Worker is asked.
    const REFUSALS = [400, 500];

    it.each(["a\\health?", "a/health?", "a?", "user@a"])("the host %s is refused and does not set the path", async (host) => {
      for (const path of ["/nothing", "/health"]) {
        const response = await target.fetch(path, { host });
        expect(REFUSALS).toContain(response.status);
        expect(await response.text()).not.toBe("ok");
      }
    });

    const PARAMETERS = 100;

    it.each(["/api/stats/main?site_id=a.test", "/api/event?d=a.test&u=/"])(
      "at most 100 query parameters are accepted, known or not: %s",
      async (path) => {
        const more = (count: number) => path + "&a=1".repeat(count - path.split("&").length);
        const most = await target.fetch(more(PARAMETERS), { headers: browserHeaders() });
        await most.arrayBuffer();
        expect(most.status).toBe(200);
        await expectError(await target.fetch(more(PARAMETERS + 1), { headers: browserHeaders() }), 400, "100 query parameters");
      },
    );

    it("a query that a route does not read is not parsed", async () => {
      const response = await target.fetch(`/health?${"a=1&".repeat(1000)}`);
      expect(await response.text()).toBe("ok");
    });

    it.each(["PROPFIND", "POST", "DELETE"])("%s of an unknown path gives 404", async (method) => {
      await expectError(await target.fetch("/nothing", { method }), 404);
    });

    it.each([
      ["POST", "/health"],
      ["DELETE", "/health/ready"],
      ["PUT", "/api/sites"],
      ["PATCH", "/svc.js"],
      ["PROPFIND", "/js/script.js"],
    ])("%s %s gives 405 with Allow", async (method, path) => {
      const response = await target.fetch(path, { method });
      expect(response.headers.get("allow")).toBe("GET, HEAD");
      await expectError(response, 405, method, "GET, HEAD");
    });

    it("/health is ok", async () => {
      const response = await target.fetch("/health");
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toMatch(/^text\/plain\b/);
      expect(await response.text()).toBe("ok");
    });

    it("/health/ready is ready when the engine responds", async () => {
      const response = await target.fetch("/health/ready");
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toMatch(/^text\/plain\b/);
      expect(await response.text()).toBe("ready");
    });

    it.each(["/health", "/health/ready", "/svc.js", "/js/script.js", "/api/sites"])("HEAD %s gives 200 without a body", async (path) => {
      const [head, whole] = [await target.fetch(path, { method: "HEAD" }), await target.fetch(path)];
      expect({ status: head.status, body: await head.text() }).toEqual({ status: 200, body: "" });
      expect(head.headers.get("content-type")).toBe(whole.headers.get("content-type"));
      await whole.text();
    });

    it("HEAD of an unknown path gives 404 without a body", async () => {
      const response = await target.fetch("/nothing", { method: "HEAD" });
      expect({ status: response.status, body: await response.text() }).toEqual({ status: 404, body: "" });
    });

    it.each([
      ["a browser", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"],
      ["HTML beside JSON", "application/json;q=0.5, text/html;q=0.5"],
    ])(
      "an unknown path gives %s a page with status 404, which leads to the dashboard and repeats nothing of the request",
      async (_name, accept) => {
        for (const method of ["GET", "HEAD"]) {
          const response = await target.fetch("/nonsense/%3Cscript%3E?a=%3Cb%3E", { method, headers: { accept } });
          const text = await response.text();
          expect(response.status).toBe(404);
          expect(Object.fromEntries(response.headers)).toMatchObject({
            "content-type": "text/html; charset=utf-8",
            "cache-control": "no-store",
            "x-frame-options": "DENY",
            "x-content-type-options": "nosniff",
            "referrer-policy": "strict-origin-when-cross-origin",
          });
          const policy = response.headers.get("content-security-policy") ?? "";
          expect(policy).toMatch(
            /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
          );
          expect(text.length).toBeLessThan(2000);
          if (method === "HEAD") expect(text).toBe("");
          else {
            const [, style = ""] = /<style>(.*)<\/style>/.exec(text) ?? [];
            expect(policy).toContain(createHash("sha256").update(style).digest("base64"));
            expect(text).toContain('<a href="/">Open the dashboard</a>');
            expect(text).not.toMatch(/nonsense|script/);
          }
        }
      },
    );

    it.each([
      ["no language", "", "en", "Page not found"],
      ["German of a region", "de-AT,de;q=0.9,en;q=0.8", "de", "Seite nicht gefunden"],
      ["French before a language that does not exist", "it;q=0.9, fr;q=0.4", "fr", "Page introuvable"],
      ["Spanish by its weight", "en;q=0.5, es;q=0.7", "es", "Página no encontrada"],
      ["a refused language", "de;q=0, *", "en", "Page not found"],
      ["the name of a property", "constructor, __proto__", "en", "Page not found"],
    ])("the page for an unknown path has the reader's language: %s", async (_name, acceptLanguage, language, title) => {
      const response = await target.fetch("/nonsense", { headers: { accept: "text/html", "accept-language": acceptLanguage } });
      const text = await response.text();
      expect(response.headers.get("vary")).toBe("Accept, Accept-Language");
      expect(text).toContain(`<html lang="${language}">`);
      expect(text).toContain(`<h1>${title}</h1>`);
      expect(text.length).toBeLessThan(2000);
    });

    it.each([
      ["no Accept", "GET", "/nonsense", ""],
      ["a program", "GET", "/nonsense", "*/*"],
      ["JSON that is preferred", "GET", "/nonsense", "text/html;q=0.4, application/json"],
      ["HTML that is refused", "GET", "/nonsense", "text/html;q=0, */*"],
      ["a path of the API", "GET", "/api/nonsense", "text/html"],
      ["the path of the API", "GET", "/api", "text/html"],
      ["another method", "POST", "/nonsense", "text/html"],
      ["a missing file", "GET", "/assets/nothing.js", "text/html"],
    ])("an unknown path gives %s the error as JSON", async (_name, method, path, accept) => {
      await expectError(await target.fetch(path, { method, headers: { accept } }), 404, "nothing at this path");
    });

    it("the script is the same at both of its paths", async () => {
      const [script, alias] = [await target.fetch("/svc.js"), await target.fetch("/js/script.js")];
      expect(script.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
      expect(script.headers.get("cache-control")).toMatch(/max-age=\d+/);
      const text = await script.text();
      expect(text.length).toBeGreaterThan(0);
      expect(await alias.text()).toBe(text);
    });

    it("the script sets no cookie", async () => {
      for (const path of ["/svc.js", "/api/event?d=a.test&u=/", "/health"]) {
        const response = await target.fetch(path, { headers: browserHeaders() });
        expect(response.headers.get("set-cookie")).toBeNull();
        await response.arrayBuffer();
      }
    });
  });
}
