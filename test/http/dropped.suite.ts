/** Events that get their response and are not stored: the header that says why, and the report (docs/bots.md). */
import { describe, expect, it, onTestFinished } from "vitest";
import { bodyOf, CLOSED, createKey, createShare, logIn, ofItsOwn, withKey, withShare } from "../support/auth-requests.ts";
import { expectError, getPixel, post, record, type RequestHeaders, wireEvent } from "../support/requests.ts";
import type { MakeTarget, Target } from "../support/target.ts";
import { GOOGLEBOT } from "../support/user-agents.ts";

const SITE = "dropping.test";

const GPTBOT = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)";
const UNNAMED = "somebodys-crawler/1.0";

interface Dropped {
  readonly start_date: string;
  readonly end_date: string;
  readonly dropped: number;
  readonly days: readonly { readonly date: string; readonly dropped: number }[];
  readonly reasons: object;
  readonly names: { readonly rows: readonly object[]; readonly rest: number };
  readonly operators: object;
  readonly paths: object;
}

const page = (path: string) => wireEvent(SITE, { u: `https://page.test${path}` });

export function describeDropped(makeTarget: MakeTarget): void {
  describe("dropped events", () => {
    async function made(environment = {}): Promise<{ readonly target: Target; readonly headers: RequestHeaders }> {
      const target = await makeTarget(ofItsOwn({ ...CLOSED, SVC_TRUST_PROXY: "1", ...environment }));
      onTestFinished(() => target.close());
      return { target, headers: await logIn(target) };
    }

    const reportOf = async (target: Target, headers: RequestHeaders, parameters = ""): Promise<Dropped> =>
      bodyOf<Dropped>(await target.fetch(`/api/stats/dropped?site_id=${SITE}${parameters}`, { headers }));

    it("say why in a header that pages cannot read, and nothing else in their response differs", async () => {
      const { target, headers } = await made();
      await record(target, page("/"));
      const settings = {
        excluded_addresses: ["198.51.100.7"],
        excluded_paths: ["/admin"],
        excluded_countries: ["NL"],
        excluded_referrers: ["spam.test"],
      };
      await bodyOf(await target.fetch(`/api/sites/${SITE}`, { method: "PUT", headers, body: JSON.stringify(settings) }));
      const ways: [string, RequestHeaders, string][] = [
        ["/", { "user-agent": GOOGLEBOT }, "bot"],
        ["/", { "sec-ch-ua": '"HeadlessChrome";v="124", "Chromium";v="124"' }, "headless_browser"],
        ["/", { "x-forwarded-for": "198.51.100.7" }, "excluded_address"],
        ["/", { "x-forwarded-for": "193.0.6.139" }, "excluded_country"],
        ["/", { "x-forwarded-for": "8.8.8.8" }, "excluded_referrer"],
        ["/admin?x=1", { "x-forwarded-for": "8.8.8.8" }, "excluded_page"],
      ];
      const namesOf = (response: Response): string[] => [...response.headers.keys()].filter((name) => name !== "x-svc-dropped").sort();
      const origin = { origin: "https://page.test" };
      const accepted = await post(target, page("/"), origin);
      expect(accepted.headers.has("x-svc-dropped")).toBe(false);
      for (const [path, sender, reason] of ways) {
        const response = await post(
          target,
          { ...page(path), ...(reason === "excluded_referrer" && { r: "https://spam.test/" }) },
          { ...origin, ...sender },
        );
        expect([response.status, response.headers.get("x-svc-dropped"), await response.text()]).toEqual([202, reason, ""]);
        expect(namesOf(response)).toEqual(namesOf(accepted));
        expect(response.headers.has("access-control-expose-headers")).toBe(false);
      }
      const { reasons } = await reportOf(target, headers);
      expect(reasons).toEqual({
        rows: ways.map(([, , value]) => ({ value, dropped: 1 })).sort((a, b) => (a.value < b.value ? -1 : 1)),
        rest: 0,
      });
    });

    it("are counted by day, reason, name, operator and path, and the lists add up", async () => {
      const { target, headers } = await made();
      await record(target, page("/"));
      for (const path of ["/a?secret=1", "/a", "/b"]) await record(target, page(path), { "user-agent": GPTBOT });
      await record(target, page("/a"), { "user-agent": GOOGLEBOT });
      await record(target, wireEvent(SITE, { u: "not an address" }), { "user-agent": UNNAMED });
      expect((await getPixel(target, { d: SITE, u: "/c" }, { "user-agent": GPTBOT })).status).toBe(200);
      const report = await reportOf(target, headers);
      expect(report).toEqual({
        start_date: report.start_date,
        end_date: report.days.at(-1)?.date,
        dropped: 6,
        days: expect.any(Array) as unknown,
        reasons: { rows: [{ value: "bot", dropped: 6 }], rest: 0 },
        names: {
          rows: [
            { value: "GPTBot", dropped: 4, operator: "OpenAI", purpose: "Training" },
            { value: null, dropped: 1, operator: null, purpose: null },
            { value: "Googlebot", dropped: 1, operator: "Google", purpose: null },
          ],
          rest: 0,
        },
        operators: {
          rows: [
            { value: "OpenAI", dropped: 4 },
            { value: null, dropped: 1 },
            { value: "Google", dropped: 1 },
          ],
          rest: 0,
        },
        paths: {
          rows: [
            { value: "/a", dropped: 3, missed_max: 0 },
            { value: "(none)", dropped: 1, missed_max: 0 },
            { value: "/b", dropped: 1, missed_max: 0 },
            { value: "/c", dropped: 1, missed_max: 0 },
          ],
          rest: 0,
          missed_max: 0,
        },
      });
      expect(report.days).toHaveLength(30);
      expect(report.days.at(-1)).toEqual({ date: report.end_date, dropped: 6, reasons: [{ value: "bot", dropped: 6 }] });
      expect(report.days[0]).toMatchObject({ dropped: 0, reasons: [] });
      const short = await reportOf(target, headers, "&limit=1&period=day");
      expect(short.names).toEqual({ rows: [{ value: "GPTBot", dropped: 4, operator: "OpenAI", purpose: "Training" }], rest: 2 });
      expect(short.paths).toEqual({ rows: [{ value: "/a", dropped: 3, missed_max: 0 }], rest: 3, missed_max: 0 });
      const main = await bodyOf<{ total_events: number }>(await target.fetch(`/api/stats/main?site_id=${SITE}`, { headers }));
      expect(main.total_events).toBe(1);
    });

    it("are not counted as bots without the filter", async () => {
      const { target, headers } = await made({ SVC_FILTER_BOTS: "false" });
      await record(target, page("/"), { "user-agent": GOOGLEBOT });
      expect((await reportOf(target, headers)).dropped).toBe(0);
    });

    it("are shown to keys of the site, and to no guest", async () => {
      const { target, headers } = await made();
      await record(target, page("/"));
      const path = `/api/stats/dropped?site_id=${SITE}`;
      const key = await createKey(target, headers, "ReadOnly");
      expect((await target.fetch(path, { headers: withKey(key.key) })).status).toBe(200);
      const share = await createShare(target, headers, { site_id: SITE });
      await expectError(await target.fetch(path, { headers: withShare(share.token) }), 403, "A share link may only read");
      for (const wrong of ["limit=0", "limit=1001", "period=ages", "start_date=2026-01-01"])
        expect((await target.fetch(`${path}&${wrong}`, { headers })).status, wrong).toBe(400);
    });
  });
}
