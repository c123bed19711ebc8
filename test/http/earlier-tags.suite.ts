/** Tags of Plausible, and those of Umami, GoatCounter and Matomo for the site that has their alias (docs/http-api.md). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  browserHeaders,
  expectAccepted,
  expectError,
  getBreakdown,
  getMain,
  getStats,
  post,
  putSettings,
  wireEvent,
  type RequestHeaders,
} from "../support/requests.ts";
import { siteNames, type MakeTarget, type Target } from "../support/target.ts";
import { GOOGLEBOT } from "../support/user-agents.ts";
import { bodyOf, CLOSED, logIn } from "../support/auth-requests.ts";

const siteName = siteNames("tags");

export function describeEarlierTags(makeTarget: MakeTarget): void {
  describe("tags of other products", () => {
    let target: Target;
    /** The same, asked by its owner. */
    let owned: Target;
    let session: RequestHeaders;
    beforeAll(async () => {
      target = await makeTarget(CLOSED);
      session = await logIn(target);
      owned = {
        ...target,
        fetch: (path, init = {}) => target.fetch(path, { ...init, headers: { ...(init.headers as RequestHeaders), ...session } }),
      };
    });
    afterAll(() => target.close());

    const send = (path: string, body?: string, headers: RequestHeaders = {}) =>
      target.fetch(path, {
        method: body === undefined ? "GET" : "POST",
        headers: browserHeaders(headers),
        ...(body !== undefined && { body }),
      });

    async function siteWith(...aliases: string[]): Promise<string> {
      const site = siteName();
      await bodyOf(await putSettings(target, site, { aliases }, session));
      return site;
    }

    const eventsOf = async (site: string) =>
      (await getBreakdown(owned, site, "events")).map(({ value, events }) => `${value}: ${events}`).sort();

    const propertyOf = (site: string, key: string) => getStats<unknown[]>(owned, "property-values", { site_id: site, key });

    const revenueOf = async (site: string) => (await getStats<{ by_currency: unknown[] }>(owned, "revenue", { site_id: site })).by_currency;

    it("of Plausible count with properties and revenue, and their time on the page is no event", async () => {
      const site = siteName();
      const page = { d: site, u: "https://page.test/a" };
      const purchase = { ...page, n: "Purchase", p: { plan: "pro" }, $: { amount: "19.90", currency: "EUR" }, i: false, h: 1 };
      await expectAccepted(await post(target, purchase));
      await expectAccepted(await post(target, { ...page, n: "engagement", sd: 40, e: 120_000 }));
      expect(await eventsOf(site)).toEqual(["Purchase: 1"]);
      expect(await propertyOf(site, "plan")).toEqual([expect.objectContaining({ value: "pro" })]);
      expect(await revenueOf(site)).toEqual([expect.objectContaining({ currency: "EUR", total: 19.9 })]);
    });

    it("of Plausible count for each of several sites that takes the event", async () => {
      const [first, second] = [siteName(), siteName()];
      await expectAccepted(await post(target, wireEvent(`${first}, a/b,${second}`)));
      for (const site of [first, second]) expect(await eventsOf(site)).toEqual(["pageview: 1"]);
      await expectError(await post(target, wireEvent("a/b,c/d")), 400, '"d"');
    });

    const umami = (website: string, payload: object = {}, type = "event", headers: RequestHeaders = {}) =>
      send(
        "/api/send",
        JSON.stringify({ type, payload: { website, hostname: "page.test", url: "/a", referrer: "", ...payload } }),
        headers,
      );

    it("of Umami count page views, events and their data, and drop identifications", async () => {
      const site = await siteWith("umami:0B1B-1");
      expect(await bodyOf(await umami("0b1b-1"))).toEqual({});
      await bodyOf(await umami("0b1b-1", { name: "buy", data: { plan: "pro", revenue: "19.90", currency: "EUR" } }));
      await bodyOf(await umami("0b1b-1", { id: "somebody" }, "identify"));
      expect(await eventsOf(site)).toEqual(["buy: 1", "pageview: 1"]);
      expect(await propertyOf(site, "plan")).toEqual([expect.objectContaining({ value: "pro" })]);
      expect(await revenueOf(site)).toEqual([expect.objectContaining({ currency: "EUR", total: 19.9 })]);
    });

    it("of GoatCounter count page views and events by the page's host", async () => {
      const site = await siteWith("goatcounter:shop.test");
      const headers = { referer: "https://shop.test/" };
      const pixel = await send("/count?p=/a&s=1280,800,1&t=Title&q=%3Futm_source%3Dletter", undefined, headers);
      expect([pixel.status, pixel.headers.get("content-type")]).toEqual([200, "image/gif"]);
      // As a beacon.
      expect((await send("/count?p=signup&e=true", "", headers)).status).toBe(200);
      expect(await eventsOf(site)).toEqual(["pageview: 1", "signup: 1"]);
      expect(await getBreakdown(owned, site, "utm-sources")).toContainEqual(expect.objectContaining({ value: "letter" }));
    });

    it("of Matomo count page views, events and several requests at once", async () => {
      const site = await siteWith("matomo:m-1");
      const page = "idsite=m-1&rec=1&url=https%3A%2F%2Fpage.test%2Fa";
      expect((await send(`/matomo.php?${page}`)).status).toBe(200);
      // A beacon may have the query in its address.
      expect((await send(`/matomo.php?${page}`, "")).status).toBe(200);
      expect((await send("/matomo.php", `${page}&e_c=Video&e_a=Play`)).status).toBe(200);
      const bulk = await send("/matomo.php", JSON.stringify({ requests: [`?${page}`, `?${page}&ping=1`, "?idsite=unknown"] }));
      expect(await bodyOf(bulk)).toEqual({ status: "success", tracked: 2, invalid: 1 });
      const one = await send("/matomo.php", JSON.stringify({ requests: [`?${page}`] }));
      expect(await bodyOf(one)).toEqual({ status: "success", tracked: 1, invalid: 0 });
      expect(await eventsOf(site)).toEqual(["Video/Play: 1", "pageview: 4"]);
    });

    it("are dropped for bots and by the site's settings, and answered alike", async () => {
      const site = siteName();
      await bodyOf(await putSettings(target, site, { aliases: ["umami:bots"], excluded_paths: ["/admin*"] }, session));
      expect(await bodyOf(await umami("bots", {}, "event", { "user-agent": GOOGLEBOT }))).toEqual({});
      expect(await bodyOf(await umami("bots", { url: "/admin/users" }))).toEqual({});
      expect((await getMain(owned, site)).total_events).toBe(0);
    });

    it("get a response that their page can read, and a preflight that allows their headers", async () => {
      const page = { origin: "https://page.test" };
      const refused = await umami("nobody-reads", {}, "event", page);
      expect(refused.headers.get("access-control-allow-origin")).toBe(page.origin);
      const preflight = await target.fetch("/api/send", {
        method: "OPTIONS",
        headers: { ...page, "access-control-request-method": "POST", "access-control-request-headers": "content-type,x-umami-cache" },
      });
      expect(preflight.status).toBe(204);
      expect(preflight.headers.get("access-control-allow-headers")).toBe("content-type,x-umami-cache");
    });

    it("are refused without an alias, and listed by the installation check", async () => {
      await expectError(await umami("nobody"), 403, "umami:nobody");
      await umami("nobody");
      const check = await bodyOf<{ unknown_aliases: { name: string }[] }>(await owned.fetch(`/api/installation?site_id=${siteName()}`));
      expect(check.unknown_aliases.filter(({ name }) => name === "umami:nobody")).toEqual([
        { name: "umami:nobody", count: 2, latest_at: expect.any(String) as unknown },
      ]);
    });

    it("follow the settings: an alias belongs to one site, and moves when it is removed there", async () => {
      const first = await siteWith("matomo:moves");
      const second = siteName();
      const aliases = { aliases: ["Matomo:Moves"] };
      await expectError(await putSettings(target, second, aliases, session), 400, '"aliases"', first);
      await bodyOf(await putSettings(target, first, {}, session));
      await bodyOf(await putSettings(target, second, aliases, session));
      await send("/matomo.php?idsite=moves&url=/");
      expect(await eventsOf(second)).toEqual(["pageview: 1"]);
      expect((await getMain(owned, first)).total_events).toBe(0);
    });
  });
}
