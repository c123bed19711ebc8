/** What AI crawlers read, as servers report it (docs/bots.md). */
import { describe, expect, it, onTestFinished } from "vitest";
import { AI_CRAWLERS } from "../../src/runtime/bots/ai-crawlers.ts";
import { bodyOf, CLOSED, createKey, createShare, logIn, ofItsOwn, postJson, withKey, withShare } from "../support/auth-requests.ts";
import { expectError, record, type RequestHeaders, wireEvent } from "../support/requests.ts";
import type { MakeTarget, Target } from "../support/target.ts";
import { CHROME_WINDOWS, FIREFOX_LINUX, GOOGLEBOT } from "../support/user-agents.ts";

const SITE = "crawled.test";

export const claiming = (name: string): string => `Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ${name}/1.2)`;

interface Sent {
  readonly name: string;
  readonly path?: string;
  readonly status?: number;
  readonly agoMs?: number;
}

/** A request as a server reports it. */
export const read = (target: Target, { name, path = "/", status = 200, agoMs = 0 }: Sent) => ({
  user_agent: claiming(name),
  ...{ path, status },
  time: new Date(target.nowMs() - agoMs).toISOString(),
});

/** Enough that no list of the report stays empty. */
export const FULL_BATCH = (target: Target) => ({ requests: [read(target, { name: "GPTBot", path: "/a?secret=1" })] });

export function describeCrawls(makeTarget: MakeTarget): void {
  describe("requests of AI crawlers", () => {
    async function made(): Promise<{ readonly target: Target; readonly headers: RequestHeaders }> {
      const target = await makeTarget(ofItsOwn({ ...CLOSED }));
      onTestFinished(() => target.close());
      return { target, headers: await logIn(target) };
    }

    const send = (target: Target, headers: RequestHeaders, body: unknown): Promise<Response> =>
      postJson(target, `/api/crawls?site_id=${SITE}`, body, headers);

    interface Report {
      readonly start_date: string;
      readonly end_date: string;
      readonly reads: number;
      readonly days: readonly { readonly date: string; readonly reads: number }[];
    }

    const reportOf = async (target: Target, headers: RequestHeaders, parameters = ""): Promise<Report> =>
      bodyOf<Report>(await target.fetch(`/api/stats/crawls?site_id=${SITE}${parameters}`, { headers }));

    it("are counted by crawler, status and page, beside the visits from their operators' assistants", async () => {
      const { target, headers } = await made();
      const key = withKey((await createKey(target, headers, "Admin")).key);
      await record(target, wireEvent(SITE, { r: "https://chatgpt.com/", u: `https://${SITE}/a` }));
      await record(target, wireEvent(SITE, { r: "https://gemini.google.com/", u: `https://${SITE}/b` }), { "User-Agent": FIREFOX_LINUX });
      const requests = [
        read(target, { name: "GPTBot", path: `https://${SITE}/a?secret=1` }),
        read(target, { name: "GPTBot", path: "/a" }),
        read(target, { name: "GPTBot", path: "/b", status: 404 }),
        read(target, { name: "ClaudeBot", path: "/a" }),
        { ...read(target, { name: "ClaudeBot", path: "/c" }), status: null },
        { ...read(target, { name: "" }), user_agent: CHROME_WINDOWS },
        { ...read(target, { name: "" }), user_agent: GOOGLEBOT },
        { ...read(target, { name: "" }), user_agent: null },
        read(target, { name: "GPTBot", agoMs: 31 * 86_400_000 }),
      ];
      expect(await bodyOf(await send(target, key, { requests }))).toEqual({
        ...{ counted: 5, repeated: 0 },
        ignored: { unknown: 3, out_of_range: 1 },
      });
      const report = await reportOf(target, key);
      const [ok, missing] = [200, 404];
      expect(report).toEqual({
        start_date: report.start_date,
        end_date: report.days.at(-1)?.date,
        reads: 5,
        days: expect.any(Array) as unknown,
        crawlers: [
          {
            ...{ name: "GPTBot", operator: "OpenAI", purpose: "Training", verified: false, verified_reads: 0, reads: 3 },
            statuses: [
              { status: ok, reads: 2 },
              { status: missing, reads: 1 },
            ],
          },
          {
            ...{ name: "ClaudeBot", operator: "Anthropic", purpose: "Training", verified: false, verified_reads: 0, reads: 2 },
            statuses: [
              { status: null, reads: 1 },
              { status: ok, reads: 1 },
            ],
          },
        ],
        paths: {
          rows: [
            {
              ...{ path: "/a", reads: 3, statuses: [{ status: ok, reads: 3 }], missed_max: 0 },
              crawlers: [
                { name: "GPTBot", reads: 2 },
                { name: "ClaudeBot", reads: 1 },
              ],
              operators: [
                { operator: "OpenAI", reads: 2, statuses: [{ status: ok, reads: 2 }], visits: 1 },
                { operator: "Anthropic", reads: 1, statuses: [{ status: ok, reads: 1 }], visits: 0 },
              ],
            },
            {
              ...{ path: "/b", reads: 1, statuses: [{ status: missing, reads: 1 }], missed_max: 0 },
              crawlers: [{ name: "GPTBot", reads: 1 }],
              operators: [
                { operator: "OpenAI", reads: 1, statuses: [{ status: missing, reads: 1 }], visits: 0 },
                { operator: "Google", reads: 0, statuses: [], visits: 1 },
              ],
            },
            {
              ...{ path: "/c", reads: 1, statuses: [{ status: null, reads: 1 }], missed_max: 0 },
              crawlers: [{ name: "ClaudeBot", reads: 1 }],
              operators: [{ operator: "Anthropic", reads: 1, statuses: [{ status: null, reads: 1 }], visits: 0 }],
            },
          ],
          ...{ rest: 0, missed_max: 0 },
        },
        operators: [
          { operator: "OpenAI", reads: 3, assistants: ["ChatGPT"], visits: 1 },
          { operator: "Anthropic", reads: 2, assistants: ["Claude"], visits: 0 },
          { operator: "Google", reads: 0, assistants: ["Gemini", "NotebookLM", "Google AI Studio"], visits: 1 },
        ],
      });
      const main = await bodyOf<{ total_events: number }>(await target.fetch(`/api/stats/main?site_id=${SITE}`, { headers: key }));
      expect(main.total_events).toBe(2);
    });

    it("count once, however often their batch is sent, by its id or by what is in it", async () => {
      const { target, headers } = await made();
      const requests = AI_CRAWLERS.flatMap(({ name }) => [
        read(target, { name }),
        read(target, { name, path: "/past", agoMs: 3 * 86_400_000 }),
      ]);
      const all = requests.length;
      const ignored = { unknown: 0, out_of_range: 0 };
      expect(await bodyOf(await send(target, headers, { requests }))).toEqual({ counted: all, repeated: 0, ignored });
      expect(await bodyOf(await send(target, headers, { requests }))).toEqual({ counted: 0, repeated: all, ignored });
      expect(await bodyOf(await send(target, headers, { batch_id: "1", requests }))).toEqual({ counted: all, repeated: 0, ignored });
      const again = await Promise.all(
        Array.from({ length: 5 }, () => send(target, headers, { batch_id: "1", requests: requests.slice(1) })),
      );
      for (const response of again) expect(await bodyOf(response)).toEqual({ counted: 0, repeated: all - 1, ignored });
      const { reads, days } = await reportOf(target, headers);
      expect(reads).toBe(2 * all);
      expect(days.filter((day) => day.reads > 0).map((day) => day.reads)).toEqual([all, all]);
    });

    it("are refused with the field and its rule, and nothing of their batch is counted", async () => {
      const { target, headers } = await made();
      const good = read(target, { name: "GPTBot" });
      const wrong: [unknown, number, string][] = [
        [{}, 422, 'Field "requests" is missing'],
        [{ requests: ["/"] }, 422, 'Field "requests" must be an array of objects'],
        [{ requests: [] }, 400, 'Field "requests" must have 1 to 1000 requests'],
        [{ requests: Array.from({ length: 1001 }, () => good) }, 400, 'Field "requests" must have 1 to 1000 requests'],
        [{ requests: [good, { ...good, path: undefined }] }, 422, 'Field "requests[1].path" is missing'],
        [{ requests: [good, { ...good, user_agent: 1 }] }, 422, 'Field "requests[1].user_agent" must be a string'],
        [{ requests: [good, { ...good, status: 1000 }] }, 400, 'Field "requests[1].status" must be an integer from 0 to 999'],
        [{ requests: [good, { ...good, time: "yesterday" }] }, 400, 'Field "requests[1].time" must be a time such as'],
        [{ requests: [good, { ...good, time: "2026-03-15T12:00:00" }] }, 400, 'Field "requests[1].time" must be a time such as'],
        [{ requests: [good, { ...good, time: "2026-02-30T12:00:00Z" }] }, 400, 'Field "requests[1].time" must be a time such as'],
        [{ batch_id: "", requests: [good] }, 400, 'Field "batch_id" must be 1 to 128 characters'],
        [{ batch_id: "x".repeat(129), requests: [good] }, 400, 'Field "batch_id" must be 1 to 128 characters'],
      ];
      for (const [body, status, message] of wrong) await expectError(await send(target, headers, body), status, message);
      expect((await reportOf(target, headers)).reads).toBe(0);
      // What visitors of a site choose spoils no batch.
      const odd = [
        { ...good, path: "x".repeat(5000) },
        { ...good, path: "" },
        { ...good, user_agent: `${good.user_agent}${"x".repeat(5000)}` },
      ];
      expect((await bodyOf<{ counted: number }>(await send(target, headers, { requests: odd }))).counted).toBe(3);
    });

    it("are taken from administrators of the site only, and shown to no guest", async () => {
      const { target, headers } = await made();
      await record(target, wireEvent(SITE));
      const body = { requests: [read(target, { name: "GPTBot" })] };
      const reader = withKey((await createKey(target, headers, "ReadOnly")).key);
      await expectError(await send(target, reader, body), 403, "A ReadOnly key may only read statistics");
      await expectError(await send(target, {}, body), 401, "A valid session or API key is required");
      expect((await reportOf(target, reader)).reads).toBe(0);
      const share = await createShare(target, headers, { site_id: SITE });
      const path = `/api/stats/crawls?site_id=${SITE}`;
      await expectError(await target.fetch(path, { headers: withShare(share.token) }), 403, "A share link may only read");
    });
  });
}
