/** Data deletion (docs/http-api.md, "Data deletion"). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CLOSED, createKey, logIn, withKey } from "../support/auth-requests.ts";
import { deleteEvents, erase } from "../support/erasure-requests.ts";
import { expectError, record, wireEvent, type MainFigures, type RequestHeaders } from "../support/requests.ts";
import { able, itNeeds, siteNames, type MakeTarget, type Target } from "../support/target.ts";

const siteName = siteNames("erasure");

const DAY_MS = 86_400_000;

export function describeErasure(makeTarget: MakeTarget): void {
  describe("erasure", () => {
    let target: Target;
    let admin: RequestHeaders;
    beforeAll(async () => {
      // Answers are kept, so that one that outlives an erasure shows. The secret keeps others' restarts away from the session.
      target = await makeTarget({ ...CLOSED, SVC_CACHE_TTL_SECS: "60", SVC_SECRET: "a secret for erasure" });
      admin = await newKey();
    });
    afterAll(() => target.close());

    async function newKey(): Promise<RequestHeaders> {
      return withKey((await createKey(target, await logIn(target), "Admin")).key);
    }

    const dateBack = (days: number): string => new Date(target.nowMs() - days * DAY_MS).toISOString().slice(0, 10);

    const recordMany = async (site: string, count: number): Promise<void> => {
      for (let i = 0; i < count; i++) await record(target, wireEvent(site, { u: `https://page.test/${i}` }));
    };

    async function totalOf(site: string): Promise<number> {
      const response = await target.fetch(`/api/stats/main?site_id=${encodeURIComponent(site)}&period=90d`, { headers: admin });
      return ((await response.json()) as MainFigures).total_events;
    }

    const sites = async (): Promise<readonly string[]> =>
      ((await (await target.fetch("/api/sites", { headers: admin })).json()) as { sites: string[] }).sites;

    /** Around today, in case that midnight passes. */
    const eraseLately = (site: string) => erase(target, admin, site, dateBack(1), dateBack(-1));

    it("an erasure reports how much it erased, and clears reports, cached results and the list of sites", async () => {
      const [site, other] = [siteName(), siteName()];
      await recordMany(site, 3);
      await recordMany(other, 2);
      expect(await totalOf(site)).toBe(3);
      const [start, end] = [dateBack(1), dateBack(-1)];
      expect(await erase(target, admin, site, start, end)).toEqual({
        status: "erased",
        site_id: site,
        start_date: start,
        end_date: end,
        db_records_deleted: 3,
        parquet_partitions_deleted: 1,
      });
      expect([await totalOf(site), await totalOf(other)]).toEqual([0, 2]);
      expect(await sites()).not.toContain(site);
      expect(await sites()).toContain(other);
    });

    it("erasing nothing gives 200 with zeros", async () => {
      expect(await erase(target, admin, siteName(), "2020-01-01", "2020-12-31")).toMatchObject({
        status: "erased",
        db_records_deleted: 0,
        parquet_partitions_deleted: 0,
      });
    });

    it("an erasure keeps events of other dates", async () => {
      const site = siteName();
      await recordMany(site, 2);
      expect(await erase(target, admin, site, dateBack(10), dateBack(3))).toMatchObject({ db_records_deleted: 0 });
      expect(await totalOf(site)).toBe(2);
    });

    it("events that arrive after an erasure are counted", async () => {
      const site = siteName();
      await recordMany(site, 2);
      await eraseLately(site);
      await recordMany(site, 1);
      expect(await totalOf(site)).toBe(1);
      expect(await eraseLately(site)).toMatchObject({ db_records_deleted: 1, parquet_partitions_deleted: 1 });
    });

    it.each(["Erasure:Case.", "erasure:Case.", "x.".repeat(128)])(
      "an erasure reaches a site whose id is not a safe file name: %s",
      async (site) => {
        const neighbour = site.toUpperCase();
        await recordMany(site, 2);
        await recordMany(neighbour, 1);
        expect(await eraseLately(site)).toMatchObject({ site_id: site, db_records_deleted: 2 });
        expect([await totalOf(site), await totalOf(neighbour)]).toEqual([0, 1]);
        await eraseLately(neighbour);
      },
    );

    it("during concurrent ingestion, queries and erasures, each event is erased once or kept", async () => {
      const site = siteName();
      await recordMany(site, 5);
      const outcomes = await Promise.all([
        eraseLately(site),
        recordMany(site, 5),
        totalOf(site),
        eraseLately(site),
        recordMany(site, 5),
        totalOf(site),
        eraseLately(site),
      ]);
      const erased = outcomes.reduce<number>((sum, outcome) => sum + (typeof outcome === "object" ? outcome.db_records_deleted : 0), 0);
      expect(erased + (await totalOf(site))).toBe(15);
    });

    itNeeds(makeTarget, "advance", "an erasure includes both of its dates and no other", async () => {
      const site = siteName();
      for (let day = 0; day < 4; day++) {
        await recordMany(site, 10 ** day);
        await able(target, "advance")(DAY_MS);
      }
      expect(await erase(target, admin, site, dateBack(3), dateBack(2))).toMatchObject({
        db_records_deleted: 110,
        parquet_partitions_deleted: 2,
      });
      expect(await totalOf(site)).toBe(1001);
    });

    itNeeds(makeTarget, "crash", "a restart or crash does not bring back erased events, and keeps later ones", async () => {
      const [site, strange] = [siteName(), "Erasure:Crash."];
      await recordMany(site, 3);
      await recordMany(strange, 2);
      await eraseLately(site);
      await recordMany(site, 2);
      await able(target, "crash")();
      expect([await totalOf(site), await totalOf(strange)]).toEqual([2, 2]);
      await able(target, "restart")();
      expect([await totalOf(site), await totalOf(strange)]).toEqual([2, 2]);
      expect(await eraseLately(strange)).toMatchObject({ db_records_deleted: 2 });
      await able(target, "crash")();
      expect([await totalOf(site), await totalOf(strange)]).toEqual([2, 0]);
    });

    it.each([
      [{}, '"site_id" is required'],
      [{ site_id: "a/b", start_date: "2026-01-01", end_date: "2026-01-01" }, '"site_id"'],
      [{ site_id: "a.test" }, '"start_date" is required'],
      [{ site_id: "a.test", period: "30d" }, '"start_date" is required'],
      [{ site_id: "a.test", start_date: "2026-01-01" }, '"end_date" is required'],
      [{ site_id: "a.test", end_date: "2026-01-01" }, '"start_date" is required'],
      [{ site_id: "a.test", start_date: "2026-02-30", end_date: "2026-03-01" }, '"start_date"'],
      [{ site_id: "a.test", start_date: "2026-01-02", end_date: "2026-01-01" }, '"end_date" must not be before'],
      [{ site_id: "a.test", start_date: "2024-01-01", end_date: "2025-01-01" }, "366"],
      [{ site_id: "a.test", start_date: "2026-01-01", end_date: "2026-01-01", filters: "pages==/a" }, '"filters"'],
    ])("%j is refused", async (parameters, message) => {
      await expectError(await deleteEvents(target, admin, parameters), 400, message);
    });
  });

  describe("erasure before an admin password is set", () => {
    it("an erasure before an admin password is set gives 401 to everyone", async () => {
      const target = await makeTarget();
      await expectError(await deleteEvents(target, {}, { site_id: "a.test", start_date: "2026-01-01", end_date: "2026-01-01" }), 401);
      await target.close();
    });
  });
}
