/** One page and one host have one spelling, however they are written (docs/http-api.md, "Stored values"). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bodyOf, CLOSED, logIn, ofItsOwn } from "../support/auth-requests.ts";
import { addItem } from "../support/collections.ts";
import { expectError, getBreakdown, getMain, getStats, putSettings, record, wireEvent } from "../support/requests.ts";
import { getRealtime, visitor } from "../support/stats-requests.ts";
import { siteNames, type MakeTarget, type Target } from "../support/target.ts";

const siteName = siteNames("page-spelling");

const [MENU, TOOLS, PLAIN] = ["/men%C3%BC/Tee", "/%E9%81%93%E5%85%B7", "/Preise"] as const;

/** Three pages of two hosts in eight spellings, each viewed by a visitor of its own. */
const VIEWS = [
  "https://tee.example/menü/Tee",
  "https://tee.example/men%c3%bc/%54ee/",
  "https://tee.example./men%C3%BC/x/%2e%2e/Tee//?q=1",
  "https://TEE.example:8443/men%C3%bc/Tee",
  "https://mööl.example/道具",
  "https://xn--ml-fkaa.example./%e9%81%93%E5%85%b7/",
  "https://tee.example/Preise",
  "https://tee.example/%50reise/",
];

const FILTERS: readonly (readonly [filters: string, visitors: number])[] = [
  ["pages==/menü/Tee", 4],
  ["pages==/men%C3%BC/Tee", 4],
  ["pages==/men%c3%bc/Tee///", 4],
  ["pages!=/menü/Tee/", 4],
  ["pages=in=(/menü/Tee/,/道具)", 6],
  ["pages=in=/men%25c3%25bc/%2554ee", 4],
  ["pages==/menü/tee", 0],
  ["pages=contains=ü/", 4],
  ["pages=contains=道", 2],
  ["pages=!contains=%25e9%2581", 6],
  ["pages=begins=/menü", 4],
  ["pages=begins=(/menü/,/道)", 6],
  ["pages=like=/*ü/T*e/", 4],
  ["pages=like=*/Preise/", 2],
  ["pages=matches=^/men%25C3%25BC/", 4],
  ["entry-page==/道具/", 2],
  ["exit-page=begins=/Prei", 2],
  ["entry-page=!like=/menü/*", 4],
  ["hostnames==mööl.example", 2],
  ["hostnames==Tee.Example.", 6],
  ["hostnames=in=(TEE.example:443,(unknown))", 6],
  ["hostnames=like=*.Example", 8],
  ["hostnames=like=mööl.*", 2],
  ["hostnames=contains=Mööl", 2],
  ["hostnames=!begins=TEE", 2],
];

export function describePageSpelling(makeTarget: MakeTarget): void {
  describe("pages and hosts in several spellings", () => {
    let target: Target;
    const site = siteName();
    beforeAll(async () => {
      target = await makeTarget(ofItsOwn({ SVC_TRUST_PROXY: "1" }));
      for (const [i, u] of VIEWS.entries()) {
        await record(target, wireEvent(site, { u }), visitor(i));
        await record(target, wireEvent(site, { u, n: "Order" }), visitor(i));
      }
    });
    afterAll(() => target.close());

    it("are one row each, with the sum of their visitors", async () => {
      const visitorsIn = async (dimension: string) =>
        (await getBreakdown(target, site, dimension)).map(({ value, visitors }) => [value, visitors]);
      expect(await visitorsIn("pages")).toEqual([
        [MENU, 4],
        [TOOLS, 2],
        [PLAIN, 2],
      ]);
      expect(await visitorsIn("hostnames")).toEqual([
        ["tee.example", 6],
        ["xn--ml-fkaa.example", 2],
      ]);
      expect((await getRealtime(target, site)).top_pages.map(({ value, visitors }) => [value, visitors])).toEqual(
        await visitorsIn("pages"),
      );
    });

    it.each(FILTERS)("are found by what is typed: %s", async (filters, visitors) => {
      expect((await getMain(target, site, { filters })).unique_visitors).toBe(visitors);
    });

    it.each([
      ["MENÜ", [MENU]],
      ["ü/tee", [MENU]],
      ["道具", [TOOLS]],
      ["%e9%81", [TOOLS]],
      ["prei", [PLAIN]],
      ["é", []],
    ])("are found by the search %s", async (search, pages) => {
      expect((await getBreakdown(target, site, "pages", { search })).map(({ value }) => value)).toEqual(pages);
    });

    it("are found by a search for a host", async () => {
      expect((await getBreakdown(target, site, "hostnames", { search: "Mööl.example" })).map(({ value }) => value)).toEqual([
        "xn--ml-fkaa.example",
      ]);
    });

    it("are steps of funnels and sequences, and pages of a flow", async () => {
      const funnel = await getStats<{ name: string; visitors: number }[]>(target, "funnel", {
        site_id: site,
        steps: "page:/menü/Tee/,event:Order",
      });
      expect(funnel.map(({ name, visitors }) => [name, visitors])).toEqual([
        ["page:/menü/Tee/", 4],
        ["event:Order", 4],
      ]);
      const sequences = await getStats<{ converting_visitors: number }>(target, "sequences", {
        site_id: site,
        steps: "page:/*/道具/,event:Order",
      });
      expect(sequences.converting_visitors).toBe(0);
      await record(target, wireEvent(site, { u: "https://tee.example/weiter/" }), visitor(4));
      const flow = await getStats<{ next_page: string; visitors: number }[]>(target, "flow", { site_id: site, page: "/道具/" });
      expect(flow).toEqual([{ next_page: "/weiter", visitors: 1, share: 0.5 }]);
    });
  });

  describe("pages in settings", () => {
    it("are goals, and are excluded, whichever spelling is typed", async () => {
      const target = await makeTarget(ofItsOwn({ ...CLOSED, SVC_TRUST_PROXY: "1" }));
      try {
        const session = await logIn(target);
        const site = siteName();
        await addItem(target, "goals", site, session, { name: "Tea", page: "/Menü/Tee/" });
        await addItem(target, "goals", site, session, { name: "Any", page: "/men%c3%bc/*" });
        await putSettings(target, site, { excluded_paths: ["/intern/%7Eü*/", "/%41dmin"] }, session);
        for (const path of ["/Men%c3%bc/Tee", "/menü/x/", "/intern/~%c3%bcber", "/Admin/"])
          await record(target, wireEvent(site, { u: `https://tee.example${path}` }), visitor(1));
        const found = await bodyOf<{ name: string; events: number }[]>(
          await target.fetch(`/api/stats/conversions?site_id=${site}`, { headers: session }),
        );
        expect(found.map(({ name, events }) => [name, events])).toEqual([
          ["Tea", 1],
          ["Any", 1],
        ]);
        const pages = await bodyOf<{ value: string }[]>(
          await target.fetch(`/api/stats/breakdown/pages?site_id=${site}`, { headers: session }),
        );
        expect(pages.map(({ value }) => value)).toEqual(["/Men%C3%BC/Tee", "/men%C3%BC/x"]);
      } finally {
        await target.close();
      }
    });

    it("are told apart by the parameters that the site names, which the check of an address shows", async () => {
      const target = await makeTarget(ofItsOwn({ ...CLOSED, SVC_TRUST_PROXY: "1" }));
      try {
        const session = await logIn(target);
        const site = siteName();
        await putSettings(
          target,
          site,
          { page_parameters: ["t", "f"], merge_slashes: true, source_parameters: ["ref"], excluded_paths: ["/intern//*"] },
          session,
        );
        const view = (path: string) => record(target, wireEvent(site, { u: `https://forum.example${path}` }), visitor(1));
        for (const path of [
          "/topic.php?t=1",
          "/topic.php?t=2&x=9",
          "//topic.php/?x=1&t=2",
          "/topic.php?t=2&f=7",
          "/topic.php",
          "/intern/x?t=1",
        ])
          await view(path);
        await addItem(target, "goals", site, session, { name: "In forum 7", page: "/topic.php?t=2&f=7" });
        const ask = async <Result>(path: string, query: string): Promise<Result> =>
          bodyOf<Result>(await target.fetch(`${path}${query}`, { headers: session }));
        const pages = await ask<{ value: string; pageviews: number }[]>("/api/stats/breakdown/pages", `?site_id=${site}`);
        expect(pages.map(({ value, pageviews }) => [value, pageviews]).sort()).toEqual([
          ["/topic.php", 1],
          ["/topic.php?f=7&t=2", 1],
          ["/topic.php?t=1", 1],
          ["/topic.php?t=2", 2],
        ]);
        const under = async (filters: string) =>
          (await ask<{ total_pageviews: number }>("/api/stats/main", `?site_id=${site}&filters=${encodeURIComponent(filters)}`))
            .total_pageviews;
        expect(await under("pages==/topic.php?t=2&f=7")).toBe(1);
        expect(await under("pages=like=/topic.php?t=*")).toBe(3);
        const goals = await ask<{ events: number }[]>("/api/stats/conversions", `?site_id=${site}`);
        expect(goals.map(({ events }) => events)).toEqual([1]);

        const check = (url: string) => ask<unknown>(`/api/sites/${site}/page`, `?url=${encodeURIComponent(url)}`);
        const kept = {
          ...{ pathname: "/caf%C3%A9?f=7&t=1", hostname: "forum.example" },
          ...{ utm_source: "letter", utm_medium: "email", utm_campaign: null, utm_content: null, utm_term: null },
          ...{ click_id: "gclid", is_excluded: false, dropped_parameters: ["x", "session"] },
        };
        expect(
          await check("https://Forum.example.:8443/caf%c3%a9//?t=1&x=2&f=7&amp;ref=letter&utm_medium=email&session=9&x=3&gclid=secret#c"),
        ).toEqual(kept);
        expect(await check("/intern/x?t=1")).toMatchObject({
          pathname: "/intern/x?t=1",
          hostname: null,
          is_excluded: true,
          dropped_parameters: [],
        });
        for (const [url, said] of [
          ["", "url"],
          ["ftp://a.test/", "http"],
          [`/${"x".repeat(2048)}`, "2048"],
        ] as const)
          await expectError(await target.fetch(`/api/sites/${site}/page?url=${encodeURIComponent(url)}`, { headers: session }), 400, said);
      } finally {
        await target.close();
      }
    });
  });
}
