/** Goals of a site, and how many visitors met them (docs/goals.md). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GOALS_MAX } from "../../src/runtime/base/config/admin-limits.ts";
import { bodyOf, CLOSED, createKey, createShare, logIn, postKey, withKey, withShare, type CreatedKey } from "../support/auth-requests.ts";
import { addItem, askCollection, listItems } from "../support/collections.ts";
import { expectError, putSettings, record, wireEvent, type RequestHeaders } from "../support/requests.ts";
import { eventWithProps, visitor } from "../support/stats-requests.ts";
import { itNeeds, siteNames, type MakeTarget, type Target } from "../support/target.ts";

const siteName = siteNames("site-goals");

interface GoalBody {
  readonly name: string;
  readonly page?: string | null;
  readonly event?: string | null;
  readonly property?: { readonly key: string; readonly value: string } | null;
  readonly revenue?: boolean;
  readonly position?: number;
}

interface ListedGoal extends GoalBody {
  readonly id: string;
  readonly created_at: string;
}

interface Conversion {
  readonly id: string;
  readonly name: string;
  readonly visitors: number;
  readonly events: number;
  readonly conversion_rate: number;
  readonly revenue: readonly { readonly currency: string; readonly total: number; readonly transactions: number }[] | null;
}

const BEHIND_PROXY = { ...CLOSED, SVC_TRUST_PROXY: "1" };

const conversionsOf = async (target: Target, siteId: string, headers: RequestHeaders, query = ""): Promise<Conversion[]> =>
  bodyOf(await target.fetch(`/api/stats/conversions?site_id=${siteId}${query}`, { headers }));

/** Name, visitors and events of each goal. */
const countsIn = (found: readonly Conversion[]) => found.map(({ name, visitors, events }) => [name, visitors, events]);

export function describeSiteGoals(makeTarget: MakeTarget): void {
  describe("goals of a site", () => {
    let target: Target;
    let session: RequestHeaders;
    beforeAll(async () => {
      target = await makeTarget(BEHIND_PROXY);
      session = await logIn(target);
    });
    afterAll(() => target.close());

    const add = (siteId: string, body: GoalBody, headers = session): Promise<ListedGoal> => addItem(target, "goals", siteId, headers, body);
    const list = (siteId: string, headers = session) => listItems<ListedGoal>(target, "goals", siteId, headers);
    const namesOf = async (siteId: string) => (await list(siteId)).map(({ name }) => name);

    it("can be columns of a breakdown's rows, with conversions on any page of the visits with the value", async () => {
      const siteId = siteName();
      const from = (path: string, source: string) => ({ u: `https://a.test${path}?utm_source=${source}` });
      await record(target, wireEvent(siteId, from("/", "letter")), visitor(1));
      await record(target, wireEvent(siteId, { u: "https://a.test/docs/a" }), visitor(1));
      await record(target, wireEvent(siteId, from("/docs", "letter")), visitor(2));
      await record(target, wireEvent(siteId, from("/docs/b", "post")), visitor(3));
      const rows = async () =>
        bodyOf(
          await target.fetch(`/api/stats/breakdown/utm-sources?site_id=${siteId}&columns=conversions,conversion_rate&goal=Docs`, {
            headers: session,
          }),
        );
      const row = (value: string, visitors: number, events: number, conversions: number) => {
        return { value, visitors, pageviews: events, events, conversions, conversion_rate: conversions / visitors };
      };
      expect(await rows()).toEqual([row("letter", 2, 2, 0), row("(unknown)", 1, 1, 0), row("post", 1, 1, 0)]);
      await add(siteId, { name: "Docs", page: "/docs/*" });
      expect(await rows()).toEqual([row("letter", 2, 2, 1), row("(unknown)", 1, 1, 1), row("post", 1, 1, 1)]);
    });

    itNeeds(makeTarget, "readsFiles", "with more patterns than one request may have are refused, and nothing fails", async () => {
      const siteId = siteName();
      await record(target, wireEvent(siteId), visitor(1));
      for (let i = 0; i < 35; i++) await add(siteId, { name: `Page ${i}`, page: `/goal-${i}/*` });
      const steps = Array.from({ length: 32 }, (_, i) => `page:/step-${i}/*`).join(",");
      const ask = (filters: string) =>
        target.fetch(`/api/stats/funnel?site_id=${siteId}&steps=${steps}&filters=${filters}`, { headers: session });
      expect((await ask("goal==Page 1")).status).toBe(200);
      await expectError(await ask("goal!=(unknown)"), 400, "62", "patterns");
    });

    it("are listed with their fields, and count events that are older than the goal", async () => {
      const siteId = siteName();
      for (const number of [1, 2, 3, 4]) await record(target, wireEvent(siteId), visitor(number));
      for (const path of ["/docs/a", "/docs/b", "/docs"])
        await record(target, wireEvent(siteId, { u: `https://a.test${path}` }), visitor(1));
      await record(target, wireEvent(siteId, { u: "https://a.test/docs/a", n: "read" }), visitor(2));
      for (const ra of [10, 20.5]) await record(target, wireEvent(siteId, { n: "purchase", ra, rc: "EUR" }), visitor(2));
      await record(target, wireEvent(siteId, { n: "purchase", ra: 7, rc: "USD" }), visitor(3));
      await record(target, wireEvent(siteId, { n: "purchase" }), visitor(4));
      const docs = await add(siteId, { name: "Docs", page: "/docs/*" });
      const sale = await add(siteId, { name: "Sale", event: "purchase", revenue: true });
      const none = await add(siteId, { name: "Nothing", event: "never" });
      expect(docs).toEqual({
        id: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
        name: "Docs",
        page: "/docs/*",
        event: null,
        property: null,
        revenue: false,
        position: 1,
        created_at: expect.any(String) as string,
      });
      expect(await list(siteId)).toEqual([docs, sale, none]);
      expect(await conversionsOf(target, siteId, session)).toEqual([
        { id: docs.id, name: "Docs", visitors: 1, events: 2, conversion_rate: 0.25, revenue: null },
        {
          id: sale.id,
          name: "Sale",
          visitors: 3,
          events: 4,
          conversion_rate: 0.75,
          revenue: [
            { currency: "EUR", total: 30.5, transactions: 2 },
            { currency: "USD", total: 7, transactions: 1 },
          ],
        },
        { id: none.id, name: "Nothing", visitors: 0, events: 0, conversion_rate: 0, revenue: null },
      ]);
      expect(countsIn(await conversionsOf(target, siteId, session, "&filters=pages==/docs/a"))).toEqual([
        ["Docs", 1, 1],
        ["Sale", 0, 0],
        ["Nothing", 0, 0],
      ]);
    });

    it("match the exact value of a property, whatever its type", async () => {
      const siteId = siteName();
      await record(target, eventWithProps(siteId, { plan: "pro", seats: 3 }, { n: "signup", ra: 5, rc: "EUR" }), visitor(1));
      await record(target, eventWithProps(siteId, { plan: "Pro" }, { n: "signup", ra: 7, rc: "EUR" }), visitor(2));
      await record(target, eventWithProps(siteId, { plan: "pro" }, { n: "other" }), visitor(3));
      await record(target, wireEvent(siteId, { n: "signup" }), visitor(4));
      const goal = (name: string, key: string, value: string) => ({ name, event: "signup", property: { key, value }, revenue: true });
      await add(siteId, goal("pro", "plan", "pro"));
      await add(siteId, goal("three", "seats", "3"));
      await add(siteId, goal("none", "plan", "free"));
      const found = await conversionsOf(target, siteId, session);
      expect(countsIn(found)).toEqual([
        ["pro", 1, 1],
        ["three", 1, 1],
        ["none", 0, 0],
      ]);
      expect(found.map(({ revenue }) => revenue)).toEqual([
        [{ currency: "EUR", total: 5, transactions: 1 }],
        [{ currency: "EUR", total: 5, transactions: 1 }],
        [],
      ]);
    });

    it("are used by the filter goal, and a changed one counts at once", async () => {
      const siteId = siteName();
      await record(target, wireEvent(siteId, { u: "https://a.test/docs/a" }), visitor(1));
      for (const number of [2, 3]) await record(target, wireEvent(siteId, { n: "signup" }), visitor(number));
      const visitors = async () => {
        const query = `site_id=${siteId}&filters=goal==signup`;
        return (await bodyOf<{ unique_visitors: number }>(await target.fetch(`/api/stats/main?${query}`, { headers: session })))
          .unique_visitors;
      };
      expect(await visitors()).toBe(2);
      const { id } = await add(siteId, { name: "signup", page: "/docs/*" });
      expect(await visitors()).toBe(1);
      await bodyOf(await askCollection(target, "goals", siteId, session, { method: "DELETE", id }));
      expect(await visitors()).toBe(2);
    });

    it("change reports at once, whatever is cached", async () => {
      const siteId = siteName();
      await record(target, wireEvent(siteId, { n: "signup" }), visitor(1));
      const { id } = await add(siteId, { name: "Goal", event: "other" });
      expect(countsIn(await conversionsOf(target, siteId, session))).toEqual([["Goal", 0, 0]]);
      await bodyOf(await askCollection(target, "goals", siteId, session, { method: "PUT", id, body: { name: "Goal", event: "signup" } }));
      expect(countsIn(await conversionsOf(target, siteId, session))).toEqual([["Goal", 1, 1]]);
      expect(await bodyOf(await askCollection(target, "goals", siteId, session, { method: "DELETE", id }))).toEqual({ status: "deleted" });
      expect([await list(siteId), await conversionsOf(target, siteId, session)]).toEqual([[], []]);
      await expectError(await askCollection(target, "goals", siteId, session, { method: "DELETE", id }), 404, "No goal with this id");
    });

    it("are moved by their position, and keep their id", async () => {
      const siteId = siteName();
      for (const name of ["a", "b", "c"]) await add(siteId, { name, event: name });
      await add(siteId, { name: "d", event: "d", position: 2 });
      expect(await namesOf(siteId)).toEqual(["a", "d", "b", "c"]);
      const [first, second] = await list(siteId);
      const put = async (goal: ListedGoal | undefined, position: number) =>
        bodyOf(await askCollection(target, "goals", siteId, session, { method: "PUT", id: goal?.id ?? "", body: { ...goal, position } }));
      expect(await put(first, 50)).toEqual({ ...first, position: 4 });
      expect(await namesOf(siteId)).toEqual(["d", "b", "c", "a"]);
      await bodyOf(await askCollection(target, "goals", siteId, session, { method: "DELETE", id: second?.id ?? "" }));
      expect((await list(siteId)).map(({ name, position }) => [name, position])).toEqual([
        ["b", 1],
        ["c", 2],
        ["a", 3],
      ]);
    });

    it("two goals of a site cannot have the same name", async () => {
      const siteId = siteName();
      const { id } = await add(siteId, { name: "one", event: "a" });
      await add(siteId, { name: "two", event: "a" });
      const post = (name: string) => askCollection(target, "goals", siteId, session, { method: "POST", body: { name, page: "/" } });
      await expectError(await post(" one "), 400, 'There is another goal of the name "one"');
      const put = (name: string) => askCollection(target, "goals", siteId, session, { method: "PUT", id, body: { name, page: "/" } });
      await expectError(await put("two"), 400, "another goal");
      expect(await bodyOf(await put("one"))).toMatchObject({ id, page: "/", event: null });
    });

    it.each([
      [{ page: "/" }, 422, '"name" is missing'],
      [{ name: "n" }, 400, 'either a field "page" or a field "event"'],
      [{ name: "n", page: "docs" }, 400, '"page" must be a path'],
      [{ name: "n", event: "e", revenu: true }, 400, 'Unknown field "revenu"'],
      [{ name: "n", event: "e", position: 0 }, 400, `"position" must be an integer from 1 to ${GOALS_MAX}`],
      [{ name: "n", event: "e", position: "1" }, 422, '"position" must be a number'],
    ] as const)("%j gives %d with the field and the rule", async (body, status, says) => {
      await expectError(await askCollection(target, "goals", "rules.test", session, { method: "POST", body }), status, says);
    });

    it("are limited to 50, all counted in one report", async () => {
      const siteId = siteName();
      await record(target, wireEvent(siteId, { u: "https://a.test/7/7" }), visitor(1));
      for (let i = 0; i < GOALS_MAX; i++) await add(siteId, { name: `goal ${i}`, page: `*/${i}` });
      await expectError(
        await askCollection(target, "goals", siteId, session, { method: "POST", body: { name: "more", page: "/" } }),
        400,
        `There are already ${GOALS_MAX} goals of this site`,
      );
      const found = await conversionsOf(target, siteId, session);
      expect(found).toHaveLength(GOALS_MAX);
      expect(found.filter(({ visitors }) => visitors > 0).map(({ name }) => name)).toEqual(["goal 7"]);
    });

    it("are readable with every key of the site and changed with its Admin keys, and share links show only their numbers", async () => {
      const [siteId, otherId] = [siteName(), siteName()];
      const limited = async (scope: string) =>
        withKey((await bodyOf<CreatedKey>(await postKey(target, session, { name: "one site", scope, sites: [siteId] }), 201)).key);
      const [admin, reader] = [await limited("Admin"), await limited("ReadOnly")];
      const all = withKey((await createKey(target, session, "ReadOnly")).key);
      const goal = await add(siteId, { name: "Docs", page: "/secret/*" }, admin);
      for (const headers of [admin, reader, all]) expect(await list(siteId, headers)).toEqual([goal]);
      for (const headers of [reader, all])
        await expectError(await askCollection(target, "goals", siteId, headers, { method: "POST", body: goal }), 403, "ReadOnly");
      await expectError(await askCollection(target, "goals", otherId, reader), 403, otherId);
      for (const request of [
        { method: "POST", body: { name: "n", page: "/" } },
        { method: "DELETE", id: goal.id },
      ] as const)
        await expectError(await askCollection(target, "goals", otherId, admin, request), 403, otherId);
      const viewer = withShare((await createShare(target, session, { site_id: siteId, filters: "pages==/blog" })).token);
      await expectError(await askCollection(target, "goals", siteId, viewer), 403, "may only read the statistics");
      expect(countsIn(await conversionsOf(target, siteId, viewer))).toEqual([["Docs", 0, 0]]);
      await expectError(await askCollection(target, "goals", siteId, {}), 401);
    });

    it("a goal of another site is unknown", async () => {
      const [siteId, otherId] = [siteName(), siteName()];
      const { id } = await add(siteId, { name: "n", page: "/" });
      await expectError(await askCollection(target, "goals", otherId, session, { method: "DELETE", id }), 404);
      await expectError(await askCollection(target, "goals", otherId, session, { method: "PUT", id, body: { name: "n", page: "/" } }), 404);
      expect([await namesOf(siteId), await namesOf(otherId)]).toEqual([["n"], []]);
    });

    it("survive an erasure of events, and are deleted with the settings of the site", async () => {
      const siteId = siteName();
      await record(target, wireEvent(siteId), visitor(1));
      await bodyOf(await putSettings(target, siteId, { name: "A site" }, session));
      await add(siteId, { name: "n", page: "/" });
      const erase = `/api/gdpr/erase?site_id=${siteId}&start_date=2020-01-01&end_date=2020-12-30`;
      await bodyOf(await target.fetch(erase, { method: "DELETE", headers: session }));
      expect(await namesOf(siteId)).toEqual(["n"]);
      await bodyOf(await target.fetch(`/api/sites/${siteId}`, { method: "DELETE", headers: session }));
      expect(await namesOf(siteId)).toEqual([]);
    });
  });
}
