/** Events are counted the same in the journal and in files, before and after restarts and crashes. */
import { afterAll, beforeAll, describe, expect } from "vitest";
import { getBreakdown, getMain, getSeries, getSites, record, wireEvent, type RequestHeaders } from "../support/requests.ts";
import { able, itNeeds, siteNames, type MakeTarget, type Target } from "../support/target.ts";
import { FIREFOX_LINUX, SAFARI_IPHONE } from "../support/user-agents.ts";

const siteName = siteNames("durability");

const visitor = (number: number): RequestHeaders => ({ "x-forwarded-for": `198.51.100.${number}` });

/** A site whose id is hard on file names. */
const STRANGE_SITE = "Durability:Case.";

export function describeDurability(makeTarget: MakeTarget): void {
  describe("durability", () => {
    let target: Target;
    beforeAll(async () => {
      target = await makeTarget({ SVC_TRUST_PROXY: "1", SVC_SECRET: "a secret of sixteen characters or more" });
    });
    afterAll(() => target.close());

    /** Ten events with something in every column. */
    async function recordTen(site: string, firstVisitor: number): Promise<void> {
      for (let i = 0; i < 10; i++) {
        await record(
          target,
          wireEvent(site, {
            n: i % 4 === 3 ? "Sign \u{1f600} up" : "pageview",
            u: `https://page.test/${i % 3}/?utm_source=letter&utm_campaign=${i % 2}`,
            r: "https://news.example/item?id=7",
            w: 1000 + i,
            p: '{"plan":"pro","n":1}',
            ra: 19.99,
            rc: "EUR",
          }),
          { ...visitor(firstVisitor + (i % 4)), "user-agent": i % 2 ? FIREFOX_LINUX : SAFARI_IPHONE },
        );
      }
    }

    async function figuresOf(site: string) {
      const figures: Record<string, unknown> = {
        main: await getMain(target, site, { period: "90d" }),
        series: await getSeries(target, site, { period: "90d" }),
      };
      for (const dimension of ["pages", "events", "browsers", "os-versions", "sources", "screen-sizes", "utm-campaigns", "regions"]) {
        figures[dimension] = await getBreakdown(target, site, dimension, { period: "90d" });
      }
      return figures;
    }

    itNeeds(makeTarget, "flush", "reports are the same before and after a flush", async () => {
      const site = siteName();
      await recordTen(site, 1);
      const before = await figuresOf(site);
      expect(before.main).toMatchObject({ unique_visitors: 4, total_events: 10, total_pageviews: 8 });
      await able(target, "flush")();
      expect(await figuresOf(site)).toEqual(before);
      expect(await getSites(target)).toContain(site);
    });

    itNeeds(makeTarget, "flush", "a site that was never queried before its flush is counted", async () => {
      const site = siteName();
      await recordTen(site, 1);
      await able(target, "flush")();
      expect(await getMain(target, site)).toMatchObject({ unique_visitors: 4, total_events: 10 });
    });

    itNeeds(makeTarget, "flush", "events of several flushes and of the journal add up", async () => {
      const site = siteName();
      for (let round = 1; round <= 4; round++) {
        await recordTen(site, round * 10);
        if (round < 4) await able(target, "flush")();
        if (round % 2 === 0) {
          expect(await getMain(target, site)).toMatchObject({ unique_visitors: round * 4, total_events: round * 10 });
        }
      }
    });

    itNeeds(makeTarget, "flush", "events that arrive during a flush are counted once", async () => {
      const site = siteName();
      await recordTen(site, 1);
      await Promise.all([able(target, "flush")(), recordTen(site, 20), getMain(target, site)]);
      expect(await getMain(target, site)).toMatchObject({ unique_visitors: 8, total_events: 20 });
      await able(target, "flush")();
      expect(await getMain(target, site)).toMatchObject({ unique_visitors: 8, total_events: 20 });
    });

    itNeeds(makeTarget, "restart", "reports are the same after a restart, and new events are added to them", async () => {
      const site = siteName();
      await recordTen(site, 1);
      await record(target, wireEvent(STRANGE_SITE));
      const before = await figuresOf(site);
      await able(target, "restart")();
      expect(await getSites(target)).toEqual(expect.arrayContaining([site, STRANGE_SITE]));
      expect(await figuresOf(site)).toEqual(before);
      expect((await getMain(target, STRANGE_SITE)).total_events).toBe(1);
      await recordTen(site, 1);
      const { unique_visitors, total_events } = await getMain(target, site);
      expect({ unique_visitors, total_events }).toEqual({ unique_visitors: 4, total_events: 20 });
    });

    itNeeds(makeTarget, "crash", "accepted events survive repeated crashes and a restart, and none is counted twice", async () => {
      const site = siteName();
      await recordTen(site, 1);
      const before = await figuresOf(site);
      await able(target, "crash")();
      expect(await getSites(target)).toContain(site);
      expect(await figuresOf(site)).toEqual(before);
      await recordTen(site, 1);
      await able(target, "crash")();
      await recordTen(site, 1);
      await able(target, "restart")();
      const { unique_visitors, total_events } = await getMain(target, site);
      expect({ unique_visitors, total_events }).toEqual({ unique_visitors: 4, total_events: 30 });
    });
  });
}
