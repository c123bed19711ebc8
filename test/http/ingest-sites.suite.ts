/** The max_sites option: how many sites events may create while site_ids is empty. */
import { describe, expect, it, onTestFinished } from "vitest";
import { CLOSED, logIn, ofItsOwn } from "../support/auth-requests.ts";
import { erase } from "../support/erasure-requests.ts";
import { getMetrics } from "../support/metrics.ts";
import { expectAccepted, expectError, getMain, getPixel, getSites, post, record, wireEvent } from "../support/requests.ts";
import { able, itNeeds, type Environment, type MakeTarget, type Target } from "../support/target.ts";
import { GOOGLEBOT } from "../support/user-agents.ts";

const TWO_SITES: Environment = { SVC_MAX_SITES: "2" };

/** Names the field, the rule and what its operator can do, and no number. */
const REFUSAL = /^Field "d" must be a site that has events: .* max_sites, .* site_ids\.$/;

export function describeMaxSites(makeTarget: MakeTarget): void {
  describe("max_sites", () => {
    async function full(environment: Environment = TWO_SITES): Promise<Target> {
      const target = await makeTarget(ofItsOwn(environment));
      onTestFinished(() => target.close());
      for (const site of ["first.test", "second.test"]) await record(target, wireEvent(site));
      return target;
    }

    it("refuses an event of one site too many with 403 by POST and pixel, counts and does not store it; existing sites are still accepted", async () => {
      const target = await full();
      await expectError(await post(target, wireEvent("third.test")), 403, REFUSAL);
      await expectError(await getPixel(target, { d: "third.test", u: "/" }), 403, REFUSAL);
      await expectAccepted(await post(target, wireEvent("first.test")));
      expect(await getSites(target)).toEqual(["first.test", "second.test"]);
      expect((await getMain(target, "third.test")).total_events).toBe(0);
      expect(await getMetrics(target)).toMatchObject({ svc_sites: 2, svc_max_sites_rejections_total: 2, svc_events_ingested_total: 3 });
    });

    it("is checked after the field rules and before the bot filter", async () => {
      const target = await full();
      await expectError(await post(target, wireEvent("third test")), 400, '"d"');
      await expectError(await post(target, wireEvent("third.test", { n: "" })), 400, '"n"');
      await expectError(await post(target, wireEvent("third.test"), { "user-agent": GOOGLEBOT }), 403, REFUSAL);
    });

    it("does not count a site for a bot's event, which is dropped", async () => {
      const target = await makeTarget(ofItsOwn({ SVC_MAX_SITES: "1" }));
      onTestFinished(() => target.close());
      await expectAccepted(await post(target, wireEvent("bot.test"), { "user-agent": GOOGLEBOT }));
      await expectAccepted(await post(target, wireEvent("first.test")));
      await expectError(await post(target, wireEvent("bot.test")), 403, REFUSAL);
    });

    it("has no effect when site_ids is set", async () => {
      const target = await makeTarget(ofItsOwn({ SVC_MAX_SITES: "1", SVC_SITE_IDS: "a.test,b.test" }));
      onTestFinished(() => target.close());
      for (const site of ["a.test", "b.test"]) await expectAccepted(await post(target, wireEvent(site)));
    });

    for (const [ability, where] of [
      ["restart", "files"],
      ["crash", "the journal"],
    ] as const) {
      itNeeds(makeTarget, ability, `after a ${ability}, sites with events in ${where} are known`, async () => {
        const target = await full();
        await able(target, ability)();
        await expectError(await post(target, wireEvent("third.test")), 403, REFUSAL);
        for (const site of ["first.test", "second.test"]) await expectAccepted(await post(target, wireEvent(site)));
        expect(await getMetrics(target)).toMatchObject({ svc_sites: 2 });
      });
    }

    it("permits a new site after an erasure of all events of a site, and not of some events", async () => {
      const target = await full({ ...CLOSED, ...TWO_SITES });
      const session = await logIn(target);
      const today = new Date(target.nowMs()).toISOString().slice(0, 10);
      await erase(target, session, "first.test", "2020-01-01", "2020-01-31");
      await expectError(await post(target, wireEvent("third.test")), 403, REFUSAL);
      await erase(target, session, "first.test", "2026-01-01", today);
      await expectAccepted(await post(target, wireEvent("third.test")));
      await expectError(await post(target, wireEvent("first.test")), 403, REFUSAL);
      await expectAccepted(await post(target, wireEvent("second.test")));
    });
  });
}
