/** Daily and raw exports as CSV and JSON (docs/http-api.md, "Export"). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectError, getMain, record, wireEvent } from "../support/requests.ts";
import { askStats, getStatsText, visitor } from "../support/stats-requests.ts";
import { siteNames, type MakeTarget, type Target } from "../support/target.ts";
import { CHROME_WINDOWS } from "../support/user-agents.ts";

const siteName = siteNames("export");

const DAY_MS = 86_400_000;

/** The stored columns in order (docs/http-api.md, "Stored values"), without the visitor id. */
const RAW_COLUMNS = [
  ...["event_name", "pathname", "hostname", "referrer", "referrer_source", "country_code", "region", "city"],
  ...["browser", "browser_version", "os", "os_version", "device_type", "screen_size"],
  ...["utm_source", "utm_medium", "utm_campaign", "utm_content", "utm_term"],
  ...["props", "revenue_amount", "currency", "site_id", "timestamp", "engaged_seconds", "click_id", "interactive", "evidence"],
];

/** The rows of a CSV file whose every field is quoted; it ends in a line feed. */
function rowsOf(csv: string): string[][] {
  expect(csv.slice(csv.indexOf("\n") + 1)).toMatch(/^(?:"(?:[^"]|"")*"[,\n])*$/);
  const rows: string[][] = [[]];
  for (const [, value = "", end] of csv.slice(csv.indexOf("\n") + 1).matchAll(/"((?:[^"]|"")*)"([,\n])/g)) {
    rows.at(-1)?.push(value.replaceAll('""', '"'));
    if (end === "\n") rows.push([]);
  }
  return rows.slice(0, -1);
}

export function describeStatsExport(makeTarget: MakeTarget): void {
  describe("exports", () => {
    let target: Target;
    beforeAll(async () => {
      target = await makeTarget({ SVC_TRUST_PROXY: "1" });
    });
    afterAll(() => target.close());

    const getExport = (site: string, parameters: Readonly<Record<string, string>>): Promise<string> =>
      getStatsText(target, "export", { site_id: site, period: "day", ...parameters });

    const rawRows = async (site: string, parameters: Readonly<Record<string, string>> = {}): Promise<Record<string, string>[]> =>
      rowsOf(await getExport(site, { kind: "raw", ...parameters })).map((row) =>
        Object.fromEntries(row.map((value, i) => [RAW_COLUMNS[i], value])),
      );

    it("raw CSV has a bare header, every column except the visitor id, and the oldest event first", async () => {
      const site = siteName();
      const before = target.nowMs();
      await record(
        target,
        wireEvent(site, {
          n: "Sale",
          u: "https://page.test/a?utm_source=mail",
          r: "https://news.test/x",
          w: 1280,
          p: '{"plan":"pro","n":1}',
          ra: -2.5,
          rc: "eur",
          e: 86_400,
        }),
      );
      await record(target, wireEvent(site, { u: "/b" }));
      const csv = await getExport(site, { kind: "raw" });
      expect(csv.slice(0, csv.indexOf("\n"))).toBe(RAW_COLUMNS.join(","));
      const [sale = {}, view = {}, ...more] = await rawRows(site);
      expect(more).toEqual([]);
      expect(sale).toMatchObject({
        event_name: "Sale",
        pathname: "/a",
        hostname: "page.test",
        referrer: "https://news.test/x",
        referrer_source: "news.test",
        browser: "Chrome",
        screen_size: "1280",
        utm_source: "mail",
        utm_medium: "",
        props: '{"plan":"pro","n":1}',
        revenue_amount: "-2.5",
        currency: "EUR",
        site_id: site,
        engaged_seconds: "86400",
      });
      expect(view).toMatchObject({
        event_name: "pageview",
        pathname: "/b",
        hostname: "",
        referrer: "",
        props: "",
        revenue_amount: "",
        currency: "",
        engaged_seconds: "",
      });
      for (const { timestamp = "" } of [sale, view]) {
        expect(new Date(timestamp).toISOString()).toBe(timestamp);
        expect(Math.abs(Date.parse(timestamp) - before)).toBeLessThan(DAY_MS);
      }
    });

    it("numbers of the raw CSV are numbers, also where they are negative, and say what is no interaction", async () => {
      const site = siteName();
      await record(target, wireEvent(site, { n: "Refund", ra: -12.5, rc: "EUR", e: 0, u: "/a?gclid=Secret", interactive: false }));
      const [refund] = await rawRows(site);
      expect(refund).toMatchObject({ revenue_amount: "-12.5", engaged_seconds: "0", click_id: "gclid", interactive: "0" });
    });

    it("events have codes of evidence in the raw export, and a filter finds each of them", async () => {
      const site = siteName();
      const page = { origin: "https://shop.example", "user-agent": CHROME_WINDOWS };
      const hints = {
        "sec-ch-ua": '"Chromium";v="124", "Google Chrome";v="124"',
        "sec-ch-ua-platform": '"Windows"',
        "sec-ch-ua-mobile": "?0",
      };
      await record(target, wireEvent(site, { u: "/a" }), page);
      await record(target, wireEvent(site, { u: "/b" }), { ...page, ...hints });
      await record(target, wireEvent(site, { u: "/c", t: 2 }), { ...page, ...hints, "signature-agent": '"https://agent.example"' });
      await record(target, wireEvent(site, { u: "/d", t: 0 }), { ...page, ...hints });
      await record(target, wireEvent(site, { u: "/e" }), { "user-agent": CHROME_WINDOWS });
      const evidence = ["no_hints unmarked", "unmarked", "signed_agent webdriver", "", ""];
      expect((await rawRows(site)).map((row) => row["evidence"])).toEqual(evidence);
      const found = async (filters: string) => (await getMain(target, site, { period: "day", filters })).total_events;
      expect(await found("evidence==unmarked")).toBe(2);
      expect(await found("evidence==no_hints")).toBe(1);
      expect(await found("evidence=in=(no_hints,webdriver)")).toBe(2);
      expect(await found("evidence!=unmarked")).toBe(3);
      expect(await found("evidence==(unknown)")).toBe(2);
      expect(await found("evidence=begins=signed")).toBe(1);
    });

    it("bom=true puts a byte-order mark in front of a CSV file, and nothing in front of JSON", async () => {
      const site = siteName();
      await record(target, wireEvent(site, { u: "/caf%C3%A9" }));
      for (const kind of ["raw", "daily"]) {
        const bytesOf = async (parameters: Readonly<Record<string, string>>) =>
          Buffer.from(await (await askStats(target, "export", { site_id: site, period: "day", kind, ...parameters })).arrayBuffer());
        const mark = Buffer.from([0xef, 0xbb, 0xbf]);
        expect((await bytesOf({ bom: "true" })).equals(Buffer.concat([mark, await bytesOf({})]))).toBe(true);
        expect((await bytesOf({ bom: "true", format: "json" })).equals(await bytesOf({ format: "json" }))).toBe(true);
      }
    });

    it("raw JSON is an array of objects: numbers as numbers, props as an object, null if nothing was recorded", async () => {
      const site = siteName();
      await record(
        target,
        wireEvent(site, { n: "Sale", u: "/a", p: '{"plan":"pro","deep":{"n":[1,null]}}', ra: 9_999_999_999.99, rc: "EUR", e: 0 }),
      );
      await record(target, wireEvent(site, { u: "/b" }));
      const events = JSON.parse(await getExport(site, { kind: "raw", format: "json" })) as Record<string, unknown>[];
      expect(events.map((event) => Object.keys(event))).toEqual([RAW_COLUMNS, RAW_COLUMNS]);
      expect(events).toMatchObject([
        {
          event_name: "Sale",
          props: { plan: "pro", deep: { n: [1, null] } },
          revenue_amount: 9_999_999_999.99,
          currency: "EUR",
          site_id: site,
          engaged_seconds: 0,
        },
        { event_name: "pageview", hostname: null, props: null, revenue_amount: null, currency: null, engaged_seconds: null },
      ]);
    });

    it("CSV quotes are doubled, and a value that a spreadsheet could read as a formula begins with an apostrophe", async () => {
      const site = siteName();
      const names = ["=1+1", "+1", "-1", "@x", "\tx", "\rx", 'a "quoted", one', "two\nlines", "1=1", "ü😀"];
      for (const n of names) await record(target, wireEvent(site, { n }));
      const inert = names.map((n) => (/^[=+\-@\t\r]/.test(n) ? `'${n}` : n));
      expect((await rawRows(site)).map(({ event_name }) => event_name)).toEqual(inert);
    });

    it("a CSV value with separators stays one quoted cell", async () => {
      const site = siteName();
      const names = ["a;=1+1", "a,=1+1", "a\n=1+1", 'a";=1+1', "a|\t=1+1"];
      for (const n of names) await record(target, wireEvent(site, { n }));
      const cells = (await getExport(site, { kind: "raw" })).match(/"a(?:[^"]|"")*"(?=,)/g);
      expect(cells).toEqual(names.map((n) => `"${n.replaceAll('"', '""')}"`));
    });

    it("an export keeps the name of an event called (unknown)", async () => {
      const site = siteName();
      for (const n of ["(unknown)", "pageview"]) await record(target, wireEvent(site, { n, u: "/a" }));
      expect((await rawRows(site)).map(({ event_name }) => event_name)).toEqual(["(unknown)", "pageview"]);
      const events = JSON.parse(await getExport(site, { kind: "raw", format: "json" })) as Record<string, unknown>[];
      expect(events).toMatchObject([{ event_name: "(unknown)", utm_source: null }, { event_name: "pageview" }]);
    });

    it("an export keeps all digits of integers in properties", async () => {
      const site = siteName();
      const props = '{"id":9007199254740993,"list":[-123456789012345678901234567890,1.5]}';
      await record(target, wireEvent(site, { p: props }));
      const exported = async () => {
        expect((await rawRows(site)).map(({ props: text }) => text)).toEqual([props]);
        expect(await getExport(site, { kind: "raw", format: "json" })).toContain(`"props":${props},`);
      };
      await exported();
      await target.flush?.();
      await target.restart?.();
      await exported();
    });

    it("an export contains the oldest events up to limit, and only those that match the filters", async () => {
      const site = siteName();
      for (let i = 0; i < 5; i++) await record(target, wireEvent(site, { u: `/${i % 3}` }));
      expect((await rawRows(site, { limit: "2" })).map(({ pathname }) => pathname)).toEqual(["/0", "/1"]);
      expect((await rawRows(site, { filters: "pages!=/0" })).map(({ pathname }) => pathname)).toEqual(["/1", "/2", "/1"]);
      expect(await rawRows(site, { limit: "1000000" })).toHaveLength(5);
      await expectError(await askStats(target, "export", { site_id: site, kind: "raw", limit: "1000001" }), 400, /limit/);
    });

    it("a raw export contains every distinct value, even more than one lookup fetches", async () => {
      const site = siteName();
      await Promise.all(
        Array.from({ length: 60 }, (_, i) =>
          record(target, wireEvent(site, { u: `/${i}`, n: i % 20 === 0 ? "Sale" : "pageview", p: `{"id":"${i}"}` })),
        ),
      );
      const rows = await rawRows(site);
      expect(rows.map(({ pathname }) => pathname).sort()).toEqual(Array.from({ length: 60 }, (_, i) => `/${i}`).sort());
      for (const { pathname, props } of rows) expect(props).toBe(`{"id":"${pathname?.slice(1)}"}`);
      expect((await rawRows(site, { filters: "events==Sale" })).map(({ props }) => props).sort()).toEqual([
        '{"id":"0"}',
        '{"id":"20"}',
        '{"id":"40"}',
      ]);
    });

    it("the daily CSV contains a row for each day, even without events, with that day's top page and source", async () => {
      const site = siteName();
      await record(target, wireEvent(site, { u: "/a", r: "https://news.test/" }), visitor(1));
      await record(target, wireEvent(site, { u: "/a", r: "https://news.test/" }), visitor(2));
      await record(target, wireEvent(site, { u: "/b" }), visitor(1));
      const [today, yesterday] = [0, 1].map((ago) => new Date(target.nowMs() - ago * DAY_MS).toISOString().slice(0, 10));
      const csv = await getStatsText(target, "export", { site_id: site, start_date: yesterday ?? "", end_date: today ?? "" });
      expect(csv).toBe(`date,visitors,pageviews,top_page,top_source\n"${yesterday}","0","0","",""\n"${today}","2","3","/a","news.test"\n`);
      const json = await getStatsText(target, "export", { site_id: site, period: "day", format: "json" });
      expect(JSON.parse(json)).toEqual([{ date: today, visitors: 2, pageviews: 3, top_page: "/a", top_source: "news.test" }]);
    });

    it("an export is sent as a named file and must not be cached", async () => {
      const site = siteName();
      for (const [kind, format, type] of [
        ["daily", "csv", "text/csv; charset=utf-8"],
        ["raw", "json", "application/json"],
      ] as const) {
        const response = await askStats(target, "export", { site_id: site, kind, format, period: "day" });
        await response.arrayBuffer();
        const day = new Date(target.nowMs()).toISOString().slice(0, 10);
        expect(response.headers.get("content-type")).toBe(type);
        expect(response.headers.get("content-disposition")).toBe(`attachment; filename="sandpiper-${kind}-${day}.${format}"`);
        expect(response.headers.get("cache-control")).toBe("no-store");
      }
    });

    it.each([
      ["kind", "weekly"],
      ["format", "xml"],
      ["limit", "0"],
    ])("%s=%s gives 400", async (parameter, value) => {
      await expectError(await askStats(target, "export", { site_id: siteName(), kind: "raw", [parameter]: value }), 400, parameter);
    });
  });
}
