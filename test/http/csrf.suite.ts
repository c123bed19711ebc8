/** CSRF protection of sessions, and CORS of the dashboard (docs/http-api.md, "CSRF" and "CORS"). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  bodyOf,
  CLOSED,
  createKey,
  deleteKey,
  getStatus,
  logIn,
  ofItsOwn,
  PASSWORD,
  postKey,
  postLogin,
  postLogout,
  postSetup,
  withKey,
} from "../support/auth-requests.ts";
import { IN_PROCESS_ORIGIN } from "../support/in-process-target.ts";
import { expectError, type RequestHeaders } from "../support/requests.ts";
import type { Environment, MakeTarget, Target } from "../support/target.ts";

const DASHBOARD = "https://dashboard.test";

const WITH_DASHBOARD: Environment = { ...CLOSED, SVC_DASHBOARD_ORIGIN: DASHBOARD };

const NEW_KEY = { name: "a key", scope: "ReadOnly" } as const;

const origin = (page: string): RequestHeaders => ({ origin: page });
const referer = (page: string): RequestHeaders => ({ referer: page });

/** What is not the dashboard's page, however near. */
const FOREIGN: readonly RequestHeaders[] = [
  origin("https://foreign.test"),
  origin("http://dashboard.test"),
  origin("https://dashboard.test:8443"),
  origin("https://dashboard.test.foreign.test"),
  origin("https://sub.dashboard.test"),
  origin("null"),
  origin("nonsense"),
  referer("https://foreign.test/"),
  referer("https://foreign.test/https://dashboard.test/"),
  { ...origin("https://foreign.test"), ...referer(`${DASHBOARD}/`) },
];

const corsOf = ({ headers }: Response): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith("access-control-") || name === "vary"));

const FOR_DASHBOARD = {
  "access-control-allow-origin": DASHBOARD,
  "access-control-allow-credentials": "true",
  "access-control-expose-headers": "Content-Disposition, Retry-After, X-Behavioral-Extension, X-Request-Id, X-Setup-Code",
  vary: "Origin",
};

/** The service's own origin, as the target's URLs have it. */
const ownOrigin = async (target: Target): Promise<string> => {
  const { url } = await target.fetch("/health");
  return url === "" ? IN_PROCESS_ORIGIN : new URL(url).origin;
};

export function describeOwnPages(makeTarget: MakeTarget): void {
  describe("CSRF protection", () => {
    let bare: Target;
    let target: Target;
    let bareSession: RequestHeaders;
    let session: RequestHeaders;
    beforeAll(async () => {
      bare = await makeTarget(CLOSED);
      target = await makeTarget(WITH_DASHBOARD);
      bareSession = await logIn(bare);
      session = await logIn(target);
    });
    afterAll(async () => {
      await bare.close();
      await target.close();
    });

    it.each(FOREIGN)("with dashboard_origin, a session's changes are refused with %j", async (page) => {
      await expectError(await postKey(target, { ...session, ...page }, NEW_KEY), 403, "dashboard");
      await expectError(await deleteKey(target, { ...session, ...page }, "0".repeat(64)), 403, "dashboard");
    });

    it("with dashboard_origin, a session's changes are refused without an origin", async () => {
      await expectError(await postKey(target, session, NEW_KEY), 403, "dashboard");
      await expectError(await deleteKey(target, session, "0".repeat(64)), 403, "dashboard");
    });

    it.each([
      origin(DASHBOARD),
      referer(`${DASHBOARD}/settings?tab=keys`),
      referer(DASHBOARD),
      { ...origin(DASHBOARD), ...referer("https://foreign.test/") },
    ])("with dashboard_origin, a session's changes are accepted with %j", async (page) => {
      const { key_hash: hash } = await bodyOf<{ key_hash: string }>(await postKey(target, { ...session, ...page }, NEW_KEY), 201);
      expect(await bodyOf(await deleteKey(target, { ...session, ...page }, hash))).toEqual({ status: "revoked" });
    });

    it("with dashboard_origin, the service's own origin is foreign", async () => {
      await expectError(await postKey(target, { ...session, ...origin(await ownOrigin(target)) }, NEW_KEY), 403);
    });

    it.each(FOREIGN.filter((page) => "origin" in page))(
      "without dashboard_origin, a session's changes are refused with %j",
      async (page) => {
        await expectError(await postKey(bare, { ...bareSession, ...page }, NEW_KEY), 403, "dashboard_origin");
      },
    );

    it("without dashboard_origin, a session's changes are accepted from the service's own pages and without an origin", async () => {
      for (const page of [origin(await ownOrigin(bare)), {}]) {
        await bodyOf(await postKey(bare, { ...bareSession, ...page }, NEW_KEY), 201);
      }
    });

    it("API keys are exempt, whatever the origin", async () => {
      const { key } = await createKey(target, { ...session, ...origin(DASHBOARD) }, "Admin");
      for (const page of [...FOREIGN, {}]) await bodyOf(await postKey(target, { ...withKey(key), ...page }, NEW_KEY), 201);
    });

    it("an invalid API key does not exempt a session", async () => {
      const headers = { ...session, ...origin("https://foreign.test"), ...withKey(`svc_${"0".repeat(64)}`) };
      await expectError(await postKey(target, headers, NEW_KEY), 403, "dashboard");
    });

    it("a ReadOnly key does not exempt a session", async () => {
      const { key } = await createKey(target, { ...session, ...origin(DASHBOARD) }, "ReadOnly");
      await expectError(
        await postKey(target, { ...session, ...withKey(key), ...origin("https://foreign.test") }, NEW_KEY),
        403,
        "dashboard",
      );
    });

    it("reads with a session are not restricted by origin", async () => {
      for (const page of FOREIGN) {
        for (const path of ["/api/keys", "/api/sites"]) {
          expect((await target.fetch(path, { headers: { ...session, ...page } })).status).toBe(200);
        }
      }
    });

    it.each(FOREIGN)("a login is refused with %j, whatever the password", async (page) => {
      for (const password of [PASSWORD, "a wrong password"]) await expectError(await postLogin(target, password, page), 403, "dashboard");
    });

    it("a login is accepted from the dashboard's page and without an origin", async () => {
      for (const page of [origin(DASHBOARD), referer(`${DASHBOARD}/login`), {}]) await bodyOf(await postLogin(target, PASSWORD, page));
      for (const page of [origin(await ownOrigin(bare)), {}]) await bodyOf(await postLogin(bare, PASSWORD, page));
      await expectError(await postLogin(bare, PASSWORD, origin("https://foreign.test")), 403, "dashboard_origin");
    });

    it("a setup is refused from a foreign page, and accepted from the service's own", async () => {
      const unset = await makeTarget(ofItsOwn());
      await expectError(await postSetup(unset, PASSWORD, origin("https://foreign.test")), 403, "dashboard_origin");
      expect(await getStatus(unset)).toEqual({ setup_required: true, authenticated: true });
      await bodyOf(await postSetup(unset, PASSWORD, origin(await ownOrigin(unset))));
      await unset.close();
    });

    it("a logout is accepted from any page", async () => {
      const ended = await logIn(target);
      await bodyOf(await postLogout(target, { ...ended, ...origin("https://foreign.test") }));
      expect(await getStatus(target, ended)).toEqual({ setup_required: false, authenticated: false });
    });
  });

  describe("CORS of the dashboard", () => {
    let bare: Target;
    let target: Target;
    beforeAll(async () => {
      bare = await makeTarget(CLOSED);
      target = await makeTarget(WITH_DASHBOARD);
    });
    afterAll(async () => {
      await bare.close();
      await target.close();
    });

    /** Of the dashboard's paths, with what they are answered without a credential. */
    const PATHS = [
      ["GET", "/api/sites", 401, "GET, HEAD"],
      ["GET", "/api/stats/main?site_id=a.test", 401, "GET, HEAD"],
      ["GET", "/api/stats/breakdown/pages", 401, "GET, HEAD"],
      ["GET", "/api/auth/status", 200, "GET, HEAD"],
      ["POST", "/api/auth/login", 400, "POST"],
      ["POST", "/api/auth/logout", 200, "POST"],
      ["POST", "/api/keys", 401, "POST, GET, HEAD"],
      ["DELETE", `/api/keys/${"0".repeat(64)}`, 401, "DELETE"],
      ["PUT", "/api/keys", 405, "POST, GET, HEAD"],
    ] as const;

    it.each(PATHS)("with dashboard_origin, its pages may read %s %s", async (method, path, status) => {
      const response = await target.fetch(path, { method, headers: origin(DASHBOARD) });
      await response.arrayBuffer();
      expect({ status: response.status, cors: corsOf(response) }).toEqual({ status, cors: FOR_DASHBOARD });
    });

    it.each(PATHS)("with dashboard_origin, its pages may preflight %s %s", async (method, path, _status, methods) => {
      const response = await target.fetch(path, {
        method: "OPTIONS",
        headers: {
          ...origin(DASHBOARD),
          "access-control-request-method": method,
          "access-control-request-headers": "content-type,x-api-key",
        },
      });
      expect({ status: response.status, body: await response.text(), cors: corsOf(response) }).toEqual({
        status: 204,
        body: "",
        cors: {
          ...FOR_DASHBOARD,
          "access-control-allow-methods": methods,
          "access-control-allow-headers": "content-type,x-api-key",
          "access-control-max-age": "86400",
        },
      });
    });

    it.each(PATHS)("no other page may read %s %s, and none without dashboard_origin", async (method, path) => {
      for (const [asked, page] of [
        [target, "https://foreign.test"],
        [target, "null"],
        [bare, DASHBOARD],
        [bare, await ownOrigin(bare)],
      ] as const) {
        const answers = [
          await asked.fetch(path, { method, headers: origin(page) }),
          await asked.fetch(path, { method: "OPTIONS", headers: origin(page) }),
        ];
        for (const response of answers) {
          await response.arrayBuffer();
          expect(corsOf(response)).toEqual({});
        }
        expect(answers[1]?.status).toBe(405);
      }
    });

    it("dashboard_origin does not change routes that the dashboard does not use", async () => {
      for (const path of ["/health", "/nothing", "/api/auth", "/api/keys/a/b"]) {
        const response = await target.fetch(path, { headers: origin(DASHBOARD) });
        await response.arrayBuffer();
        expect(corsOf(response)).toEqual({});
      }
    });
  });
}
