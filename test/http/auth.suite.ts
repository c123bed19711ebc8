/** The admin password, sessions and the lockout (docs/http-api.md, "Setup", "Login" and "Sessions"). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  bodyOf,
  CLOSED,
  deleteKey,
  getStatus,
  logIn,
  ofItsOwn,
  PASSWORD,
  postJson,
  postKey,
  postLogin,
  postLogout,
  postSetup,
  tokenOf,
  withSession,
} from "../support/auth-requests.ts";
import { expectError, type RequestHeaders } from "../support/requests.ts";
import { able, itNeeds, type Environment, type MakeTarget, type Target } from "../support/target.ts";

/** Each case comes from an address of its own, so that no other case's failures count against it. */
const BEHIND_PROXY: Environment = { ...CLOSED, SVC_TRUST_PROXY: "1", SVC_SECURE_COOKIES: "true" };

const WRONG = "a wrong password";

let addresses = 0;
const from = (address = `203.0.113.${++addresses}`): RequestHeaders => ({ "x-forwarded-for": address });

const TOKEN = /^[0-9a-f]{64}$/;

const cookieOf = (token: string, maxAgeSecs = 86_400): string =>
  `svc_session=${token}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${maxAgeSecs}; Secure`;

async function expectSession(response: Response): Promise<string> {
  const cookie = response.headers.get("set-cookie");
  expect(response.headers.get("cache-control")).toBe("no-store");
  const body = await bodyOf<{ token: string }>(response);
  expect(body).toEqual({ token: expect.stringMatching(TOKEN) as unknown });
  expect(cookie).toBe(cookieOf(body.token));
  return body.token;
}

const expectExactError = async (response: Response, status: number, error: string): Promise<void> => {
  expect({ status: response.status, body: await response.json() }).toEqual({ status, body: { error } });
  expect(response.headers.get("set-cookie")).toBeNull();
};

const getSites = (target: Target, credential: RequestHeaders = {}): Promise<Response> =>
  target.fetch("/api/sites", { headers: credential });

const statusesOf = async (responses: readonly Promise<Response>[]): Promise<number[]> =>
  Promise.all(
    responses.map(async (promise) => {
      const response = await promise;
      await response.arrayBuffer();
      return response.status;
    }),
  );

export function describeSetup(makeTarget: MakeTarget): void {
  describe("setup", () => {
    const unset = ofItsOwn();
    let target: Target;
    beforeAll(async () => {
      target = await makeTarget(unset);
    });
    afterAll(() => target.close());

    it("before setup, stats are open, API keys are closed and nobody can log in", async () => {
      expect(await getStatus(target)).toEqual({ setup_required: true, authenticated: true });
      expect(await bodyOf(await getSites(target))).toEqual({ sites: [] });
      await expectError(await postKey(target, {}, { name: "a", scope: "Admin" }), 401);
      await expectError(await target.fetch("/api/keys"), 401);
      await expectError(await deleteKey(target, {}, "0".repeat(64)), 401);
      await expectExactError(await postLogin(target), 400, "No admin password configured. Use /api/auth/setup first.");
    });

    it.each([
      ["eleven characters", "x".repeat(11)],
      ["eleven of two code units each", "😀".repeat(11)],
      ["none", ""],
    ])("a password of %s is too short", async (_name, password) => {
      await expectExactError(await postSetup(target, password), 400, "Password must be at least 12 characters");
    });

    it.each([
      ["1025 ASCII characters", "x".repeat(1025)],
      ["513 characters of two bytes each", "é".repeat(513)],
    ])("a password of %s is too long: the maximum is 1024 bytes", async (_name, password) => {
      await expectExactError(await postSetup(target, password), 400, "Password must be at most 1024 bytes in UTF-8");
    });

    it.each([
      [400, "no JSON", "{", "not valid JSON"],
      [400, "nothing", "", "not valid JSON"],
      [422, "a list", "[]", "JSON object"],
      [422, "a text", '"correct horse battery"', "JSON object"],
      [422, "null", "null", "JSON object"],
      [422, "no password", "{}", '"password" is missing'],
      [422, "a password that is null", '{"password":null}', '"password" is missing'],
      [422, "a password that is a number", '{"password":123456789012}', '"password" must be a string'],
      [422, "a password that is a list", '{"password":["correct horse battery"]}', '"password" must be a string'],
    ])("an invalid body gives %d: %s", async (status, _name, body, says) => {
      await expectError(await target.fetch("/api/auth/setup", { method: "POST", body }), status, says);
    });

    it("a body past 64 KB gives 413", async () => {
      await expectError(await postSetup(target, "x".repeat(65_536)), 413);
    });

    it("no rejected password was set", async () => {
      expect(await getStatus(target)).toEqual({ setup_required: true, authenticated: true });
    });

    it("setup with twelve characters sets the password, starts a session and closes stats; a second setup gives 409 before anything else", async () => {
      const own = await makeTarget(ofItsOwn({ SVC_SECURE_COOKIES: "true" }));
      const password = "😀".repeat(12);
      const token = await expectSession(await postSetup(own, password));
      expect(await getStatus(own)).toEqual({ setup_required: false, authenticated: false });
      expect(await getStatus(own, withSession(token))).toEqual({ setup_required: false, authenticated: true });
      await expectError(await getSites(own), 401);
      expect(await bodyOf(await getSites(own, withSession(token)))).toEqual({ sites: [] });
      const again = [
        postSetup(own, password),
        postSetup(own, "short"),
        postJson(own, "/api/auth/setup", []),
        own.fetch("/api/auth/setup", { method: "POST", body: "{" }),
        postSetup(own, password, { origin: "https://foreign.test" }),
      ];
      for (const response of again) await expectExactError(await response, 409, "Admin password already configured");
      await expectExactError(await postLogin(own, WRONG), 401, "Invalid password");
      await expectSession(await postLogin(own, password));
      await own.close();
    });

    it("of concurrent setups one succeeds, and only its password works", async () => {
      const own = await makeTarget(ofItsOwn({ SVC_MAX_LOGIN_ATTEMPTS: "0" }));
      const passwords = Array.from({ length: 6 }, (_, i) => `password number ${i}`);
      const statuses = await statusesOf(passwords.map((password) => postSetup(own, password)));
      expect(statuses.toSorted()).toEqual([200, 409, 409, 409, 409, 409]);
      expect(await statusesOf(passwords.map((password) => postLogin(own, password)))).toEqual(
        statuses.map((status) => (status === 200 ? 200 : 401)),
      );
      await own.close();
    });

    it("the admin_password option counts as setup", async () => {
      const closed = await makeTarget(CLOSED);
      expect(await getStatus(closed)).toEqual({ setup_required: false, authenticated: false });
      await expectExactError(await postSetup(closed, "another password"), 409, "Admin password already configured");
      await closed.close();
    });
  });
}

export function describeSessions(makeTarget: MakeTarget): void {
  describe("sessions", () => {
    let target: Target;
    beforeAll(async () => {
      target = await makeTarget(BEHIND_PROXY);
    });
    afterAll(() => target.close());

    it("each login returns a new token, in the body and as a cookie", async () => {
      const tokens = [await expectSession(await postLogin(target)), await expectSession(await postLogin(target))];
      expect(new Set(tokens).size).toBe(2);
      for (const token of tokens)
        expect(await getStatus(target, withSession(token))).toEqual({ setup_required: false, authenticated: true });
    });

    it.each(["", "correct horse batter", "correct horse battery ", "Correct horse battery", "correct horse battery\0", "x".repeat(60_000)])(
      "the password %j is wrong",
      async (password) => {
        await expectExactError(await postLogin(target, password, from()), 401, "Invalid password");
      },
    );

    it.each([
      [400, "no JSON", "{"],
      [422, "no object", "[]"],
      [422, "no password", "{}"],
      [422, "a password that is no text", '{"password":true}'],
    ])("an invalid body gives %d and does not count as a failed login: %s", async (status, _name, body) => {
      const headers = from();
      for (let i = 0; i < 6; i++) await expectError(await target.fetch("/api/auth/login", { method: "POST", headers, body }), status);
      await expectSession(await postLogin(target, PASSWORD, headers));
    });

    it("a logout ends the session and clears the cookie; other sessions continue", async () => {
      const [ended, other] = [await logIn(target), await logIn(target)];
      const response = await postLogout(target, ended);
      expect(response.headers.get("set-cookie")).toBe(cookieOf("", 0));
      expect(await bodyOf(response)).toEqual({ status: "logged_out" });
      await expectError(await getSites(target, ended), 401);
      expect((await getSites(target, other)).status).toBe(200);
    });

    it.each([
      ["without a session", {}],
      ["with a session that there is not", withSession("0".repeat(64))],
      ["with nonsense", { cookie: "svc_session" }],
      ["from a foreign page", { origin: "https://foreign.test" }],
    ])("a logout %s gives 200", async (_name, headers) => {
      expect(await bodyOf(await postLogout(target, headers))).toEqual({ status: "logged_out" });
    });

    itNeeds(makeTarget, "advance", "a session ends after session_ttl_secs", async () => {
      const own = await makeTarget({ ...CLOSED, SVC_SESSION_TTL_SECS: "600" });
      const response = await postLogin(own);
      expect(response.headers.get("set-cookie")).toMatch(/; Max-Age=600(;|$)/);
      const session = withSession(await tokenOf(response));
      await able(own, "advance")(599_999);
      expect((await getSites(own, session)).status).toBe(200);
      await able(own, "advance")(1);
      await expectError(await getSites(own, session), 401, "session or API key");
      expect(await getStatus(own, session)).toEqual({ setup_required: false, authenticated: false });
      await own.close();
    });
  });
}

export function describeLockout(makeTarget: MakeTarget): void {
  describe("the login lockout", () => {
    let target: Target;
    beforeAll(async () => {
      target = await makeTarget(BEHIND_PROXY);
    });
    afterAll(() => target.close());

    async function failTimes(asked: Target, times: number, headers: RequestHeaders): Promise<void> {
      for (let i = 0; i < times; i++) await expectExactError(await postLogin(asked, WRONG, headers), 401, "Invalid password");
    }

    async function expectLocked(response: Response): Promise<number> {
      await expectExactError(response, 429, "Too many failed login attempts. Try again later.");
      const retryAfter = response.headers.get("retry-after") ?? "";
      expect(retryAfter).toMatch(/^\d+$/);
      return Number(retryAfter);
    }

    it("after five consecutive failures the address is locked out, whatever it sends, and no other address is", async () => {
      const address = from();
      await failTimes(target, 5, address);
      for (const password of [WRONG, PASSWORD]) {
        const retryAfterSecs = await expectLocked(await postLogin(target, password, address));
        expect(retryAfterSecs).toBeLessThanOrEqual(300);
        expect(retryAfterSecs).toBeGreaterThan(270);
      }
      await expectLocked(await target.fetch("/api/auth/login", { method: "POST", headers: address, body: "{" }));
      await expectSession(await postLogin(target, PASSWORD, from()));
    });

    it("passwords that are too long to be hashed count as failures", async () => {
      const address = from();
      for (let i = 0; i < 5; i++) await expectExactError(await postLogin(target, "x".repeat(1025 + i), address), 401, "Invalid password");
      await expectLocked(await postLogin(target, PASSWORD, address));
    });

    it("a session continues while its address is locked out", async () => {
      const address = from();
      const session = withSession(await tokenOf(await postLogin(target, PASSWORD, address)));
      await failTimes(target, 5, address);
      expect((await getSites(target, { ...session, ...address })).status).toBe(200);
    });

    it("a success resets the count of failures", async () => {
      const address = from();
      for (let row = 0; row < 2; row++) {
        await failTimes(target, 4, address);
        await expectSession(await postLogin(target, PASSWORD, address));
      }
    });

    it("concurrent attempts are counted one by one", async () => {
      const address = from();
      const statuses = await statusesOf(Array.from({ length: 12 }, () => postLogin(target, WRONG, address)));
      expect(statuses.toSorted()).toEqual([...Array<number>(5).fill(401), ...Array<number>(7).fill(429)]);
      await expectLocked(await postLogin(target, PASSWORD, address));
    });

    it("several spellings of an address count as one address", async () => {
      const spellings = ["::ffff:192.0.2.99", "192.0.2.99", "192.0.2.99:4711", "[::ffff:c000:263]", "192.0.2.99"];
      for (const address of spellings) await failTimes(target, 1, from(address));
      await expectLocked(await postLogin(target, PASSWORD, from("192.0.2.99")));
    });

    it("addresses of one IPv6 /64 network count as one, those of another network do not", async () => {
      for (let host = 1; host <= 5; host++) await failTimes(target, 1, from(`2001:db8:5:9:${host}::${host}`));
      await expectLocked(await postLogin(target, PASSWORD, from("2001:db8:5:9::ffff")));
      await expectSession(await postLogin(target, PASSWORD, from("2001:db8:5:a::1")));
    });

    it("without trust_proxy the connection's address counts, whatever a header says", async () => {
      const own = await makeTarget({ ...ofItsOwn(CLOSED), SVC_MAX_LOGIN_ATTEMPTS: "3" });
      for (let i = 0; i < 3; i++) await failTimes(own, 1, from());
      await expectLocked(await postLogin(own, PASSWORD, from()));
      await own.close();
    });

    it("max_login_attempts 0 locks nobody out", async () => {
      const lenient = await makeTarget({ ...CLOSED, SVC_MAX_LOGIN_ATTEMPTS: "0" });
      await failTimes(lenient, 8, {});
      await logIn(lenient);
      await lenient.close();
    });

    itNeeds(makeTarget, "advance", "Retry-After counts down, and afterwards failures are counted from zero", async () => {
      const own = await makeTarget({ ...CLOSED, SVC_LOGIN_LOCKOUT_SECS: "100", SVC_MAX_LOGIN_ATTEMPTS: "2" });
      await failTimes(own, 2, {});
      expect(await expectLocked(await postLogin(own))).toBe(100);
      await able(own, "advance")(40_500);
      expect(await expectLocked(await postLogin(own))).toBe(60);
      await able(own, "advance")(59_499);
      expect(await expectLocked(await postLogin(own))).toBe(1);
      await able(own, "advance")(1);
      await failTimes(own, 1, {});
      await logIn(own);
      await failTimes(own, 2, {});
      await expectLocked(await postLogin(own));
      await own.close();
    });
  });
}
