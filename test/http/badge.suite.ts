/** GET /badge/{file}: a number of a public site as an image (docs/http-api.md, "Badge"). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bodyOf, CLOSED, createShare, logIn, withShare } from "../support/auth-requests.ts";
import { expectError, newAddress, putSettings, record, wireEvent, type RequestHeaders } from "../support/requests.ts";
import { siteNames, type MakeTarget, type Target } from "../support/target.ts";

const siteName = siteNames("badge");

export function describeBadge(makeTarget: MakeTarget): void {
  describe("badge", () => {
    const [open, closed] = [siteName(), siteName()];
    let target: Target;
    let session: RequestHeaders;
    beforeAll(async () => {
      target = await makeTarget({ ...CLOSED, SVC_TRUST_PROXY: "1" });
      session = await logIn(target);
      for (const site of [open, closed]) for (let i = 0; i < 2; i++) await record(target, wireEvent(site, { u: "/" }), newAddress());
      await record(target, wireEvent(open, { u: "/" }), newAddress());
      await bodyOf(await putSettings(target, open, { public: true }, session));
    });
    afterAll(() => target.close());

    const get = (file: string, headers: RequestHeaders = {}): Promise<Response> =>
      target.fetch(`/badge/${file}`, { headers: { ...newAddress(), ...headers } });

    it("shows a number of a public site, with a title, and may be cached for a while", async () => {
      const response = await get(`${open}.svg?metric=pageviews&period=day`);
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("image/svg+xml");
      expect(response.headers.get("cache-control")).toBe("public, max-age=300");
      const svg = await response.text();
      expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" [^<>]*role="img" aria-label="[^"<>]+"><title>/);
      expect(svg).toContain(`<title>${open}: 3 page views today</title>`);
      expect([...svg.matchAll(/<text [^<>]*>([^<>]*)<\/text>/g)].map(([, words]) => words)).toEqual(["page views today", "3"]);
      expect(await (await get(`${open}.svg`)).text()).toContain(`<title>${open}: 3 visitors in 30 days</title>`);
    });

    it("of a site that is not public is that of one that does not exist, also with its link or a session", async () => {
      const bodyOfUnknown = await (await get("unknown.test.svg")).text();
      const { token } = await createShare(target, session, { site_id: closed, name: "a link" });
      const asked: readonly [file: string, headers?: RequestHeaders][] = [
        [`${closed}.svg`],
        [`${closed}.svg`, session],
        [`${closed}.svg`, withShare(token)],
        [`${closed}.svg`, withShare(open)],
        [`${encodeURIComponent(token)}.svg`],
        [open],
        [`${open}.png`],
        [".svg"],
        [`${"a".repeat(300)}.svg`],
      ];
      for (const [file, headers] of asked) {
        const response = await get(file, headers);
        expect({ file, status: response.status, body: await response.text() }).toEqual({ file, status: 404, body: bodyOfUnknown });
      }
    });

    it.each([
      ["metric=visits", /"metric" must be one of visitors, pageviews/],
      ["period=all", /"period" must be one of 30d, day/],
      ["period=7d&period=7d", /"period" must be given at most once/],
    ])("refuses %s", async (query, message) => {
      await expectError(await get(`${open}.svg?${query}`), 400, message);
    });
  });
}
