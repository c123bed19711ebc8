/** GET /api/feed: what changed, as RSS (docs/http-api.md, "Feed"). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bodyOf, CLOSED, createShare, logIn, withShare } from "../support/auth-requests.ts";
import { expectError, newAddress, putSettings, record, wireEvent, type RequestHeaders, type StatsParameters } from "../support/requests.ts";
import { itNeeds, siteNames, type MakeTarget, type Target } from "../support/target.ts";

const siteName = siteNames("feed");

const DAY_MS = 86_400_000;

/** The texts of the elements of this name, without escapes. Throws for a text that has characters which XML does not allow. */
function textsOf(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}(?: [^<>]*)?>([^<]*)</${name}>`, "g"))].map(([, text = ""]) => {
    expect(text).not.toMatch(/[\p{C}>"']|&(?!(?:amp|lt|gt|quot|apos);)/u);
    return text
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&quot;", '"')
      .replaceAll("&apos;", "'")
      .replaceAll("&amp;", "&");
  });
}

/** Every element ends, in order. */
function isWellFormed(xml: string): boolean {
  const open: string[] = [];
  for (const [, slash, name = ""] of xml.replace(/^<\?xml [^<>]*\?>/, "").matchAll(/<(\/?)(\w+)[^<>]*>/g)) {
    if (slash === "") open.push(name);
    else if (open.pop() !== name) return false;
  }
  return open.length === 0;
}

export function describeFeed(makeTarget: MakeTarget): void {
  describe("feed", () => {
    const site = siteName();
    let target: Target;
    let session: RequestHeaders;
    let day: (back: number) => string;
    beforeAll(async () => {
      target = await makeTarget({ ...CLOSED, SVC_TRUST_PROXY: "1" });
      for (const visits of [1, 3, 2]) {
        for (let i = 0; i < visits; i++) await record(target, wireEvent(site, { u: "/" }), newAddress());
        await target.advance?.(DAY_MS);
      }
      await record(target, wireEvent(site, { u: "/" }), newAddress());
      session = await logIn(target);
      day = (back) => new Date(target.nowMs() - back * DAY_MS).toISOString().slice(0, 10);
      await bodyOf(await putSettings(target, site, { name: "Tom & <Jerry>" }, session));
    });
    afterAll(() => target.close());

    const get = (path: string, parameters: StatsParameters, headers: RequestHeaders = session): Promise<Response> =>
      target.fetch(`${path}?${new URLSearchParams({ site_id: site, ...parameters }).toString()}`, {
        headers: { ...newAddress(), ...headers },
      });

    const feed = async (parameters: StatsParameters, headers?: RequestHeaders): Promise<string> => {
      const response = await get("/api/feed", parameters, headers);
      const xml = await response.text();
      expect([response.status, response.headers.get("content-type")], xml).toEqual([200, "application/rss+xml; charset=utf-8"]);
      expect(isWellFormed(xml)).toBe(true);
      return xml;
    };

    itNeeds(makeTarget, "advance", "has the sentences of ended days, and keeps their ids", async () => {
      const xml = await feed({ every: "day" });
      const days = [day(1), day(2), day(3)];
      expect(textsOf(xml, "guid")).toEqual(days.map((date) => `${site}/visits/day/${date}`));
      expect(textsOf(xml, "pubDate")).toEqual([0, 1, 2].map((back) => new Date(Date.parse(day(back))).toUTCString()));
      const sentences: string[] = [];
      for (const date of days) {
        const changes = await get("/api/stats/changes", { start_date: date, end_date: date });
        sentences.push((await bodyOf<{ sentence: string }>(changes)).sentence);
      }
      expect(textsOf(xml, "title")).toEqual(["Tom & <Jerry>: what changed", ...sentences]);
      expect(textsOf(xml, "link").at(-1)).toMatch(new RegExp(`/\\?site=${site}&start=${day(3)}&end=${day(3)}$`));
      const ofPageviews = await feed({ every: "day", metric: "pageviews" });
      expect(textsOf(ofPageviews, "guid")).toEqual(days.map((date) => `${site}/pageviews/day/${date}`));
      const ofOnePage = await feed({ every: "day", filters: "pages==/" });
      expect(textsOf(ofOnePage, "guid")).toEqual(days.map((date) => `${site}/visits/day/${date}/pages==/`));
      // Weeks that are over: an item is never of the current one.
      for (const id of textsOf(await feed({}), "guid")) expect((id.split("/").at(-1) ?? "") < day(6)).toBe(true);
    });

    itNeeds(makeTarget, "advance", "is read by a link in the address, within what the link shows", async () => {
      const { token } = await createShare(target, session, { site_id: site, start_date: day(2), end_date: day(1) });
      const xml = await feed({ every: "day", share: token }, {});
      expect(textsOf(xml, "guid")).toEqual([day(1), day(2)].map((date) => `${site}/visits/day/${date}`));
      expect(textsOf(xml, "link")[0]).toMatch(new RegExp(`/share/${encodeURIComponent(token)}$`));
      expect(textsOf(await feed({ every: "day" }, withShare(token)), "guid")).toEqual(textsOf(xml, "guid"));
      expect((await get("/api/feed", { share: token, site_id: siteName() })).status).toBe(403);
    });

    it("needs a credential that exists, and takes none but shares from the address", async () => {
      await expectError(await get("/api/feed", {}, {}), 401, /valid session or API key/);
      await expectError(await get("/api/feed", { share: "~unknown" }), 401, /unknown, revoked or expired/);
      await expectError(await get("/api/feed", { share: site }), 401, /unknown, revoked or expired/);
      const locked = await createShare(target, session, { site_id: site, password: "a long password" });
      await expectError(await get("/api/feed", { share: locked.token }, {}), 401, /needs its password/);
      // Other routes ignore it.
      expect((await get("/api/stats/main", { share: "~unknown" })).status).toBe(200);
    });

    it.each([
      [{ every: "month" }, /"every" must be one of week, day/],
      [{ metric: "sales" }, /"metric" must be one of visits/],
      [{ metric: "conversions" }, /"goal" is required/],
    ])("refuses %j", async (parameters, message) => {
      await expectError(await get("/api/feed", parameters), 400, message);
    });
  });
}
