/** Annotations: texts about dates and hours of a site (docs/annotations.md). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bodyOf, CLOSED, createShare, logIn, postKey, withKey, withShare, type CreatedKey } from "../support/auth-requests.ts";
import { addItem, askCollection, listItems } from "../support/collections.ts";
import { expectError, putSettings, type RequestHeaders } from "../support/requests.ts";
import { siteNames, type MakeTarget, type Target } from "../support/target.ts";

const siteName = siteNames("annotations");

interface Annotation {
  readonly id: string;
  readonly date: string;
  readonly hour: number | null;
  readonly text: string;
  readonly scope: "everybody" | "oneself";
  readonly created_at: string;
}

const OWNER = { "x-owner": "a-browser-of-22-letters" };

export function describeAnnotations(makeTarget: MakeTarget): void {
  describe("annotations", () => {
    let target: Target;
    let session: RequestHeaders;
    beforeAll(async () => {
      target = await makeTarget({ ...CLOSED, SVC_TRUST_PROXY: "1" });
      session = await logIn(target);
    });
    afterAll(() => target.close());

    const add = (siteId: string, body: object, headers = session) => addItem<Annotation>(target, "annotations", siteId, headers, body);
    const list = (siteId: string, query = "", headers = session) => listItems<Annotation>(target, "annotations", siteId, headers, query);
    const textsOf = async (siteId: string, query = "", headers = session) => (await list(siteId, query, headers)).map(({ text }) => text);

    it("are listed by date and hour, for all or for some dates", async () => {
      const siteId = siteName();
      const evening = await add(siteId, { date: "2026-03-02", hour: 18, text: "evening" });
      await add(siteId, { date: "2026-03-02", hour: 7, text: "morning" });
      await add(siteId, { date: "2026-03-02", text: "day" });
      await add(siteId, { date: "2024-02-29", text: "long ago" });
      expect(evening).toEqual({
        id: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
        date: "2026-03-02",
        hour: 18,
        text: "evening",
        scope: "everybody",
        created_at: expect.any(String) as string,
      });
      expect(await textsOf(siteId)).toEqual(["long ago", "day", "morning", "evening"]);
      expect(await textsOf(siteId, "&period=all")).toEqual(["long ago", "day", "morning", "evening"]);
      expect(await textsOf(siteId, "&start_date=2026-03-02&end_date=2026-03-02")).toEqual(["day", "morning", "evening"]);
      expect(await textsOf(siteId, "&start_date=2024-02-29&end_date=2026-03-01")).toEqual(["long ago"]);
      await expectError(
        await askCollection(target, "annotations", siteId, session, { query: "&start_date=2026-03-02" }),
        400,
        '"end_date"',
      );
    });

    it("without a date get the current hour of the site, as a deployment posts them with a key for the site", async () => {
      const siteId = siteName();
      await bodyOf(await putSettings(target, siteId, { time_zone: "Asia/Kathmandu" }, session));
      const created = await bodyOf<CreatedKey>(await postKey(target, session, { name: "CI", scope: "Admin", sites: [siteId] }), 201);
      const localBefore = new Date(target.nowMs() + 20_700_000).toISOString();
      const { date, hour } = await add(siteId, { text: "Deployed 1.2" }, withKey(created.key));
      const localAfter = new Date(target.nowMs() + 20_700_000).toISOString();
      const shown = `${date}T${String(hour).padStart(2, "0")}`;
      expect([localBefore.slice(0, 13), localAfter.slice(0, 13)]).toContain(shown);
      expect(await textsOf(siteId, "&period=day")).toEqual(["Deployed 1.2"]);
    });

    it("stay in place when only the text is changed, and can be deleted", async () => {
      const siteId = siteName();
      const { id, ...made } = await add(siteId, { date: "2026-03-02", hour: 18, text: "a" });
      const put = (body: object) => askCollection(target, "annotations", siteId, session, { method: "PUT", id, body });
      expect(await bodyOf(await put({ text: "b" }))).toEqual({ id, ...made, text: "b" });
      expect(await bodyOf(await put({ text: "b", date: "2026-03-03" }))).toEqual({
        id,
        ...made,
        text: "b",
        date: "2026-03-03",
        hour: null,
      });
      expect(await bodyOf(await askCollection(target, "annotations", siteId, session, { method: "DELETE", id }))).toEqual({
        status: "deleted",
      });
      expect(await list(siteId)).toEqual([]);
    });

    it.each([
      [{}, 422, '"text" is missing'],
      [{ text: " " }, 400, '"text" must be 1 to 200 characters'],
      [{ text: "x".repeat(201) }, 400, '"text" must be 1 to 200 characters'],
      [{ text: "t", date: "2026-02-30" }, 400, '"date" must be a real calendar date'],
      [{ text: "t", hour: 7 }, 400, '"hour" needs the field "date"'],
      [{ text: "t", date: "2026-03-02", hour: 24 }, 400, '"hour" must be an integer from 0 to 23'],
      [{ text: "t", date: "2026-03-02", hour: "7" }, 422, '"hour" must be a number'],
      [{ text: "t", scope: "oneself" }, 400, "needs an API key, or the header X-Owner"],
      [{ text: "t", day: "2026-03-02" }, 400, 'Unknown field "day"'],
    ] as const)("%j gives %d with the field and the rule", async (body, status, says) => {
      await expectError(await askCollection(target, "annotations", "rules.test", session, { method: "POST", body }), status, says);
    });

    it("for oneself are visible to nobody else, and not with a share link", async () => {
      const siteId = siteName();
      await add(siteId, { date: "2026-03-02", text: "all" });
      const { id } = await add(siteId, { date: "2026-03-02", text: "own", scope: "oneself" }, { ...session, ...OWNER });
      expect(await textsOf(siteId, "", { ...session, ...OWNER })).toEqual(["all", "own"]);
      expect(await textsOf(siteId)).toEqual(["all"]);
      const put = { method: "PUT", id, body: { text: "theirs" } } as const;
      await expectError(await askCollection(target, "annotations", siteId, session, put), 404);
      const viewer = withShare((await createShare(target, session, { site_id: siteId })).token);
      await expectError(await askCollection(target, "annotations", siteId, viewer), 403, "may only read the statistics");
    });

    it("for oneself can be found and deleted by administrators", async () => {
      const siteId = siteName();
      const { id } = await add(siteId, { date: "2026-03-02", text: "own", scope: "oneself" }, { ...session, ...OWNER });
      expect(await textsOf(siteId, "&owners=all&start_date=2026-03-01&end_date=2026-03-03")).toEqual(["own"]);
      expect(await textsOf(siteId, "&owners=all&start_date=2026-03-03&end_date=2026-03-03")).toEqual([]);
      await bodyOf(await askCollection(target, "annotations", siteId, session, { method: "DELETE", id }));
      expect(await textsOf(siteId, "&owners=all")).toEqual([]);
    });
  });
}
