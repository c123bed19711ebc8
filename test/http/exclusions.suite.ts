/** Events that the settings of their site exclude (docs/sites.md, "Exclude yourself"). */
import { describe, expect, it, onTestFinished } from "vitest";
import { bodyOf, CLOSED, logIn, ofItsOwn } from "../support/auth-requests.ts";
import { getMetrics } from "../support/metrics.ts";
import { expectAccepted, expectError, getPixel, post, wireEvent, type MainFigures, type RequestHeaders } from "../support/requests.ts";
import type { MakeTarget, Target } from "../support/target.ts";
import { GOOGLEBOT } from "../support/user-agents.ts";

const SITE = "excluding.test";

const from = (address: string): RequestHeaders => ({ "x-forwarded-for": address });

const page = (path: string) => wireEvent(SITE, { u: `https://page.test${path}` });

interface Excluding {
  readonly target: Target;
  readonly headers: RequestHeaders;
  set(settings: object): Promise<void>;
  events(): Promise<number>;
}

export function describeExclusions(makeTarget: MakeTarget): void {
  describe("events that the settings of a site exclude", () => {
    async function excluding(settings: object): Promise<Excluding> {
      const target = await makeTarget(ofItsOwn({ ...CLOSED, SVC_TRUST_PROXY: "1" }));
      onTestFinished(() => target.close());
      const headers = await logIn(target);
      const set = async (changed: object): Promise<void> => {
        await bodyOf(await target.fetch(`/api/sites/${SITE}`, { method: "PUT", headers, body: JSON.stringify(changed) }));
      };
      await set(settings);
      const events = async (): Promise<number> =>
        (await bodyOf<MainFigures>(await target.fetch(`/api/stats/main?site_id=${SITE}`, { headers }))).total_events;
      return { target, headers, set, events };
    }

    it("by address are answered as accepted and not stored, from the change on", async () => {
      const { target, set, events } = await excluding({ excluded_addresses: ["198.51.100.0/24", "2001:db8:1::/48", "203.0.113.9"] });
      for (const address of ["198.51.100.7", "::ffff:198.51.100.8", "2001:db8:1:2::3", "203.0.113.9"]) {
        await expectAccepted(await post(target, page("/"), from(address)));
        expect((await getPixel(target, { d: SITE, u: "/" }, from(address))).status).toBe(200);
      }
      expect(await events()).toBe(0);
      for (const address of ["198.51.101.7", "2001:db8:2::3", "203.0.113.8"])
        await expectAccepted(await post(target, page("/"), from(address)));
      await expectAccepted(await post(target, wireEvent("other.test"), from("198.51.100.7")));
      expect(await events()).toBe(3);
      await set({});
      await expectAccepted(await post(target, page("/"), from("198.51.100.7")));
      expect(await events()).toBe(4);
    });

    it("by path and by country are not stored; an event with an unknown country is", async () => {
      const { target, events } = await excluding({ excluded_paths: ["/admin*", "/größe"], excluded_countries: ["nl"] });
      for (const path of ["/admin", "/admin/users?x=1", "/gr%C3%B6%C3%9Fe/"])
        await expectAccepted(await post(target, page(path), from("8.8.8.8")));
      await expectAccepted(await post(target, page("/"), from("193.0.6.139")));
      expect(await events()).toBe(0);
      await expectAccepted(await post(target, page("/"), from("8.8.8.8")));
      await expectAccepted(await post(target, page("/"), from("10.0.0.1")));
      expect(await events()).toBe(2);
    });

    it("by host and by referrer are not stored; pages without a host and other referrers are", async () => {
      const { target, set, events } = await excluding({ allowed_hosts: ["page.test", "*.page.test"], excluded_hosts: ["old.page.test"] });
      const send = (u: string, r: string | null = null) => post(target, wireEvent(SITE, { u, r }), from("8.8.8.8"));
      for (const u of ["https://copy.test/", "https://old.page.test/", "https://page.test.copy.test/"]) await expectAccepted(await send(u));
      expect(await events()).toBe(0);
      for (const u of ["https://www.page.test/", "https://Shop.page.test:8443/", "/path"]) await expectAccepted(await send(u));
      expect(await events()).toBe(3);
      await set({ excluded_referrers: ["spam.test", "*.spam.test"] });
      for (const r of ["https://spam.test/x", "http://a.SPAM.test"]) await expectAccepted(await send("https://page.test/", r));
      expect(await events()).toBe(3);
      for (const r of ["https://notspam.test/", "spam.test", null]) await expectAccepted(await send("https://copy.test/", r));
      expect(await events()).toBe(6);
    });

    it("are counted separately, and by the installation check", async () => {
      const { target, headers } = await excluding({ excluded_addresses: ["198.51.100.7"] });
      const me = from("198.51.100.7");
      const countersOf = async () => {
        const metrics = await getMetrics(target);
        return ["svc_events_excluded_total", "svc_events_ingested_total", "svc_bot_events_dropped_total"].map((name) => metrics[name]);
      };
      expect(await countersOf()).toEqual([0, 0, 0]);
      for (let i = 0; i < 2; i++) await expectAccepted(await post(target, page("/"), me));
      await expectAccepted(await post(target, page("/"), { ...me, "user-agent": GOOGLEBOT }));
      await expectAccepted(await post(target, page("/"), from("198.51.100.8")));
      expect(await countersOf()).toEqual([2, 1, 1]);
      const { events } = await bodyOf<{ events: { outcome: string; count: number }[] }>(
        await target.fetch(`/api/installation?site_id=${SITE}`, { headers }),
      );
      expect(Object.fromEntries(events.map(({ outcome, count }) => [outcome, count]))).toEqual({ excluded: 2, bot: 1, accepted: 1 });
    });

    it("are checked after everything that refuses an event except its URL, which only paths need", async () => {
      const { target, set } = await excluding({ excluded_addresses: ["198.51.100.7"] });
      const me = from("198.51.100.7");
      await expectError(await post(target, wireEvent(SITE, { n: "" }), me), 400, '"n"');
      await expectAccepted(await post(target, wireEvent(SITE, { u: "no url" }), me));
      await set({ excluded_paths: ["/admin"] });
      await expectError(await post(target, wireEvent(SITE, { u: "no url" }), me), 400, '"u"');
    });
  });
}
