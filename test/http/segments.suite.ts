/** Segments: saved filters, funnels and sequences of a site, and the parameter that uses them (docs/segments.md). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bodyOf, CLOSED, createKey, createShare, logIn, withKey, withShare } from "../support/auth-requests.ts";
import { addItem, askCollection, listItems } from "../support/collections.ts";
import { expectError, putSettings, record, wireEvent, type RequestHeaders } from "../support/requests.ts";
import { visitor } from "../support/stats-requests.ts";
import { siteNames, type MakeTarget, type Target } from "../support/target.ts";

const siteName = siteNames("segments");

interface Segment {
  readonly id: string;
  readonly name: string;
  readonly scope: "everybody" | "oneself";
  readonly kind: "filters" | "funnel" | "sequence";
  readonly filters: string | null;
}

const BEHIND_PROXY = { ...CLOSED, SVC_TRUST_PROXY: "1" };

const OWNER = { "x-owner": "a-browser-of-22-letters" };
const OTHER = { "x-owner": "b-browser-of-22-letters" };

export function describeSegments(makeTarget: MakeTarget): void {
  describe("saved filters", () => {
    let target: Target;
    let session: RequestHeaders;
    beforeAll(async () => {
      target = await makeTarget(BEHIND_PROXY);
      session = await logIn(target);
    });
    afterAll(() => target.close());

    const add = (siteId: string, body: object, headers = session) => addItem<Segment>(target, "segments", siteId, headers, body);
    const namesOf = async (siteId: string, headers: RequestHeaders = session) =>
      (await listItems<Segment>(target, "segments", siteId, headers)).map(({ name }) => name);
    const ask = (siteId: string, query: string, headers = session, report = "main") =>
      target.fetch(`/api/stats/${report}?site_id=${siteId}${query}`, { headers });
    const visitorsOf = async (siteId: string, query: string, headers = session) =>
      (await bodyOf<{ unique_visitors: number }>(await ask(siteId, query, headers))).unique_visitors;

    it("are listed as they were written, and add their conditions to those of a request", async () => {
      const siteId = siteName();
      for (const [path, number] of [
        ["/a", 1],
        ["/a", 2],
        ["/b", 2],
        ["/c", 3],
      ] as const)
        await record(target, wireEvent(siteId, { u: `https://a.test${path}` }), visitor(number));
      const segment = await add(siteId, { name: "A or B", filters: "pages=in=(/b,/a)" });
      expect(segment).toEqual({
        id: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
        name: "A or B",
        scope: "everybody",
        kind: "filters",
        filters: "pages=in=(/b,/a)",
        steps: null,
        window: null,
        modes: null,
        pattern: null,
        conditions: null,
        created_at: expect.any(String) as string,
      });
      expect(await listItems(target, "segments", siteId, session)).toEqual([segment]);
      const { id } = segment;
      expect(await visitorsOf(siteId, `&segment=${id}`)).toBe(2);
      expect(await visitorsOf(siteId, `&segment=${id}&filters=pages==/b`)).toBe(1);
      expect(await visitorsOf(siteId, `&segment=${id}&filters=pages==/c`)).toBe(0);
      for (const [report, query] of [
        ["realtime", ""],
        ["breakdown/pages", ""],
        ["export", "&kind=raw"],
      ] as const) {
        const text = await (await ask(siteId, `${query}&segment=${id}`, session, report)).text();
        expect(text, report).toMatch(/"?\/b/);
        expect(text, report).not.toMatch(/\/c/);
      }
    });

    it("apply in their current form, whatever is cached", async () => {
      const siteId = siteName();
      await record(target, wireEvent(siteId, { u: "https://a.test/a" }), visitor(1));
      const { id } = await add(siteId, { name: "A", filters: "pages==/a" });
      expect(await visitorsOf(siteId, `&segment=${id}`)).toBe(1);
      const put = { method: "PUT", id, body: { name: "B", filters: "pages==/b" } } as const;
      expect(await bodyOf(await askCollection(target, "segments", siteId, session, put))).toMatchObject({ id, name: "B" });
      expect(await visitorsOf(siteId, `&segment=${id}`)).toBe(0);
      expect(await bodyOf(await askCollection(target, "segments", siteId, session, { method: "DELETE", id }))).toEqual({
        status: "deleted",
      });
      await expectError(await ask(siteId, `&segment=${id}`), 400, `no saved filter has the id "${id}"`);
    });

    it("that belong to another site, are of another kind or unknown are refused in reports, and never narrow a deletion", async () => {
      const [siteId, otherId] = [siteName(), siteName()];
      const { id } = await add(otherId, { name: "A", filters: "pages==/a" });
      const funnel = await add(siteId, { name: "Joins", kind: "funnel", steps: "page:/,event:signup" });
      for (const unknown of [id, funnel.id, "0".repeat(32)]) await expectError(await ask(siteId, `&segment=${unknown}`), 400, unknown);
      await expectError(await ask(siteId, "&segment=A"), 400, '"segment" must be the id of a segment');
      expect(await visitorsOf(siteId, "&segment=")).toBe(await visitorsOf(siteId, ""));
      for (const [name, value] of [
        ["segment", id],
        ["segment", ""],
        ["lens", "strict"],
      ]) {
        const erase = `/api/gdpr/erase?site_id=${siteId}&start_date=2026-01-01&end_date=2026-01-02&${name}=${value}`;
        await expectError(await target.fetch(erase, { method: "DELETE", headers: session }), 400, `"${name}" does not narrow`);
      }
    });

    it("store funnels and sequences by the parameters of their reports", async () => {
      const siteId = siteName();
      const funnel = { name: "Joins", kind: "funnel", steps: "page:/,event:signup", window: "2 days", modes: "strict_order" };
      const sequence = { name: "Twice", kind: "sequence", conditions: "page:/", pattern: "(?1)(?1)" };
      expect(await add(siteId, funnel)).toMatchObject({ ...funnel, filters: null, pattern: null });
      expect(await add(siteId, sequence)).toMatchObject({ ...sequence, filters: null, window: null });
    });

    it.each([
      [{ filters: "pages==/" }, 422, '"name" is missing'],
      [{ name: "n" }, 400, '"filters" must have at least one condition'],
      [{ name: "n", filters: "" }, 400, '"filters" must have at least one condition'],
      [{ name: "n", filters: "nothing==1" }, 400, 'there is no dimension "nothing"'],
      [{ name: "n", filters: 1 }, 422, '"filters" must be a string'],
      [{ name: "n", filters: "pages==/", steps: "page:/" }, 400, 'Field "steps": a segment of the kind "filters" has only filters'],
      [{ name: "n", kind: "other" }, 400, '"kind" must be one of filters, funnel, sequence'],
      [{ name: "n", kind: "funnel", steps: "page:/" }, 400, '"steps" must list 2 to 32'],
      [{ name: "n", kind: "funnel", steps: "page:/,page:/a", window: "never" }, 400, '"window"'],
      [{ name: "n", kind: "sequence", pattern: "(?1)" }, 400, '"conditions"'],
      [{ name: "n", filters: "pages==/", scope: "mine" }, 400, '"scope" must be one of everybody, oneself'],
      [{ name: "n", filters: "pages==/", scope: "oneself" }, 400, "needs an API key, or the header X-Owner"],
      [{ name: "n", filters: "pages==/", colour: "red" }, 400, 'Unknown field "colour"'],
    ] as const)("%j gives %d with the field and the rule", async (body, status, says) => {
      await expectError(await askCollection(target, "segments", "rules.test", session, { method: "POST", body }), status, says);
    });

    it("for oneself are visible to and changed by whoever knows the same secret, even after another login, and used by whoever has the id", async () => {
      const siteId = siteName();
      await add(siteId, { name: "all", filters: "pages==/a" });
      const { id, scope } = await add(siteId, { name: "own", filters: "pages==/a", scope: "oneself" }, { ...session, ...OWNER });
      expect(scope).toBe("oneself");
      const again = await logIn(target);
      expect(await namesOf(siteId, { ...again, ...OWNER })).toEqual(["all", "own"]);
      for (const headers of [session, { ...session, ...OTHER }]) {
        expect(await namesOf(siteId, headers)).toEqual(["all"]);
        const put = { method: "PUT", id, body: { name: "theirs", filters: "pages==/b" } } as const;
        await expectError(await askCollection(target, "segments", siteId, headers, put), 404, "No segment with this id");
      }
      expect(await visitorsOf(siteId, `&segment=${id}`)).toBe(0);
      const short = { ...session, "x-owner": "short" };
      await expectError(await askCollection(target, "segments", siteId, short), 400, 'Header "X-Owner"');
    });

    it("created with an API key belong to that key", async () => {
      const siteId = siteName();
      const [one, two] = [await createKey(target, session, "Admin"), await createKey(target, session, "Admin")];
      await add(siteId, { name: "own", filters: "pages==/a", scope: "oneself" }, withKey(one.key));
      expect(await namesOf(siteId, withKey(one.key))).toEqual(["own"]);
      expect(await namesOf(siteId, withKey(two.key))).toEqual([]);
      expect(await namesOf(siteId)).toEqual([]);
    });

    it("for oneself can be found and deleted by administrators after their key was revoked", async () => {
      const siteId = siteName();
      const { key, key_hash: hash } = await createKey(target, session, "Admin");
      const { id } = await add(siteId, { name: "own", filters: "pages==/a", scope: "oneself" }, withKey(key));
      await bodyOf(await target.fetch(`/api/keys/${hash}`, { method: "DELETE", headers: session }));
      expect(await listItems<Segment>(target, "segments", siteId, session, "&owners=caller")).toEqual([]);
      expect(await listItems<Segment>(target, "segments", siteId, session, "&owners=all")).toMatchObject([{ id, scope: "oneself" }]);
      const reader = withKey((await createKey(target, session, "ReadOnly")).key);
      await expectError(await askCollection(target, "segments", siteId, reader, { query: "&owners=all" }), 403, "may not change the site");
      await bodyOf(await askCollection(target, "segments", siteId, session, { method: "DELETE", id }));
      expect(await listItems<Segment>(target, "segments", siteId, session, "&owners=all")).toEqual([]);
    });

    it("are neither listed nor usable with a share link", async () => {
      const siteId = siteName();
      const { id } = await add(siteId, { name: "A", filters: "pages==/a" });
      const viewer = withShare((await createShare(target, session, { site_id: siteId })).token);
      await expectError(await askCollection(target, "segments", siteId, viewer), 403, "may only read the statistics");
      await expectError(await ask(siteId, `&segment=${id}`, viewer), 403, "Share links cannot use saved filters");
    });

    it("are deleted with the settings of the site", async () => {
      const siteId = siteName();
      await bodyOf(await putSettings(target, siteId, {}, session));
      await add(siteId, { name: "A", filters: "pages==/a" });
      await bodyOf(await target.fetch(`/api/sites/${siteId}`, { method: "DELETE", headers: session }));
      expect(await namesOf(siteId)).toEqual([]);
    });
  });
}
