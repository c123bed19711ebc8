/** What became of a site's events (docs/http-api.md, "Installation check"). */
import { describe, expect, it, onTestFinished } from "vitest";
import { bodyOf, CLOSED, logIn, ofItsOwn, postJson } from "../support/auth-requests.ts";
import { expectError, getPixel, post, postBody, record, wireEvent } from "../support/requests.ts";
import { able, itNeeds, type Environment, type MakeTarget, type Target } from "../support/target.ts";
import { GOOGLEBOT } from "../support/user-agents.ts";

interface OutcomeCount {
  readonly name: string;
  readonly outcome: string;
  readonly count: number;
  readonly latest_at: string;
}

interface Installation {
  readonly since: string;
  readonly is_allowed: boolean;
  readonly has_events: boolean;
  readonly first_event_date: string | null;
  readonly last_event_date: string | null;
  readonly files_left_out: number;
  readonly rollups: { readonly days_made: number; readonly days_due: number };
  readonly events: readonly OutcomeCount[];
  readonly other_events: readonly OutcomeCount[];
}

const getInstallation = async (target: Target, siteId: string): Promise<Installation> =>
  bodyOf(await target.fetch(`/api/installation?site_id=${siteId}`));

/** By name and outcome. */
const countsIn = (counts: readonly OutcomeCount[]): Readonly<Record<string, number>> =>
  Object.fromEntries(counts.map(({ name, outcome, count }) => [`${name} ${outcome}`, count]));

export function describeInstallation(makeTarget: MakeTarget): void {
  describe("the installation check", () => {
    async function aTarget(environment: Environment = {}): Promise<Target> {
      const target = await makeTarget(ofItsOwn(environment));
      onTestFinished(() => target.close());
      return target;
    }

    it("reports nothing for a site that sent nothing, and counts its events by outcome", async () => {
      const target = await aTarget();
      const beforeMs = target.nowMs();
      expect(await getInstallation(target, "new.test")).toMatchObject({
        is_allowed: true,
        has_events: false,
        first_event_date: null,
        last_event_date: null,
        files_left_out: 0,
        rollups: { days_made: 0, days_due: 0 },
        events: [],
        other_events: [],
      });

      await record(target, wireEvent("new.test"));
      expect((await getPixel(target, { d: "new.test", u: "/" })).status).toBe(200);
      await record(target, wireEvent("new.test"), { "user-agent": GOOGLEBOT });
      await expectError(await post(target, wireEvent("new.test", { n: "" })), 400);
      await expectError(await post(target, wireEvent("new.test", { u: "nowhere" })), 400);

      const installation = await getInstallation(target, "new.test");
      const lastEventDate = installation.events[0]?.latest_at.slice(0, 10);
      expect(installation).toMatchObject({ is_allowed: true, has_events: true, last_event_date: lastEventDate, other_events: [] });
      expect(installation.first_event_date).toBe(lastEventDate);
      expect(countsIn(installation.events)).toEqual({ "new.test accepted": 2, "new.test bot": 1, "new.test invalid": 2 });
      const latestMs = Date.parse(installation.events[0]?.latest_at ?? "");
      expect(latestMs).toBeGreaterThanOrEqual(beforeMs);
      expect(latestMs).toBeLessThanOrEqual(target.nowMs());
      expect(Date.parse(installation.since)).toBeLessThanOrEqual(latestMs);
    });

    it("lists the ten other names with the latest events, latest first", async () => {
      const target = await aTarget();
      const names = Array.from({ length: 12 }, (_, i) => `name-${i}.test`);
      for (const name of names) await record(target, wireEvent(name));
      const { events, other_events: others } = await getInstallation(target, "name-3.test");
      expect(events.map(({ name }) => name)).toEqual(["name-3.test"]);
      expect(new Set(others.map(({ name }) => name)).size).toBe(10);
      expect(others.map(({ name }) => name)).not.toContain("name-3.test");
      expect(others.map(({ latest_at: at }) => at)).toEqual(
        others
          .map(({ latest_at: at }) => at)
          .toSorted()
          .reverse(),
      );
    });

    it("counts what site_ids refuses: a page's host without its site, and a site by name", async () => {
      const target = await aTarget({ SVC_SITE_IDS: "mine.test" });
      await expectError(await post(target, wireEvent("mine.test"), { origin: "https://www.Mine.test:8443" }), 403);
      await expectError(await post(target, wireEvent("other.test")), 403);
      await record(target, wireEvent("mine.test"), { origin: "https://mine.test" });
      const installation = await getInstallation(target, "mine.test");
      expect(countsIn([...installation.events, ...installation.other_events])).toEqual({
        "mine.test accepted": 1,
        "www.mine.test origin_not_allowed": 1,
        "other.test site_not_allowed": 1,
      });
      expect(await getInstallation(target, "other.test")).toMatchObject({ is_allowed: false, has_events: false });
    });

    it("counts events that max_sites and the rate limits refuse", async () => {
      const target = await aTarget({ SVC_MAX_SITES: "1", SVC_RATE_LIMIT_PER_SITE: "0.01" });
      await record(target, wireEvent("one.test"));
      await expectError(await post(target, wireEvent("one.test")), 429);
      await expectError(await post(target, wireEvent("two.test")), 403);
      const { events, other_events: others } = await getInstallation(target, "one.test");
      expect(countsIn([...events, ...others])).toEqual({
        "one.test accepted": 1,
        "one.test rate_limited": 1,
        "two.test too_many_sites": 1,
      });
    });

    it("keeps no name that is not a site id, and no address, path or referrer", async () => {
      const target = await aTarget();
      await expectError(await post(target, wireEvent("not a site")), 400);
      await expectError(await post(target, wireEvent("x".repeat(300))), 400);
      await expectError(await postBody(target, "{", { origin: "null" }), 400);
      await expectError(await postBody(target, "{"), 400);
      await record(target, wireEvent("kept.test", { u: "https://kept.test/secret-page", r: "https://referrer.test/secret" }));
      const text = JSON.stringify(await getInstallation(target, "kept.test"));
      expect(text).not.toMatch(/secret|referrer|127\.0\.0\.1|not a site|xxx/);
      expect(countsIn((JSON.parse(text) as Installation).other_events)).toEqual({});
    });

    itNeeds(makeTarget, "restart", "after a restart counts begin again, and a site with stored events still has events", async () => {
      const target = await aTarget();
      await record(target, wireEvent("stored.test"));
      await able(target, "restart")();
      expect(await getInstallation(target, "stored.test")).toMatchObject({ has_events: true, events: [], other_events: [] });
    });

    it("requests no page of this machine, of a private network or of a host outside the site", async () => {
      const target = await aTarget(CLOSED);
      const session = await logIn(target);
      const check = (siteId: string, url: string) =>
        postJson(target, "/api/installation/page", { site_id: siteId, url, script_url: "https://stats.example.com/svc.js" }, session);
      await expectError(await check("example.com", "http://169.254.169.254/latest/meta-data/"), 400, '"url"');
      await expectError(await check("example.com", "http://example.com@127.0.0.1/"), 400, '"url"');
      await expectError(await check("example.com", "file:///etc/passwd"), 400, '"url"');
      await expectError(await check("app.localhost", "http://app.localhost/"), 400, '"site_id"');
      expect(await bodyOf(await check("127.0.0.1", "http://127.0.0.1/"))).toEqual({ problem: "not_public", status: null, findings: null });
    });

    it.each(["", "?site_id=", "?site_id=a%20b", "?site_id=a&site_id=b"])("/api/installation%s gives 400", async (query) => {
      await expectError(await (await aTarget()).fetch(`/api/installation${query}`), 400, '"site_id"');
    });
  });
}
