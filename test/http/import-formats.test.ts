/** Each format that is made of events, from its files to the reports: manifest, totals, pages, a filter, hiding and deletion. */
import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { bodyOf, CLOSED, createKey, logIn, withBearer } from "../support/auth-requests.ts";
import { fixture } from "../support/import-files.ts";
import { createInProcessTarget } from "../support/in-process-target.ts";
import { createMemoryObjectStore } from "../support/memory-object-store.ts";
import { askImports, confirm, type Files, upload } from "../support/uploads.ts";

const SITE = "site.test";

/** After the dates of all fixtures. */
const NOW_MS = Date.parse("2026-11-27T12:00:00Z");

const filesOf = (folder: string): Files =>
  Object.fromEntries(
    readdirSync(new URL(`../fixtures/imports/${folder}/`, import.meta.url))
      .toSorted()
      .map((name) => [name, fixture(`${folder}/${name}`)]),
  );

interface Expectation {
  readonly products: readonly string[];
  readonly pageviews: number;
  readonly events: number;
  readonly leftOut: number;
  readonly badRows: number;
  readonly visitors: number;
  readonly visits: number;
  /** Page views by page. */
  readonly pages: Readonly<Record<string, number>>;
}

/** Folders of fixtures whose rows are events. Their lines can be counted by hand. */
const EXPECTED: Readonly<Record<string, Expectation>> = {
  "aws-load-balancer-log": {
    products: ["AWS load balancer log"],
    ...{ pageviews: 2, events: 0, leftOut: 2, badRows: 0, visitors: 2, visits: 2 },
    pages: { "/cart": 1, "/classic": 1 },
  },
  "caddy-log": {
    products: ["Caddy log"],
    ...{ pageviews: 4, events: 0, leftOut: 2, badRows: 0, visitors: 2, visits: 2 },
    pages: { "/": 1, "/old-caddy": 1, "/readable": 1, "/two": 1 },
  },
  "cloudfront-log": {
    products: ["CloudFront log (Parquet)", "CloudFront log", "CloudFront log (JSON)"],
    ...{ pageviews: 4, events: 0, leftOut: 3, badRows: 1, visitors: 2, visits: 2 },
    pages: { "/caf%C3%A9": 1, "/plain": 1, "/v2": 2 },
  },
  "combined-log": {
    products: ["Web server log (common or combined)"],
    ...{ pageviews: 8, events: 0, leftOut: 8, badRows: 4, visitors: 7, visits: 7 },
    pages: { "/pricing": 2, "/": 1, "/a": 1, "/account": 1, "/b": 1, "/c": 1, "/caf%C3%A9": 1 },
  },
  "common-log": {
    products: ["Web server log (common or combined)"],
    ...{ pageviews: 2, events: 0, leftOut: 1, badRows: 0, visitors: 2, visits: 2 },
    pages: { "/history": 1, "/index.html": 1 },
  },
  "ga4-bigquery": {
    products: ["Google Analytics 4"],
    ...{ pageviews: 3, events: 1, leftOut: 3, badRows: 2, visitors: 3, visits: 3 },
    pages: { "/caf%C3%A9": 2, "/": 1 },
  },
  "ga4-bigquery-parquet": {
    products: ["Google Analytics 4"],
    ...{ pageviews: 2, events: 1, leftOut: 3, badRows: 0, visitors: 2, visits: 2 },
    pages: { "/": 1, "/caf%C3%A9": 1 },
  },
  goatcounter: {
    products: ["GoatCounter"],
    ...{ pageviews: 3, events: 1, leftOut: 1, badRows: 1, visitors: 3, visits: 3 },
    pages: { "/": 2, "/a": 1 },
  },
  "iis-log": {
    products: ["IIS log"],
    ...{ pageviews: 2, events: 0, leftOut: 1, badRows: 1, visitors: 2, visits: 2 },
    pages: { "/": 1, "/my%20page": 1 },
  },
  "ltsv-log": {
    products: ["LTSV log"],
    ...{ pageviews: 2, events: 0, leftOut: 0, badRows: 1, visitors: 2, visits: 2 },
    pages: { "/b": 1, "/ltsv": 1 },
  },
  // The same visits in three files: each action counts once.
  matomo: {
    products: ["Matomo"],
    ...{ pageviews: 3, events: 5, leftOut: 3, badRows: 0, visitors: 3, visits: 3 },
    pages: { "/start": 3, "/a.pdf": 0, "/find": 0 },
  },
  own: {
    products: ["Sandpiper"],
    ...{ pageviews: 2, events: 1, leftOut: 0, badRows: 0, visitors: 3, visits: 3 },
    pages: { "/": 2, "/cart": 0 },
  },
  "plausible-dump": {
    products: ["Plausible"],
    ...{ pageviews: 1, events: 1, leftOut: 2, badRows: 1, visitors: 1, visits: 1 },
    pages: { "/": 1, "/cart": 0 },
  },
  "simple-analytics": {
    products: ["Simple Analytics"],
    ...{ pageviews: 3, events: 1, leftOut: 1, badRows: 0, visitors: 2, visits: 2 },
    pages: { "/": 2, "/pricing": 1 },
  },
  swetrix: {
    products: ["Swetrix"],
    ...{ pageviews: 1, events: 1, leftOut: 2, badRows: 0, visitors: 1, visits: 1 },
    pages: { "/": 1 },
  },
  "traefik-log": {
    products: ["Traefik log (JSON)", "Web server log (common or combined)"],
    ...{ pageviews: 3, events: 0, leftOut: 1, badRows: 1, visitors: 2, visits: 2 },
    pages: { "/cart": 1, "/docs": 1, "/docs/start": 1 },
  },
  umami: {
    products: ["Umami"],
    ...{ pageviews: 2, events: 2, leftOut: 3, badRows: 3, visitors: 2, visits: 2 },
    pages: { "/": 1, "/docs": 1 },
  },
};

interface MainJson {
  readonly unique_visitors: number;
  readonly total_pageviews: number;
  readonly total_events: number;
  readonly total_sessions: number;
}

type PagesJson = readonly { readonly value: string; readonly pageviews: number }[];

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);

describe("events of another product", () => {
  it.each(Object.entries(EXPECTED))(
    "%s: have the totals of their rows, in any report, until the import is hidden",
    async (folder, expected) => {
      const target = await createInProcessTarget(CLOSED, { objects: createMemoryObjectStore(), startMs: NOW_MS });
      const headers = withBearer((await createKey(target, await logIn(target), "Admin")).key);
      const { state, manifest } = await upload(target, headers, SITE, filesOf(folder));
      expect([state, manifest?.products.map(({ product }) => product)]).toEqual(["ready", expected.products]);
      const { start_date: from, end_date: to } = manifest ?? {};
      const ask = async (report: string, filters = ""): Promise<Response> =>
        target.fetch(
          `/api/stats/${report}?site_id=${SITE}&period=all&start_date=${from}&end_date=${to}&filters=${encodeURIComponent(filters)}`,
          {
            headers,
          },
        );
      const main = async (filters?: string): Promise<MainJson> => bodyOf(await ask("main", filters));
      const everything = async () => `${await (await ask("main")).text()} ${await (await ask("breakdown/pages")).text()}`;
      const before = await everything();

      const { reconciliation } = await confirm(target, headers, 1);
      expect({
        leftOut: sumOf((manifest?.left_out ?? []).map(({ rows }) => rows)),
        badRows: manifest?.bad_rows.rows,
        imported: sumOf((reconciliation ?? []).map(({ imported }) => imported)),
      }).toEqual({ leftOut: expected.leftOut, badRows: expected.badRows, imported: expected.pageviews + expected.events });
      expect(await main()).toMatchObject({
        unique_visitors: expected.visitors,
        total_pageviews: expected.pageviews,
        total_events: expected.pageviews + expected.events,
        total_sessions: expected.visits,
      });
      const pages = await bodyOf<PagesJson>(await ask("breakdown/pages"));
      expect(Object.fromEntries(pages.map(({ value, pageviews }) => [value, pageviews]))).toEqual(expected.pages);
      for (const [page, pageviews] of Object.entries(expected.pages))
        expect((await main(`pages==${page}`)).total_pageviews, page).toBe(pageviews);

      const after = await everything();
      await bodyOf(await askImports(target, headers, "/1/hide", { method: "POST" }));
      expect(await everything()).toBe(before);
      await bodyOf(await askImports(target, headers, "/1/show", { method: "POST" }));
      expect(await everything()).toBe(after);
      await bodyOf(await askImports(target, headers, "/1", { method: "DELETE" }));
      expect(await everything()).toBe(before);
      await target.close();
    },
  );
});
