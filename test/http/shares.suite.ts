/** Share links, what their viewers see, and keys for some sites (docs/http-api.md, "Share links" and "Guests"). */
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  bodyOf,
  CLOSED,
  createShare,
  deleteShare,
  logIn,
  ofItsOwn,
  postKey,
  postLogin,
  postShare,
  unlock,
  withKey,
  withShare,
  type CreatedKey,
} from "../support/auth-requests.ts";
import { expectError, putSettings, record, wireEvent, type RequestHeaders } from "../support/requests.ts";
import { visitor } from "../support/stats-requests.ts";
import { able, itNeeds, siteNames, type MakeTarget, type Target } from "../support/target.ts";

const siteName = siteNames("shares");

const BEHIND_PROXY = { ...CLOSED, SVC_TRUST_PROXY: "1" };
const PASSWORD_OF_LINK = "open, sesame";
const FRAME = "https://www.example.com";

const DAY_MS = 86_400_000;

/** How far the clock of Kathmandu is ahead of UTC, all year. */
const KATHMANDU_AHEAD_MS = 20_700_000;

const get = (target: Target, path: string, headers: RequestHeaders): Promise<Response> => target.fetch(path, { headers });

const stats = (target: Target, report: string, siteId: string, headers: RequestHeaders, query = ""): Promise<Response> =>
  get(target, `/api/stats/${report}?site_id=${siteId}${query}`, headers);

async function statusOf(response: Promise<Response>): Promise<number> {
  const { status, ...rest } = await response.then(async (answer) => ({ status: answer.status, text: await answer.text() }));
  expect(rest.text).toBeTypeOf("string");
  return status;
}

const valuesOf = async (response: Promise<Response>): Promise<string[]> =>
  (await bodyOf<{ value: string }[]>(await response)).map(({ value }) => value);

/** One visitor enters and leaves on pages that are not shared; another only sees those. */
async function visitBoth(target: Target, siteId: string): Promise<void> {
  for (const path of ["/secret-entry", "/blog/a", "/secret-middle", "/blog/b", "/secret-exit"])
    await record(target, wireEvent(siteId, { u: `https://${path.startsWith("/blog") ? "blog" : "shop"}.test${path}` }), visitor(1));
  await record(
    target,
    wireEvent(siteId, { u: "https://shop.test/secret", n: "secret-event", ra: 7777, p: '{"secret":"secret"}' }),
    visitor(2),
  );
}

const BLOG = "hostnames==blog.test";

/** Behavior that depends on where sites and credentials are held. */
export function describeShares(makeTarget: MakeTarget): void {
  describe("share links", () => {
    let target: Target;
    let session: RequestHeaders;
    beforeAll(async () => {
      target = await makeTarget(BEHIND_PROXY);
      session = await logIn(target);
    });
    afterAll(() => target.close());

    it("are returned once, listed by their hash, and show their site until they are revoked", async () => {
      const siteId = siteName();
      await record(target, wireEvent(siteId), visitor(1));
      const created = await createShare(target, session, { site_id: siteId, name: "for the agency ☂", frame_ancestors: [FRAME] });
      const { token, ...kept } = created;
      expect(token).toMatch(/^~[A-Za-z0-9_-]{43}$/);
      expect(kept).toEqual({
        share_hash: createHash("sha256").update(token).digest("hex"),
        site_id: siteId,
        name: "for the agency ☂",
        has_password: false,
        filters: "",
        period: null,
        start_date: null,
        end_date: null,
        realtime: true,
        raw_export: true,
        expires_at: null,
        frame_ancestors: [FRAME],
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown,
        last_used_at: null,
        revoked: false,
      });
      expect(await bodyOf(await get(target, `/api/shares?site_id=${siteId}`, session))).toEqual([kept]);
      const viewer = withShare(token);
      expect(await bodyOf(await get(target, "/api/share", viewer))).toEqual({
        locked: false,
        site_id: siteId,
        site_name: siteId,
        name: "for the agency ☂",
        filters: "",
        period: null,
        start_date: null,
        end_date: null,
        realtime: true,
        raw_export: true,
        expires_at: null,
        time_zone: "UTC",
        today: new Date(target.nowMs()).toISOString().slice(0, 10),
        week_start: "monday",
        hidden_cards: [],
      });
      expect(await bodyOf(await stats(target, "main", siteId, viewer))).toMatchObject({ unique_visitors: 1 });
      expect(await bodyOf(await get(target, "/api/sites", viewer))).toEqual({ sites: [siteId] });
      expect(await bodyOf(await deleteShare(target, session, created.share_hash))).toEqual({ status: "revoked" });
      await expectError(await stats(target, "main", siteId, viewer), 401, "unknown, revoked or expired");
      await expectError(await get(target, "/api/share", viewer), 404, "unknown, revoked or expired");
      expect(await bodyOf(await get(target, `/api/shares?site_id=${siteId}`, session))).toMatchObject([{ revoked: true }]);
    });

    it("with a password show nothing without it, and end the tokens of their guests", async () => {
      const siteId = siteName();
      await record(target, wireEvent(siteId), visitor(1));
      const { token, share_hash: hash } = await createShare(target, session, { site_id: siteId, password: PASSWORD_OF_LINK });
      expect(await bodyOf(await get(target, "/api/share", withShare(token)))).toEqual({ locked: true });
      await expectError(await stats(target, "main", siteId, withShare(token)), 401, "needs its password");
      await expectError(await unlock(target, token, "a wrong password", visitor(3)), 401, "Invalid password");
      const viewer = withShare((await bodyOf<{ token: string }>(await unlock(target, token, PASSWORD_OF_LINK, visitor(3)))).token);
      expect(await bodyOf(await get(target, "/api/share", viewer))).toMatchObject({ locked: false, site_id: siteId });
      expect(await bodyOf(await stats(target, "main", siteId, viewer))).toMatchObject({ unique_visitors: 1 });
      await deleteShare(target, session, hash);
      expect(await statusOf(stats(target, "main", siteId, viewer))).toBe(401);
      expect(await statusOf(get(target, "/api/share", viewer))).toBe(404);
      expect(await statusOf(unlock(target, token, PASSWORD_OF_LINK, visitor(3)))).toBe(404);
    });

    it("with a filter show no value of other events, in any session metric, and no other site", async () => {
      const [siteId, otherId] = [siteName(), siteName()];
      await visitBoth(target, siteId);
      await record(target, wireEvent(otherId), visitor(1));
      const viewer = withShare((await createShare(target, session, { site_id: siteId, filters: BLOG })).token);
      for (const headers of [session, viewer]) {
        const shown = headers === viewer ? { pages: 2, visitors: 1 } : { pages: 5, visitors: 2 };
        expect(await bodyOf(await stats(target, "main", siteId, headers))).toMatchObject({
          unique_visitors: shown.visitors,
          total_pageviews: shown.pages,
          total_sessions: shown.visitors,
        });
      }
      expect(await valuesOf(stats(target, "breakdown/entry-pages", siteId, viewer))).toEqual(["/blog/a"]);
      expect(await valuesOf(stats(target, "breakdown/exit-pages", siteId, viewer))).toEqual(["/blog/b"]);
      expect(await bodyOf(await stats(target, "flow", siteId, viewer, "&page=/blog/a"))).toMatchObject([{ next_page: "/blog/b" }]);
      expect(await bodyOf(await stats(target, "sessions", siteId, viewer))).toMatchObject({ total_sessions: 1, avg_pages_per_session: 2 });
      const others = ["breakdown/pages", "breakdown/hostnames", "goals", "properties", "revenue", "realtime", "export"];
      for (const report of [...others, "breakdown/pages", "session-timeseries", "retention"]) {
        for (const query of ["", "&kind=raw", "&filters=hostnames!=blog.test"])
          expect(await (await stats(target, report, siteId, viewer, query)).text()).not.toMatch(/secret|shop|7777/);
      }
      expect(await (await stats(target, "export", siteId, viewer, "&kind=raw")).text()).toContain("/blog/b");
      await expectError(await stats(target, "main", otherId, viewer), 403, `statistics of "${otherId}"`);
      await expectError(await stats(target, "main", "never-seen.test", viewer), 403, 'statistics of "never-seen.test"');
    });

    it("with dates show no other dates, and a session of the administrator does not help", async () => {
      const siteId = siteName();
      await record(target, wireEvent(siteId), visitor(1));
      const dates = { start_date: "2020-01-01", end_date: "2020-01-31" };
      const { token } = await createShare(target, session, { site_id: siteId, ...dates });
      const viewer = { ...session, ...withShare(token) };
      expect(await bodyOf(await get(target, "/api/share", viewer))).toMatchObject(dates);
      expect(await bodyOf(await stats(target, "timeseries", siteId, viewer))).toHaveLength(31);
      expect(await bodyOf(await stats(target, "timeseries", siteId, viewer, "&start_date=2020-01-29&end_date=2020-01-31"))).toHaveLength(3);
      const says = "only dates from 2020-01-01 to 2020-01-31";
      await expectError(await stats(target, "main", siteId, viewer, "&period=day"), 403, says);
      await expectError(await stats(target, "main", siteId, viewer, "&start_date=2019-12-31&end_date=2020-01-02"), 403, says);
      await expectError(await stats(target, "main", siteId, viewer, "&compare=previous_period"), 403, says);
      await expectError(await stats(target, "realtime", siteId, viewer), 403, says);
    });

    it("serve the same page as unknown ones, which only their origins may embed, and whose address no other site learns", async () => {
      const { token } = await createShare(target, session, { site_id: siteName(), frame_ancestors: [FRAME] });
      const [page, unknown] = [await get(target, `/share/${token}?embed=1`, {}), await get(target, `/share/~${"0".repeat(43)}`, {})];
      expect([page.status, unknown.status]).toEqual([200, 200]);
      expect(await page.text()).toBe(await unknown.text());
      expect(page.headers.get("content-security-policy")).toContain(`frame-ancestors ${FRAME}`);
      expect(page.headers.get("x-frame-options")).toBeNull();
      expect(unknown.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
      expect(unknown.headers.get("x-frame-options")).toBe("DENY");
      for (const { headers } of [page, unknown]) {
        expect(headers.get("referrer-policy")).toBe("no-referrer");
        expect(headers.get("x-robots-tag")).toBe("noindex");
        expect(headers.get("cache-control")).toBe("no-store");
      }
    });

    it("of its sites are managed by a limited Admin key, which reads and changes nothing else", async () => {
      const [siteId, otherId] = [siteName(), siteName()];
      for (const id of [siteId, otherId]) await record(target, wireEvent(id), visitor(1));
      const created = await bodyOf<CreatedKey>(await postKey(target, session, { name: "one site", scope: "Admin", sites: [siteId] }), 201);
      expect(created).toMatchObject({ sites: [siteId] });
      const key = withKey(created.key);
      const { share_hash: hash } = await createShare(target, key, { site_id: siteId });
      const other = await createShare(target, session, { site_id: otherId });
      expect(await bodyOf(await get(target, "/api/shares", key))).toMatchObject([{ share_hash: hash }]);
      expect(await bodyOf(await get(target, "/api/sites", key))).toEqual({ sites: [siteId] });
      expect(await bodyOf(await stats(target, "main", siteId, key))).toMatchObject({ unique_visitors: 1 });
      await expectError(await stats(target, "main", otherId, key), 403, otherId);
      await expectError(await postShare(target, key, { site_id: otherId, name: "a link" }), 403, otherId);
      await expectError(await deleteShare(target, key, other.share_hash), 404);
      await expectError(await get(target, `/api/shares?site_id=${otherId}`, key), 403, otherId);
      await expectError(await get(target, "/api/keys", key), 403, "limited to some sites");
      const erase = (id: string) => `/api/gdpr/erase?site_id=${id}&start_date=2020-01-01&end_date=2020-01-02`;
      await expectError(await target.fetch(erase(otherId), { method: "DELETE", headers: key }), 403, otherId);
      expect(await statusOf(target.fetch(erase(siteId), { method: "DELETE", headers: key }))).toBe(200);
      expect(await bodyOf(await deleteShare(target, key, hash))).toEqual({ status: "revoked" });
    });

    it("a limited Admin key reaches its site however a path encodes its name", async () => {
      const siteId = `${siteName()}:8080`;
      const { key } = await bodyOf<CreatedKey>(await postKey(target, session, { name: "a port", scope: "Admin", sites: [siteId] }), 201);
      for (const path of [siteId, encodeURIComponent(siteId), siteId.replace("t", "%74")])
        expect(await bodyOf(await get(target, `/api/sites/${path}`, withKey(key)))).toMatchObject({ site_id: siteId });
      await expectError(await get(target, `/api/sites/${siteId}%00`, withKey(key)), 403);
      await expectError(await get(target, `/api/sites/${siteId}%`, withKey(key)), 403);
    });

    it("are not needed for a public site until it is no longer public: then its next request is refused, whatever was cached", async () => {
      const own = await makeTarget(ofItsOwn({ ...BEHIND_PROXY, SVC_CACHE_TTL_SECS: "3600" }));
      const admin = await logIn(own);
      const siteId = siteName();
      await record(own, wireEvent(siteId), visitor(1));
      const viewer = withShare(siteId);
      const paths = ["stats/main", "stats/breakdown/pages", "stats/realtime", "stats/export", "sites", "share"];
      const statuses = async () => {
        const found: number[] = [];
        for (const path of paths) found.push(await statusOf(get(own, `/api/${path}?site_id=${siteId}`, viewer)));
        return found;
      };
      const publish = async (isPublic: boolean) => bodyOf(await putSettings(own, siteId, { public: isPublic }, admin));
      const [shown, refused] = [
        [200, 200, 200, 200, 200, 200],
        [401, 401, 401, 401, 401, 404],
      ];
      expect(await statuses()).toEqual(refused);
      for (let i = 0; i < 2; i++) {
        await publish(true);
        expect(await statuses()).toEqual(shown);
        await publish(false);
        expect(await statuses()).toEqual(refused);
      }
      await publish(true);
      expect(await statuses()).toEqual(shown);
      await bodyOf(await own.fetch(`/api/sites/${siteId}`, { method: "DELETE", headers: admin }));
      expect(await statuses()).toEqual(refused);
      await own.close();
    });
  });
}

/** Rules that are the same on every host. */
export function describeShareRules(makeTarget: MakeTarget): void {
  describe("rules of share links", () => {
    let target: Target;
    let session: RequestHeaders;
    beforeAll(async () => {
      target = await makeTarget(BEHIND_PROXY);
      session = await logIn(target);
    });
    afterAll(() => target.close());

    const FIELDS = { site_id: "rules.test", name: "a link" };

    it.each([
      [{ site_id: "no site" }, 400, '"site_id"'],
      [{ name: "" }, 400, 'Field "name" must be 1 to 128 characters'],
      [{ name: "x".repeat(129) }, 400, '"name"'],
      [{ password: "short" }, 400, 'Field "password" must be at least 8 characters'],
      [{ password: "x".repeat(1025) }, 400, '"password"'],
      [{ filters: "nothing==1" }, 400, '"filters"'],
      [{ filters: Array.from({ length: 13 }, (_, i) => `pages==/${i}`).join(";") }, 400, "at most 12"],
      [{ period: "week" }, 400, 'Field "period" must be one of day, today, 7d'],
      [{ period: "7d", start_date: "2026-01-01", end_date: "2026-01-02" }, 400, '"period" cannot be combined'],
      [{ start_date: "2026-01-01" }, 400, '"end_date" is required'],
      [{ start_date: "2026-02-30", end_date: "2026-03-01" }, 400, '"start_date"'],
      [{ start_date: "2026-01-02", end_date: "2026-01-01" }, 400, '"end_date" must not be before'],
      [{ expires_at: "tomorrow" }, 400, '"expires_at" must be a time in ISO 8601'],
      [{ expires_at: "2030-01-01" }, 400, '"expires_at"'],
      [{ expires_at: "2030-02-30T00:00:00Z" }, 400, '"expires_at" must be a time in ISO 8601'],
      [{ expires_at: "2001-01-01T00:00:00Z" }, 400, '"expires_at" must be in the future'],
      [{ frame_ancestors: ["www.example.com"] }, 400, '"frame_ancestors"'],
      [{ frame_ancestors: ["https://www.example.com/path"] }, 400, '"frame_ancestors"'],
      [{ frame_ancestors: ["https://a.test; script-src *"] }, 400, '"frame_ancestors"'],
      [{ frame_ancestors: ["https://a;b.test"] }, 400, '"frame_ancestors"'],
      [{ frame_ancestors: Array.from({ length: 21 }, (_, i) => `https://a${i}.test`) }, 400, "at most 20"],
      [{ site_id: undefined }, 422, '"site_id" is missing'],
      [{ name: 1 }, 422, '"name" must be a string'],
      [{ realtime: "yes" }, 422, '"realtime" must be true or false'],
      [{ raw_export: "no" }, 422, '"raw_export" must be true or false'],
      [{ frame_ancestors: "https://a.test" }, 422, '"frame_ancestors" must be an array of strings'],
    ] as const)("%j give %d with the field and the rule", async (fields, status, says) => {
      await expectError(await postShare(target, session, { ...FIELDS, ...fields }), status, says);
    });

    it("are listed in canonical form: conditions in one order, one name of the current date, a time in UTC, an origin once", async () => {
      const fields = { filters: "pages==/b;pages==/a;pages==/b", expires_at: "2099-01-01T02:00+02:00", frame_ancestors: [FRAME, FRAME] };
      expect(await createShare(target, session, { ...FIELDS, ...fields, period: "today" })).toMatchObject({
        filters: "pages==/a;pages==/b",
        period: "day",
        expires_at: "2099-01-01T00:00:00.000Z",
        frame_ancestors: [FRAME],
      });
    });

    it.each([
      [[], 400, 'Field "sites" must list 1 to 100 site ids'],
      [Array.from({ length: 101 }, (_, i) => `site-${i}.test`), 400, "1 to 100"],
      [["no site"], 400, '"sites" must be 1 to 256 characters long'],
      ["a.test", 422, 'Field "sites" must be an array of strings'],
      [[1], 422, '"sites"'],
    ] as const)("a key for the sites %j gives %d with the field and the rule", async (sites, status, says) => {
      await expectError(await postKey(target, session, { name: "a key", scope: "ReadOnly", sites }), status, says);
    });

    it("a key for all sites has no field of sites, and neither has one with null", async () => {
      const created = await bodyOf<CreatedKey>(await postKey(target, session, { name: "all", scope: "ReadOnly", sites: null }), 201);
      expect(Object.keys(created)).not.toContain("sites");
    });

    it("two limited keys add up their sites", async () => {
      const keyOf = async (...sites: string[]) =>
        (await bodyOf<CreatedKey>(await postKey(target, session, { name: "a key", scope: "ReadOnly", sites }), 201)).key;
      const both = { authorization: `Bearer ${await keyOf("a.test")}`, "x-api-key": await keyOf("b.test") };
      for (const siteId of ["a.test", "b.test"]) expect(await statusOf(stats(target, "main", siteId, both))).toBe(200);
      expect(await statusOf(stats(target, "main", "c.test", both))).toBe(403);
    });

    it("a link or public site without raw export refuses single events in every form, and shows the rest", async () => {
      const siteId = "rules.test";
      const link = withShare((await createShare(target, session, { site_id: siteId, raw_export: false })).token);
      const openLink = withShare((await createShare(target, session, { site_id: siteId })).token);
      const viewers: readonly (readonly [RequestHeaders, boolean])[] = [
        [link, false],
        [openLink, true],
        [withShare(siteId), false],
      ];
      await bodyOf(await putSettings(target, siteId, { public: true, public_raw_export: false }, session));
      for (const [viewer, isShown] of viewers) {
        const status = isShown ? 200 : 403;
        for (const asked of ["kind=raw", "kind=raw&format=json", "kind=raw&limit=1", "kind=raw&filters=pages==/"]) {
          const response = await stats(target, "export", siteId, viewer, `&${asked}`);
          expect({ asked, status: response.status }).toEqual({ asked, status });
          if (!isShown) await expectError(response, 403, "Single events are not shared");
          else await response.arrayBuffer();
        }
        expect(await statusOf(stats(target, "export", siteId, viewer))).toBe(200);
        expect(await statusOf(stats(target, "main", siteId, viewer))).toBe(200);
        expect(await bodyOf(await target.fetch("/api/share", { headers: viewer }))).toMatchObject({ raw_export: isShown });
      }
      // The owner's own export needs no share.
      expect(await statusOf(stats(target, "export", siteId, session, "&kind=raw"))).toBe(200);
    });

    it("guests see no evidence in single events, and cannot filter by it, but a link can", async () => {
      const siteId = siteName();
      for (const [path, headers] of [
        ["/agent", { "signature-agent": '"https://agent.test"' }],
        ["/person", {}],
      ] as const)
        await record(target, wireEvent(siteId, { u: `https://shop.test${path}` }), headers);
      await bodyOf(await putSettings(target, siteId, { public: true }, session));
      const [plain, filtered] = [{}, { filters: "evidence!=signed_agent" }].map(async (fields) =>
        withShare((await createShare(target, session, { site_id: siteId, ...fields })).token),
      );
      const eventsOf = async (headers: RequestHeaders) =>
        (await bodyOf<Record<string, unknown>[]>(await stats(target, "export", siteId, headers, "&kind=raw&format=json"))).map(
          ({ pathname, evidence }) => [pathname, evidence],
        );
      const guests = [await plain, withShare(siteId)];
      for (const guest of guests.map((headers) => headers ?? {})) {
        expect(await eventsOf(guest)).toEqual([
          ["/agent", null],
          ["/person", null],
        ]);
        for (const filters of ["evidence==signed_agent", "pages!=/a;evidence=!contains=agent", "evidence==(unknown)"]) {
          await expectError(
            await stats(target, "main", siteId, guest, `&filters=${filters}`),
            403,
            "Share links cannot filter by evidence",
          );
        }
      }
      expect(await eventsOf((await filtered) ?? {})).toEqual([["/person", null]]);
      expect(await eventsOf(session)).toEqual([
        ["/agent", "signed_agent"],
        ["/person", null],
      ]);
    });

    it("a link without realtime refuses only realtime", async () => {
      const viewer = withShare((await createShare(target, session, { site_id: "rules.test", realtime: false })).token);
      await expectError(await stats(target, "realtime", "rules.test", viewer), 403, "does not show realtime");
      expect(await statusOf(stats(target, "main", "rules.test", viewer))).toBe(200);
    });

    it("a request may add 12 conditions to those of its link", async () => {
      const conditions = (from: number) => Array.from({ length: 12 }, (_, i) => `pages!=/${from + i}`).join(";");
      const viewer = withShare((await createShare(target, session, { site_id: "rules.test", filters: conditions(0) })).token);
      expect(await statusOf(stats(target, "main", "rules.test", viewer, `&filters=${conditions(12)}`))).toBe(200);
      await expectError(await stats(target, "main", "rules.test", viewer, `&filters=${conditions(12)};pages==/`), 400, "at most 12");
    });

    it("a condition of a link that its guest repeats adds nothing, whoever asks first", async () => {
      const siteId = "repeated.test";
      await record(target, wireEvent(siteId, { u: "https://a.test/x" }), visitor(1));
      await record(target, wireEvent(siteId, { u: "https://a.test/y", n: "signup" }), visitor(1));
      const filters = "pages==/x;goal==signup";
      const viewer = withShare((await createShare(target, session, { site_id: siteId, filters })).token);
      const visitorsOf = async (query: string) =>
        (await bodyOf<{ unique_visitors: number }>(await stats(target, "main", siteId, viewer, query))).unique_visitors;
      expect([await visitorsOf("&filters=goal==signup"), await visitorsOf("")]).toEqual([1, 1]);
    });

    it("an address may send 100 requests at once, and then waits; others do not", async () => {
      const { token } = await createShare(target, session, { site_id: "rules.test" });
      const viewer = { ...withShare(token), ...visitor(77) };
      for (let i = 0; i < 100; i++) expect(await statusOf(get(target, "/api/share", viewer))).toBe(200);
      // Where the clock moves, ten are let in each second.
      let refused: Response | undefined;
      for (let i = 0; i < 20 && !refused; i++) {
        const answers = await Promise.all(Array.from({ length: 10 }, () => get(target, "/api/share", viewer)));
        refused = answers.find(({ status }) => status !== 200)?.clone();
        await Promise.all(answers.map((answer) => answer.arrayBuffer()));
      }
      if (!refused) throw new Error("none of 300 requests was refused");
      expect(refused.headers.get("retry-after")).toBe("1");
      await expectError(refused, 429, "Too many requests");
      expect(await statusOf(get(target, "/api/share", { ...viewer, ...visitor(78) }))).toBe(200);
    });

    it("a trailing slash leads to the page, whose addresses are relative", async () => {
      const response = await target.fetch("/share/a.test/?embed=1", { redirect: "manual" });
      await response.arrayBuffer();
      expect({ status: response.status, location: response.headers.get("location") }).toEqual({
        status: 308,
        location: "/share/a.test?embed=1",
      });
      expect(response.headers.get("referrer-policy")).toBe("no-referrer");
      const page = await (await get(target, "/share/a.test", {})).text();
      expect(page).toMatch(/src="\.\.\/assets\//);
      expect(page).not.toContain('"./');
    });

    itNeeds(makeTarget, "advance", "a link ends at its time by the wall clock, and a viewer token after 12 hours", async () => {
      const clocked = await makeTarget(ofItsOwn(BEHIND_PROXY));
      const advance = able(clocked, "advance");
      const admin = await logIn(clocked);
      const expiresAt = new Date(clocked.nowMs() + 24 * 3_600_000).toISOString();
      const fields = { site_id: "ends.test", password: PASSWORD_OF_LINK, expires_at: expiresAt };
      const { token } = await createShare(clocked, admin, fields);
      const viewer = withShare((await bodyOf<{ token: string }>(await unlock(clocked, token, PASSWORD_OF_LINK))).token);
      await advance(12 * 3_600_000 - 1);
      expect(await statusOf(stats(clocked, "main", "ends.test", viewer))).toBe(200);
      await advance(1);
      expect(await statusOf(stats(clocked, "main", "ends.test", viewer))).toBe(401);
      const again = withShare((await bodyOf<{ token: string }>(await unlock(clocked, token, PASSWORD_OF_LINK))).token);
      await advance(12 * 3_600_000 - 2);
      expect(await statusOf(stats(clocked, "main", "ends.test", again))).toBe(200);
      await advance(2);
      for (const headers of [again, withShare(token)]) expect(await statusOf(get(clocked, "/api/share", headers))).toBe(404);
      await clocked.close();
    });

    itNeeds(makeTarget, "advance", "a link of this month shows its dates so far, and one of all dates every event", async () => {
      const clocked = await makeTarget(ofItsOwn(BEHIND_PROXY));
      const advance = able(clocked, "advance");
      const at = new Date(clocked.nowMs());
      // The 2nd of the next month.
      const secondMs = Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 2);
      await record(clocked, wireEvent("grows.test"), visitor(1));
      await advance(secondMs - DAY_MS - clocked.nowMs());
      await record(clocked, wireEvent("grows.test"), visitor(2));
      await advance(DAY_MS);
      const admin = await logIn(clocked);
      const viewerOf = async (period: string) => withShare((await createShare(clocked, admin, { site_id: "grows.test", period })).token);
      const [month, all] = [await viewerOf("month"), await viewerOf("all")];
      const visitorsOf = async (viewer: RequestHeaders, query: string) =>
        (await bodyOf<{ visitors: number }[]>(await stats(clocked, "timeseries", "grows.test", viewer, query))).map(
          ({ visitors }) => visitors,
        );
      for (const query of ["", "&period=all", "&period=month"]) expect(await visitorsOf(month, `${query}&interval=day`)).toEqual([1, 0]);
      await expectError(await stats(clocked, "main", "grows.test", month, "&period=7d"), 403, "The share link shows only dates from");
      const days = Math.round((secondMs - Date.parse(at.toISOString().slice(0, 10))) / DAY_MS) + 1;
      for (const query of ["", "&period=all"]) {
        const visitors = await visitorsOf(all, `${query}&interval=day`);
        expect([visitors.length, visitors[0], visitors.at(-2)]).toEqual([days, 1, 1]);
      }
      expect(await visitorsOf(all, "&period=12mo")).toHaveLength(365);
      await clocked.close();
    });

    itNeeds(makeTarget, "advance", "all dates of a link with a filter begin with the first event that it shows", async () => {
      const clocked = await makeTarget(ofItsOwn(BEHIND_PROXY));
      const advance = able(clocked, "advance");
      for (const u of ["/hidden", "/shown", "/hidden"]) {
        await record(clocked, wireEvent("part.test", { u }), visitor(1));
        await advance(5 * DAY_MS);
      }
      const admin = await logIn(clocked);
      const lengthOf = async (headers: RequestHeaders, query = "&period=all") =>
        (await bodyOf<unknown[]>(await stats(clocked, "timeseries", "part.test", headers, query))).length;
      const viewerOf = async (fields: object) => withShare((await createShare(clocked, admin, { site_id: "part.test", ...fields })).token);
      expect(await lengthOf(admin)).toBe(16);
      expect(await lengthOf(await viewerOf({ filters: "pages==/shown" }))).toBe(11);
      expect(await lengthOf(await viewerOf({ filters: "pages==/shown", period: "all" }), "")).toBe(11);
      expect(await lengthOf(await viewerOf({ filters: "pages==/shown", period: "7d" }))).toBe(7);
      // Today by the hour.
      expect(await lengthOf(await viewerOf({ filters: "pages==/never" }))).toBe(24);
      await clocked.close();
    });

    itNeeds(
      makeTarget,
      "advance",
      "a period cannot be left, and moves at midnight of the site's time zone, also where its report is cached",
      async () => {
        const clocked = await makeTarget(ofItsOwn({ ...BEHIND_PROXY, SVC_CACHE_TTL_SECS: "86400" }));
        const advance = able(clocked, "advance");
        const admin = await logIn(clocked);
        await bodyOf(await putSettings(clocked, "moves.test", { time_zone: "Asia/Kathmandu" }, admin));
        await record(clocked, wireEvent("moves.test"), visitor(1));
        const viewer = withShare((await createShare(clocked, admin, { site_id: "moves.test", period: "7d" })).token);
        const localMs = () => clocked.nowMs() + KATHMANDU_AHEAD_MS;
        const daysAgo = (days: number) => new Date(localMs() - days * DAY_MS).toISOString().slice(0, 10);
        const dates = (first: number, last: number) => `&start_date=${daysAgo(first)}&end_date=${daysAgo(last)}`;
        const shows = async (...days: readonly number[]) => {
          expect(await bodyOf(await get(clocked, "/api/share", viewer))).toMatchObject({ period: "7d", today: daysAgo(0) });
          for (const query of ["", "&period=7d", dates(6, 0)]) {
            const series = await bodyOf<{ visitors: number }[]>(await stats(clocked, "timeseries", "moves.test", viewer, query));
            expect(series.map(({ visitors }) => visitors)).toEqual(days);
          }
          for (const query of ["&period=30d", "&compare=previous_period", dates(7, 0), dates(6, -1), dates(7, 7)]) {
            const says = `only dates from ${daysAgo(6)} to ${daysAgo(0)}`;
            await expectError(await stats(clocked, "main", "moves.test", viewer, query), 403, says);
          }
        };
        await shows(0, 0, 0, 0, 0, 0, 1);
        await advance(DAY_MS - (localMs() % DAY_MS) - 1);
        await shows(0, 0, 0, 0, 0, 0, 1);
        await advance(1);
        await shows(0, 0, 0, 0, 0, 1, 0);
        await clocked.close();
      },
    );

    itNeeds(makeTarget, "advance", "the last use is recorded about once a minute", async () => {
      const clocked = await makeTarget(ofItsOwn(BEHIND_PROXY));
      const advance = able(clocked, "advance");
      const admin = await logIn(clocked);
      const { token } = await createShare(clocked, admin, { site_id: "used.test" });
      const useNow = async () => {
        await get(clocked, "/api/share", withShare(token)).then((response) => response.arrayBuffer());
        return (await bodyOf<{ last_used_at: string }[]>(await get(clocked, "/api/shares?site_id=used.test", admin)))[0]?.last_used_at;
      };
      const first = new Date(clocked.nowMs()).toISOString();
      expect(await useNow()).toBe(first);
      await advance(59_999);
      expect(await useNow()).toBe(first);
      await advance(1);
      expect(await useNow()).toBe(new Date(clocked.nowMs()).toISOString());
      await clocked.close();
    });

    itNeeds(
      makeTarget,
      "advance",
      "wrong passwords of a link lock an address out of this link only, and a right one resets their count",
      async () => {
        const clocked = await makeTarget(ofItsOwn({ ...BEHIND_PROXY, SVC_MAX_LOGIN_ATTEMPTS: "3" }));
        const admin = await logIn(clocked);
        const fields = { site_id: "locked.test", password: PASSWORD_OF_LINK };
        const [one, two] = [await createShare(clocked, admin, fields), await createShare(clocked, admin, fields)];
        const mistype = async (times: number) => {
          for (let i = 0; i < times; i++) await expectError(await unlock(clocked, one.token, "a wrong password"), 401, "Invalid password");
        };
        await mistype(2);
        expect(await statusOf(unlock(clocked, two.token, PASSWORD_OF_LINK))).toBe(200);
        expect(await statusOf(unlock(clocked, one.token, PASSWORD_OF_LINK))).toBe(200);
        await mistype(2);
        await able(clocked, "advance")(300_000);
        await mistype(3);
        const refused = await unlock(clocked, one.token, PASSWORD_OF_LINK);
        expect(refused.headers.get("retry-after")).toBe("300");
        await expectError(refused, 429, "Too many failed login attempts");
        expect(await statusOf(unlock(clocked, two.token, PASSWORD_OF_LINK))).toBe(200);
        expect(await statusOf(unlock(clocked, one.token, PASSWORD_OF_LINK, visitor(5)))).toBe(200);
        expect(await statusOf(postLogin(clocked))).toBe(200);
        await able(clocked, "advance")(300_000);
        expect(await statusOf(unlock(clocked, one.token, PASSWORD_OF_LINK))).toBe(200);
        await clocked.close();
      },
    );

    itNeeds(
      makeTarget,
      "advance",
      "a link takes 20 passwords at once, and then one per second, besides its reserve; others and the login do not wait for it",
      async () => {
        const clocked = await makeTarget(ofItsOwn(BEHIND_PROXY));
        const admin = await logIn(clocked);
        const fields = { site_id: "opened.test", password: PASSWORD_OF_LINK };
        const [one, two] = [await createShare(clocked, admin, fields), await createShare(clocked, admin, fields)];
        for (let i = 0; i < 20; i++) expect(await statusOf(unlock(clocked, one.token, PASSWORD_OF_LINK, visitor(i)))).toBe(200);
        for (let i = 0; i < 5; i++) expect(await statusOf(unlock(clocked, one.token, "a wrong password", visitor(i)))).toBe(401);
        const refused = await unlock(clocked, one.token, PASSWORD_OF_LINK, visitor(20));
        expect(refused.headers.get("retry-after")).toBe("1");
        await expectError(refused, 429, "Too many passwords were sent for this link");
        expect(await statusOf(unlock(clocked, two.token, PASSWORD_OF_LINK))).toBe(200);
        expect(await statusOf(postLogin(clocked))).toBe(200);
        await able(clocked, "advance")(1_000);
        expect(await statusOf(unlock(clocked, one.token, PASSWORD_OF_LINK, visitor(20)))).toBe(200);
        await clocked.close();
      },
    );

    itNeeds(
      makeTarget,
      "advance",
      "wrong passwords from many addresses of a network do not keep the right one from another out",
      async () => {
        const clocked = await makeTarget(ofItsOwn(BEHIND_PROXY));
        const { token } = await createShare(clocked, await logIn(clocked), { site_id: "guessed.test", password: PASSWORD_OF_LINK });
        const from = (address: string): RequestHeaders => ({ "x-forwarded-for": address });
        const guesses: number[] = [];
        for (let i = 0; i < 60; i++) {
          const address = i % 2 === 0 ? `203.0.${i}.${i}` : `2001:db8:${i}::1`;
          guesses.push(await statusOf(unlock(clocked, token, "a wrong password", from(address))));
        }
        // Both networks have taken their part of the reserve, and no more.
        expect(guesses.filter((status) => status === 401)).toHaveLength(30);
        expect(new Set(guesses.slice(30))).toEqual(new Set([429]));
        for (let i = 0; i < 6; i++) expect(await statusOf(unlock(clocked, token, PASSWORD_OF_LINK, visitor(1)))).toBe(200);
        await clocked.close();
      },
    );
  });
}
