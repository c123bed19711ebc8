/** GET /api/summary: the numbers of main metrics and realtime (docs/http-api.md, "Summary"). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bodyOf, CLOSED, createShare, logIn, withShare } from "../support/auth-requests.ts";
import {
  expectError,
  newAddress,
  record,
  wireEvent,
  type MainFigures,
  type RequestHeaders,
  type StatsParameters,
} from "../support/requests.ts";
import { itNeeds, siteNames, type MakeTarget, type Target } from "../support/target.ts";

const siteName = siteNames("summary");

const DAY_MS = 86_400_000;

type Summary = Readonly<Record<string, number | null>>;
type Headline = MainFigures & { readonly comparison: MainFigures };

const relative = (after: number, before: number): number | null => (before === 0 ? null : (after - before) / before);

/** What the summary has, from the two reports. */
const wantedOf = (now: Headline, currentVisitors: number): Summary => ({
  visitors: now.unique_visitors,
  pageviews: now.total_pageviews,
  events: now.total_events,
  visits: now.total_sessions,
  views_per_visit: now.views_per_visit,
  bounce_rate: now.bounce_rate,
  visit_duration_secs: now.avg_visit_duration_secs,
  current_visitors: currentVisitors,
  visitors_change: relative(now.unique_visitors, now.comparison.unique_visitors),
  pageviews_change: relative(now.total_pageviews, now.comparison.total_pageviews),
  visits_change: relative(now.total_sessions ?? 0, now.comparison.total_sessions ?? 0),
  bounce_rate_change: now.comparison.total_sessions ? (now.bounce_rate ?? 0) - (now.comparison.bounce_rate ?? 0) : null,
  visit_duration_secs_change: relative(now.avg_visit_duration_secs ?? 0, now.comparison.avg_visit_duration_secs ?? 0),
});

export function describeSummary(makeTarget: MakeTarget): void {
  describe("summary", () => {
    const site = siteName();
    let target: Target;
    let session: RequestHeaders;
    let day: (back: number) => string;
    beforeAll(async () => {
      target = await makeTarget({ ...CLOSED, SVC_TRUST_PROXY: "1" });
      const someone = newAddress;
      await record(target, wireEvent(site, { u: "/before" }), someone());
      const reader = someone();
      for (const u of ["/before", "/again"]) await record(target, wireEvent(site, { u }), reader);
      await target.advance?.(DAY_MS);
      for (let visits = 0; visits < 3; visits++) await record(target, wireEvent(site, { u: "/" }), someone());
      await record(target, wireEvent(site, { n: "Signup" }), someone());
      session = await logIn(target);
      day = (back) => new Date(target.nowMs() - back * DAY_MS).toISOString().slice(0, 10);
    });
    afterAll(() => target.close());

    const get = (path: string, parameters: StatsParameters, headers = session): Promise<Response> =>
      target.fetch(`${path}?${new URLSearchParams({ site_id: site, ...parameters }).toString()}`, { headers });

    itNeeds(makeTarget, "advance", "has the numbers of main metrics and realtime, and their changes", async () => {
      const asked: readonly StatsParameters[] = [
        { period: "day" },
        { period: "7d", filters: "pages==/" },
        { period: "day", compare: "custom", compare_start_date: day(1), compare_end_date: day(1), compare_same_time: "true" },
        { start_date: day(1), end_date: day(1), compare: "year_over_year" },
      ];
      for (const parameters of asked) {
        const main = await bodyOf<Headline>(await get("/api/stats/main", { compare: "previous_period", ...parameters }));
        const { filters } = parameters;
        const { current_visitors: current } = await bodyOf<{ current_visitors: number }>(
          await get("/api/stats/realtime", filters === undefined ? {} : { filters }),
        );
        expect(await bodyOf<Summary>(await get("/api/summary", parameters))).toEqual(wantedOf(main, current));
      }
      expect(await bodyOf<Summary>(await get("/api/summary", { period: "day" }))).toMatchObject({
        visitors: 4,
        visits: 4,
        current_visitors: 4,
        visitors_change: 1,
        pageviews_change: 0,
      });
    });

    it("has no change since nothing, and none since days that a guest may not see", async () => {
      const nothing = { visitors_change: null, visits_change: null, bounce_rate_change: null, visit_duration_secs_change: null };
      expect(await bodyOf<Summary>(await get("/api/summary", { site_id: siteName() }))).toMatchObject({ visitors: 0, ...nothing });
      const today = { start_date: day(0), end_date: day(0) };
      const { token } = await createShare(target, session, { site_id: site, ...today, realtime: false });
      const ofGuest = await bodyOf<Summary>(await get("/api/summary", {}, { ...withShare(token), ...newAddress() }));
      expect(ofGuest).toMatchObject({ current_visitors: null, ...nothing });
      expect(ofGuest["visitors"]).toBe((await bodyOf<Summary>(await get("/api/summary", today)))["visitors"]);
    });

    it("shares the cached result of main metrics", async () => {
      const cached = await makeTarget({ SVC_CACHE_TTL_SECS: "3600" });
      const cachedSite = siteName();
      const path = (report: string, compare = "") => `/api/${report}?site_id=${cachedSite}${compare}`;
      await record(cached, wireEvent(cachedSite));
      const { total_events: events } = await bodyOf<MainFigures>(await cached.fetch(path("stats/main", "&compare=previous_period")));
      await record(cached, wireEvent(cachedSite));
      expect(await bodyOf<Summary>(await cached.fetch(path("summary")))).toMatchObject({ events });
      await cached.close();
    });

    it.each([
      [{ period: "1h" }, /"period" must be one of/],
      [{ compare: "nothing" }, /"compare" must be one of/],
      [{ compare_start_date: "2026-01-01" }, /"compare_start_date" requires "compare" to be custom/],
    ])("refuses %j", async (parameters, message) => {
      await expectError(await get("/api/summary", parameters), 400, message);
    });
  });
}
