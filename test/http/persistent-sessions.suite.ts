/** Browsers that stay logged in (docs/http-api.md, "Persistent sessions"). */
import { describe, expect, it, onTestFinished } from "vitest";
import {
  bodyOf,
  changePassword,
  CLOSED,
  createKey,
  endSession,
  getStatus,
  listSessions,
  logIn,
  ofItsOwn,
  PASSWORD,
  postJson,
  postLogout,
  postLogoutAll,
  stayLoggedIn,
  tokenOf,
  withKey,
  withSession,
} from "../support/auth-requests.ts";
import { expectError, type RequestHeaders } from "../support/requests.ts";
import { able, itNeeds, type Environment, type MakeTarget, type Target } from "../support/target.ts";

const DAY_MS = 86_400_000;

/** Short, so that a session without `remember` has ended in every case that lets time pass. */
const SHORT_SESSIONS: Environment = { SVC_SESSION_TTL_SECS: "600" };

const MAX_AGE = /; Max-Age=(\d+)/;

const maxAgeIn = (response: Response): number => Number(MAX_AGE.exec(response.headers.get("set-cookie") ?? "")?.[1]);

const isIn = async (target: Target, credential: RequestHeaders): Promise<boolean> => (await getStatus(target, credential)).authenticated;

/** Any route that needs a session asks for its rights, and prolongs it. */
const use = (target: Target, session: RequestHeaders): Promise<Response> => target.fetch("/api/auth/status", { headers: session });

/** Targets of the cases that ask for them, which end with those. */
const ownTargets =
  (makeTarget: MakeTarget) =>
  async (environment: Environment = CLOSED): Promise<Target> => {
    const target = await makeTarget(ofItsOwn({ ...SHORT_SESSIONS, ...environment }));
    onTestFinished(() => target.close());
    return target;
  };

/** What a host stores. Each of its cases starts a host of its own, so the rules are `describePersistentSessionRules`. */
export function describePersistentSessions(makeTarget: MakeTarget): void {
  const aTarget = ownTargets(makeTarget);

  describe("persistent sessions on a host", () => {
    itNeeds(makeTarget, "restart", "a session with `remember` survives a restart, and one without it does not", async () => {
      const target = await aTarget();
      const [kept, short] = [await stayLoggedIn(target), await logIn(target)];
      await able(target, "restart")();
      expect([await isIn(target, kept), await isIn(target, short)]).toEqual([true, false]);
    });

    itNeeds(makeTarget, "crash", "sessions that ended before a crash stay ended, one by one and all at once", async () => {
      const target = await aTarget();
      const [first, second, third] = [await stayLoggedIn(target), await stayLoggedIn(target), await stayLoggedIn(target)];
      await bodyOf(await postLogout(target, first));
      await able(target, "crash")();
      expect([await isIn(target, first), await isIn(target, second)]).toEqual([false, true]);
      await bodyOf(await postLogoutAll(target, second));
      await able(target, "crash")();
      for (const ended of [first, second, third]) expect(await isIn(target, ended)).toBe(false);
    });

    itNeeds(
      makeTarget,
      "crash",
      "a change of the password keeps the caller's session and ends the others, also after a crash",
      async () => {
        const target = await aTarget({});
        const caller = withSession(await tokenOf(await postJson(target, "/api/auth/setup", { password: PASSWORD, remember: true })));
        const other = await stayLoggedIn(target);
        await bodyOf(await changePassword(target, caller));
        for (let start = 0; start < 2; start++) {
          expect([await isIn(target, caller), await isIn(target, other)]).toEqual([true, false]);
          await able(target, "crash")();
        }
      },
    );
  });
}

export function describePersistentSessionRules(makeTarget: MakeTarget): void {
  const aTarget = ownTargets(makeTarget);

  describe("persistent sessions", () => {
    it("the cookie lasts for 30 days with `remember`, and for `session_ttl_secs` without it", async () => {
      const target = await aTarget();
      const maxAges = [];
      for (const remember of [true, false, null, undefined]) {
        const response = await postJson(target, "/api/auth/login", { password: PASSWORD, remember });
        await response.arrayBuffer();
        maxAges.push(maxAgeIn(response));
      }
      expect(maxAges).toEqual([30 * 86_400, 600, 600, 600]);
      expect(await listSessions(target, await logIn(target))).toHaveLength(1);
    });

    it("a `remember` that is no flag gives 422, and begins no session", async () => {
      const target = await aTarget();
      await expectError(await postJson(target, "/api/auth/login", { password: PASSWORD, remember: "yes" }), 422, '"remember" must be true');
    });

    itNeeds(makeTarget, "advance", "a session lasts for 30 days after its last use, however old it is", async () => {
      const target = await aTarget();
      const session = await stayLoggedIn(target);
      for (const days of [29, 30, 30]) {
        await able(target, "advance")(days * DAY_MS);
        expect(await isIn(target, session)).toBe(true);
      }
      await able(target, "advance")(31 * DAY_MS);
      expect(await isIn(target, session)).toBe(false);
    });

    itNeeds(makeTarget, "advance", "the first use of a day sets the cookie again, and no other does", async () => {
      const target = await aTarget();
      const session = await stayLoggedIn(target);
      const cookiesOf = async (...sends: (() => Promise<Response>)[]): Promise<(string | null)[]> => {
        const cookies = [];
        for (const send of sends) {
          const response = await send();
          await response.arrayBuffer();
          cookies.push(response.headers.get("set-cookie"));
        }
        return cookies;
      };
      const viewing = () => target.fetch("/api/stats/main?site_id=remembered.test", { headers: session });
      expect(await cookiesOf(() => use(target, session), viewing)).toEqual([null, null]);
      await able(target, "advance")(DAY_MS);
      const [renewed, ...others] = await cookiesOf(viewing, viewing, () => use(target, session));
      expect(renewed).toMatch(new RegExp(`^${session.cookie}; HttpOnly; SameSite=Strict; Path=/; Max-Age=2592000`));
      expect(others).toEqual([null, null]);
      await able(target, "advance")(DAY_MS);
      // A logout's own cookie counts.
      expect((await cookiesOf(() => postLogout(target, session)))[0]).toMatch(/^svc_session=; .*Max-Age=0/);
    });

    it("the list names browser, system, dates and the caller's own session, and no token", async () => {
      const target = await aTarget();
      const userAgent = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:124.0) Gecko/20100101 Firefox/124.0";
      const own = await stayLoggedIn(target, { "user-agent": userAgent });
      await stayLoggedIn(target, { "user-agent": "" });
      const text = await (await target.fetch("/api/auth/sessions", { headers: own })).text();
      const today = new Date(target.nowMs()).toISOString().slice(0, 10);
      const sessions = JSON.parse(text) as Awaited<ReturnType<typeof listSessions>>;
      expect(sessions.find(({ current }) => current)).toEqual({
        session_hash: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as unknown,
        last_used_on: today,
        browser: "Firefox",
        os: "Windows",
        current: true,
      });
      expect(sessions.map(({ current }) => current).toSorted()).toEqual([false, true]);
      expect(text).not.toContain(own.cookie?.split("=")[1]);
    });

    it("one session can be ended by another, and is then unknown", async () => {
      const target = await aTarget();
      const [own, other] = [await stayLoggedIn(target), await stayLoggedIn(target)];
      const hash = (await listSessions(target, own)).find(({ current }) => !current)?.session_hash ?? "";
      expect(await bodyOf(await endSession(target, own, hash))).toEqual({ status: "ended" });
      expect([await isIn(target, own), await isIn(target, other)]).toEqual([true, false]);
      await expectError(await endSession(target, own, hash), 404, "Session not found");
      await expectError(await endSession(target, own, "nonsense"), 404);
    });

    it("a key and a page of another origin cannot end a session", async () => {
      const target = await aTarget();
      const session = await stayLoggedIn(target);
      const { key } = await createKey(target, session, "Admin");
      const [{ session_hash: hash = "" } = {}] = await listSessions(target, session);
      await expectError(await endSession(target, withKey(key), hash), 403, "session");
      await expectError(await endSession(target, { ...session, origin: "https://foreign.test" }, hash), 403, "dashboard");
      await expectError(await endSession(target, {}, hash), 401);
      expect(await isIn(target, session)).toBe(true);
    });

    it("a hash from the list is no token, and neither is a token cut short or in capitals", async () => {
      const target = await aTarget();
      const session = await stayLoggedIn(target);
      const token = session.cookie?.split("=")[1] ?? "";
      const [{ session_hash: hash = "" } = {}] = await listSessions(target, session);
      for (const wrong of [hash, token.slice(1), token.toUpperCase(), `${token}0`, ""]) {
        expect(await isIn(target, withSession(wrong))).toBe(false);
      }
    });
  });
}
