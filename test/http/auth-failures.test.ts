/** Authentication cases that need the app in process: failing stores and hashers, keys without a password, and cookie security. */
import { describe, expect, it } from "vitest";
import { PASSWORD_CHECKS_WAITING_MAX } from "../../src/runtime/base/config/admin-limits.ts";
import { createMemoryRecordStore } from "../support/memory-record-store.ts";
import {
  bodyOf,
  CLOSED,
  createKey,
  deleteKey,
  getStatus,
  listKeys,
  logIn,
  PASSWORD,
  postKey,
  postLogin,
  postSetup,
  withBearer,
} from "../support/auth-requests.ts";
import { createDeferred } from "../support/deferred.ts";
import { createInProcessTarget } from "../support/in-process-target.ts";
import { expectError, post, wireEvent } from "../support/requests.ts";

const fails = async (): Promise<never> => {
  throw new Error("disk full");
};

const INTERNAL = "Internal error";

describe("when the auth store fails,", () => {
  it("a setup gives 500, its password is not accepted, and setup stays open", async () => {
    const records = createMemoryRecordStore();
    const target = await createInProcessTarget({}, { records });
    const write = records.write;
    records.write = fails;
    const response = await postSetup(target);
    expect(response.headers.get("set-cookie")).toBeNull();
    await expectError(response, 500, "The password could not be stored and is not set");
    expect(target.log.lines).toContainEqual({
      level: "error",
      message: "a request failed",
      fields: { requestId: expect.any(String) as unknown, reason: "disk full" },
    });
    expect(await getStatus(target)).toEqual({ setup_required: true, authenticated: true });
    await expectError(await postLogin(target), 400, "No admin password configured");
    records.write = write;
    await bodyOf(await postSetup(target));
    await target.close();
  });

  it("creating a key gives 500, and the key does not exist", async () => {
    const records = createMemoryRecordStore();
    const target = await createInProcessTarget(CLOSED, { records });
    const session = await logIn(target);
    records.write = fails;
    await expectError(await postKey(target, session, { name: "a", scope: "Admin" }), 500, "The key could not be stored and does not work");
    expect(await listKeys(target, session)).toEqual([]);
    await target.close();
  });

  it("a revocation gives 503, invalidates the key at once, and can be retried", async () => {
    const records = createMemoryRecordStore();
    const target = await createInProcessTarget(CLOSED, { records });
    const session = await logIn(target);
    const { key, key_hash: hash } = await createKey(target, session, "ReadOnly");
    const write = records.write;
    records.write = fails;
    const response = await deleteKey(target, session, hash);
    expect(response.headers.get("retry-after")).toBe("10");
    await expectError(response, 503, "only until the next restart");
    expect((await target.fetch("/api/sites", { headers: withBearer(key) })).status).toBe(401);
    records.write = write;
    expect((await deleteKey(target, session, hash)).status).toBe(200);
    await target.close();
  });
});

describe("API keys stored before the admin password was removed", () => {
  it("may read stats like everyone, and manage nothing until a password is set again", async () => {
    const records = createMemoryRecordStore();
    const before = await createInProcessTarget(CLOSED, { records });
    const session = await logIn(before);
    const { key } = await createKey(before, session, "Admin");
    await before.close();
    const target = await createInProcessTarget({}, { records });
    for (const headers of [withBearer(key), session]) {
      expect((await target.fetch("/api/sites", { headers })).status).toBe(200);
      await expectError(await target.fetch("/api/keys", { headers }), 401);
      await expectError(await postKey(target, headers, { name: "a", scope: "Admin" }), 401);
    }
    await bodyOf(await postSetup(target));
    expect((await target.fetch("/api/keys", { headers: withBearer(key) })).status).toBe(200);
    await target.close();
  });
});

describe("a busy password hasher", () => {
  it("delays neither events nor reports, and queues a limited number of passwords", async () => {
    const answer = createDeferred<boolean>();
    const passwordHasher = { hash: async () => "", verify: () => answer.promise };
    const target = await createInProcessTarget({ ...CLOSED, SVC_MAX_LOGIN_ATTEMPTS: "0" }, { passwordHasher });
    const logins = Array.from({ length: PASSWORD_CHECKS_WAITING_MAX + 1 }, () => postLogin(target));
    await new Promise((resolve) => setTimeout(resolve, 0));
    const refused = await postLogin(target);
    expect(refused.headers.get("retry-after")).toBe("5");
    await expectError(refused, 429, "Try again later");
    expect((await post(target, wireEvent("busy.test"))).status).toBe(202);
    expect((await target.fetch("/health")).status).toBe(200);
    answer.resolve(true);
    expect((await Promise.all(logins)).map(({ status }) => status)).toEqual(logins.map(() => 200));
    await target.close();
  });

  it("does not count its own failure as a failed login", async () => {
    const target = await createInProcessTarget(
      { ...CLOSED, SVC_MAX_LOGIN_ATTEMPTS: "1" },
      { passwordHasher: { hash: fails, verify: fails } },
    );
    for (let i = 0; i < 3; i++) await expectError(await postLogin(target), 500, INTERNAL);
    expect(target.services.counters.loginFailures).toBe(0);
    await target.close();
  });
});

describe("failed logins", () => {
  it("are counted if the password was wrong, and a lockout is logged once, without the address", async () => {
    const target = await createInProcessTarget({ ...CLOSED, SVC_MAX_LOGIN_ATTEMPTS: "2" });
    await bodyOf(await postLogin(target));
    for (let i = 0; i < 2; i++) await expectError(await postLogin(target, "a wrong password"), 401);
    for (let i = 0; i < 2; i++) await expectError(await postLogin(target), 429);
    expect(target.services.counters.loginFailures).toBe(2);
    expect(target.log.lines.filter(({ message }) => message.includes("locked out"))).toEqual([
      { level: "warn", message: "an address is locked out after too many wrong passwords", fields: {} },
    ]);
    await target.close();
  });
});

describe("the cookie attribute Secure", () => {
  const HTTPS_BY_PROXY = { "x-forwarded-proto": "https" };

  it.each([
    ["auto", "0", "https://stats.test", {}, true],
    ["auto", "0", "http://localhost:8000", {}, true],
    ["auto", "0", "http://dashboard.localhost", {}, true],
    ["auto", "0", "http://127.0.0.1:8000", {}, true],
    ["auto", "0", "http://127.9.9.9", {}, true],
    ["auto", "0", "http://[::1]:8000", {}, true],
    ["auto", "0", "http://stats.test", {}, false],
    ["auto", "0", "http://192.168.1.5:8000", {}, false],
    ["auto", "0", "http://localhost.test", {}, false],
    ["auto", "0", "http://127.0.0.1.test", {}, false],
    ["auto", "0", "http://stats.test", HTTPS_BY_PROXY, false],
    ["auto", "1", "http://stats.test", HTTPS_BY_PROXY, true],
    ["auto", "1", "http://stats.test", { "x-forwarded-proto": "HTTPS" }, true],
    ["auto", "1", "http://stats.test", { "x-forwarded-proto": "https, http" }, false],
    ["auto", "2", "http://stats.test", { "x-forwarded-proto": "https, http" }, true],
    ["auto", "2", "http://stats.test", HTTPS_BY_PROXY, true],
    ["auto", "1", "https://stats.test", { "x-forwarded-proto": "http" }, false],
    ["true", "0", "http://stats.test", {}, true],
    ["false", "0", "https://stats.test", {}, false],
  ])("secure_cookies %s, trust_proxy %s, %s, %j: %s", async (secureCookies, trustProxy, origin, headers, secure) => {
    const target = await createInProcessTarget({ ...CLOSED, SVC_SECURE_COOKIES: secureCookies, SVC_TRUST_PROXY: trustProxy });
    const send = (path: string) =>
      target.fetch(`${origin}${path}`, { method: "POST", headers, body: JSON.stringify({ password: PASSWORD }) });
    for (const path of ["/api/auth/login", "/api/auth/logout", "/api/auth/login"]) {
      const cookie = (await send(path)).headers.get("set-cookie") ?? "";
      expect(cookie).toMatch(/^svc_session=[0-9a-f]*; HttpOnly; SameSite=Strict; Path=\/; Max-Age=\d+(; Secure)?$/);
      expect(cookie.endsWith("; Secure")).toBe(secure);
    }
    const warnings = target.log.lines.filter(({ message }) => message.includes("plain http"));
    expect(warnings).toHaveLength(secure || secureCookies !== "auto" ? 0 : 1);
    await target.close();
  });
});
