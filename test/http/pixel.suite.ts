/** The pixel, GET /api/event (docs/http-api.md, "Tracking pixel"). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { browserHeaders, expectError, getBreakdown, getMain, getPixel, getValues, pixelPath } from "../support/requests.ts";
import { siteNames, type MakeTarget, type Target } from "../support/target.ts";

const siteName = siteNames("pixel");

const EMOJI = "\u{1f600}";

/** GIF89a, 1x1, one transparent colour. */
const GIF_HEX = "47494638396101000100800000000000ffffff21f90401000000002c00000000010001000002024401003b";

const hexOf = (bytes: ArrayBuffer): string => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");

export function describePixel(makeTarget: MakeTarget): void {
  describe("GET /api/event", () => {
    let target: Target;
    beforeAll(async () => {
      target = await makeTarget();
    });
    afterAll(() => target.close());

    it("an event gives 200 and a transparent GIF of 43 bytes that must not be cached", async () => {
      const response = await getPixel(target, { d: siteName(), u: "https://page.test/" });
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("image/gif");
      expect(response.headers.get("content-length")).toBe("43");
      expect(response.headers.get("cache-control")).toBe("no-store");
      const bytes = await response.arrayBuffer();
      expect(bytes.byteLength).toBe(43);
      expect(hexOf(bytes)).toBe(GIF_HEX);
    });

    it("d and u are enough for a pageview", async () => {
      const site = siteName();
      await getPixel(target, { d: site, u: "https://page.test/letter/" });
      expect(await getBreakdown(target, site, "events")).toEqual([{ value: "pageview", visitors: 1, pageviews: 1, events: 1 }]);
      expect(await getValues(target, site, "pages")).toEqual(["/letter"]);
    });

    it("n, r and w are recorded", async () => {
      const site = siteName();
      await getPixel(target, { d: site, u: "/", n: "Letter opened", r: "https://duckduckgo.com/", w: "800" });
      expect(await getValues(target, site, "events")).toEqual(["Letter opened"]);
      expect(await getValues(target, site, "sources")).toEqual(["DuckDuckGo"]);
      expect(await getValues(target, site, "screen-sizes")).toEqual(["800"]);
    });

    it("ra, rc and p are not supported and ignored, valid or invalid", async () => {
      const site = siteName();
      const response = await getPixel(target, { d: site, u: "/", ra: "much", rc: "EURO", p: "{" });
      expect(response.status).toBe(200);
      expect((await getMain(target, site)).total_events).toBe(1);
    });

    it.each([
      ["d", { u: "/" }],
      ["u", { d: "a.test" }],
    ])("missing %s gives 422", async (field, parameters) => {
      await expectError(await getPixel(target, parameters as Record<string, string>), 422, `"${field}"`, /missing/);
    });

    it("a request without parameters gives 422", async () => {
      await expectError(await target.fetch("/api/event", { headers: browserHeaders() }), 422, /missing/);
    });

    it.each([
      ["d", { d: "", u: "/" }],
      ["u", { d: "a.test", u: "" }],
      ["n", { d: "a.test", u: "/", n: "" }],
    ])("empty %s gives 400", async (field, parameters) => {
      await expectError(await getPixel(target, parameters as Record<string, string>), 400, `"${field}"`, /empty/);
    });

    it.each([
      ["d", "d".repeat(257), 256],
      ["n", "n".repeat(257), 256],
      ["n", EMOJI.repeat(257), 256],
      ["u", `/${"u".repeat(2048)}`, 2048],
      ["r", `https://r.test/${"r".repeat(2048)}`, 2048],
    ])("%s over its limit gives 400", async (field, text, charsMax) => {
      await expectError(await getPixel(target, { d: "a.test", u: "/", [field]: text }), 400, `"${field}"`, String(charsMax));
    });

    it.each([
      ["d", "d".repeat(256)],
      ["n", "n".repeat(256)],
      ["n", EMOJI.repeat(256)],
      ["u", `/${"u".repeat(2047)}`],
      ["u", `/${EMOJI.repeat(2047)}`],
      ["r", `https://r.test/${"r".repeat(2033)}`],
    ])("%s at its limit is accepted", async (field, text) => {
      const response = await getPixel(target, { d: siteName(), u: "/", [field]: text });
      expect(response.status).toBe(200);
    });

    it("all parameters at their limits at once are accepted, every character escaped", async () => {
      const parameters = {
        d: siteName(),
        n: EMOJI.repeat(256),
        u: `/${EMOJI.repeat(2047)}`,
        r: `https://r.test/${EMOJI.repeat(2033)}`,
      };
      expect((await getPixel(target, parameters)).status).toBe(200);
      expect(await getValues(target, parameters.d, "events")).toEqual([parameters.n]);
    });

    it.each(["a b", "a/b", "ü", "a\u0000"])("the site id %j gives 400", async (d) => {
      await expectError(await getPixel(target, { d, u: "/" }), 400, '"d"', /must/);
    });

    it.each(["page.test/", "ftp://page.test/", "javascript:alert(1)"])("the URL %s gives 400", async (u) => {
      await expectError(await getPixel(target, { d: "a.test", u }), 400, '"u"', /must/);
    });

    it.each(["wide", "", " 800", "0x320", "8e", "NaN", "Infinity", "800px"])("w of %j is not a number and gives 422", async (w) => {
      await expectError(await getPixel(target, { d: "a.test", u: "/", w }), 422, '"w"', /number/);
    });

    it.each(["800.4", "8e2", "-800", "0"])("w of %s is accepted", async (w) => {
      expect((await getPixel(target, { d: siteName(), u: "/", w })).status).toBe(200);
    });

    it("percent-encoded bytes that are not UTF-8 do not make the event fail", async () => {
      const site = siteName();
      const response = await target.fetch(`/api/event?d=${site}&u=/&n=a%FFb`, { headers: browserHeaders() });
      expect(response.status).toBe(200);
      expect(await getValues(target, site, "events")).toEqual(["a\ufffdb"]);
    });

    it("a trailing slash of the path is accepted", async () => {
      const path = pixelPath({ d: siteName(), u: "/" }).replace("/event?", "/event/?");
      expect((await target.fetch(path, { headers: browserHeaders() })).status).toBe(200);
    });
  });
}
