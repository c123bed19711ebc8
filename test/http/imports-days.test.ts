/** Imports of sums of days: which reports they answer, and what an answer says of those that it leaves out (docs/importing.md, "Sums of days"). */
import { describe, expect, it } from "vitest";
import type { ObjectStore } from "../../src/storage/object-store.ts";
import { bodyOf, CLOSED, createKey, createShare, logIn, withBearer, withShare } from "../support/auth-requests.ts";
import { addItem } from "../support/collections.ts";
import { fixture } from "../support/import-files.ts";
import { createInProcessTarget, type InProcessParts } from "../support/in-process-target.ts";
import { createMemoryObjectStore } from "../support/memory-object-store.ts";
import { record, wireEvent } from "../support/requests.ts";
import { askImports, confirm, type Files, logLine, upload } from "../support/uploads.ts";

const SITE = "site.test";

const plausible = (...tables: readonly string[]): Files =>
  Object.fromEntries(
    tables.map((table) => [`imported_${table}_20260501_20260503.csv`, fixture(`plausible-export/imported_${table}_20260501_20260503.csv`)]),
  );

const EXPORT = plausible(
  "visitors",
  "sources",
  "pages",
  "entry_pages",
  "exit_pages",
  "locations",
  "devices",
  "browsers",
  "operating_systems",
  "custom_events",
  "custom_props",
);

const DAYS = "start_date=2026-05-01&end_date=2026-05-03";

const covered = (answered: boolean, start = "2026-05-01", end = "2026-05-03", number = 1) => ({
  partial: [{ import: number, start_date: start, end_date: end, answered }],
});

async function opened(parts: InProcessParts = {}) {
  const objects = createMemoryObjectStore();
  const target = await createInProcessTarget(CLOSED, { objects, startMs: Date.parse("2026-06-10T12:00:00Z"), ...parts });
  const headers = withBearer((await createKey(target, await logIn(target), "Admin")).key);
  const ask = (path: string, method = "GET") => askImports(target, headers, path, { method });
  const get = async (query: string) => {
    const response = await target.fetch(`/api/stats/${query}&site_id=${SITE}`, { headers });
    const coverage = response.headers.get("Coverage");
    return { text: await response.text(), status: response.status, coverage: coverage === null ? null : (JSON.parse(coverage) as unknown) };
  };
  const report = async (query: string): Promise<unknown> => JSON.parse((await get(query)).text) as unknown;
  const imported = async (files: Files) => {
    const { import_id: id } = await upload(target, headers, SITE, files);
    return confirm(target, headers, id);
  };
  return { target, headers, ask, get, report, imported, objects };
}

const ASKED = [
  `main?${DAYS}`,
  `main?${DAYS}&compare=previous_period`,
  `main?start_date=2026-05-02&end_date=2026-05-02`,
  `main?period=all`,
  `main?${DAYS}&filters=browsers%3D%3DChrome`,
  `main?${DAYS}&filters=pages%3D%3D/`,
  `timeseries?${DAYS}`,
  `timeseries?${DAYS}&interval=week`,
  `timeseries?start_date=2026-05-01&end_date=2026-05-01`,
  `breakdown/browsers?${DAYS}`,
  `breakdown/pages?${DAYS}&filters=browsers%3D%3DChrome`,
  `goals?${DAYS}`,
  `sessions?${DAYS}`,
  `changes?${DAYS}`,
  `properties?${DAYS}`,
  `export?${DAYS}`,
] as const;

describe("an import of sums of days", () => {
  it("says what it has, is reconciled, and answers byte for byte as before once it is hidden or deleted", async () => {
    const { target, headers, ask, get, objects } = await opened();
    const texts = async () => {
      const found: Record<string, string> = {};
      for (const query of ASKED) {
        const { text, coverage, status } = await get(query);
        found[query] = `${status} ${text} ${JSON.stringify(coverage)}`;
      }
      return found;
    };
    const before = await texts();
    const ready = await upload(target, headers, SITE, EXPORT);
    expect(ready).toMatchObject({ state: "ready", product: "Plausible", failure: null });
    expect(ready.manifest).toMatchObject({
      products: [{ rows: "days", files: 11 }],
      days: 3,
      start_date: "2026-05-01",
      end_date: "2026-05-03",
      totals: [{ month: "2026-05", visitors: 15, visits: 18, bounces: 6, duration_secs: 900, pageviews: 29, events: 6 }],
      tables: [
        { table: "totals", visitors: 15, visits: 18, bounces: 6, duration_secs: 900, pageviews: 29 },
        { table: "sources", visitors: 15, visits: 18 },
        { table: "pages", visitors: 19, visits: 22, pageviews: 29 },
        { table: "entry-pages", visits: 18 },
        { table: "exit-pages", visits: 18 },
        { table: "locations", visits: 18 },
        { table: "devices", visits: 18 },
        { table: "browsers", visits: 18 },
        { table: "operating-systems", visits: 18 },
        { table: "events", visitors: 4, events: 6 },
        { table: "properties", visitors: 3, events: 4 },
      ],
      cut_off: null,
      overlaps: [],
    });
    expect(await texts()).toEqual(before);

    const shown = await confirm(target, headers, 1);
    expect(shown).toMatchObject({ state: "shown", events: 0, start_date: "2026-05-01", end_date: "2026-05-03" });
    const difference = { month: "2026-05", difference: 0, reasons: [] };
    expect(shown.reconciliation).toEqual([
      { ...difference, measure: "pageviews", source: 29, imported: 29 },
      { ...difference, measure: "events", source: 6, imported: 6 },
      { ...difference, measure: "visitors", source: 15, imported: 15 },
      { ...difference, measure: "visits", source: 18, imported: 18 },
      { ...difference, measure: "bounces", source: 6, imported: 6 },
      { ...difference, measure: "duration_secs", source: 900, imported: 900 },
    ]);
    expect((await objects.list("imports")).map(({ key }) => key)).toEqual(["imports/1/days/0.parquet"]);
    const after = await texts();
    expect(after[`main?${DAYS}`]).toContain('"unique_visitors":15');

    await bodyOf(await ask("/1/hide", "POST"));
    expect(await texts()).toEqual(before);
    await bodyOf(await ask("/1/show", "POST"));
    expect(await texts()).toEqual(after);
    await target.restart();
    expect(await texts()).toEqual(after);
    await bodyOf(await ask("/1", "DELETE"));
    expect(await texts()).toEqual(before);
    expect(await objects.list("imports")).toEqual([]);
    await target.close();
  });

  it("answers unfiltered reports, breakdowns of one dimension, and a filter on exactly that dimension", async () => {
    const { target, get, report, imported } = await opened();
    await imported(EXPORT);
    const totals = {
      unique_visitors: 15,
      total_pageviews: 29,
      total_events: 35,
      total_sessions: 18,
      bounce_rate: 6 / 18,
      avg_visit_duration_secs: 50,
      views_per_visit: 29 / 18,
      coverage: covered(true),
    };
    expect(await report(`main?${DAYS}`)).toMatchObject(totals);
    expect(await report("main?period=all")).toMatchObject(totals);
    expect(await report(`timeseries?${DAYS}&include=events`)).toEqual([
      { date: "2026-05-01", visitors: 10, pageviews: 20, events: 24 },
      { date: "2026-05-02", visitors: 5, pageviews: 9, events: 11 },
      { date: "2026-05-03", visitors: 0, pageviews: 0, events: 0 },
    ]);
    expect((await get(`timeseries?${DAYS}`)).coverage).toEqual(covered(true));
    const rowsOf = async (query: string) => {
      const { text, coverage } = await get(`breakdown/${query}&${DAYS}`);
      expect(coverage).toEqual(covered(true));
      return (JSON.parse(text) as { value: string; visitors: number; pageviews: number; events: number }[]).map(
        ({ value, visitors, pageviews, events }) => [value, visitors, pageviews, events],
      );
    };
    expect(await rowsOf("browsers?limit=9")).toEqual([
      ["Chrome", 5, 10, 10],
      ["Edge", 5, 9, 9],
      ["Mobile App", 5, 10, 10],
    ]);
    expect(await rowsOf("devices?limit=9")).toEqual([
      ["desktop", 6, 14, 14],
      ["(unknown)", 5, 9, 9],
      ["mobile", 4, 6, 6],
    ]);
    expect(await rowsOf("sources?limit=9")).toEqual([
      ["Google", 6, 12, 12],
      ["Newsletter", 5, 9, 9],
      ["(unknown)", 4, 8, 8],
    ]);
    expect(await rowsOf("visit-utm-campaigns?limit=9")).toEqual([
      ["(unknown)", 10, 20, 20],
      ['spring, "sale"', 5, 9, 9],
    ]);
    expect(await rowsOf("pages?limit=9")).toEqual([
      ["/", 14, 21, 21],
      ["/pricing", 5, 8, 8],
    ]);
    expect(await rowsOf("entry-pages?limit=9")).toEqual([["/", 15, 18, 18]]);
    expect(await rowsOf("exit-pages?limit=9")).toEqual([
      ["/pricing", 10, 12, 12],
      ["/", 5, 6, 6],
    ]);
    expect(await rowsOf("events?limit=9")).toEqual([
      ["pageview", 15, 29, 29],
      ["Outbound Link: Click", 3, 0, 4],
      ["404", 1, 0, 2],
    ]);
    expect(await rowsOf("countries?filters=countries%3D%3DDE&limit=9")).toEqual([["DE", 9, 18, 18]]);
    expect(await report(`breakdown/os?${DAYS}&columns=bounce_rate,avg_visit_duration_secs,views_per_visit&limit=1`)).toMatchObject([
      { value: "macOS", bounce_rate: 4 / 12, avg_visit_duration_secs: 50, views_per_visit: 20 / 12 },
    ]);
    expect(await report(`breakdown/pages?${DAYS}&with_total=true&search=pric`)).toMatchObject({
      total: 1,
      rows: [{ value: "/pricing" }],
      coverage: covered(true),
    });
    expect(await report(`main?${DAYS}&filters=browsers!%3DChrome`)).toMatchObject({
      unique_visitors: 10,
      total_pageviews: 19,
      total_sessions: 12,
      bounce_rate: 4 / 12,
      coverage: covered(true),
    });
    expect(await report(`timeseries?${DAYS}&filters=pages%3D%3D/pricing`)).toMatchObject([{ visitors: 5, pageviews: 8 }, {}, {}]);
    expect(await report(`goals?${DAYS}`)).toEqual([
      { name: "Outbound Link: Click", visitors: 3, events: 4, conversion_rate: 3 / 15 },
      { name: "404", visitors: 1, events: 2, conversion_rate: 1 / 15 },
    ]);
    expect(await report(`property-values?${DAYS}&key=theme`)).toEqual([{ value: "dark", visitors: 3, events: 4 }]);
    await target.close();
  });

  it("is kept and answered by every lens, beside own visits that strict leaves out", async () => {
    const { target, get, report, imported } = await opened();
    await imported(EXPORT);
    for (const query of ASKED) {
      const byDefault = await get(query);
      for (const lens of ["strict", "everything"]) expect(await get(`${query}&lens=${lens}`), query).toEqual(byDefault);
    }
    await record(target, wireEvent(SITE, { u: "/" }), { "signature-agent": '"https://agent.example"' });
    const withOwn = "main?start_date=2026-05-01&end_date=2026-06-10";
    expect(await report(withOwn)).toMatchObject({ total_sessions: 19, total_pageviews: 30, coverage: covered(true) });
    expect(await report(`${withOwn}&lens=strict`)).toMatchObject({ total_sessions: 18, total_pageviews: 29, coverage: covered(true) });
    await target.close();
  });

  it("is kept by rules of the site and their previews, beside own visits that a rule leaves out", async () => {
    const { target, headers, report, imported } = await opened();
    await imported(EXPORT);
    const preview = async (dates: string, rule: object) => {
      const init = { method: "POST", headers, body: JSON.stringify({ spares_people: false, ...rule }) };
      return bodyOf(await target.fetch(`/api/stats/rule-preview?site_id=${SITE}&${dates}`, init));
    };
    const main = await report(`main?${DAYS}`);
    const nothing = { visits: 18, left_out: 0, left_out_with_proof: 0, left_out_converted: 0, first_date: null, countries: [] };
    expect(await preview(DAYS, { filters: "pages!=/nowhere" })).toMatchObject({ ...nothing, before: main, after: main });
    await record(target, wireEvent(SITE, { u: "/" }));
    const withOwn = "start_date=2026-05-01&end_date=2026-06-10";
    const rule = { name: "All", filters: "pages!=/nowhere", spares_people: false };
    const found = await preview(withOwn, { filters: rule.filters });
    expect(found).toMatchObject({ visits: 19, left_out: 1, first_date: "2026-06-10", months: [{ left_out: 0 }, { left_out: 1 }] });
    await addItem(target, "rules", SITE, headers, rule);
    expect(found).toMatchObject({ after: await report(`main?${withOwn}`) });
    expect(await report(`main?${withOwn}`)).toMatchObject({ total_sessions: 18, coverage: covered(true) });
    expect(await preview(withOwn, { filters: "browsers==Chrome" })).toMatchObject(nothing);
    await target.close();
  });

  it("is left out of every other answer, which says so", async () => {
    const { target, get, report, imported } = await opened();
    await imported(EXPORT);
    const leftOut = [
      `breakdown/pages?${DAYS}&filters=browsers%3D%3DChrome`,
      `breakdown/browsers?${DAYS}&filters=browsers%3D%3DChrome;devices%3D%3Dmobile`,
      `breakdown/hostnames?${DAYS}`,
      `breakdown/visit-channels?${DAYS}`,
      `breakdown/pages?${DAYS}&columns=bounce_rate`,
      `timeseries?${DAYS}&filters=pages%3Din%3D(/,/pricing)`,
      `timeseries?${DAYS}&include=revenue&currency=EUR`,
    ];
    for (const query of leftOut) {
      const { text, coverage } = await get(query);
      expect(coverage, query).toEqual(covered(false));
      expect(text, query).not.toMatch(/"visitors":[1-9]/);
    }
    const hours = await get("timeseries?start_date=2026-05-01&end_date=2026-05-01");
    expect(hours.coverage).toEqual(covered(false, "2026-05-01", "2026-05-01"));
    expect(await report("changes?start_date=2026-05-04&end_date=2026-05-06&compare=previous_period")).toMatchObject({
      verdict: "incomplete",
      sentence: "0 visits (May 4 – 6). No comparison: only daily totals were imported (May 1 – 3, 2026).",
      total: { before: null, after: 0, delta: null, change: null },
      dimensions: [],
    });
    // Bounces of a page's visits are not known, and numbers of one answer are of the same days.
    expect(await report(`main?${DAYS}&filters=pages%3D%3D/`)).toMatchObject({ unique_visitors: 0, coverage: covered(false) });
    expect(await report(`retention?${DAYS}`)).toMatchObject({ coverage: covered(false) });
    expect((await get("main?start_date=2026-05-04&end_date=2026-05-09")).text).not.toContain("coverage");
    await target.close();
  });

  it("ends where own events begin, and days with events count these only", async () => {
    const { target, headers, report, imported } = await opened({ startMs: Date.parse("2026-05-02T12:00:00Z") });
    await record(target, wireEvent(SITE));
    await target.flush();
    const { manifest, reconciliation } = await imported(EXPORT);
    expect(manifest).toMatchObject({ cut_off: { first_own_date: "2026-05-02", ends_at: "2026-05-02T00:00:00.000Z" }, own_days: 2 });
    expect(reconciliation?.find(({ measure }) => measure === "visitors")).toMatchObject({
      source: 15,
      imported: 10,
      difference: 5,
      reasons: [{ reason: "own_day", count: 5 }],
    });
    expect(await report(`main?${DAYS}&compare=previous_period`)).toMatchObject({
      unique_visitors: 11,
      total_pageviews: 21,
      total_sessions: 13,
      coverage: covered(true, "2026-05-01", "2026-05-01"),
    });
    expect(await report(`main?start_date=2026-05-02&end_date=2026-05-02`)).not.toHaveProperty("coverage");
    expect(
      await report(
        `main?start_date=2026-05-02&end_date=2026-05-02&compare=custom&compare_start_date=2026-05-01&compare_end_date=2026-05-01`,
      ),
    )
      // A day before.
      .toMatchObject({
        unique_visitors: 1,
        comparison: { unique_visitors: 10, total_sessions: 12 },
        coverage: covered(true, "2026-05-01", "2026-05-01"),
      });
    await bodyOf(await target.fetch(`/api/sites`, { headers }));
    await target.close();
  });

  it("leaves out days that another import has, in whichever order they come", async () => {
    const { target, report, imported } = await opened();
    await imported({ "access.log": logLine("2026-05-01T10:00:00", "/a") });
    const second = await imported(EXPORT);
    expect(second.manifest?.overlaps).toEqual([{ import_id: 1, start_date: "2026-05-01", end_date: "2026-05-01", days: 1, by: "days" }]);
    expect(await report(`main?${DAYS}`)).toMatchObject({ unique_visitors: 6, coverage: covered(true, "2026-05-02", "2026-05-03", 2) });
    const third = await imported({ "access.log": logLine("2026-05-02T10:00:00", "/b") });
    expect(third.manifest?.overlaps).toMatchObject([{ import_id: 2, start_date: "2026-05-02", end_date: "2026-05-02" }]);
    expect(third).toMatchObject({ events: 0 });
    await target.close();
  });

  it("loses erased days for good, and is a site in the list without any event", async () => {
    const { target, headers, report, get, imported, objects } = await opened();
    await imported(EXPORT);
    await target.restart();
    expect(await bodyOf(await target.fetch("/api/sites", { headers }))).toEqual({ sites: [SITE] });
    const erase = (from: string, to: string) =>
      target.fetch(`/api/gdpr/erase?site_id=${SITE}&start_date=${from}&end_date=${to}`, { method: "DELETE", headers });
    expect(await bodyOf(await erase("2026-05-01", "2026-05-01"))).toMatchObject({ status: "erased" });
    expect(await report(`main?${DAYS}`)).toMatchObject({ unique_visitors: 5, coverage: covered(true, "2026-05-02", "2026-05-03") });
    expect(await report(`breakdown/pages?${DAYS}`)).toMatchObject([{ value: "/", visitors: 5 }]);
    const { openRollup } = await import("../../src/storage/rollup-file.ts");
    const bytes = await objects.get("imports/1/days/0.parquet");
    expect(bytes && openRollup(bytes).header.events.map(([day]) => day)).toEqual(["2026-05-02", "2026-05-03"]);
    await target.restart();
    expect(await report(`main?${DAYS}`)).toMatchObject({ unique_visitors: 5 });
    await bodyOf(await erase("2026-05-01", "2026-05-31"));
    expect(await objects.list("imports")).toEqual([]);
    expect((await get(`main?${DAYS}`)).text).not.toContain("coverage");
    await target.close();
  });

  it("is hidden after an interrupted erasure that the next process finishes meanwhile", async () => {
    const memory = createMemoryObjectStore();
    let goOn = () => {};
    const gate = new Promise<void>((resolve) => (goOn = resolve));
    let beforeRead = async (): Promise<void> => {};
    const objects: ObjectStore = {
      ...memory,
      async get(key) {
        if (key === "imports/1/days/0.parquet") await beforeRead();
        return memory.get(key);
      },
    };
    const { target, headers, ask, imported } = await opened({ objects });
    await imported(EXPORT);
    beforeRead = () => Promise.reject(new Error("no storage"));
    const erasure = `/api/gdpr/erase?site_id=${SITE}&start_date=2026-05-01&end_date=2026-05-31`;
    expect((await target.fetch(erasure, { method: "DELETE", headers })).status).toBe(503);
    await target.restart();
    const isReading = new Promise<void>((resolve) => {
      beforeRead = () => {
        resolve();
        return gate;
      };
    });
    await target.advance(1000);
    await isReading;
    const hidden = ask("/1/hide", "POST");
    for (let turns = 0; turns < 100; turns++) await new Promise(setImmediate);
    goOn();
    await bodyOf(await hidden);
    await target.services.imports?.job.settled();
    expect(await bodyOf(await ask("/1"))).toMatchObject({ state: "hidden" });
    expect(await memory.list("imports")).toEqual([]);
    await target.close();
  });

  it("shows a guest what the link's filter leaves of it, and nothing where sums cannot tell", async () => {
    const { target, headers, imported } = await opened();
    await imported(EXPORT);
    const { token } = await createShare(target, headers, { site_id: SITE, filters: "browsers==Chrome" });
    const asGuest = async (query: string) => {
      const response = await target.fetch(`/api/stats/${query}&site_id=${SITE}`, { headers: withShare(token) });
      return { body: await bodyOf(response), coverage: JSON.parse(response.headers.get("Coverage") ?? "null") as unknown };
    };
    expect((await asGuest(`main?${DAYS}`)).body).toMatchObject({ unique_visitors: 5, total_pageviews: 10, coverage: covered(true) });
    expect(await asGuest(`breakdown/browsers?${DAYS}`)).toMatchObject({
      body: [{ value: "Chrome", visitors: 5 }],
      coverage: covered(true),
    });
    for (const query of [`breakdown/pages?${DAYS}`, `breakdown/events?${DAYS}`, `goals?${DAYS}`, `property-values?${DAYS}&key=theme`])
      expect(await asGuest(query), query).toEqual({ body: [], coverage: covered(false) });
    expect((await asGuest(`main?${DAYS}&filters=devices%3D%3Ddesktop`)).body).toMatchObject({
      unique_visitors: 0,
      coverage: covered(false),
    });
    await target.close();
  });

  it("may be beside single events of the same import, which count on their days", async () => {
    const { target, report, imported } = await opened();
    const mixed = await imported({ ...EXPORT, "access.log": logLine("2026-05-01T10:00:00", "/a") });
    expect(mixed).toMatchObject({ state: "shown", events: 1, days: 3 });
    expect(mixed.reconciliation?.filter(({ measure }) => measure === "pageviews")).toMatchObject([{ source: 30, imported: 30 }]);
    expect(await report(`main?${DAYS}`)).toMatchObject({ unique_visitors: 6, total_pageviews: 10, coverage: covered(true, "2026-05-02") });
    await target.close();
  });

  it("reads reports of Google Analytics, and answers what their tables have", async () => {
    const { target, report, get, imported } = await opened();
    const { manifest } = await imported({
      "a-totals.json": fixture("ga4-data-api/a-totals.json"),
      "b-batch.json": fixture("ga4-data-api/b-batch.json"),
    });
    expect(manifest).toMatchObject({
      totals: [{ month: "2024-03", visitors: 17, visits: 20, bounces: 3, duration_secs: 446, pageviews: 46, events: 3 }],
    });
    const range = "start_date=2024-03-05&end_date=2024-03-06";
    expect(await report(`main?${range}`)).toMatchObject({
      unique_visitors: 17,
      total_pageviews: 46,
      total_events: 49,
      total_sessions: 20,
      bounce_rate: 3 / 20,
    });
    expect(await report(`breakdown/pages?${range}`)).toEqual([{ value: "/", visitors: 9, pageviews: 20, events: 20 }]);
    // Its report of sources has no page views, which every breakdown has.
    expect(await get(`breakdown/sources?${range}`)).toMatchObject({ text: "[]", coverage: covered(false, "2024-03-05", "2024-03-06") });
    await target.close();
  });

  const VIEWS = {
    GoatCounter: {
      files: Object.fromEntries(
        [
          ...["info.json", "paths.jsonl", "refs.jsonl", "browsers.jsonl", "systems.jsonl"],
          ...["hit_stats.jsonl", "browser_stats.jsonl", "system_stats.jsonl", "location_stats.jsonl"],
        ].map((name) => [name, fixture(`goatcounter-archive/${name}`)]),
      ) as Files,
      sources: [
        ["Google", 4],
        ["example.com", 3],
      ],
      pages: [
        ["/api", 4],
        ["/", 3],
      ],
      countries: [["IT", 7]],
      bad: "missing_value",
    },
    Fathom: {
      files: { "events.csv": fixture("fathom/events.csv"), "pageviews.csv": fixture("fathom/pageviews.csv") } as Files,
      sources: [
        ["news", 4],
        ["Google", 3],
      ],
      pages: [
        ["/docs", 4],
        ["/", 3],
      ],
      countries: [
        ["US", 4],
        ["DE", 3],
      ],
      bad: "number_out_of_range",
    },
  } as const;

  it.each(Object.entries(VIEWS))("of %s counts page views and events, and says that it lacks visitors and visits", async (product, its) => {
    const { target, headers, ask, get, report, imported } = await opened();
    await record(target, wireEvent(SITE));
    await target.flush();
    const day = "start_date=2026-05-01&end_date=2026-05-01";
    const withOwn = "start_date=2026-05-01&end_date=2026-06-10";
    const asked = [
      `main?${day}`,
      `main?${withOwn}`,
      `breakdown/pages?${withOwn}`,
      `breakdown/events?${day}`,
      `timeseries?${withOwn}`,
      `goals?${day}`,
    ];
    const texts = async () => {
      const found: string[] = [];
      for (const query of asked) {
        const { text, coverage } = await get(query);
        found.push(`${text} ${JSON.stringify(coverage)}`);
      }
      return found;
    };
    const before = await texts();
    const { manifest, reconciliation } = await imported(its.files);
    expect(manifest).toMatchObject({
      products: [{ product, rows: "days" }],
      totals: [{ month: "2026-05", pageviews: 7, events: 5 }],
      bad_rows: { reasons: [{ reason: its.bad }] },
    });
    expect(reconciliation).toMatchObject([
      { measure: "pageviews", source: 7, imported: 7, difference: 0 },
      { measure: "events", source: 5, imported: 5, difference: 0 },
    ]);
    const lacking = (...lacks: readonly string[]) => ({
      partial: [{ import: 1, start_date: "2026-05-01", end_date: "2026-05-01", answered: true, lacks }],
    });
    const coverage = lacking("visitors", "visits");
    const totals = { unique_visitors: 0, total_pageviews: 7, total_events: 12, total_sessions: 0, views_per_visit: 0 };
    expect(await report(`main?${day}`)).toMatchObject({ ...totals, coverage });
    // Views without visits make visits no longer.
    expect(await report(`main?${withOwn}`)).toMatchObject({
      ...{ unique_visitors: 1, total_pageviews: 8, total_sessions: 1, views_per_visit: 1, bounce_rate: 1, coverage },
    });
    expect((await report(`timeseries?${withOwn}&include=events`)) as readonly unknown[]).toContainEqual({
      ...{ date: "2026-05-01", visitors: 0, pageviews: 7, events: 12 },
    });
    const viewsOf = async (query: string) => {
      const answer = await get(`breakdown/${query}?${day}&limit=9`);
      expect(answer.coverage).toEqual(lacking("visitors"));
      const rows = JSON.parse(answer.text) as { value: string; visitors: number; pageviews: number }[];
      expect(rows.every(({ visitors }) => visitors === 0)).toBe(true);
      return rows.map(({ value, pageviews }) => [value, pageviews]).toSorted(([, a], [, b]) => Number(b) - Number(a));
    };
    expect(await viewsOf("pages")).toEqual(its.pages);
    expect(await viewsOf("sources")).toEqual(its.sources);
    expect(await viewsOf("countries")).toEqual(its.countries);
    expect(await report(`main?${day}&filters=pages%3D%3D/`)).toMatchObject({ total_pageviews: 3, unique_visitors: 0, coverage });
    expect((await get(`breakdown/pages?${day}&filters=countries%3D%3DDE`)).coverage).toEqual(covered(false, "2026-05-01", "2026-05-01"));
    const after = await texts();
    await bodyOf(await ask("/1/hide", "POST"));
    expect(await texts()).toEqual(before);
    await bodyOf(await ask("/1/show", "POST"));
    expect(await texts()).toEqual(after);
    await bodyOf(await ask("/1", "DELETE"));
    expect(await texts()).toEqual(before);
    const mixed = await upload(target, headers, SITE, { ...its.files, ...EXPORT });
    expect(mixed).toMatchObject({ state: "failed", failure: expect.stringContaining("Only some of the files have visitors") as unknown });
    await target.close();
  });
});
