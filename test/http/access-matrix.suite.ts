/** Access levels: every route with every kind of credential, with and without an admin password (docs/http-api.md, "Access"). */
import { DEMO_SITE } from "../../src/runtime/base/config/names.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROUTES } from "../../src/handlers/app.ts";
import type { DescribedRouteId } from "../../src/handlers/openapi.ts";
import {
  bodyOf,
  CLOSED,
  createKey,
  createShare,
  deleteShare,
  deleteKey,
  logIn,
  ofItsOwn,
  PASSWORD,
  postKey,
  postLogout,
  withBearer,
  withKey,
  withSession,
  withShare,
  type CreatedKey,
} from "../support/auth-requests.ts";
import { browserHeaders, newAddress, type RequestHeaders } from "../support/requests.ts";
import { able, itNeeds, SHORT_DEMO, type MakeTarget, type Target } from "../support/target.ts";

/**
 * What a caller needs once there is a password. Until then figures need nothing, and what needs an admin is for nobody.
 * Told here again, and not taken from the routes, so that neither can change alone.
 */
type Need =
  | "nothing"
  | "any credential"
  | "a credential for all sites"
  | "an admin of the site"
  | "an admin"
  | "an admin, once there is a password"
  | "a session"
  | "an API key";

interface Asked {
  /** How it is answered with a share link, and with one whose password is needed. All others get `status`. */
  readonly shared?: { readonly open: number; readonly locked: number };
  readonly need: Need;
  readonly path: string;
  readonly body?: unknown;
  /** How it is answered to whoever is let in; [before there is a password, after] where that differs. */
  readonly status: number | readonly [open: number, closed: number];
}

const SITE = "matrix.test";

/** That a site is missing is said to those only who are let in, and costs no query. */
const figure = (path: string, status = 400): Asked => ({ need: "any credential", path, status });

const open = (path: string, status = 200): Asked => ({ need: "nothing", path, status });

/** A route that is missing here does not compile, and fails a test: say who may call it, and send what it takes. */
const ASKED: Readonly<Record<DescribedRouteId, Asked>> = {
  "POST /api/event": { need: "nothing", path: "/api/event", body: { d: "matrix-events.test", n: "pageview", u: "/" }, status: 202 },
  "GET /api/event": open("/api/event?d=matrix-events.test&u=/"),
  "OPTIONS /api/event": open("/api/event", 204),
  "POST /api/send": { need: "nothing", path: "/api/send", body: {}, status: 422 },
  "OPTIONS /api/send": open("/api/send", 204),
  "GET /count": open("/count", 422),
  "POST /count": { need: "nothing", path: "/count", body: {}, status: 422 },
  "GET /matomo.php": open("/matomo.php?idsite=1", 403),
  "POST /matomo.php": { need: "nothing", path: "/matomo.php", body: { requests: [] }, status: 200 },
  "OPTIONS /matomo.php": open("/matomo.php", 204),
  "GET /svc.js": open("/svc.js"),
  "GET /js/script.js": open("/js/script.js"),
  "GET /opt-out": open("/opt-out"),
  "GET /opt-out.js": open("/opt-out.js"),
  "GET /api/sites": figure("/api/sites", 200),
  // A share link shows one site only.
  "GET /api/stats/overview": { ...figure("/api/stats/overview", 200), shared: { open: 403, locked: 401 } },
  "GET /api/stats/main": figure(`/api/stats/main?site_id=${SITE}`, 200),
  "GET /api/stats/timeseries": figure("/api/stats/timeseries"),
  "GET /api/stats/breakdown/:dimension": figure("/api/stats/breakdown/pages"),
  "GET /api/stats/changes": figure("/api/stats/changes"),
  "GET /api/stats/realtime": figure("/api/stats/realtime"),
  "GET /api/stats/goals": figure("/api/stats/goals"),
  "GET /api/stats/conversions": figure("/api/stats/conversions"),
  "GET /api/stats/properties": figure("/api/stats/properties"),
  "GET /api/stats/property-values": figure("/api/stats/property-values"),
  "GET /api/stats/revenue": figure("/api/stats/revenue"),
  // What is dropped is nothing that a link shows.
  "GET /api/stats/dropped": { ...figure(`/api/stats/dropped?site_id=${SITE}`, 200), shared: { open: 403, locked: 401 } },
  "GET /api/stats/crawls": { ...figure(`/api/stats/crawls?site_id=${SITE}`, 200), shared: { open: 403, locked: 401 } },
  "POST /api/crawls": { need: "an admin of the site", path: `/api/crawls?site_id=${SITE}`, body: {}, status: 422 },
  "GET /api/stats/export": figure("/api/stats/export"),
  "GET /api/feed": figure(`/api/feed?site_id=${SITE}`, 200),
  "GET /api/summary": figure(`/api/summary?site_id=${SITE}`, 200),
  "GET /api/stats/progress": figure(`/api/stats/progress?site_id=${SITE}&ids=${"0".repeat(22)}`, 200),
  "GET /api/stats/session-timeseries": figure("/api/stats/session-timeseries"),
  "GET /api/stats/sessions": figure("/api/stats/sessions"),
  "GET /api/stats/funnel": figure("/api/stats/funnel"),
  "GET /api/stats/retention": figure("/api/stats/retention"),
  "GET /api/stats/sequences": figure("/api/stats/sequences"),
  "GET /api/stats/flow": figure("/api/stats/flow"),
  "POST /api/mcp": { need: "an API key", path: "/api/mcp", body: { jsonrpc: "2.0", id: 1, method: "ping" }, status: 200 },
  "POST /api/auth/setup": { need: "nothing", path: "/api/auth/setup", body: { password: "too short" }, status: [400, 409] },
  "POST /api/auth/login": { need: "nothing", path: "/api/auth/login", body: [], status: [400, 422] },
  "POST /api/auth/logout": { need: "nothing", path: "/api/auth/logout", status: 200 },
  "POST /api/auth/logout-all": { need: "a session", path: "/api/auth/logout-all", status: 200 },
  "GET /api/auth/sessions": { need: "a session", path: "/api/auth/sessions", status: 200 },
  "DELETE /api/auth/sessions/:session_hash": { need: "a session", path: `/api/auth/sessions/${"0".repeat(64)}`, status: 404 },
  "POST /api/auth/password": { need: "a session", path: "/api/auth/password", body: [], status: 422 },
  "GET /api/auth/status": open("/api/auth/status"),
  "POST /api/keys": { need: "an admin", path: "/api/keys", body: { name: "", scope: "Admin" }, status: 400 },
  "GET /api/keys": { need: "an admin", path: "/api/keys", status: 200 },
  "DELETE /api/keys/:key_hash": { need: "an admin", path: `/api/keys/${"0".repeat(64)}`, status: 404 },
  // Definitions name pages and events that a share link may not show.
  "GET /api/goals": { ...figure(`/api/goals?site_id=${SITE}`, 200), shared: { open: 403, locked: 401 } },
  "POST /api/goals": { need: "an admin of the site", path: `/api/goals?site_id=${SITE}`, body: { name: "" }, status: 400 },
  "PUT /api/goals/:goal_id": {
    need: "an admin of the site",
    path: `/api/goals/${"0".repeat(32)}?site_id=${SITE}`,
    body: { name: "n", page: "/" },
    status: 404,
  },
  "DELETE /api/goals/:goal_id": { need: "an admin of the site", path: `/api/goals/${"0".repeat(32)}?site_id=${SITE}`, status: 404 },
  "GET /api/segments": { ...figure(`/api/segments?site_id=${SITE}`, 200), shared: { open: 403, locked: 401 } },
  "POST /api/segments": { need: "an admin of the site", path: `/api/segments?site_id=${SITE}`, body: {}, status: 422 },
  "PUT /api/segments/:segment_id": {
    need: "an admin of the site",
    path: `/api/segments/${"0".repeat(32)}?site_id=${SITE}`,
    body: { name: "n", filters: "pages==/" },
    status: 404,
  },
  "DELETE /api/segments/:segment_id": {
    need: "an admin of the site",
    path: `/api/segments/${"0".repeat(32)}?site_id=${SITE}`,
    status: 404,
  },
  "GET /api/annotations": { ...figure(`/api/annotations?site_id=${SITE}`, 200), shared: { open: 403, locked: 401 } },
  "POST /api/annotations": { need: "an admin of the site", path: `/api/annotations?site_id=${SITE}`, body: {}, status: 422 },
  "PUT /api/annotations/:annotation_id": {
    need: "an admin of the site",
    path: `/api/annotations/${"0".repeat(32)}?site_id=${SITE}`,
    body: { text: "t" },
    status: 404,
  },
  "DELETE /api/annotations/:annotation_id": {
    need: "an admin of the site",
    path: `/api/annotations/${"0".repeat(32)}?site_id=${SITE}`,
    status: 404,
  },
  "GET /api/rules": { ...figure(`/api/rules?site_id=${SITE}`, 200), shared: { open: 403, locked: 401 } },
  "GET /api/rules/built-in": { ...figure("/api/rules/built-in", 200), shared: { open: 403, locked: 401 } },
  "POST /api/rules": { need: "an admin of the site", path: `/api/rules?site_id=${SITE}`, body: {}, status: 422 },
  "PUT /api/rules/:rule_id": {
    need: "an admin of the site",
    path: `/api/rules/${"0".repeat(32)}?site_id=${SITE}`,
    body: { name: "n", filters: "pages==/" },
    status: 404,
  },
  "DELETE /api/rules/:rule_id": { need: "an admin of the site", path: `/api/rules/${"0".repeat(32)}?site_id=${SITE}`, status: 404 },
  "POST /api/shares": { need: "an admin of the site", path: "/api/shares", body: { site_id: SITE, name: "" }, status: 400 },
  "GET /api/shares": { need: "an admin of the site", path: `/api/shares?site_id=${SITE}`, status: 200 },
  "DELETE /api/shares/:share_hash": { need: "an admin of the site", path: `/api/shares/${"0".repeat(64)}`, status: 404 },
  // Only the header `X-Share` counts.
  "GET /api/share": { ...open("/api/share", 404), shared: { open: 200, locked: 200 } },
  "POST /api/share/unlock": {
    ...open("/api/share/unlock", 404),
    body: { password: "a password" },
    shared: { open: 400, locked: 401 },
  },
  "GET /share/:key": open("/share/~nothing"),
  // It is not public, whoever asks.
  "GET /badge/:file": open(`/badge/${SITE}.svg`, 404),
  "GET /": open("/"),
  "GET /assets/:name": open("/assets/nothing.js", 404),
  "DELETE /api/gdpr/erase": { need: "an admin of the site", path: `/api/gdpr/erase?site_id=${SITE}`, status: 400 },
  "GET /api/sites/:site_id": { need: "an admin of the site", path: `/api/sites/${SITE}`, status: 200 },
  "POST /api/stats/channel-preview": {
    need: "an admin of the site",
    path: `/api/stats/channel-preview?site_id=${SITE}`,
    body: [],
    status: 422,
  },
  "POST /api/stats/rule-preview": {
    need: "an admin of the site",
    path: `/api/stats/rule-preview?site_id=${SITE}`,
    body: [],
    status: 422,
  },
  "GET /api/sites/:site_id/page": { need: "an admin of the site", path: `/api/sites/${SITE}/page?url=/a`, status: 200 },
  "PUT /api/sites/:site_id": { need: "an admin of the site", path: `/api/sites/${SITE}`, body: [], status: 422 },
  "POST /api/sites/:site_id/delete": { need: "an admin", path: `/api/sites/${SITE}/delete`, body: { confirm: "other.test" }, status: 400 },
  // The demo site, because not every host renames sites.
  "POST /api/sites/:site_id/rename": { need: "an admin", path: `/api/sites/${DEMO_SITE}/rename`, body: { to: "new.test" }, status: 409 },
  "POST /api/sites/:site_id/merge": { need: "an admin", path: `/api/sites/${DEMO_SITE}/merge`, body: { into: SITE }, status: 409 },
  "GET /api/site-names": { need: "an admin", path: "/api/site-names", status: 200 },
  "DELETE /api/sites/:site_id": { need: "an admin of the site", path: `/api/sites/${SITE}`, status: 404 },
  "GET /api/settings": { need: "an admin", path: "/api/settings", status: 200 },
  "PUT /api/settings": { need: "an admin", path: "/api/settings", body: {}, status: 400 },
  // Unknown numbers, because not every host has imports.
  "GET /api/imports": { need: "an admin", path: "/api/imports", status: 200 },
  "POST /api/imports": { need: "an admin", path: "/api/imports", body: [], status: 422 },
  "GET /api/imports/:import_id": { need: "an admin", path: "/api/imports/7", status: 404 },
  "PUT /api/imports/:import_id/files/:file": { need: "an admin", path: "/api/imports/7/files/0?offset=0", body: {}, status: 404 },
  "PUT /api/imports/:import_id/lines": { need: "an admin", path: "/api/imports/7/lines?offset=0", body: {}, status: 404 },
  "POST /api/imports/:import_id/confirm": { need: "an admin", path: "/api/imports/7/confirm", status: 404 },
  "POST /api/imports/:import_id/hide": { need: "an admin", path: "/api/imports/7/hide", status: 404 },
  "POST /api/imports/:import_id/show": { need: "an admin", path: "/api/imports/7/show", status: 404 },
  "DELETE /api/imports/:import_id": { need: "an admin", path: "/api/imports/7", status: 404 },
  // Likewise unknown.
  "GET /api/exports": { need: "an admin", path: "/api/exports", status: 200 },
  "POST /api/exports": { need: "an admin", path: "/api/exports", body: [], status: 422 },
  "GET /api/exports/:export_id": { need: "an admin", path: `/api/exports/${"0".repeat(32)}`, status: 404 },
  "GET /api/exports/:export_id/file": { need: "an admin", path: `/api/exports/${"0".repeat(32)}/file`, status: 404 },
  "DELETE /api/exports/:export_id": { need: "an admin", path: `/api/exports/${"0".repeat(32)}`, status: 404 },
  "POST /api/demo": { need: "an admin, once there is a password", path: "/api/demo", status: 200 },
  "DELETE /api/demo": { need: "an admin, once there is a password", path: "/api/demo", status: 200 },
  "GET /api/installation": { need: "a credential for all sites", path: `/api/installation?site_id=${SITE}`, status: 200 },
  "POST /api/installation/page": { need: "an admin", path: "/api/installation/page", body: { site_id: "" }, status: 422 },
  "GET /api/openapi.json": open("/api/openapi.json"),
  "GET /health": open("/health"),
  "GET /health/ready": open("/health/ready"),
  "GET /health/detailed": open("/health/detailed"),
  "GET /metrics": open("/metrics"),
  "GET /robots.txt": open("/robots.txt"),
  "GET /.well-known/security.txt": open("/.well-known/security.txt"),
};

const LOGOUT_ALL = "POST /api/auth/logout-all";

const IDS = ROUTES.map(({ method, path }) => `${method} ${path}` as DescribedRouteId);

/** Each request comes from another address, because requests with share links are limited by address. */
const BEHIND_PROXY = { ...CLOSED, ...SHORT_DEMO, SVC_TRUST_PROXY: "1" };

async function statusOf(target: Target, id: DescribedRouteId, { path, body }: Asked, headers: RequestHeaders): Promise<number> {
  const init = { method: id.split(" ")[0] ?? "", headers: browserHeaders({ ...newAddress(), ...headers }) };
  const response = await target.fetch(path, body === undefined ? init : { ...init, body: JSON.stringify(body) });
  await response.arrayBuffer();
  return response.status;
}

/** What is no credential, whatever it looks like. */
const NO_CREDENTIALS: Readonly<Record<string, RequestHeaders>> = {
  none: {},
  "an unknown key": withBearer(`svc_${"0".repeat(64)}`),
  "an unknown key in the other header": withKey(`svc_${"0".repeat(64)}`),
  "an unknown session": withSession("0".repeat(64)),
  "an empty session": withSession(""),
  "an empty key": withKey(""),
  "a prefix": withBearer("svc_"),
  "the password as a key": withKey(PASSWORD),
  "the password as a session": withSession(PASSWORD.replaceAll(" ", "")),
  "a scheme alone": { authorization: "Bearer" },
  "nonsense everywhere": { authorization: "\"';--", "x-api-key": "svc_%00", cookie: "svc_session; =; svc_session==;;" },
};

type Rank = "nobody" | "ReadOnly" | "an admin";

interface Caller {
  readonly rank: Rank;
  /** Whether the caller is limited: to the site of the requests, or to another one. A share link is, too. */
  readonly limit?: "this site" | "another site";
  readonly isShare?: true;
  /** Whether an admin is one by a session. */
  readonly hasSession?: true;
  /** Whether a caller with a session has a valid key, too. */
  readonly hasKey?: true;
  readonly headers: RequestHeaders;
}

/** Limits matter where the request names a site. */
const namesSite = ({ path, body }: Asked): boolean => `${path} ${JSON.stringify(body)}`.includes(SITE);

/** With a password: 401 without a credential, 403 with one that does not suffice. */
function wantedStatus(asked: Asked, { rank, hasSession, hasKey, limit, isShare }: Omit<Caller, "headers">): number {
  const { need, status } = asked;
  const letIn = typeof status === "number" ? status : status[1];
  if (asked.shared && isShare) return limit === undefined ? asked.shared.locked : asked.shared.open;
  if (need === "nothing") return letIn;
  if (rank === "nobody") return 401;
  if (isShare && need !== "any credential") return 403;
  if (need === "an API key") return hasSession && !hasKey ? 401 : letIn;
  if (limit !== undefined && !["any credential", "an admin of the site"].includes(need)) return 403;
  if (limit === "another site" && namesSite(asked)) return 403;
  if (need === "a credential for all sites") return letIn;
  if (need === "a session") return hasSession ? letIn : 403;
  return need !== "any credential" && rank === "ReadOnly" ? 403 : letIn;
}

/** Keys and share links, which a logout does not end. */
async function madeIn(target: Target) {
  const session = await logIn(target);
  const limited = async (scope: "ReadOnly" | "Admin", ...sites: string[]): Promise<RequestHeaders> =>
    withKey((await bodyOf<CreatedKey>(await postKey(target, session, { name: "limited", scope, sites }), 201)).key);
  const made = {
    reader: await createKey(target, session, "ReadOnly"),
    admin: await createKey(target, session, "Admin"),
    revoked: await createKey(target, session, "Admin"),
    siteReader: await limited("ReadOnly", SITE, "another.test"),
    siteAdmin: await limited("Admin", SITE),
    otherReader: await limited("ReadOnly", "another.test"),
    otherAdmin: await limited("Admin", "another.test"),
    share: await createShare(target, session, { site_id: SITE }),
    otherShare: await createShare(target, session, { site_id: "another.test" }),
    locked: await createShare(target, session, { site_id: SITE, password: "a password of eight" }),
    revokedShare: await createShare(target, session, { site_id: SITE }),
  };
  await deleteKey(target, session, made.revoked.key_hash);
  await deleteShare(target, session, made.revokedShare.share_hash);
  return made;
}

type Made = Awaited<ReturnType<typeof madeIn>>;

async function callersOf(target: Target, made: Made): Promise<Readonly<Record<string, Caller>>> {
  const session = await logIn(target);
  const { reader, admin, revoked, siteReader, siteAdmin, otherReader, otherAdmin, share, otherShare, locked, revokedShare } = made;
  const ended = await logIn(target);
  await postLogout(target, ended);
  const token = session.cookie?.split("=")[1] ?? "";
  const unfit = "x".repeat(20);
  return {
    ...Object.fromEntries(Object.entries(NO_CREDENTIALS).map(([name, headers]) => [name, { rank: "nobody", headers }])),
    "a session": { rank: "an admin", hasSession: true, headers: session },
    "a session among other cookies": {
      rank: "an admin",
      hasSession: true,
      headers: { cookie: `a=b; svc_session=${unfit}; ${session.cookie}; svc_sessions=1` },
    },
    "a session that was logged out": { rank: "nobody", headers: ended },
    "a session's token as a key": { rank: "nobody", headers: { ...withBearer(token), "x-api-key": token } },
    "a ReadOnly key": { rank: "ReadOnly", headers: withBearer(reader.key) },
    "a ReadOnly key in the other header": { rank: "ReadOnly", headers: withKey(reader.key) },
    "an Admin key": { rank: "an admin", headers: withBearer(admin.key) },
    "an Admin key in the other header": { rank: "an admin", headers: withKey(admin.key) },
    "an Admin key with a small scheme": { rank: "an admin", headers: { authorization: `bearer  ${admin.key}` } },
    "an Admin key with more behind it": { rank: "nobody", headers: withBearer(`${admin.key}0`) },
    "an Admin key cut short": { rank: "nobody", headers: withBearer(admin.key.slice(0, -1)) },
    "an Admin key in capitals": { rank: "nobody", headers: withKey(admin.key.toUpperCase()) },
    "an Admin key by another scheme": { rank: "nobody", headers: { authorization: `Basic ${admin.key}` } },
    "an Admin key without its prefix": { rank: "nobody", headers: withKey(admin.key.slice(4)) },
    "an Admin key's hash": { rank: "nobody", headers: withKey(`svc_${admin.key_hash}`) },
    "an Admin key as a session": { rank: "nobody", headers: withSession(admin.key) },
    "a revoked key": { rank: "nobody", headers: withBearer(revoked.key) },
    "a revoked key in the other header": { rank: "nobody", headers: withKey(revoked.key) },
    "a revoked key beside a session": { rank: "an admin", hasSession: true, headers: { ...session, ...withBearer(revoked.key) } },
    "an Admin key beside a session": {
      rank: "an admin",
      hasSession: true,
      hasKey: true,
      headers: { ...session, ...withBearer(admin.key) },
    },
    "a ReadOnly key beside a session": {
      rank: "an admin",
      hasSession: true,
      hasKey: true,
      headers: { ...session, ...withKey(reader.key) },
    },
    "an Admin key beside a ReadOnly one": { rank: "an admin", headers: { ...withBearer(reader.key), ...withKey(admin.key) } },
    "a ReadOnly key for the site": { rank: "ReadOnly", limit: "this site", headers: siteReader },
    "an Admin key for the site": { rank: "an admin", limit: "this site", headers: siteAdmin },
    "a ReadOnly key for another site": { rank: "ReadOnly", limit: "another site", headers: otherReader },
    "an Admin key for another site": { rank: "an admin", limit: "another site", headers: otherAdmin },
    "an Admin key for another site beside a session": {
      rank: "an admin",
      hasSession: true,
      hasKey: true,
      headers: { ...session, ...otherAdmin },
    },
    "a share link": { rank: "ReadOnly", limit: "this site", isShare: true, headers: withShare(share.token) },
    "a share link beside a session": {
      rank: "ReadOnly",
      limit: "this site",
      isShare: true,
      headers: { ...session, ...withShare(share.token) },
    },
    "a share link of another site": { rank: "ReadOnly", limit: "another site", isShare: true, headers: withShare(otherShare.token) },
    "a share link without its password": { rank: "nobody", isShare: true, headers: withShare(locked.token) },
    "a revoked share link": { rank: "nobody", headers: withShare(revokedShare.token) },
    "an unknown share link beside a session": { rank: "nobody", headers: { ...session, ...withShare(`~${"0".repeat(43)}`) } },
    "a site that is not public": { rank: "nobody", headers: withShare(SITE) },
    "a share link as a key": { rank: "nobody", headers: withBearer(share.token) },
    "a share link's hash": { rank: "nobody", headers: withShare(share.share_hash) },
    "an API key as a share link": { rank: "nobody", headers: withShare(admin.key) },
    "a session as a share link": { rank: "nobody", headers: withShare(token) },
    "an empty share link beside a session": { rank: "nobody", headers: { ...session, ...withShare("") } },
    "a ReadOnly key beside somebody else's token": {
      rank: "ReadOnly",
      headers: { authorization: "Basic dXNlcjpwdw==", ...withKey(reader.key) },
    },
  };
}

/** By caller, so that a difference shows who is let in or kept out. */
async function statusesOf(
  target: Target,
  id: DescribedRouteId,
  asked: Asked,
  callers: Readonly<Record<string, RequestHeaders>>,
): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {};
  for (const [name, headers] of Object.entries(callers)) statuses[name] = await statusOf(target, id, asked, headers);
  return statuses;
}

export function describeAccessMatrix(makeTarget: MakeTarget): void {
  describe("access", () => {
    let openTarget: Target;
    let closedTarget: Target;
    let callers: Readonly<Record<string, Caller>>;
    beforeAll(async () => {
      openTarget = await makeTarget(SHORT_DEMO);
      closedTarget = await makeTarget(BEHIND_PROXY);
      callers = await callersOf(closedTarget, await madeIn(closedTarget));
    });
    afterAll(async () => {
      await openTarget.close();
      await closedTarget.close();
    });

    it("covers every route and nothing else", () => {
      expect(Object.keys(ASKED).sort(), "say in ASKED who may call the route").toEqual([...IDS].sort());
    });

    it.each(IDS)("without a password, %s is open unless it requires admin access", async (id) => {
      const asked = ASKED[id];
      const letIn = typeof asked.status === "number" ? asked.status : asked.status[0];
      const closed = ["an admin", "an admin of the site", "a session"].includes(asked.need) ? 401 : letIn;
      const wanted = asked.need === "an API key" ? 403 : closed;
      expect(await statusesOf(openTarget, id, asked, NO_CREDENTIALS)).toEqual(
        Object.fromEntries(Object.keys(NO_CREDENTIALS).map((name) => [name, wanted])),
      );
    });

    // A logout ends the session, so it comes last; that of all sessions has a case of its own.
    it.each(IDS.filter((id) => id !== LOGOUT_ALL).toSorted((a, b) => Number(a.endsWith("logout")) - Number(b.endsWith("logout"))))(
      "with a password, %s is open to exactly the callers of its access level",
      async (id) => {
        const headers = Object.fromEntries(Object.entries(callers).map(([name, caller]) => [name, caller.headers]));
        expect(await statusesOf(closedTarget, id, ASKED[id], headers)).toEqual(
          Object.fromEntries(Object.entries(callers).map(([name, caller]) => [name, wantedStatus(ASKED[id], caller)])),
        );
      },
    );

    it(`with a password, ${LOGOUT_ALL} is open to sessions only`, async () => {
      const asked = ASKED[LOGOUT_ALL];
      const target = await makeTarget(ofItsOwn(BEHIND_PROXY));
      const made = await madeIn(target);
      let current = await callersOf(target, made);
      for (const name of Object.keys(current)) {
        const caller = current[name];
        const status = caller && (await statusOf(target, LOGOUT_ALL, asked, caller.headers));
        expect({ name, status }).toEqual({ name, status: caller && wantedStatus(asked, caller) });
        // Each success ends the sessions of all callers. To make them takes a second where passwords are hashed at their full cost.
        if (status === 200) current = await callersOf(target, made);
      }
      await target.close();
    });

    itNeeds(makeTarget, "advance", "an expired session is rejected on every route", async () => {
      const target = await makeTarget(CLOSED);
      const session = await logIn(target);
      await createKey(target, session, "ReadOnly");
      await able(target, "advance")(86_400_000);
      for (const id of IDS) {
        const status = await statusOf(target, id, ASKED[id], session);
        expect({ id, status }).toEqual({ id, status: wantedStatus(ASKED[id], { rank: "nobody" }) });
      }
      await target.close();
    });
  });
}
