/** Funnels and sequences (docs/http-api.md, "Funnel" and "Sequences"). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getStats, record, wireEvent, type StatsParameters } from "../support/requests.ts";
import { askStats, visitor } from "../support/stats-requests.ts";
import { able, itNeeds, siteNames, type MakeTarget, type Target } from "../support/target.ts";
import { visit } from "../support/visits.ts";

const siteName = siteNames("steps");

const SECOND_MS = 1000;
const DAY_MS = 86_400_000;

/** Rows of a funnel from the names of its steps and the visitors who reached each. */
const funnelRows = (names: readonly string[], visitors: readonly number[]) =>
  names.map((name, i) => ({
    step: i + 1,
    name,
    visitors: visitors[i],
    conversion_rate: visitors[0] === 0 ? 0 : (visitors[i] ?? 0) / (visitors[0] ?? 0),
    dropped_off: i === 0 ? 0 : (visitors[i - 1] ?? 0) - (visitors[i] ?? 0),
  }));

/** The error of a request that must be refused. */
async function refusal(target: Target, endpoint: string, parameters: StatsParameters): Promise<unknown> {
  const response = await askStats(target, endpoint, parameters);
  return { status: response.status, body: await response.json() };
}

const refused = (error: string) => ({ status: 400, body: { error } });

const COUNT_RULE = "of page:<path> and event:<name>, joined by commas; there are";
const STEP_RULE = "must be page:<path> or event:<name>, with %2C for a comma in it; it is";
const WINDOW_RULE = '"window" must be a whole number from 1 with one of second, minute, hour, day, week, as in "2 days", at most 52 weeks';

const many = (count: number): string => Array.from({ length: count }, (_, i) => `event:${i}`).join(",");

/** What is wrong with a list of steps, whichever parameter it is. */
const wrongLists = (parameter: string, min: number): [list: string, error: string][] => [
  ["", `"${parameter}" must list ${min} to 32 ${COUNT_RULE} 0`],
  [many(33), `"${parameter}" must list ${min} to 32 ${COUNT_RULE} 33`],
  ["page:/,signup", `"${parameter}": number 2 ${STEP_RULE} "signup"`],
  ["page:/,", `"${parameter}": number 2 ${STEP_RULE} ""`],
  ["Page:/,page:/", `"${parameter}": number 1 ${STEP_RULE} "Page:/"`],
  ["page:/,event:", `"${parameter}": number 2 has nothing behind "event:"`],
  ["page:,event:x", `"${parameter}": number 1 has nothing behind "page:"`],
  ["event:x,page:pricing", `"${parameter}": number 2 must name a path that begins with "/", or with the wildcard "*"`],
  [`page:/,event:${"é".repeat(513)}`, `"${parameter}": number 2 must be at most 512 characters`],
];

export function describeStatsFunnel(makeTarget: MakeTarget): void {
  describe("funnels", () => {
    let target: Target;
    beforeAll(async () => {
      target = await makeTarget({ SVC_TRUST_PROXY: "1" });
    });
    afterAll(() => target.close());

    const expectFunnel = async (site: string, steps: string, visitors: readonly number[], parameters: StatsParameters = {}, on = target) =>
      expect({ steps, ...parameters, rows: await getStats(on, "funnel", { site_id: site, steps, ...parameters }) }).toEqual({
        steps,
        ...parameters,
        rows: funnelRows(steps.split(","), visitors),
      });

    it("a funnel contains a row for each step, in order, with the visitors who reached it", async () => {
      const site = siteName();
      await visit(target, site, 1, "/pricing", "/about", "signup", "paid");
      await visit(target, site, 2, "/pricing", "signup");
      await visit(target, site, 3, "signup", "/pricing");
      await visit(target, site, 4, "/about");
      await expectFunnel(site, "page:/pricing,event:signup,event:paid", [3, 2, 1]);
      await expectFunnel(site, "event:paid,event:signup", [1, 0]);
      await expectFunnel(site, "page:/nowhere,page:/pricing", [0, 0]);
      await expectFunnel("nobody.test", "page:/,event:signup", [0, 0]);
    });

    it("a repeated step needs one event per repetition, while one event may match several different steps", async () => {
      const site = siteName();
      await visit(target, site, 1, "/a/b");
      await visit(target, site, 2, "/a/b", "/a/b");
      // The second event of visitor 2 is the third step, and what it takes before is the first event.
      await expectFunnel(site, "page:/a/*,page:/*/b", [2, 2]);
      await expectFunnel(site, "page:/a/*,page:/*/b", [2, 1], { modes: "strict_once" });
      await expectFunnel(site, "page:/a/b,page:/a/b", [2, 1], { modes: "strict_once" });
    });

    it("each mode changes which attempts count", async () => {
      const site = siteName();
      const steps = "page:/1,page:/2,page:/3";
      await visit(target, site, 1, "/1", "/other", "/2", "/3");
      await visit(target, site, 2, "/1", "/2", "/2", "/3");
      await visit(target, site, 3, "/1", "/1", "/2", "/1", "/3");
      await visit(target, site, 4, "/1", "/3", "/2", "/3");
      await visit(target, site, 5, "/other", "/2", "/1", "/2", "/3");
      await expectFunnel(site, steps, [5, 5, 5]);
      await expectFunnel(site, steps, [5, 3, 3], { modes: "strict_order" });
      await expectFunnel(site, steps, [5, 5, 4], { modes: "strict_deduplication" });
      await expectFunnel(site, steps, [5, 3, 2], { modes: "strict_order,strict_deduplication" });
      await expectFunnel(site, steps, [5, 3, 2], { modes: "strict_deduplication,strict_order,strict_once,strict_order" });
      await expectFunnel(site, steps, [5, 5, 5], { modes: "" });
    });

    it("a page with many wildcards is matched in time against the longest paths, and events are accepted meanwhile", async () => {
      const site = siteName();
      const paths = Array.from({ length: 20 }, (_, i) => `/${"a".repeat(1_000 + i)}`);
      await visit(target, site, 1, ...paths);
      await visit(target, site, 2, `/${"a".repeat(500)}b`);
      const [few, most, all] = ["/*a*a*a*b", `/${"*a".repeat(250)}*b`, `${"*a".repeat(200)}*`];
      const [rows, sequences, flow] = await Promise.all([
        getStats(target, "funnel", { site_id: site, steps: `page:${all},page:${most},page:${few}` }),
        getStats(target, "sequences", { site_id: site, steps: `page:${few},page:${few}` }),
        getStats(target, "flow", { site_id: site, page: most }),
        record(target, wireEvent(siteName())),
      ]);
      expect((rows as { visitors: number }[]).map((row) => row.visitors)).toEqual([2, 1, 1]);
      expect(sequences).toMatchObject({ converting_visitors: 0 });
      expect(flow).toEqual([]);
    });

    it("a page may contain wildcards, and every other character matches itself", async () => {
      const site = siteName();
      await visit(target, site, 1, "/blog/2026/a_b", "done");
      await visit(target, site, 2, "/blog", "done");
      await visit(target, site, 3, "/blog/2026/aXb", "done");
      await visit(target, site, 4, "/100%25", "done");
      await visit(target, site, 5, "/a.c/\u{1f600}", "done");
      await record(target, wireEvent(site, { n: "done", u: "/blog/2026/only-an-event" }), visitor(6));
      for (const [page, visitors] of [
        ["/blog/*", 2],
        ["/blog*", 3],
        ["*", 5],
        ["/*", 5],
        ["*/2026/*", 2],
        ["/blog/2026/a_b*", 1],
        ["/b*g/*/a*b", 2],
        ["*%25", 1],
        ["*%", 0],
        ["/a.c/*", 1],
        ["/aXc/*", 0],
        ["/BLOG/*", 0],
        ["/blog/2026/*event", 0],
      ] as const) {
        await expectFunnel(site, `page:${page},event:done`, [visitors, visitors]);
      }
    });

    it("a comma in a path or name is written %2C", async () => {
      const site = siteName();
      await visit(target, site, 1, "/a,b", "One, two: three");
      expect(await getStats(target, "funnel", { site_id: site, steps: "page:/a%2Cb,event:One%2c two: three" })).toEqual(
        funnelRows(["page:/a,b", "event:One, two: three"], [1, 1]),
      );
    });

    it("a literal %2C in a path is written %252C", async () => {
      const site = siteName();
      await visit(target, site, 1, "/a%2Cb", "Half%2c");
      expect(await getStats(target, "funnel", { site_id: site, steps: "page:/a%252Cb,event:Half%252c" })).toEqual(
        funnelRows(["page:/a%2Cb", "event:Half%2c"], [1, 1]),
      );
    });

    it("a funnel accepts 32 steps with any names", async () => {
      const site = siteName();
      const names = [
        "'; DROP TABLE texts; --",
        "$1",
        '"',
        "\\",
        "(unknown)",
        "100%",
        "\u{1f600}",
        ...Array.from({ length: 25 }, (_, i) => `step ${i}`),
      ];
      await visit(target, site, 1, ...names);
      await visit(target, site, 2, ...names.slice(0, 31));
      const steps = names.map((name) => `event:${name}`).join(",");
      await expectFunnel(site, steps, [...Array.from({ length: 31 }, () => 2), 1]);
      await expectFunnel(site, steps, [...Array.from({ length: 31 }, () => 2), 1], { modes: "strict_order,strict_once" });
    });

    it("filters narrow the events, and dates the range", async () => {
      const site = siteName();
      await visit(target, site, 1, "/a", "signup");
      await record(target, wireEvent(site, { u: "/a?utm_source=letter" }), visitor(2));
      await record(target, wireEvent(site, { n: "signup", u: "/?utm_source=letter" }), visitor(2));
      await record(target, wireEvent(site, { u: "/a?utm_source=letter" }), visitor(3));
      await record(target, wireEvent(site, { n: "signup", u: "/" }), visitor(3));
      await expectFunnel(site, "page:/a,event:signup", [3, 3]);
      await expectFunnel(site, "page:/a,event:signup", [2, 1], { filters: "utm-sources==letter" });
      await expectFunnel(site, "page:/a,event:signup", [0, 0], { start_date: "2020-01-01", end_date: "2020-01-31" });
    });

    it.each([
      ...wrongLists("steps", 2).map(([steps, error]) => [{ steps }, error] as const),
      [{}, '"steps" is required'],
      [{ steps: "page:/" }, `"steps" must list 2 to 32 ${COUNT_RULE} 1`],
      ...["", "day", "0 days", "-1 day", "1.5 days", "1 month", "1  day", "1 DAY", "53 weeks", "365 days", "9999999999 weeks"].map(
        (window) => [{ steps: "page:/,event:x", window }, WINDOW_RULE] as const,
      ),
      [
        { steps: "page:/,event:x", modes: "strict" },
        '"modes": unknown mode "strict". Use any of strict_order, strict_deduplication, strict_increase, strict_once',
      ],
      [
        { steps: "page:/,event:x", modes: "strict_order," },
        '"modes": unknown mode "". Use any of strict_order, strict_deduplication, strict_increase, strict_once',
      ],
    ] as const)("a funnel refuses %j", async (parameters, error) => {
      expect(await refusal(target, "funnel", { site_id: "refused.test", ...parameters })).toEqual(refused(error));
    });

    it.each(["1 second", "60 seconds", "1 minute", "5minutes", "1 hour", "2 days", "364 days", "52 weeks"])(
      "the window %s is accepted",
      async (window) => {
        await expectFunnel("nobody.test", "page:/,event:x", [0, 0], { window });
      },
    );

    itNeeds(makeTarget, "advance", "the window of a funnel starts at the first step and includes its last millisecond", async () => {
      const clocked = await makeTarget({ SVC_TRUST_PROXY: "1" });
      const advance = able(clocked, "advance");
      const site = siteName();
      await visit(clocked, site, 1, "/1");
      await visit(clocked, site, 2, "/1");
      await advance(5 * SECOND_MS);
      await visit(clocked, site, 1, "/2");
      await visit(clocked, site, 2, "/1", "/2");
      await advance(5 * SECOND_MS);
      await visit(clocked, site, 1, "/3");
      await visit(clocked, site, 2, "/3");
      await visit(clocked, site, 3, "/1", "/2", "/3");
      const steps = "page:/1,page:/2,page:/3";
      await expectFunnel(site, steps, [3, 3, 3], { window: "10 seconds" }, clocked);
      // The first view of visitor 1 is too long ago; visitor 2 began anew in between.
      await expectFunnel(site, steps, [3, 3, 2], { window: "9 seconds" }, clocked);
      await expectFunnel(site, steps, [3, 2, 1], { window: "4 seconds" }, clocked);
      // All of visitor 3 happens in one millisecond, and so do both views of visitor 2.
      await expectFunnel(site, steps, [3, 2, 2], { window: "10 seconds", modes: "strict_increase" }, clocked);
      await advance(1);
      await visit(clocked, site, 4, "/1");
      await advance(10 * SECOND_MS + 1);
      await visit(clocked, site, 4, "/2");
      await expectFunnel(site, steps, [4, 3, 3], { window: "10 seconds" }, clocked);
      await clocked.close();
    });

    itNeeds(makeTarget, "advance", "a funnel starts over when a visitor's salt changes at midnight", async () => {
      for (const [rotationDays, visitors] of [
        ["1", [2, 0]],
        ["30", [1, 1]],
      ] as const) {
        const clocked = await makeTarget({ SVC_TRUST_PROXY: "1", SVC_VISITOR_SALT_ROTATION_DAYS: rotationDays });
        const advance = able(clocked, "advance");
        const site = siteName();
        await advance(DAY_MS / 2 - 1);
        await visit(clocked, site, 1, "/1");
        await advance(1);
        await visit(clocked, site, 1, "/2", "/1");
        await expectFunnel(site, "page:/1,page:/2", visitors, {}, clocked);
        await clocked.close();
      }
    });
  });
}

export function describeStatsSequences(makeTarget: MakeTarget): void {
  describe("sequences", () => {
    let target: Target;
    beforeAll(async () => {
      target = await makeTarget({ SVC_TRUST_PROXY: "1" });
    });
    afterAll(() => target.close());

    const figures = (converting: number, total: number, matches: number) => ({
      converting_visitors: converting,
      total_visitors: total,
      conversion_rate: total === 0 ? 0 : converting / total,
      total_matches: matches,
    });

    const expectSequences = async (
      site: string,
      parameters: StatsParameters,
      [converting, total, matches]: readonly [number, number, number],
      on = target,
    ) =>
      expect({ ...parameters, figures: await getStats(on, "sequences", { site_id: site, ...parameters }) }).toEqual({
        ...parameters,
        figures: figures(converting, total, matches),
      });

    it("sequences count the visitors whose events match the steps in order, and all matches", async () => {
      const site = siteName();
      await visit(target, site, 1, "/a", "/x", "/b", "/a", "/b");
      await visit(target, site, 2, "/b", "/a");
      await visit(target, site, 3, "/a", "/a", "/b", "/b");
      await expectSequences(site, { steps: "page:/a,page:/b" }, [2, 3, 3]);
      await expectSequences(site, { steps: "page:/a,page:/b,page:/a" }, [1, 3, 1]);
      await expectSequences(site, { steps: "page:/a,event:never" }, [0, 3, 0]);
      await expectSequences("nobody.test", { steps: "page:/a,page:/b" }, [0, 0, 0]);
    });

    it("a pattern ignores events that meet no condition", async () => {
      const site = siteName();
      await visit(target, site, 1, "/a", "/c", "/b");
      await visit(target, site, 2, "/a", "/b");
      const conditions = "page:/a,page:/b";
      await expectSequences(site, { pattern: "(?1)(?2)", conditions }, [2, 2, 2]);
      await expectSequences(site, { pattern: "(?1)(?2)", conditions: `${conditions},page:/c` }, [1, 2, 1]);
      await expectSequences(site, { pattern: "(?1).(?2)", conditions: `${conditions},page:/c` }, [1, 2, 1]);
      await expectSequences(site, { pattern: "(?1).*(?2)", conditions: `${conditions},page:/c` }, [2, 2, 2]);
      await expectSequences(site, { pattern: "(?1)(?2)", conditions: `${conditions},page:/d` }, [2, 2, 2]);
      await expectSequences(site, { pattern: ".*(?2).*", conditions }, [2, 2, 2]);
      await expectSequences(site, { pattern: "..", conditions }, [2, 2, 2]);
      await expectSequences(site, { pattern: ".", conditions: "page:*" }, [2, 2, 5]);
      await expectSequences(site, { pattern: "(?1)(?1)(?1)", conditions: "page:*" }, [1, 2, 1]);
    });

    it("an event that meets several conditions matches any one of them, once", async () => {
      const site = siteName();
      await visit(target, site, 1, "/a/b");
      await visit(target, site, 2, "/a/b", "/a/b");
      await expectSequences(site, { pattern: "(?1)(?2)", conditions: "page:/a/*,page:*/b" }, [1, 2, 1]);
    });

    it("filters narrow both the matching events and the total visitors", async () => {
      const site = siteName();
      await visit(target, site, 1, "/a", "signup");
      await record(target, wireEvent(site, { u: "/a?utm_source=letter" }), visitor(2));
      await expectSequences(site, { steps: "page:/a,event:signup" }, [1, 2, 1]);
      await expectSequences(site, { steps: "page:/a,event:signup", filters: "utm-sources==letter" }, [0, 1, 0]);
      await expectSequences(site, { steps: "page:/a,event:signup", filters: "utm-sources!=letter" }, [1, 1, 1]);
    });

    const ONE = "page:/a";
    const TWO = "page:/a,page:/b";
    const ELEMENT = 'there is neither "(?N)" nor ".*" nor "." nor "(?t<=N)" with <, <=, >, >= or == and whole seconds';

    it.each([
      ...wrongLists("steps", 2).map(([steps, error]) => [{ steps }, error] as const),
      ...wrongLists("conditions", 1).map(([conditions, error]) => [{ conditions, pattern: "(?1)" }, error] as const),
      [{}, '"steps", or "pattern" and "conditions", are required'],
      [{ steps: "page:/" }, `"steps" must list 2 to 32 ${COUNT_RULE} 1`],
      [{ pattern: "(?1)" }, '"conditions" is required'],
      [{ conditions: ONE }, '"pattern" is required when "conditions" is given'],
      [{ conditions: ONE, pattern: "(?1)", steps: TWO }, '"steps" cannot be combined with "pattern" and "conditions"'],
      [{ conditions: ONE, steps: TWO }, '"steps" cannot be combined with "pattern" and "conditions"'],
      [{ conditions: TWO, pattern: "" }, '"pattern" needs at least one event: (?1) to (?2), or "."'],
      [{ conditions: TWO, pattern: ".*" }, '"pattern" needs at least one event: (?1) to (?2), or "."'],
      [{ conditions: TWO, pattern: "(?1).*(?3)" }, '"pattern": at position 7, (?3) must name a condition from 1 to 2'],
      [{ conditions: TWO, pattern: "(?0)" }, '"pattern": at position 1, (?0) must name a condition from 1 to 2'],
      [{ conditions: TWO, pattern: "(?1) (?2)" }, `"pattern": at position 5, ${ELEMENT}`],
      [{ conditions: TWO, pattern: "(?1)(?t=5)(?2)" }, `"pattern": at position 5, ${ELEMENT}`],
      [{ conditions: TWO, pattern: "(?1)(?t<1.5)(?2)" }, `"pattern": at position 5, ${ELEMENT}`],
      [{ conditions: TWO, pattern: "(?1)*" }, `"pattern": at position 5, ${ELEMENT}`],
      [{ conditions: TWO, pattern: "(?t<5)(?1)" }, '"pattern": at position 1, a time needs an event before it'],
      [{ conditions: TWO, pattern: ".*(?t<5)(?1)" }, '"pattern": at position 3, a time needs an event before it'],
      [{ conditions: TWO, pattern: "(?1).*(?t<5).*" }, '"pattern": at position 7, a time needs an event after it'],
      [{ conditions: TWO, pattern: ".".repeat(65) }, '"pattern" must ask for at most 64 events; it asks for 65'],
      [{ conditions: TWO, pattern: "(?1)".repeat(257) }, '"pattern" must be at most 1024 characters'],
    ] as const)("a sequence refuses %j", async (parameters, error) => {
      expect(await refusal(target, "sequences", { site_id: "refused.test", ...parameters })).toEqual(refused(error));
    });

    itNeeds(makeTarget, "advance", "a time in a pattern limits how far apart the events around it are", async () => {
      const clocked = await makeTarget({ SVC_TRUST_PROXY: "1" });
      const advance = able(clocked, "advance");
      const site = siteName();
      await visit(clocked, site, 1, "/a");
      await advance(60 * SECOND_MS);
      await visit(clocked, site, 1, "/a", "/c");
      await advance(10 * SECOND_MS);
      await visit(clocked, site, 1, "/b");
      const conditions = "page:/a,page:/b,page:/c";
      for (const [time, matches] of [
        ["(?t<=10)", 1],
        ["(?t<10)", 0],
        ["(?t>=10)", 1],
        ["(?t>10)", 1],
        ["(?t>=70)", 1],
        ["(?t>70)", 0],
        ["(?t==10)", 1],
        ["(?t==70)", 1],
        ["(?t==60)", 0],
        ["(?t>10)(?t<70)", 0],
        [".*(?t<=9)", 0],
        [".*(?t<=10)", 1],
      ] as const) {
        await expectSequences(site, { pattern: `(?1)${time}(?2)`, conditions }, [matches, 1, matches], clocked);
      }
      await clocked.close();
    });
  });
}
