/** GET /api/stats/changes: what is unusual, which value stands apart, and sums that add up (docs/http-api.md, "Changes"). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROUTES } from "../../src/handlers/app.ts";
import { openapiDocument } from "../../src/handlers/openapi.ts";
import { bodyOf, CLOSED, createShare, logIn, withShare } from "../support/auth-requests.ts";
import { answerProblems, documentedIn } from "../support/openapi.ts";
import {
  expectError,
  putSettings,
  record,
  wireEvent,
  type MainFigures,
  type RequestHeaders,
  type StatsParameters,
} from "../support/requests.ts";
import { itNeeds, siteNames, type MakeTarget, type Target } from "../support/target.ts";

const siteName = siteNames("changes");

const DAY_MS = 86_400_000;
const HISTORY_DAYS = 58;
const ZONE_DAY = 10;
const GOOGLE = "https://www.google.com/";
const HACKER_NEWS = "https://news.ycombinator.com/item?id=1";

interface Sums {
  readonly before: number;
  readonly after: number;
  readonly delta: number;
}

interface Changes {
  readonly verdict: string;
  readonly sentence: string;
  readonly reason?: string;
  readonly total: Sums;
  readonly findings: readonly (Sums & {
    readonly dimension: string;
    readonly value: string;
    readonly also: readonly { readonly dimension: string; readonly value: string }[];
    readonly without_value: { readonly ordinary: boolean | null };
    readonly filters: string;
    readonly sentence: string;
  })[];
  readonly dimensions: readonly {
    readonly dimension: string;
    readonly rows: readonly (Sums & { readonly value: string })[];
    readonly rest: Sums;
  }[];
  readonly band?: readonly unknown[];
  readonly caveats: readonly { readonly code: string }[];
}

/** Days like each other, one with 41 visits from Hacker News besides, and one like before. `day(1)` is the last of them. */
interface Past {
  readonly site: string;
  readonly day: (back: number) => string;
}

let address = 0;
/** A visitor of their own in each call. */
const someone = () => ({ "x-forwarded-for": `100.64.${(++address >> 8) % 256}.${address % 256}` });

async function visits(target: Target, site: string, count: number, fields: Readonly<Record<string, unknown>>): Promise<void> {
  for (let i = 0; i < count; i++) await record(target, wireEvent(site, fields), someone());
}

async function ordinaryDay(target: Target, site: string): Promise<void> {
  await visits(target, site, 14, { u: "/", r: GOOGLE });
  await visits(target, site, 8, { u: "/docs" });
  await visits(target, site, 3, { u: "/", r: "https://duckduckgo.com/" });
}

/** The current time is in the day after the last one. */
async function play(target: Target): Promise<Past> {
  const site = siteName();
  const advance = (ms: number) => target.advance?.(ms);
  for (let day = 0; day < HISTORY_DAYS; day++) {
    await ordinaryDay(target, site);
    // Its days are those of UTC.
    if (day === ZONE_DAY) await bodyOf(await putSettings(target, site, { time_zone: "Africa/Abidjan" }, await logIn(target)));
    await advance(DAY_MS);
  }
  await ordinaryDay(target, site);
  await visits(target, site, 40, { u: "/post", r: HACKER_NEWS });
  await record(target, wireEvent(site, { n: "Purchase", u: "/post", r: HACKER_NEWS, ra: 12.5, rc: "EUR" }), someone());
  await advance(DAY_MS);
  await ordinaryDay(target, site);
  await advance(DAY_MS);
  return { site, day: (back) => new Date(target.nowMs() - back * DAY_MS).toISOString().slice(0, 10) };
}

const sumOf = (rows: readonly Sums[], side: keyof Sums) => rows.reduce((sum, row) => sum + row[side], 0);

export function describeStatsChanges(makeTarget: MakeTarget): void {
  describe("changes", () => {
    let target: Target;
    let headers: RequestHeaders;
    beforeAll(async () => {
      target = await makeTarget({ ...CLOSED, SVC_TRUST_PROXY: "1" });
      headers = await logIn(target);
    });
    afterAll(() => target.close());

    const ask = (report: string, site: string, parameters: StatsParameters) =>
      target.fetch(`/api/stats/${report}?${new URLSearchParams({ site_id: site, ...parameters }).toString()}`, { headers });
    const changes = async (site: string, parameters: StatsParameters) => bodyOf<Changes>(await ask("changes", site, parameters));

    it("a site without history is too new for a verdict, and is not compared with days before its first event", async () => {
      const site = siteName();
      await visits(target, site, 2, { u: "/", r: GOOGLE });
      const answer = await changes(site, { period: "day" });
      expect(answer).toMatchObject({ verdict: "too_new", reason: "too_new", total: { before: null, after: 2, delta: null }, findings: [] });
      const [sources] = answer.dimensions.filter(({ dimension }) => dimension === "visit-sources");
      expect(sources?.rows).toMatchObject([{ value: "Google", before: 0, after: 2, delta: 2 }]);
    });

    it("the first date has no period before it", async () => {
      const first = { start_date: "0001-01-01", end_date: "0001-01-02" };
      expect(await changes("empty.test", first)).toMatchObject({ verdict: "too_new", total: { before: null, after: 0 } });
    });

    it.each([
      [{ metric: "sales" }, /"metric" must be one of visits, .*got "sales"/],
      [{ metric: "conversions" }, /"goal" is required when "metric" is conversions/],
      [{ metric: "conversion_rate", goal: "" }, /"goal" must be a name of 1 to \d+ characters/],
      [{ metric: "revenue" }, /"currency" is required when "metric" is revenue/],
      [{ metric: "revenue", currency: "euro" }, /"currency" must be three capital letters/],
      [{ metric: "visitors", dimensions: "visit-sources" }, /"dimensions": visitors do not add up over visit-sources/],
      [{ metric: "visits", dimensions: "browsers,pages" }, /"dimensions": visits do not add up over pages/],
      [{ dimensions: "nothing" }, /Unknown dimension "nothing"/],
      [{ limit: "101" }, /"limit" must be an integer from 1 to 100/],
      [{ band: "week" }, /"band" must be one of day, hour/],
      [{ compare: "custom" }, /"compare_start_date" is required/],
      [{ compare_start_date: "2026-01-01" }, /"compare_start_date" requires "compare" to be custom/],
    ])("refuses %j", async (parameters, message) => {
      await expectError(await ask("changes", "errors.test", parameters), 400, message);
    });

    itNeeds(makeTarget, "advance", "names the source of an unusual day, and its page as the same thing", async () => {
      const { site, day } = await play(target);
      headers = await logIn(target);
      const spike = { start_date: day(2), end_date: day(2) };
      const answer = await changes(site, { ...spike, band: "hour" });
      expect(answer).toMatchObject({ verdict: "explained", total: { before: 25, after: 66, delta: 41 } });
      expect(answer.findings).toHaveLength(1);
      expect(answer.findings[0]).toMatchObject({
        dimension: "visit-sources",
        value: "Hacker News",
        before: 0,
        after: 41,
        also: [{ dimension: "entry-pages", value: "/post" }],
        filters: "visit-sources==Hacker News",
        without_value: { before: 25, after: 25, ordinary: true },
      });
      expect(answer.band).toHaveLength(24);
      expect(answer.sentence).toMatch(/Hacker News/);
      for (const { rows, rest } of answer.dimensions) {
        for (const side of ["before", "after", "delta"] as const) expect(sumOf([...rows, rest], side)).toBe(answer.total[side]);
      }
      // What is typical is known of the values of every dimension, so that nothing is left for others.
      const others = await changes(site, { ...spike, dimensions: "visit-channels,exit-pages,regions,screen-sizes" });
      for (const { rows, rest } of [...answer.dimensions, ...others.dimensions]) {
        expect([sumOf(rows, "before"), rest]).toEqual([25, { values: 0, before: 0, after: 0, delta: 0 }]);
      }
      const judged = await changes(site, { ...spike, dimensions: "none", band: "day" });
      expect(judged).toMatchObject({ verdict: "broad", total: answer.total, dimensions: [], findings: [], band: [{ date: day(2) }] });
      // The day after is ordinary, and its comparison with the spike says whose findings they are.
      const next = { start_date: day(1), end_date: day(1) };
      expect(await changes(site, next)).toMatchObject({ verdict: "ordinary", findings: [] });
      expect(await changes(site, { ...next, compare: "previous_period" })).toMatchObject({
        verdict: "unusual_comparison",
        total: { before: 66, after: 25, delta: -41 },
        findings: [{ dimension: "visit-sources", value: "Hacker News" }],
      });
      // Filters, and totals of main metrics.
      expect(await changes(site, { ...spike, filters: "visit-sources!=Hacker News" })).toMatchObject({ verdict: "ordinary" });
      const { total_sessions: sessions } = await bodyOf<MainFigures>(await ask("main", site, spike));
      expect(sessions).toBe(answer.total.after);
      const revenue = await changes(site, { ...spike, metric: "revenue", currency: "EUR", dimensions: "visit-sources" });
      expect(revenue.dimensions[0]?.rows[0]).toMatchObject({ value: "Hacker News", before: 0, after: 12.5, delta: 12.5 });
      const goal = await changes(site, { ...spike, metric: "conversions", goal: "Purchase" });
      expect(goal.total).toMatchObject({ before: 0, after: 1 });
      const document = openapiDocument(ROUTES);
      const route = documentedIn(document).find(({ id }) => id === "GET /api/stats/changes");
      if (!route) throw new Error("it is not documented");
      expect(await answerProblems(document, route, await ask("changes", site, { ...spike, band: "day" }))).toEqual([]);
      // A guest who sees that day only learns nothing of the days before.
      const { token } = await createShare(target, headers, { site_id: site, ...spike });
      const response = await target.fetch(`/api/stats/changes?site_id=${site}`, { headers: withShare(token) });
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ verdict: "too_new", total: { before: null, after: 66 } });
      // Nor that the time zone was another one before the days that are shared, as its owner learns.
      const later = await createShare(target, headers, { site_id: site, start_date: day(40), end_date: day(0) });
      const byGuest = await target.fetch(`/api/stats/changes?${new URLSearchParams({ site_id: site, ...spike }).toString()}`, {
        headers: withShare(later.token),
      });
      const codesOf = ({ caveats }: Changes) => caveats.map(({ code }) => code);
      expect(codesOf(answer)).toEqual(["zone_change"]);
      expect(codesOf(await bodyOf<Changes>(byGuest))).toEqual(["partial_history"]);
    });
  });
}
