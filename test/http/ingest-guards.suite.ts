/** Allowlist, rate limits, bots, and the order of these checks (docs/http-api.md, "Processing order", "Rate limits" and "Bots"). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  browserHeaders,
  expectAccepted,
  expectError,
  getMain,
  getValues,
  getPixel,
  getSites,
  pixelPath,
  post,
  postBody,
  wireEvent,
  type RequestHeaders,
} from "../support/requests.ts";
import { able, itNeeds, siteNames, type Environment, type MakeTarget, type Target } from "../support/target.ts";
import { BINGBOT, CHROME_WINDOWS, CURL, GOOGLEBOT } from "../support/user-agents.ts";

const siteName = siteNames("guards");

const TOO_LARGE = new Uint8Array(65_537);

/** One event in a hundred seconds: a second one is refused however slow the test is. */
const ONE_EVENT = "0.01";

/** Options that other suites of ingestion need as well. */
export const WITH_ALLOWLIST: Environment = { SVC_SITE_IDS: "allowed.test, Shop.Test, site-7, localhost:3000" };
export const WITH_SITE_LIMIT: Environment = { SVC_RATE_LIMIT_PER_SITE: ONE_EVENT };

export function describeAllowlist(makeTarget: MakeTarget): void {
  describe("the allowlist of sites", () => {
    let target: Target;
    let open: Target;
    beforeAll(async () => {
      target = await makeTarget(WITH_ALLOWLIST);
      open = await makeTarget();
    });
    afterAll(async () => {
      await target.close();
      await open.close();
    });

    const ADMITTED: readonly (readonly [name: string, d: string, headers: RequestHeaders])[] = [
      ["its own origin", "allowed.test", { origin: "https://allowed.test" }],
      ["its own origin over http", "allowed.test", { origin: "http://allowed.test" }],
      ["its own origin with a port", "allowed.test", { origin: "https://allowed.test:8443" }],
      ["the origin of an entry with its port", "localhost:3000", { origin: "http://localhost:3000" }],
      ["an origin in other case", "allowed.test", { origin: "https://ALLOWED.test" }],
      ["the origin of an entry in capitals", "Shop.Test", { origin: "https://shop.test" }],
      ["the origin of another entry", "site-7", { origin: "https://allowed.test" }],
      ["no origin", "site-7", {}],
      ["no origin and an id in capitals", "Shop.Test", {}],
    ];

    it.each(ADMITTED)("an event with %s is accepted", async (_name, d, headers) => {
      await expectAccepted(await post(target, wireEvent(d), headers));
    });

    it.each(ADMITTED)("a pixel with %s is accepted", async (_name, d, headers) => {
      const response = await getPixel(target, { d, u: "/" }, headers);
      expect(response.status).toBe(200);
    });

    const FOREIGN_ORIGINS = [
      "https://other.test",
      "https://www.allowed.test",
      "https://allowed.test.evil.test",
      "https://notallowed.test",
      "https://allowed.test@evil.test",
      "https://evil.test/allowed.test",
      "http://localhost:3001",
      "http://localhost",
      "allowed.test",
      "null",
      "file://",
      "https://",
    ];

    it.each(FOREIGN_ORIGINS)("an event from the origin %s gives 403", async (origin) => {
      await expectError(await post(target, wireEvent("allowed.test"), { origin }), 403, /Origin/, /allowed/);
    });

    it.each(FOREIGN_ORIGINS)("a pixel from the origin %s gives 403", async (origin) => {
      await expectError(await getPixel(target, { d: "allowed.test", u: "/" }, { origin }), 403, /Origin/, /allowed/);
    });

    const FOREIGN_SITES: readonly (readonly [d: string, headers: RequestHeaders])[] = [
      ["other.test", {}],
      ["other.test", { origin: "https://allowed.test" }],
      ["shop.test", {}],
      ["ALLOWED.test", {}],
      ["www.allowed.test", {}],
    ];

    it.each(FOREIGN_SITES)("an event for %s with %j gives 403", async (d, headers) => {
      await expectError(await post(target, wireEvent(d), headers), 403, '"d"');
    });

    it.each(FOREIGN_SITES)("a pixel for %s with %j gives 403", async (d, headers) => {
      await expectError(await getPixel(target, { d, u: "/" }, headers), 403, '"d"');
    });

    it("an event that the allowlist rejects is not counted", async () => {
      await post(target, wireEvent("other.test"));
      expect((await getMain(target, "other.test")).total_events).toBe(0);
    });

    it.each(["https://anything.test", "null", "garbage"])(
      "without an allowlist an event from the origin %s is accepted",
      async (origin) => {
        await expectAccepted(await post(open, wireEvent(siteName()), { origin }));
      },
    );

    it("/api/sites lists the allowlist before any event", async () => {
      expect(await getSites(target)).toEqual(expect.arrayContaining(["Shop.Test", "allowed.test", "site-7"]));
    });

    describe("the order of the checks", () => {
      const foreign = { origin: "https://other.test" };

      it("a body that is too large gives 413 whatever its origin", async () => {
        await expectError(await postBody(target, TOO_LARGE, foreign), 413);
      });

      it.each([
        ["malformed JSON", "{"],
        ["a body that is no object", "[]"],
        ["a missing field", '{"d":"allowed.test"}'],
        ["an empty field", '{"d":"","n":"","u":""}'],
      ])("a foreign origin gives 403 even with %s", async (_name, body) => {
        await expectError(await postBody(target, body, foreign), 403, /Origin/);
      });

      it.each([
        ["an empty name", { n: "" }],
        ["a name that is too long", { n: "n".repeat(257) }],
        ["a URL that is none", { u: "nothing" }],
        ["an invalid site id", { d: "a b" }],
        ["an empty site id", { d: "" }],
        ["a bot", {}],
      ])("a foreign site gives 403 even with %s", async (_name, fields) => {
        const headers = { "user-agent": GOOGLEBOT };
        await expectError(await post(target, wireEvent("other.test", fields), headers), 403, '"d"');
      });

      it("a pixel from a foreign origin gives 403 even without parameters", async () => {
        await expectError(await target.fetch("/api/event", { headers: browserHeaders(foreign) }), 403, /Origin/);
      });
    });
  });
}

function expectRetryAfter(response: Response): number {
  const text = response.headers.get("retry-after");
  expect(text).toMatch(/^[1-9]\d*$/);
  return Number(text);
}

export function describeRateLimits(makeTarget: MakeTarget): void {
  describe("rate limits", () => {
    let bySite: Target;
    let byAddress: Target;
    beforeAll(async () => {
      bySite = await makeTarget(WITH_SITE_LIMIT);
      byAddress = await makeTarget({ SVC_RATE_LIMIT_PER_IP: ONE_EVENT, SVC_TRUST_PROXY: "1" });
    });
    afterAll(async () => {
      await bySite.close();
      await byAddress.close();
    });

    it("a site's second event gives 429 with Retry-After and is not counted", async () => {
      const site = siteName();
      await expectAccepted(await post(bySite, wireEvent(site)));
      const response = await post(bySite, wireEvent(site));
      expectRetryAfter(response);
      await expectError(response, 429, /site/);
      expect((await getMain(bySite, site)).total_events).toBe(1);
    });

    it("pixels and posts of a site share its limit", async () => {
      const site = siteName();
      expect((await getPixel(bySite, { d: site, u: "/" })).status).toBe(200);
      await expectError(await post(bySite, wireEvent(site)), 429, /site/);
      const response = await getPixel(bySite, { d: site, u: "/" });
      expectRetryAfter(response);
      await expectError(response, 429, /site/);
    });

    it("the limit of one site does not affect other sites", async () => {
      const [first, second] = [siteName(), siteName()];
      await expectAccepted(await post(bySite, wireEvent(first)));
      await expectAccepted(await post(bySite, wireEvent(second)));
    });

    it("an address's second event gives 429 with Retry-After, whatever its site", async () => {
      const headers = { "x-forwarded-for": "198.51.100.1" };
      await expectAccepted(await post(byAddress, wireEvent(siteName()), headers));
      const response = await post(byAddress, wireEvent(siteName()), headers);
      expectRetryAfter(response);
      await expectError(response, 429, /address/);
    });

    it("the limit of one address does not affect other addresses of the same site", async () => {
      const site = siteName();
      await expectAccepted(await post(byAddress, wireEvent(site), { "x-forwarded-for": "198.51.100.2" }));
      await expectAccepted(await post(byAddress, wireEvent(site), { "x-forwarded-for": "198.51.100.3" }));
    });

    it("addresses of one IPv6 /64 network share a limit, those of another network do not", async () => {
      const from = (address: string) => ({ "x-forwarded-for": address });
      await expectAccepted(await post(byAddress, wireEvent(siteName()), from("2001:db8:0:1::1")));
      await expectError(await post(byAddress, wireEvent(siteName()), from("2001:db8:0:1:ffff::2")), 429, /address/);
      await expectAccepted(await post(byAddress, wireEvent(siteName()), from("2001:db8:0:2::1")));
    });

    it("a rate limit gives 429 even when a field breaks its rule", async () => {
      const site = siteName();
      await expectAccepted(await post(bySite, wireEvent(site)));
      await expectError(await post(bySite, wireEvent(site, { n: "n".repeat(257) })), 429);
      await expectError(await post(bySite, wireEvent(site, { u: "" })), 429);
      await expectError(await getPixel(bySite, { d: site, u: "" }), 429);
    });

    it("a rate limit gives 429 even to a bot", async () => {
      const site = siteName();
      await expectAccepted(await post(bySite, wireEvent(site), { "user-agent": GOOGLEBOT }));
      await expectError(await post(bySite, wireEvent(site), { "user-agent": GOOGLEBOT }), 429);
    });

    it("a body that is too large or not JSON does not count against the limit", async () => {
      const site = siteName();
      const headers = { "x-forwarded-for": "198.51.100.4" };
      await expectError(await postBody(byAddress, TOO_LARGE, headers), 413);
      await expectError(await postBody(byAddress, "{", headers), 400);
      await expectAccepted(await post(byAddress, wireEvent(site), headers));
    });

    itNeeds(makeTarget, "advance", "a site's limit accepts events again after Retry-After seconds, and not before", async () => {
      const target = await makeTarget({ SVC_RATE_LIMIT_PER_SITE: "0.1" });
      const advance = able(target, "advance");
      const site = siteName();
      await expectAccepted(await post(target, wireEvent(site)));
      await advance(3_400);
      const seconds = expectRetryAfter(await post(target, wireEvent(site)));
      expect(seconds).toBe(7);
      await advance(6_500);
      await expectError(await post(target, wireEvent(site)), 429);
      await advance(500);
      await expectAccepted(await post(target, wireEvent(site)));
      await target.close();
    });

    itNeeds(makeTarget, "advance", "a limit of several events a second allows that many at once", async () => {
      const target = await makeTarget({ SVC_RATE_LIMIT_PER_IP: "5" });
      const advance = able(target, "advance");
      const site = siteName();
      for (let event = 0; event < 5; event++) await expectAccepted(await post(target, wireEvent(site)));
      const response = await post(target, wireEvent(site));
      expect(expectRetryAfter(response)).toBe(1);
      await expectError(response, 429, /address/);
      await advance(200);
      await expectAccepted(await post(target, wireEvent(site)));
      await expectError(await post(target, wireEvent(site)), 429);
      await advance(1_000);
      for (let event = 0; event < 5; event++) await expectAccepted(await post(target, wireEvent(site)));
      expect((await getMain(target, site)).total_events).toBe(11);
      await target.close();
    });
  });
}

export function describeBots(makeTarget: MakeTarget): void {
  describe("bots", () => {
    let target: Target;
    let counting: Target;
    beforeAll(async () => {
      target = await makeTarget();
      counting = await makeTarget({ SVC_FILTER_BOTS: "false" });
    });
    afterAll(async () => {
      await target.close();
      await counting.close();
    });

    it.each([GOOGLEBOT, BINGBOT, CURL, "node", "python-requests/2.31.0"])("an event of %s gives 202 and is dropped", async (userAgent) => {
      const site = siteName();
      await expectAccepted(await post(target, wireEvent(site), { "user-agent": userAgent }));
      expect((await getMain(target, site)).total_events).toBe(0);
    });

    it("a pixel of a bot gives 200 and is dropped", async () => {
      const site = siteName();
      const response = await getPixel(target, { d: site, u: "/" }, { "user-agent": GOOGLEBOT });
      expect({ status: response.status, type: response.headers.get("content-type") }).toEqual({
        status: 200,
        type: "image/gif",
      });
      expect((await getMain(target, site)).total_events).toBe(0);
    });

    it("an event of a headless browser that only its hints give away is dropped", async () => {
      const site = siteName();
      const hints = (brand: string) => ({ "user-agent": CHROME_WINDOWS, "sec-ch-ua": `"Chromium";v="131", "${brand}";v="131"` });
      await expectAccepted(await post(target, wireEvent(site), hints("HeadlessChrome")));
      expect((await getMain(target, site)).total_events).toBe(0);
      await expectAccepted(await post(target, wireEvent(site), hints("Google Chrome")));
      expect((await getMain(target, site)).total_events).toBe(1);
    });

    it.each([
      ["Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)", "Gmail"],
      ["YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html", "Yahoo Mail"],
      ["Mozilla/5.0", "(unknown)"],
    ])("a pixel of the mail proxy %s is counted, an event is not", async (userAgent, browser) => {
      const site = siteName();
      expect((await getPixel(target, { d: site, u: "/letter" }, { "user-agent": userAgent })).status).toBe(200);
      await expectAccepted(await post(target, wireEvent(site), { "user-agent": userAgent }));
      expect(await getValues(target, site, "browsers")).toEqual([browser]);
      expect(await getValues(target, site, "os")).toEqual(["(unknown)"]);
    });

    it("a site with events of bots only is not listed", async () => {
      const site = siteName();
      await expectAccepted(await post(target, wireEvent(site), { "user-agent": GOOGLEBOT }));
      expect(await getSites(target)).not.toContain(site);
    });

    it("an event with an empty User-Agent is counted", async () => {
      const site = siteName();
      await expectAccepted(await post(target, wireEvent(site), { "user-agent": "" }));
      expect((await getMain(target, site)).total_events).toBe(1);
    });

    it("with filter_bots off bots are counted", async () => {
      const site = siteName();
      await expectAccepted(await post(counting, wireEvent(site), { "user-agent": GOOGLEBOT }));
      expect((await counting.fetch(pixelPath({ d: site, u: "/" }), { headers: { "user-agent": CURL } })).status).toBe(200);
      await expectAccepted(await post(counting, wireEvent(site), { "user-agent": CHROME_WINDOWS }));
      const { unique_visitors, total_events } = await getMain(counting, site);
      expect({ unique_visitors, total_events }).toEqual({ unique_visitors: 3, total_events: 3 });
    });

    it.each([
      ["an invalid site id", { d: "a b" }, 400],
      ["an empty name", { n: "" }, 400],
      ["a name that is too long", { n: "n".repeat(257) }, 400],
      ["a missing name", { n: undefined }, 422],
    ])("a bot's event with %s is rejected like any other", async (_name, fields, status) => {
      const headers = { "user-agent": GOOGLEBOT };
      await expectError(await post(target, wireEvent(siteName(), fields), headers), status);
    });

    it("a bot's event is dropped before its URL is parsed", async () => {
      await expectAccepted(await post(target, wireEvent(siteName(), { u: "nothing" }), { "user-agent": GOOGLEBOT }));
      await expectError(await post(target, wireEvent(siteName(), { u: "nothing" }), { "user-agent": CHROME_WINDOWS }), 400);
    });
  });
}
