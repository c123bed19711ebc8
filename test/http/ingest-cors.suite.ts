/** CORS of ingestion: what foreign pages may read, preflights, and which methods are allowed. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { browserHeaders, expectAccepted, expectError, getPixel, post, postBody, wireEvent } from "../support/requests.ts";
import { WITH_ALLOWLIST, WITH_SITE_LIMIT } from "./ingest-guards.suite.ts";
import { siteNames, type MakeTarget, type Target } from "../support/target.ts";

const siteName = siteNames("cors");

const PAGE = "https://page.test";

/** Everything that a browser looks at before it lets a page read an answer. */
function corsOf({ headers }: Response): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name.startsWith("access-control-") || name === "vary"));
}

const FOR_PAGE = {
  "access-control-allow-origin": PAGE,
  "access-control-allow-credentials": "true",
  vary: "Origin",
};

export function describeIngestCors(makeTarget: MakeTarget): void {
  describe("CORS of ingestion", () => {
    let target: Target;
    let guarded: Target;
    let limited: Target;
    beforeAll(async () => {
      target = await makeTarget();
      guarded = await makeTarget(WITH_ALLOWLIST);
      limited = await makeTarget(WITH_SITE_LIMIT);
    });
    afterAll(async () => {
      await target.close();
      await guarded.close();
      await limited.close();
    });

    it("the response to an accepted event is readable by the page that sent it, with credentials", async () => {
      const response = await post(target, wireEvent(siteName()), { origin: PAGE });
      expect(corsOf(response)).toEqual(FOR_PAGE);
      await expectAccepted(response);
    });

    it("a response to a request without Origin is readable by every page", async () => {
      expect(corsOf(await post(target, wireEvent(siteName())))).toEqual({ "access-control-allow-origin": "*" });
    });

    it("the origin null is allowed as null", async () => {
      const response = await post(target, wireEvent(siteName()), { origin: "null" });
      expect(response.headers.get("access-control-allow-origin")).toBe("null");
    });

    it("the pixel's response is readable by the page that sent it", async () => {
      expect(corsOf(await getPixel(target, { d: siteName(), u: "/" }, { origin: PAGE }))).toEqual(FOR_PAGE);
    });

    const REFUSED: readonly (readonly [status: number, name: string, send: (page: Record<string, string>) => Promise<Response>])[] = [
      [400, "malformed JSON", (page) => postBody(target, "{", page)],
      [422, "a missing field", (page) => postBody(target, "{}", page)],
      [413, "a body too large", (page) => postBody(target, new Uint8Array(65_537), page)],
      [403, "a foreign site", (page) => post(guarded, wireEvent("other.test"), { ...page, origin: "https://allowed.test" })],
      [403, "a foreign origin", (page) => post(guarded, wireEvent("allowed.test"), { ...page, origin: "https://other.test" })],
      [422, "a pixel without parameters", (page) => target.fetch("/api/event", { headers: browserHeaders(page) })],
      [405, "a method there is not", (page) => target.fetch("/api/event", { method: "PUT", headers: page })],
    ];

    it.each(REFUSED)("the response %d is readable by the page: %s", async (status, _name, send) => {
      const response = await send({ origin: PAGE });
      const origin = response.headers.get("access-control-allow-origin");
      expect([PAGE, "https://allowed.test", "https://other.test"]).toContain(origin);
      expect(corsOf(response)).toEqual({ ...FOR_PAGE, "access-control-allow-origin": origin });
      await expectError(response, status);
    });

    it("the response 429 is readable by the page", async () => {
      const site = siteName();
      await expectAccepted(await post(limited, wireEvent(site), { origin: PAGE }));
      const response = await post(limited, wireEvent(site), { origin: PAGE });
      expect(corsOf(response)).toEqual(FOR_PAGE);
      await expectError(response, 429);
    });

    it("a preflight gives 204 and allows what the tracker needs", async () => {
      const response = await target.fetch("/api/event", {
        method: "OPTIONS",
        headers: {
          origin: PAGE,
          "access-control-request-method": "POST",
          "access-control-request-headers": "content-type",
        },
      });
      expect(response.status).toBe(204);
      expect(await response.text()).toBe("");
      expect(corsOf(response)).toEqual({
        ...FOR_PAGE,
        "access-control-allow-methods": "GET, POST, OPTIONS",
        "access-control-allow-headers": "content-type",
        "access-control-max-age": "86400",
      });
    });

    it("a preflight that asks for no headers allows a content type", async () => {
      const response = await target.fetch("/api/event", { method: "OPTIONS", headers: { origin: PAGE } });
      expect(response.status).toBe(204);
      expect(response.headers.get("access-control-allow-headers")).toBe("Content-Type");
    });

    it("a preflight succeeds whatever the allowlist, because the event itself is checked", async () => {
      const response = await guarded.fetch("/api/event", { method: "OPTIONS", headers: { origin: "https://other.test" } });
      expect(response.status).toBe(204);
    });

    it.each(["/api/sites", "/api/stats/main?site_id=a.test", "/health", "/nothing/here"])(
      "%s is not readable by foreign pages",
      async (path) => {
        const response = await target.fetch(path, { headers: { origin: PAGE } });
        expect(corsOf(response)).toEqual({});
        await response.text();
      },
    );

    it("the tracking script is readable by every page", async () => {
      const response = await target.fetch("/svc.js", { headers: { origin: PAGE } });
      expect(response.headers.get("access-control-allow-origin")).toBe("*");
      expect(response.headers.get("cross-origin-resource-policy")).toBe("cross-origin");
      await response.text();
    });

    it.each(["PUT", "PATCH", "DELETE"])("%s of an event gives 405 with Allow", async (method) => {
      const response = await target.fetch("/api/event", { method });
      expect(response.headers.get("allow")?.split(", ").sort()).toEqual(["GET", "OPTIONS", "POST"]);
      await expectError(response, 405, method, /allowed/);
    });

    it("HEAD of the pixel gives 405 without a body, because its GET records an event", async () => {
      const response = await target.fetch("/api/event?d=head.test&u=/", { method: "HEAD" });
      expect(response.status).toBe(405);
      expect(response.headers.get("allow")?.split(", ").sort()).toEqual(["GET", "OPTIONS", "POST"]);
      expect(await response.text()).toBe("");
    });
  });
}
