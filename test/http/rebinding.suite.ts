/** DNS rebinding: the host names that may use an instance without a password, and the setup code (docs/http-api.md, "Unverified hosts"). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROUTES } from "../../src/handlers/app.ts";
import type { Access } from "../../src/handlers/route.ts";
import { bodyOf, CLOSED, getStatus, logIn, ofItsOwn, PASSWORD, postLogin, tokenOf, withSession } from "../support/auth-requests.ts";
import { expectError } from "../support/requests.ts";
import { able, itNeeds, SHORT_DEMO, type Environment, type MakeTarget, type Target, type TargetRequest } from "../support/target.ts";

const ATTACKER = "rebind.attacker.example:8000";

const NAMED: Environment = { SVC_DASHBOARD_ORIGIN: "https://Stats.Example.com" };

/** No browser can be led to another machine by these. */
const VERIFIED = [
  ...[
    "127.0.0.1:8000",
    "127.0.0.1",
    "127.1",
    "0x7f000001",
    "2130706433",
    "192.168.1.20:8000",
    "8.8.8.8",
    "[::1]:8000",
    "[0:0::1]",
    "[fd00::7]",
  ],
  ...["localhost", "localhost:8000", "LOCALHOST:8000", "localhost.", "dash.localhost:8000"],
];

const UNVERIFIED = [
  ATTACKER,
  "nas",
  "nas:8000",
  "nas.local",
  "localhost.attacker.example",
  "localhost.attacker.example.",
  "127.0.0.1.attacker.example",
  "evil-localhost",
  "stats.example.com.attacker.example",
];

const OPERATOR_NAMES = ["stats.example.com", "STATS.example.com:8000", "stats.example.com."];

const PRIVATE = [
  "127.0.0.1",
  "127.9.9.9",
  "::1",
  "10.0.0.7",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.1.7",
  "169.254.3.4",
  "100.64.0.1",
  "100.127.255.255",
  "fd12::1",
  "fe80::1",
  "::ffff:192.168.1.7",
  "::ffff:c0a8:107",
];

const PUBLIC = ["203.0.113.9", "172.32.0.1", "172.15.0.1", "100.128.0.1", "192.169.0.1", "2001:db8::1", "::ffff:203.0.113.9"];

const GUARDED: readonly Access[] = ["stats", "instance", "share", "site", "admin", "session", "manage", "auth"];

/** Setup asks for the code itself; logout is answered 200 always, and can end nothing. */
const OF_ITS_OWN = ["POST /api/auth/setup", "POST /api/auth/logout"];

const idOf = ({ method, path }: (typeof ROUTES)[number]): string => `${method} ${path}`;

const isGuarded = (route: (typeof ROUTES)[number]): boolean => GUARDED.includes(route.access) && !OF_ITS_OWN.includes(idOf(route));

const guarded = ROUTES.filter(isGuarded);

const STATUS: TargetRequest = { method: "GET" };

/** What any route says to a request that has nothing but its path. */
async function ask(
  target: Target,
  { method, path }: (typeof ROUTES)[number],
  init: TargetRequest,
): Promise<{ readonly status: number; readonly code: string | null }> {
  const body = method === "POST" ? { body: "{}" } : {};
  const response = await target.fetch(path.replace(/:(\w+)/g, "0"), { ...init, method, ...body });
  await response.arrayBuffer();
  return { status: response.status, code: response.headers.get("x-setup-code") };
}

const isRefused = ({ status, code }: Awaited<ReturnType<typeof ask>>): boolean => status === 403 && code === "required";

const setUp = (target: Target, fields: object, init: TargetRequest = { host: ATTACKER }): Promise<Response> =>
  target.fetch("/api/auth/setup", { ...init, method: "POST", body: JSON.stringify({ password: PASSWORD, ...fields }) });

const isRefusedStatus = async (target: Target, init: TargetRequest): Promise<boolean> => {
  const response = await target.fetch("/api/auth/status", { ...STATUS, ...init });
  await response.arrayBuffer();
  return response.status === 403;
};

const codeOf = async (asked: Target): Promise<string> => (await able(asked, "setupCode")()) ?? "";

/** The same code with another last character. */
const wrong = (code: string): string => code.slice(0, -1) + (code.endsWith("0") ? "1" : "0");

/** How a host passes host names on shows at one route. That every other route asks for them is the same on all hosts. */
const isShownAtHosts = (route: (typeof ROUTES)[number]): boolean => idOf(route) === "GET /api/sites";

/** Two targets for the cases of the suite around: without and with `dashboard_origin`. */
function namedAndUnnamed(makeTarget: MakeTarget): { readonly target: () => Target; readonly named: () => Target } {
  let target: Target;
  let named: Target;
  beforeAll(async () => {
    target = await makeTarget(ofItsOwn(SHORT_DEMO));
    named = await makeTarget(ofItsOwn({ ...NAMED, ...SHORT_DEMO }));
  });
  afterAll(async () => {
    await target.close();
    await named.close();
  });
  return { target: () => target, named: () => named };
}

function refuseUnknownNames(routes: typeof guarded, { target, named }: ReturnType<typeof namedAndUnnamed>): void {
  it.each(routes.map((route) => [idOf(route), route] as const))(
    "rebinding: without a password, %s is refused by an unknown host name and by no other",
    async (_id, route) => {
      for (const host of [...UNVERIFIED, ...OPERATOR_NAMES])
        expect({ host, refused: isRefused(await ask(target(), route, { host })) }).toEqual({ host, refused: true });
      for (const host of VERIFIED)
        expect({ host, refused: isRefused(await ask(target(), route, { host })) }).toEqual({ host, refused: false });
      for (const host of OPERATOR_NAMES)
        expect({ host, refused: isRefused(await ask(named(), route, { host })) }).toEqual({ host, refused: false });
      expect(isRefused(await ask(named(), route, { host: ATTACKER }))).toBe(true);
    },
  );
}

export function describeRebinding(makeTarget: MakeTarget): void {
  describe("DNS rebinding", () => {
    const { target, named } = namedAndUnnamed(makeTarget);

    refuseUnknownNames(guarded.filter(isShownAtHosts), { target, named });

    it("rebinding: a page of dashboard_origin may read that setup takes the setup code", async () => {
      const response = await named().fetch("/api/auth/status", {
        ...STATUS,
        host: ATTACKER,
        headers: { origin: "https://stats.example.com" },
      });
      await response.arrayBuffer();
      expect(response.headers.get("x-setup-code")).toBe("required");
      expect(response.headers.get("access-control-expose-headers")).toContain("X-Setup-Code");
    });

    it("rebinding: public routes are served under any host name", async () => {
      for (const route of ROUTES.filter((known) => !GUARDED.includes(known.access))) {
        const [there, here] = [await ask(target(), route, { host: ATTACKER }), await ask(target(), route, {})];
        expect({ id: idOf(route), ...there }).toEqual({ id: idOf(route), ...here });
        expect(there.code).toBeNull();
      }
    });

    it("rebinding: the refusal says what to do, in the error and in a header, and sets no cookie", async () => {
      const response = await target().fetch("/api/sites", { host: ATTACKER });
      expect(response.headers.get("x-setup-code")).toBe("required");
      expect(response.headers.get("cache-control")).toBe("no-store");
      expect(response.headers.get("set-cookie")).toBeNull();
      await expectError(response, 403, ATTACKER, "IP address", "localhost", "dashboard_origin", "trust_proxy", "setup code");
    });

    it("rebinding: a logout is answered 200 under any host name", async () => {
      const response = await target().fetch("/api/auth/logout", { method: "POST", host: ATTACKER });
      expect(await bodyOf(response)).toEqual({ status: "logged_out" });
    });

    it("rebinding: a request through all trusted proxies may name any host, any other may not", async () => {
      const [one, two] = [await makeTarget(ofItsOwn({ SVC_TRUST_PROXY: "1" })), await makeTarget(ofItsOwn({ SVC_TRUST_PROXY: "2" }))];
      const by = (forwardedFor: string): TargetRequest => ({ host: "stats.example.com", headers: { "x-forwarded-for": forwardedFor } });
      expect(await isRefusedStatus(target(), by("203.0.113.7"))).toBe(true);
      expect(await isRefusedStatus(one, by("203.0.113.7"))).toBe(false);
      expect(await isRefusedStatus(one, by("192.168.1.7"))).toBe(false);
      expect(await isRefusedStatus(one, { host: "stats.example.com" })).toBe(true);
      expect(await isRefusedStatus(one, by(""))).toBe(true);
      expect(await isRefusedStatus(two, by("203.0.113.7"))).toBe(true);
      expect(await isRefusedStatus(two, by("203.0.113.7, 192.0.2.1"))).toBe(false);
      for (const used of [one, two]) await used.close();
    });

    itNeeds(
      makeTarget,
      "comesFromAnywhere",
      "rebinding: host names are checked only for connections from this machine and private networks",
      async () => {
        for (const from of [...PRIVATE, ""])
          expect({ from, refused: await isRefusedStatus(target(), { from, host: ATTACKER }) }).toEqual({ from, refused: true });
        for (const from of PUBLIC)
          expect({ from, refused: await isRefusedStatus(target(), { from, host: ATTACKER }) }).toEqual({ from, refused: false });
      },
    );

    itNeeds(makeTarget, "comesFromAnywhere", "rebinding: the address of the connection decides, not what a header claims", async () => {
      const headers = { "x-forwarded-for": "203.0.113.9" };
      expect(await isRefusedStatus(target(), { from: "192.168.1.7", host: ATTACKER, headers })).toBe(true);
    });

    it("rebinding: a setup without the code, or with a wrong one, is refused and changes nothing", async () => {
      const own = await makeTarget(ofItsOwn());
      const code = await codeOf(own);
      await expectError(await setUp(own, {}), 403, "setup code", "IP address");
      await expectError(await setUp(own, { code: null }), 403, "setup code", "IP address");
      for (const typed of ["", wrong(code), `${code}0`]) await expectError(await setUp(own, { code: typed }), 403, "setup code is wrong");
      expect(await getStatus(own)).toEqual({ setup_required: true, authenticated: true });
      await own.close();
    });

    it.each([
      [422, "no password", {}],
      [422, "a code that is a number", { password: PASSWORD, code: 5 }],
      [422, "a code that is a list", { password: PASSWORD, code: ["x"] }],
    ])("rebinding: a setup with an invalid body gives %d on any host: %s", async (status, _name, body) => {
      for (const init of [{ host: ATTACKER }, {}])
        await expectError(
          await target().fetch("/api/auth/setup", { ...init, method: "POST", body: JSON.stringify(body) }),
          status,
          "Field",
        );
    });

    it("rebinding: the setup code sets the password once under any host name, in any case and with any dashes", async () => {
      const own = await makeTarget(ofItsOwn());
      const code = await codeOf(own);
      expect(code).toMatch(/^(?:[0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/);
      await expectError(await setUp(own, { code, password: "too short" }), 400, "at least 12");
      const typed = ` ${code.toLowerCase().replaceAll("-", " ").replaceAll("0", "o").replaceAll("1", "l")} `;
      const session = withSession(await tokenOf(await setUp(own, { code: typed })));
      const sites = await own.fetch("/api/sites", { host: ATTACKER, headers: session });
      expect(await bodyOf(sites)).toEqual({ sites: [] });
      await expectError(await setUp(own, { code }), 409, "Admin password already configured");
      await expectError(await setUp(own, { code: "wrong" }), 409, "Admin password already configured");
      expect(await able(own, "setupCode")()).toBeNull();
      await own.close();
    });

    itNeeds(makeTarget, "restart", "rebinding: each start generates a new code, and none once a password is set", async () => {
      const own = await makeTarget(ofItsOwn());
      const first = await codeOf(own);
      await able(own, "restart")();
      const second = await codeOf(own);
      expect(second).not.toBe(first);
      await expectError(await setUp(own, { code: first }), 403, "setup code is wrong");
      await bodyOf(await setUp(own, { code: second }));
      await able(own, "restart")();
      expect(await able(own, "setupCode")()).toBeNull();
      await expectError(await setUp(own, { code: second }), 409);
      await own.close();
    });

    it("rebinding: with a password, every route accepts any host name", async () => {
      const closed = await makeTarget({ ...CLOSED, ...SHORT_DEMO });
      for (const route of ROUTES.filter(({ access }) => GUARDED.includes(access))) {
        const [there, here] = [await ask(closed, route, { host: ATTACKER }), await ask(closed, route, {})];
        expect({ id: idOf(route), ...there }).toEqual({ id: idOf(route), ...here });
        expect(there.code).toBeNull();
      }
      const session = await logIn(closed);
      await bodyOf(await closed.fetch("/api/sites", { host: ATTACKER, headers: session }));
      await closed.close();
    });

    it("rebinding: the code is in no response", async () => {
      const code = await codeOf(target());
      for (const route of ROUTES) {
        for (const host of [ATTACKER, "localhost"]) {
          const response = await target().fetch(route.path.replace(/:(\w+)/g, "0"), {
            method: route.method,
            host,
            ...(route.method === "POST" && { body: "{}" }),
          });
          const text = `${JSON.stringify([...response.headers])}${await response.text()}`;
          expect(text).not.toContain(code);
          expect(text).not.toContain(code.replaceAll("-", ""));
        }
      }
    });
  });
}

/** The routes that ask for a known host name, beside the one of `describeRebinding`. */
export function describeGuardedRoutes(makeTarget: MakeTarget): void {
  describe("DNS rebinding at every route", () => {
    refuseUnknownNames(
      guarded.filter((route) => !isShownAtHosts(route)),
      namedAndUnnamed(makeTarget),
    );
  });
}

/** Further cases of the code, which are the same on every host. */
export function describeSetupCode(makeTarget: MakeTarget): void {
  describe("the setup code", () => {
    it("rebinding: of two concurrent setups with the code, one succeeds", async () => {
      const own = await makeTarget(ofItsOwn());
      const code = await codeOf(own);
      const passwords = ["password number 1", "password number 2"];
      const responses = await Promise.all(passwords.map((password) => setUp(own, { code, password })));
      const statuses = responses.map(({ status }) => status);
      expect(statuses.toSorted()).toEqual([200, 409]);
      await logIn(own, passwords[statuses.indexOf(200)]);
      await own.close();
    });

    it("rebinding: wrong codes lock the address out like wrong passwords, before the right code is checked", async () => {
      const own = await makeTarget(ofItsOwn({ SVC_MAX_LOGIN_ATTEMPTS: "3" }));
      const code = await codeOf(own);
      for (let i = 0; i < 5; i++) await expectError(await setUp(own, {}), 403, "IP address");
      const responses = await Promise.all(Array.from({ length: 6 }, () => setUp(own, { code: wrong(code) })));
      expect(responses.map(({ status }) => status).toSorted()).toEqual([403, 403, 403, 429, 429, 429]);
      const locked = await setUp(own, { code });
      expect(Number(locked.headers.get("retry-after"))).toBeGreaterThan(0);
      await expectError(locked, 429, "Too many failed login attempts. Try again later.");
      await own.close();
    });

    it("rebinding: a correct code resets the count of failures", async () => {
      const own = await makeTarget(ofItsOwn({ SVC_MAX_LOGIN_ATTEMPTS: "2" }));
      const code = await codeOf(own);
      await expectError(await setUp(own, { code: wrong(code) }), 403);
      await bodyOf(await setUp(own, { code }));
      await expectError(await postLogin(own, "a wrong password"), 401);
      await logIn(own);
      await own.close();
    });

    it("rebinding: a verified host name needs no code and ignores one", async () => {
      const own = await makeTarget(ofItsOwn({ SVC_MAX_LOGIN_ATTEMPTS: "1" }));
      await bodyOf(await setUp(own, { code: "nonsense" }, { host: "localhost:8000" }));
      await logIn(own);
      await own.close();
    });

    it("rebinding: a page of another origin is refused even with the right code", async () => {
      const own = await makeTarget(ofItsOwn());
      const code = await codeOf(own);
      await expectError(
        await setUp(own, { code }, { host: ATTACKER, headers: { origin: "https://foreign.test" } }),
        403,
        "dashboard's own origin",
      );
      await bodyOf(await setUp(own, { code }, { host: ATTACKER, headers: { origin: `http://${ATTACKER}` } }));
      await own.close();
    });
  });
}
