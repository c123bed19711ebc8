/** The preview of a rule: what it leaves out, and that applying and undoing it gives the same figures (docs/reports.md, "Rules of a site"). */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { bodyOf, CLOSED, logIn } from "../support/auth-requests.ts";
import { addItem, askCollection } from "../support/collections.ts";
import { expectError, record, type RequestHeaders, wireEvent } from "../support/requests.ts";
import { FILTERED_ENDPOINTS, visitor } from "../support/stats-requests.ts";
import { siteNames, type MakeTarget, type Target } from "../support/target.ts";

const siteName = siteNames("rule-preview");

interface Preview {
  readonly visits: number;
  readonly left_out: number;
  readonly left_out_with_proof: number;
  readonly left_out_converted: number;
  readonly first_date: string | null;
  readonly months: readonly { readonly visits: number; readonly left_out: number }[];
  readonly countries: readonly { readonly country: string; readonly left_out: number }[];
  readonly series: readonly { readonly date: string; readonly before: number; readonly after: number }[];
  readonly before: object;
  readonly after: object;
}

interface Rule {
  readonly id: string;
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);

export function describeRulePreview(makeTarget: MakeTarget): void {
  describe("the preview of a rule", () => {
    let target: Target;
    let headers: RequestHeaders;
    const siteId = siteName();
    /** Visits of each kind. */
    const BARE = 3;

    beforeAll(async () => {
      target = await makeTarget({ ...CLOSED, SVC_TRUST_PROXY: "1" });
      headers = await logIn(target);
      await addItem(target, "goals", siteId, headers, { name: "Signup", event: "signup" });
      for (let i = 0; i < BARE; i++) await record(target, wireEvent(siteId, { u: "/" }), visitor(i));
      await record(target, wireEvent(siteId, { u: "/", n: "Purchase", i: false, p: { plan: "pro" }, ra: 5, rc: "EUR" }), visitor(0));
      // A person who reads on, one who clicks a link to another site, one who signs up, and one elsewhere.
      for (const u of ["/", "/a"]) await record(target, wireEvent(siteId, { u }), visitor(20));
      await record(target, wireEvent(siteId, { u: "/" }), visitor(21));
      await record(target, wireEvent(siteId, { u: "/", n: "Outbound Link: Click", i: false }), visitor(21));
      await record(target, wireEvent(siteId, { u: "/" }), visitor(22));
      await record(target, wireEvent(siteId, { u: "/", n: "signup", i: false }), visitor(22));
      await record(target, wireEvent(siteId, { u: "/a" }), visitor(23));
    });
    afterAll(() => target.close());

    const ask = (body: unknown, query = "&period=7d"): Promise<Response> =>
      target.fetch(`/api/stats/rule-preview?site_id=${siteId}${query}`, { method: "POST", headers, body: JSON.stringify(body) });

    const preview = async (body: unknown): Promise<Preview> => bodyOf<Preview>(await ask(body));

    async function bytesOf(endpoint: string, own: Readonly<Record<string, string>> = {}): Promise<string> {
      const parameters = new URLSearchParams({ site_id: siteId, ...(endpoint !== "realtime" && { period: "7d" }), ...own });
      const response = await target.fetch(`/api/stats/${endpoint}?${parameters.toString()}`, { headers });
      expect(response.status, endpoint).toBe(200);
      return response.text();
    }

    /** The figures of every report. */
    async function allBytes(): Promise<string[]> {
      const all: string[] = [];
      for (const [endpoint, own] of FILTERED_ENDPOINTS) all.push(await bytesOf(endpoint, own));
      return all;
    }

    const add = (fields: object): Promise<Rule> => addItem<Rule>(target, "rules", siteId, headers, { name: "Bots", ...fields });
    const remove = ({ id }: Rule) => askCollection(target, "rules", siteId, headers, { method: "DELETE", id });

    it.each([
      [{ filters: "pages==/" }, { left_out: BARE, left_out_with_proof: 0, left_out_converted: 0 }],
      [
        { filters: "pages==/", spares_people: false },
        { left_out: BARE + 3, left_out_with_proof: 3, left_out_converted: 1 },
      ],
      [{ filters: "pages==/nothing" }, { left_out: 0, left_out_with_proof: 0, left_out_converted: 0, first_date: null, countries: [] }],
      [
        { filters: "pages==/", last_date: "2020-01-01" },
        { left_out: 0, first_date: null },
      ],
      [{ built_in: "waves" }, { left_out: 0, left_out_with_proof: 0, left_out_converted: 0, first_date: null, countries: [] }],
      [{ built_in: "data_centres" }, { left_out: 0, countries: [] }],
      [{ built_in: "contradictions" }, { left_out: 0, countries: [] }],
    ])("%j has figures that add up", async (rule, figures) => {
      const found = await preview(rule);
      expect(found).toMatchObject({ visits: BARE + 4, ...figures });
      const { visits, left_out: leftOut, months, countries, series, before, after } = found;
      expect(before).toMatchObject({ total_sessions: visits });
      expect(after).toMatchObject({ total_sessions: visits - leftOut });
      expect(sumOf(months.map((month) => month.visits))).toBe(visits);
      expect(sumOf(months.map((month) => month.left_out))).toBe(leftOut);
      expect(sumOf(countries.map((country) => country.left_out))).toBe(leftOut);
      expect(sumOf(series.map((day) => day.before))).toBe(visits);
      expect(sumOf(series.map((day) => day.after))).toBe(visits - leftOut);
      expect(found.first_date).toBe(series.find((day) => day.before > day.after)?.date ?? null);
    });

    it("is byte for byte what the reports answer with the rule, and after it is taken back", async () => {
      const rule = { filters: "pages==/", spares_people: true };
      const original = await allBytes();
      const { before, after } = await preview(rule);
      expect(JSON.stringify(before)).toBe(await bytesOf("main"));
      const stored = await add(rule);
      const applied = await allBytes();
      expect(JSON.stringify(after)).toBe(await bytesOf("main"));
      for (const [i, [endpoint]] of FILTERED_ENDPOINTS.entries()) {
        expect(applied[i], endpoint).not.toBe(original[i]);
      }
      expect(await bytesOf("main", { lens: "everything" })).toBe(JSON.stringify(before));

      // The rule is previewed as if it were not applied yet, and what replaces it, too.
      expect(await preview({ rule_id: stored.id })).toMatchObject({ before, after, left_out: BARE });
      expect(await preview({ rule_id: stored.id, filters: "pages==/a" })).toMatchObject({ before, left_out: 1 });
      expect(await preview({ filters: "pages==/a" })).toMatchObject({ before: after, left_out: 1 });

      const put = { method: "PUT", id: stored.id, body: { name: "Bots", ...rule, is_applied: false } } as const;
      expect((await askCollection(target, "rules", siteId, headers, put)).status).toBe(200);
      expect(await allBytes()).toEqual(original);
      expect((await remove(stored)).status).toBe(200);
      expect(await allBytes()).toEqual(original);
    });

    it.each([
      [{}, 400, 'The body must have "filters", "rule_id" or "built_in"'],
      [{ filters: "pages==/", built_in: "waves" }, 400, 'The body must have "filters", "rule_id" or "built_in"'],
      [{ filters: "" }, 400, '"filters" must have at least one condition'],
      [{ filters: "pages=matches=a" }, 400, "a rule cannot have regular expressions"],
      [{ filters: "pages==/", first_date: "2026-02-30" }, 400, '"first_date" must be a real calendar date'],
      [{ built_in: "Waves" }, 400, '"built_in" must be one of machines, contradictions, waves, data_centres'],
      [{ rule_id: "0".repeat(32) }, 404, "No rule with this id"],
      [{ filters: ["pages==/"] }, 422, '"filters" must be a string'],
      [{ filters: "pages==/", name: "n" }, 400, 'Unknown field "name"'],
      [{ built_in: "waves", first_date: "2026-01-01" }, 400, 'Field "first_date" needs the field "filters"'],
      [{ rule_id: "0".repeat(32), spares_people: false }, 400, 'Field "spares_people" needs the field "filters"'],
    ])("%j gives an error with the field and the rule", async (body, status, says) => {
      await expectError(await ask(body), status, says);
    });

    it("counts what is left out, and no visit that came between two of its reports", async () => {
      const busy = await makeTarget({ ...CLOSED, SVC_TRUST_PROXY: "1", SVC_CACHE_TTL_SECS: "86400" });
      onTestFinished(() => busy.close());
      const owner = await logIn(busy);
      const own = siteName();
      const visit = (u: string, id: number) => record(busy, wireEvent(own, { u }), visitor(id));
      const askOf = async (filters: string) => {
        const body = JSON.stringify({ filters });
        const path = `/api/stats/rule-preview?site_id=${own}&period=7d`;
        return bodyOf<Preview>(await busy.fetch(path, { method: "POST", headers: owner, body }));
      };
      await visit("/bot", 1);
      // Reports of all visits are kept from here on, and those of the other rule are not.
      expect(await askOf("pages==/nothing")).toMatchObject({ visits: 1, left_out: 0 });
      for (const id of [2, 3, 4]) await visit("/", id);
      const found = await askOf("pages==/bot");
      expect(found).toMatchObject({ visits: 1, left_out: 1, months: [{ visits: 1, left_out: 1 }], countries: [{ left_out: 1 }] });
      expect(found.series.at(-1)).toMatchObject({ before: 1, after: 0 });
      for (const id of [5, 6]) await visit("/bot", id);
      const { left_out: leftOut, left_out_with_proof: withProof, series } = await askOf("pages==/bot");
      expect([leftOut, withProof]).toEqual([1, 0]);
      expect(series.every(({ before, after }) => before >= 0 && after >= 0)).toBe(true);
    });

    it("takes the dates of reports, also long ranges, whose series is by month", async () => {
      await expectError(await ask({ filters: "pages==/" }, "&period=decade"), 400, '"period"');
      const long = await bodyOf<Preview>(await ask({ filters: "pages==/" }, "&start_date=2024-01-01&end_date=2026-12-31"));
      expect(long.series).toHaveLength(36);
    });
  });
}
