/** The script and events at a site's own paths: the options `script_paths` and `event_paths`. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { browserHeaders, expectAccepted, expectError, getMain, wireEvent } from "../support/requests.ts";
import { siteNames, type MakeTarget, type Target } from "../support/target.ts";

const siteName = siteNames("extra-paths");

const PAGE = "https://page.test";

export function describeExtraPaths(makeTarget: MakeTarget): void {
  describe("script_paths and event_paths", () => {
    let target: Target;
    beforeAll(async () => {
      target = await makeTarget({ SVC_SCRIPT_PATHS: "/blog/lib.js,/lib2.js", SVC_EVENT_PATHS: "/blog/e", SVC_TRUST_PROXY: "1" });
    });
    afterAll(() => target.close());

    it("serve the script in addition to its default paths", async () => {
      const answers = await Promise.all(["/svc.js", "/js/script.js", "/blog/lib.js", "/lib2.js"].map((path) => target.fetch(path)));
      const texts = await Promise.all(answers.map((answer) => answer.text()));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      expect(texts[0]).not.toBe("");
      expect(new Set(texts).size).toBe(1);
    });

    it("accept events, pixels and preflights like /api/event, which still works", async () => {
      const site = siteName();
      const send = (path: string) =>
        target.fetch(path, { method: "POST", headers: { ...browserHeaders(), origin: PAGE }, body: JSON.stringify(wireEvent(site)) });
      const renamed = await send("/blog/e");
      expect(renamed.headers.get("access-control-allow-origin")).toBe(PAGE);
      await expectAccepted(renamed);
      await expectAccepted(await send("/api/event"));
      const pixel = await target.fetch(`/blog/e?d=${site}&u=%2F`, { headers: browserHeaders() });
      expect([pixel.status, (await pixel.arrayBuffer()).byteLength]).toEqual([200, 43]);
      const preflight = await target.fetch("/blog/e", { method: "OPTIONS", headers: { origin: PAGE } });
      expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, PAGE]);
      expect(await getMain(target, site)).toMatchObject({ total_events: 3 });
    });

    it("do not send Strict-Transport-Security for the site's host", async () => {
      const headerAt = async (path: string, method = "GET") => {
        const response = await target.fetch(path, { method, headers: { ...browserHeaders(), "x-forwarded-proto": "https" } });
        await response.arrayBuffer();
        return response.headers.get("strict-transport-security");
      };
      for (const path of ["/blog/lib.js", "/blog/e"])
        expect([path, await headerAt(path), await headerAt(path, "HEAD")]).toEqual([path, null, null]);
      for (const method of ["POST", "OPTIONS"]) expect([method, await headerAt("/blog/e", method)]).toEqual([method, null]);
      expect(await headerAt("/svc.js")).toBe("max-age=31536000");
      expect(await headerAt("/api/event")).toBe("max-age=31536000");
    });

    it("refuse what /api/event refuses, with errors that the page can read", async () => {
      const missing = await target.fetch("/blog/e", { method: "POST", headers: { origin: PAGE }, body: "{}" });
      expect(missing.headers.get("access-control-allow-origin")).toBe(PAGE);
      await expectError(missing, 422, 'Field "d" is missing');
      const wrong = await target.fetch("/blog/e", { method: "PUT" });
      expect(wrong.headers.get("allow")).toBe("POST, GET, OPTIONS");
      await expectError(wrong, 405, "PUT is not allowed here; allowed: POST, GET, OPTIONS");
    });
  });
}
