/** The platform ends an idle object after seconds. What logins leave outlives that, and ends with a deployment. */
import { afterAll, describe, expect, it } from "vitest";
import {
  PASSWORD,
  bodyOf,
  createKey,
  createShare,
  getStatus,
  logIn,
  postLogin,
  postLogout,
  postSetup,
  tokenOf,
  unlock,
  withBearer,
  withSession,
  withShare,
} from "../support/auth-requests.ts";
import { able } from "../support/target.ts";
import { NO_DEPLOYMENT } from "../support/workerd/control.ts";
import { workerdTargets } from "../support/workerd-target.ts";

const makeTarget = workerdTargets();
afterAll(() => makeTarget.closeAll());

const SITE = "evicted.test";
const PASSWORD_OF_LINK = "the password of the link";

/** An object that is idle for longer may be ended (workerd does so after ten seconds). */
const IDLE_MS = 10_000;

const SESSION_SECS = 3600;

describe("objects that the platform ends", () => {
  it("sessions survive until their end, and those that were logged out stay ended", async () => {
    const target = await makeTarget({ SVC_SESSION_TTL_SECS: String(SESSION_SECS) });
    const first = withSession(await tokenOf(await postSetup(target)));
    const second = await logIn(target);
    await able(target, "advance")(1000);
    await postLogout(target, second);
    const isLoggedIn = async () => [(await getStatus(target, first)).authenticated, (await getStatus(target, second)).authenticated];
    await target.endObjects();
    expect(await isLoggedIn()).toEqual([true, false]);
    await able(target, "advance")((SESSION_SECS - 2) * 1000);
    await target.endObjects();
    expect(await isLoggedIn()).toEqual([true, false]);
    await able(target, "advance")(1000);
    expect(await isLoggedIn()).toEqual([false, false]);
    await target.close();
  });

  it("a deployment ends sessions and the views of links with a password", async () => {
    const target = await makeTarget();
    const session = withSession(await tokenOf(await postSetup(target)));
    const admin = withBearer((await createKey(target, session, "Admin")).key);
    const { token } = await createShare(target, admin, { name: "link", site_id: SITE, password: PASSWORD_OF_LINK });
    const viewer = withShare((await bodyOf<{ token: string }>(await unlock(target, token, PASSWORD_OF_LINK))).token);
    const statuses = async () => [
      (await target.fetch(`/api/stats/main?site_id=${SITE}`, { headers: session })).status,
      (await target.fetch(`/api/stats/main?site_id=${SITE}`, { headers: viewer })).status,
    ];
    await target.endObjects();
    expect(await statuses()).toEqual([200, 200]);
    await able(target, "restart")();
    expect(await statuses()).toEqual([401, 401]);
    await target.close();
  });

  it("without the binding of the deployment, sessions and the setup code end, and the log names the binding", async () => {
    const target = await makeTarget({ [NO_DEPLOYMENT]: "true" });
    const first = await able(target, "setupCode")();
    await target.endObjects();
    const second = await able(target, "setupCode")();
    expect(second).toMatch(/^\w{4}-\w{4}-\w{4}-\w{4}$/);
    expect(second).not.toBe(first);
    const session = withSession(await tokenOf(await postSetup(target)));
    expect(await getStatus(target, session)).toMatchObject({ authenticated: true });
    await target.endObjects();
    expect(await getStatus(target, session)).toMatchObject({ authenticated: false });
    await expect.poll(makeTarget.log).toContain("the binding DEPLOYMENT is missing");
    await target.close();
  });

  it("the setup code works although only its hash is left, and is logged once", async () => {
    const target = await makeTarget();
    const code = (await able(target, "setupCode")()) ?? "";
    expect(code).toMatch(/^\w{4}-\w{4}-\w{4}-\w{4}$/);
    await target.endObjects();
    expect(await able(target, "setupCode")()).toBeNull();
    const setUp = (typed: string) =>
      target.fetch("/api/auth/setup", { host: "nas:8000", method: "POST", body: JSON.stringify({ password: PASSWORD, code: typed }) });
    expect((await setUp("0000-0000-0000-0000")).status).toBe(403);
    expect((await setUp(code)).status).toBe(200);
    await expect.poll(() => makeTarget.log().split(code)).toHaveLength(2);
    await target.close();
  });

  it("an object with failed logins is woken before it idles out, as long as they count", async () => {
    const target = await makeTarget({ SVC_LOGIN_LOCKOUT_SECS: "300", SVC_MAX_LOGIN_ATTEMPTS: "3", SVC_SECRET: "a secret of this test" });
    expect((await postSetup(target)).status).toBe(200);
    const wakesInMs = async () => (await target.alarms())[0] ?? Number.POSITIVE_INFINITY;
    await expect.poll(wakesInMs).toBe(Number.POSITIVE_INFINITY);
    expect((await postLogin(target, "a wrong password")).status).toBe(401);
    expect(await wakesInMs()).toBeLessThan(IDLE_MS);
    await able(target, "advance")(300_000);
    await expect.poll(wakesInMs, { interval: 200 }).toBe(Number.POSITIVE_INFINITY);
    await target.close();
  });
});
