/** The parameter `lens` (docs/reports.md, "Lenses"). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectError, getMain, record, wireEvent } from "../support/requests.ts";
import { askStats, FILTERED_ENDPOINTS, getStatsText, visitor } from "../support/stats-requests.ts";
import { siteNames, type MakeTarget, type Target } from "../support/target.ts";

const siteName = siteNames("lenses");

const AGENT = { "signature-agent": '"https://agent.example"' };

export function describeStatsLenses(makeTarget: MakeTarget): void {
  describe("lenses", () => {
    let target: Target;
    const siteId = siteName();

    beforeAll(async () => {
      target = await makeTarget({ SVC_TRUST_PROXY: "1" });
      await record(target, wireEvent(siteId, { u: "/", p: { plan: "pro" } }), visitor(1));
      await record(target, wireEvent(siteId, { u: "/a" }), visitor(1));
      await record(target, wireEvent(siteId, { u: "/" }), visitor(2));
      await record(target, wireEvent(siteId, { u: "/b", n: "Purchase", p: { plan: "free", coupon: "spring" }, ra: 5, rc: "EUR" }), {
        ...visitor(2),
        ...AGENT,
      });
      await record(target, wireEvent(siteId, { u: "/" }), visitor(2));
    });
    afterAll(() => target.close());

    it("strict leaves out whole visits of which an event has a code of a program; the others leave out nothing", async () => {
      const figures = async (lens: string) => {
        const { unique_visitors, total_pageviews, total_events } = await getMain(target, siteId, { period: "day", lens });
        return [unique_visitors, total_pageviews, total_events];
      };
      expect(await figures("default")).toEqual([2, 4, 5]);
      expect(await figures("everything")).toEqual([2, 4, 5]);
      expect(await figures("strict")).toEqual([1, 2, 2]);
    });

    it.each(FILTERED_ENDPOINTS)(
      "%s has the same bytes without a lens, by default and with everything, and others with strict",
      async (endpoint, own) => {
        const asked = { site_id: siteId, ...(endpoint !== "realtime" && { period: "day" }), ...own };
        const plain = await getStatsText(target, endpoint, asked);
        expect(await getStatsText(target, endpoint, { ...asked, lens: "default" })).toBe(plain);
        expect(await getStatsText(target, endpoint, { ...asked, lens: "everything" })).toBe(plain);
        expect(await getStatsText(target, endpoint, { ...asked, lens: "strict" })).not.toBe(plain);
      },
    );

    it("another lens is refused, and no filter names one", async () => {
      for (const lens of ["Strict", ""]) {
        await expectError(
          await askStats(target, "main", { site_id: siteId, lens }),
          400,
          '"lens" must be one of default, strict, everything',
        );
      }
      await expectError(await askStats(target, "main", { site_id: siteId, filters: "lens==strict" }), 400, 'there is no dimension "lens"');
    });
  });
}
