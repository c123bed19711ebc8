/** Change of the admin password, and logout everywhere (docs/http-api.md, "Change of password" and "Login sessions"). */
import { describe, expect, it, onTestFinished } from "vitest";
import {
  bodyOf,
  changePassword,
  CLOSED,
  createKey,
  getStatus,
  logIn,
  ofItsOwn,
  PASSWORD,
  postJson,
  postLogin,
  postLogoutAll,
  postSetup,
  tokenOf,
  withKey,
  withSession,
} from "../support/auth-requests.ts";
import { expectError, type RequestHeaders } from "../support/requests.ts";
import type { Environment, MakeTarget, Target } from "../support/target.ts";

const NEW = "another horse battery";

const FOREIGN: RequestHeaders = { origin: "https://foreign.test" };

const isIn = async (target: Target, credential: RequestHeaders): Promise<boolean> => (await getStatus(target, credential)).authenticated;

/** Targets of the cases that ask for them, which end with those. */
function ownTargets(makeTarget: MakeTarget) {
  const aTarget = async (environment: Environment): Promise<Target> => {
    const target = await makeTarget(ofItsOwn(environment));
    onTestFinished(() => target.close());
    return target;
  };
  /** A target whose password was set by setup, with the session of that. */
  const setUp = async (environment: Environment = {}): Promise<{ target: Target; session: RequestHeaders }> => {
    const target = await aTarget(environment);
    return { target, session: withSession(await tokenOf(await postSetup(target))) };
  };
  return { aTarget, setUp };
}

/** Where passwords are held and hashed. Each of its cases starts a host of its own, so the rules are `describePasswordRules`. */
export function describePasswordChange(makeTarget: MakeTarget): void {
  const { setUp } = ownTargets(makeTarget);

  describe("a change of the password", () => {
    it("replaces the password, ends all other sessions, and keeps the caller's session and API keys", async () => {
      const { target, session } = await setUp();
      const [other, { key }] = [await logIn(target), await createKey(target, session, "ReadOnly")];
      expect(await bodyOf(await changePassword(target, session))).toEqual({ status: "changed" });
      expect(await isIn(target, session)).toBe(true);
      expect(await isIn(target, other)).toBe(false);
      expect(await isIn(target, withKey(key))).toBe(true);
      await expectError(await postLogin(target, PASSWORD), 401, "Invalid password");
      expect(await isIn(target, await logIn(target, NEW))).toBe(true);
    });

    it("succeeds once of several at the same time: the others use a password that is no longer current", async () => {
      const { target, session } = await setUp({ SVC_MAX_LOGIN_ATTEMPTS: "0" });
      const answers = await Promise.all(Array.from({ length: 4 }, (_, i) => changePassword(target, session, `new password number ${i}`)));
      for (const answer of answers) await answer.arrayBuffer();
      const statuses = answers.map(({ status }) => status);
      expect(statuses.toSorted()).toEqual([200, 403, 403, 403]);
      await logIn(target, `new password number ${statuses.indexOf(200)}`);
    });
  });

  describe("a logout everywhere", () => {
    it("ends every session, clears the caller's cookie, and leaves keys and the password", async () => {
      const { target, session } = await setUp();
      const [other, { key }] = [await logIn(target), await createKey(target, session, "Admin")];
      const response = await postLogoutAll(target, session);
      expect(response.headers.get("set-cookie")).toMatch(/^svc_session=; .*Max-Age=0/);
      expect(await bodyOf(response)).toEqual({ status: "logged_out" });
      for (const ended of [session, other]) expect(await isIn(target, ended)).toBe(false);
      expect(await isIn(target, withKey(key))).toBe(true);
      await logIn(target);
    });
  });
}

export function describePasswordRules(makeTarget: MakeTarget): void {
  const { aTarget, setUp } = ownTargets(makeTarget);

  describe("rules of a change of the password", () => {
    it("counts wrong passwords together with those of logins, and is locked out like them", async () => {
      const { target, session } = await setUp({ SVC_MAX_LOGIN_ATTEMPTS: "3" });
      await expectError(await changePassword(target, session, NEW, "a wrong password"), 403, "current password is wrong");
      await expectError(await postLogin(target, "a wrong password"), 401);
      await expectError(await changePassword(target, session, NEW, "a wrong password"), 403);
      const locked = await changePassword(target, session);
      expect(Number(locked.headers.get("retry-after"))).toBeGreaterThan(270);
      await expectError(locked, 429, "Too many failed login attempts");
      await expectError(await postLogin(target), 429);
      const metrics = await (await target.fetch("/metrics")).text();
      expect(metrics).toMatch(/^svc_login_failures_total 3$/m);
    });

    it("resets the count of failures when it succeeds", async () => {
      const { target, session } = await setUp({ SVC_MAX_LOGIN_ATTEMPTS: "2" });
      await expectError(await changePassword(target, session, NEW, "a wrong password"), 403);
      await bodyOf(await changePassword(target, session));
      await expectError(await postLogin(target, "a wrong password"), 401);
      await logIn(target, NEW);
    });

    it("is refused for a session that an earlier change has ended, even with the password of that change", async () => {
      const { target, session } = await setUp();
      const other = await logIn(target);
      const first = changePassword(target, session);
      const second = changePassword(target, other, "a third horse battery", NEW);
      expect((await first).status).toBe(200);
      // 403 if it arrived first: the password was not set yet.
      expect([401, 403]).toContain((await second).status);
      expect(await isIn(target, await logIn(target, NEW))).toBe(true);
    });

    it.each([
      [400, "a short password", { current_password: PASSWORD, new_password: "x".repeat(11) }, "at least 12 characters"],
      [400, "a long password", { current_password: PASSWORD, new_password: "x".repeat(1025) }, "at most 1024 bytes"],
      [422, "no new password", { current_password: PASSWORD }, '"new_password" is missing'],
      [422, "no current password", { new_password: NEW }, '"current_password" is missing'],
      [422, "a number", { current_password: PASSWORD, new_password: 123_456_789_012 }, '"new_password" must be a string'],
      [422, "a list", [], "JSON object"],
    ])("gives %d for %s, and changes nothing", async (status, _name, body, says) => {
      const { target, session } = await setUp();
      await expectError(await postJson(target, "/api/auth/password", body, session), status, says);
      expect(await isIn(target, await logIn(target))).toBe(true);
    });

    it("gives 409 if admin_password sets it, and does not check the current one", async () => {
      const target = await aTarget({ ...CLOSED, SVC_MAX_LOGIN_ATTEMPTS: "1" });
      const session = await logIn(target);
      await expectError(await changePassword(target, session, NEW, "a wrong password"), 409, "SVC_ADMIN_PASSWORD");
      await logIn(target);
    });

    it("needs a session and a page of the dashboard, whatever key is sent", async () => {
      const { target, session } = await setUp();
      const { key } = await createKey(target, session, "Admin");
      await expectError(await changePassword(target), 401);
      await expectError(await changePassword(target, withKey(key)), 403, "session");
      await expectError(await changePassword(target, { ...session, ...FOREIGN }), 403, "dashboard");
      await expectError(await changePassword(target, { ...session, ...withKey(key), ...FOREIGN }), 403, "dashboard");
      await logIn(target);
    });

    it("gives 401 before there is a password", async () => {
      await expectError(await changePassword(await aTarget({})), 401);
    });
  });

  describe("rules of a logout everywhere", () => {
    it("needs a session and a page of the dashboard", async () => {
      const { target, session } = await setUp();
      const { key } = await createKey(target, session, "Admin");
      await expectError(await postLogoutAll(target), 401);
      await expectError(await postLogoutAll(target, withKey(key)), 403, "session");
      await expectError(await postLogoutAll(target, { ...session, ...FOREIGN }), 403, "dashboard");
      expect(await isIn(target, session)).toBe(true);
    });
  });
}
