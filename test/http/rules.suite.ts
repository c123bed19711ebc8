/** Rules of a site: what is stored, by which rules, and for whom (docs/http-api.md, "Rules of a site"). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bodyOf, CLOSED, createKey, createShare, logIn, withKey, withShare } from "../support/auth-requests.ts";
import { addItem, askCollection, listItems } from "../support/collections.ts";
import { expectError, type RequestHeaders } from "../support/requests.ts";
import { siteNames, type MakeTarget, type Target } from "../support/target.ts";

const siteName = siteNames("rules");

/** The bound of docs/http-api.md. */
const RULES = 20;

interface Rule {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  readonly changed_at: string;
}

const ANY_TEXT = expect.any(String) as string;

export function describeRules(makeTarget: MakeTarget): void {
  describe("rules of a site", () => {
    let target: Target;
    let session: RequestHeaders;
    beforeAll(async () => {
      target = await makeTarget({ ...CLOSED, SVC_TRUST_PROXY: "1" });
      session = await logIn(target);
    });
    afterAll(() => target.close());

    const add = (siteId: string, body: object) => addItem<Rule>(target, "rules", siteId, session, body);

    it("are listed in order as they were written, are replaced as a whole, and are deleted by their ids", async () => {
      const siteId = siteName();
      const first = await add(siteId, { name: " A wave ", filters: "countries==SG;browsers==Chrome" });
      expect(first).toEqual({
        id: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
        name: "A wave",
        filters: "countries==SG;browsers==Chrome",
        first_date: null,
        last_date: null,
        spares_people: true,
        is_applied: true,
        created_at: ANY_TEXT,
        changed_at: ANY_TEXT,
      });
      const dates = { first_date: "2026-03-01", last_date: "2026-03-01" };
      const all = { name: "One day", filters: "evidence==headless", ...dates, spares_people: false, is_applied: false };
      const second = await add(siteId, all);
      expect(second).toMatchObject(all);
      expect(await listItems(target, "rules", siteId, session)).toEqual([first, second]);

      const changed = await bodyOf<Rule>(
        await askCollection(target, "rules", siteId, session, { method: "PUT", id: second.id, body: { ...second, is_applied: true } }),
      );
      expect(changed).toEqual({ ...second, is_applied: true, changed_at: ANY_TEXT });
      expect(changed.changed_at > second.changed_at).toBe(true);
      const put = { method: "PUT", id: second.id, body: { name: "Plain", filters: "pages==/" } } as const;
      expect(await bodyOf(await askCollection(target, "rules", siteId, session, put))).toMatchObject({
        ...{ name: "Plain", first_date: null, last_date: null, spares_people: true, is_applied: true },
        created_at: second.created_at,
      });

      const remove = { method: "DELETE", id: first.id } as const;
      expect(await bodyOf(await askCollection(target, "rules", siteId, session, remove))).toEqual({ status: "deleted" });
      await expectError(await askCollection(target, "rules", siteId, session, remove), 404, "No rule with this id");
      await expectError(await askCollection(target, "rules", siteName(), session, put), 404, "No rule with this id");
      expect(await listItems(target, "rules", siteId, session)).toMatchObject([{ id: second.id }]);
    });

    it.each([
      [{ filters: "pages==/" }, 422, '"name" is missing'],
      [{ name: "n" }, 422, '"filters" is missing'],
      [{ name: " ", filters: "pages==/" }, 400, '"name" must be 1 to 100 characters'],
      [{ name: "n", filters: "" }, 400, '"filters" must have at least one condition'],
      [{ name: "n", filters: "nothing==1" }, 400, 'there is no dimension "nothing"'],
      [{ name: "n", filters: "lens==strict" }, 400, 'there is no dimension "lens"'],
      [{ name: "n", filters: "pages=matches=^/a" }, 400, "a rule cannot have regular expressions"],
      [{ name: "n", filters: "goal==Signup" }, 400, "a rule cannot have conditions on goals"],
      [{ name: "n", filters: "props:plan==pro" }, 400, "a rule cannot have conditions on properties"],
      [{ name: "n", filters: `pages==${"a".repeat(8192)}` }, 400, '"filters" must be at most 8192 characters'],
      [{ name: "n", filters: ["pages==/"] }, 422, '"filters" must be a string'],
      [{ name: "n", filters: "pages==/", first_date: "2026-02-30" }, 400, '"first_date" must be a real calendar date'],
      [{ name: "n", filters: "pages==/", first_date: "0000-01-01" }, 400, '"first_date" must be a real calendar date'],
      [{ name: "n", filters: "pages==/", first_date: "10000-01-01" }, 400, '"first_date" must be a real calendar date'],
      [{ name: "n", filters: "pages==/", last_date: "2026-3-1" }, 400, '"last_date" must be a real calendar date'],
      [{ name: "n", filters: "pages==/", last_date: "" }, 400, '"last_date" must be a real calendar date'],
      [{ name: "n", filters: "pages==/", last_date: 20260301 }, 422, '"last_date" must be a string'],
      [
        { name: "n", filters: "pages==/", first_date: "2026-03-02", last_date: "2026-03-01" },
        400,
        '"first_date" must not be after "last_date"',
      ],
      [{ name: "n", filters: "pages==/", spares_people: "yes" }, 422, '"spares_people" must be true or false'],
      [{ name: "n", filters: "pages==/", is_applied: 1 }, 422, '"is_applied" must be true or false'],
      [{ name: "n", filters: "pages==/", scope: "oneself" }, 400, 'Unknown field "scope"'],
    ] as const)("%j gives %d with the field and the rule", async (body, status, says) => {
      const siteId = "refused-rules.test";
      await expectError(await askCollection(target, "rules", siteId, session, { method: "POST", body }), status, says);
      expect(await listItems(target, "rules", siteId, session)).toEqual([]);
    });

    it(`are ${RULES} at most, and a full list can still be changed`, async () => {
      const siteId = siteName();
      const body = { name: "n", filters: "pages==/" };
      const [one] = await Promise.all(Array.from({ length: RULES }, () => add(siteId, body)));
      await expectError(await askCollection(target, "rules", siteId, session, { method: "POST", body }), 400, `already ${RULES} rules`);
      const put = { method: "PUT", id: one?.id ?? "", body: { ...body, is_applied: false } } as const;
      expect(await bodyOf(await askCollection(target, "rules", siteId, session, put))).toMatchObject({ is_applied: false });
    });

    it("are read by keys that may read the site, changed by its administrators only, and hidden from guests", async () => {
      const siteId = siteName();
      const rule = await add(siteId, { name: "A wave", filters: "countries==SG" });
      const reader = withKey((await createKey(target, session, "ReadOnly")).key);
      expect(await listItems(target, "rules", siteId, reader)).toEqual([rule]);
      const put = { method: "PUT", id: rule.id, body: rule } as const;
      await expectError(await askCollection(target, "rules", siteId, reader, put), 403);
      const guest = withShare((await createShare(target, session, { site_id: siteId })).token);
      for (const request of [{}, put]) await expectError(await askCollection(target, "rules", siteId, guest, request), 403);
      await expectError(await askCollection(target, "rules", siteId, {}), 401);
    });
  });
}
