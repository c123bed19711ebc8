/** Requests for the documented statuses of share links and of their viewers (see `openapi-answers.ts`). */
import {
  PASSWORD_CHECKS_WAITING_MAX,
  SHARE_CHANGES_WAITING_MAX,
  GUEST_REQUESTS_AT_ONCE,
} from "../../src/runtime/base/config/admin-limits.ts";
import { EngineFullError } from "../../src/runtime/duckdb/engine.ts";
import { createMemoryRecordStore } from "../support/memory-record-store.ts";
import {
  bodyOf,
  CLOSED,
  createKey,
  createShare,
  deleteShare,
  logIn,
  postJson,
  postShare,
  unlock,
  withKey,
  withShare,
} from "../support/auth-requests.ts";
import { createInProcessTarget, type InProcessTarget } from "../support/in-process-target.ts";
import { putSettings, record, wireEvent, type RequestHeaders } from "../support/requests.ts";
import { createEngineShare } from "../support/shared-engine.ts";
import type { Target } from "../support/target.ts";
import { afterTheLimit, hasherThat, LONG, pastTheCrowd, UNVERIFIED } from "./openapi-auth-answers.ts";
import type { Failing, Provoked } from "./openapi-answers.ts";

const CREATE = "POST /api/shares";
const LIST = "GET /api/shares";
const REVOKE = "DELETE /api/shares/{share_hash}";
const GET = "GET /api/share";
const UNLOCK = "POST /api/share/unlock";
const PAGE = "GET /share/{key}";

const BADGE = "GET /badge/{file}";

const SITE = "shared.test";
const NEW_SHARE = { site_id: SITE, name: "a link", frame_ancestors: ["https://www.example.com"] } as const;
const SHARE_PASSWORD = "open, sesame";
const UNKNOWN_HASH = "0".repeat(64);
const UNKNOWN_TOKEN = `~${"0".repeat(43)}`;

const asReader = async (target: Target): Promise<RequestHeaders> => withKey((await createKey(target, await logIn(target), "ReadOnly")).key);

const tokenOfNew = async (target: Target, fields: object = {}): Promise<string> =>
  (await createShare(target, await logIn(target), { ...NEW_SHARE, ...fields })).token;

const lockedToken = (target: Target): Promise<string> => tokenOfNew(target, { password: SHARE_PASSWORD });

const closed = (id: string, status: number, send: Provoked["send"]): Provoked => ({ id, status, environment: CLOSED, send });

const getShares = (target: Target, headers: RequestHeaders, query = `?site_id=${SITE}`): Promise<Response> =>
  target.fetch(`/api/shares${query}`, { headers });

const getShare = (target: Target, token: string): Promise<Response> => target.fetch("/api/share", { headers: withShare(token) });

const publish = async (target: Target): Promise<unknown> => bodyOf(await putSettings(target, SITE, { public: true }, await logIn(target)));

async function badgeOf(target: Target, query = ""): Promise<Response> {
  await publish(target);
  return target.fetch(`/badge/${SITE}.svg${query}`);
}

async function pageTwice(target: Target): Promise<Response> {
  const first = await target.fetch(`/share/${SITE}`);
  await first.arrayBuffer();
  return target.fetch(`/share/${SITE}`, { headers: { "if-none-match": first.headers.get("etag") ?? "" } });
}

export const SHARE_PROVOKED: readonly Provoked[] = [
  closed(CREATE, 201, async (target) => postShare(target, await logIn(target), NEW_SHARE)),
  closed(CREATE, 400, async (target) => postShare(target, await logIn(target), { ...NEW_SHARE, name: "" })),
  closed(CREATE, 401, (target) => postShare(target, {}, NEW_SHARE)),
  closed(CREATE, 403, async (target) => postShare(target, await asReader(target), NEW_SHARE)),
  closed(CREATE, 413, async (target) => target.fetch("/api/shares", { method: "POST", headers: await logIn(target), body: LONG })),
  closed(CREATE, 422, async (target) => postShare(target, await logIn(target), {})),
  closed(LIST, 200, async (target) => {
    await tokenOfNew(target);
    return getShares(target, await logIn(target));
  }),
  closed(LIST, 400, async (target) => getShares(target, await logIn(target), "?site_id=%20")),
  closed(LIST, 401, (target) => getShares(target, {})),
  closed(LIST, 403, async (target) => getShares(target, await asReader(target))),
  closed(REVOKE, 200, async (target) => {
    const session = await logIn(target);
    return deleteShare(target, session, (await createShare(target, session, NEW_SHARE)).share_hash);
  }),
  closed(REVOKE, 401, (target) => deleteShare(target, {}, UNKNOWN_HASH)),
  closed(REVOKE, 403, async (target) => deleteShare(target, await asReader(target), UNKNOWN_HASH)),
  closed(REVOKE, 404, async (target) => deleteShare(target, await logIn(target), UNKNOWN_HASH)),
  closed(GET, 200, async (target) => getShare(target, await lockedToken(target))),
  { id: GET, status: 403, send: (target) => target.fetch("/api/share", UNVERIFIED) },
  closed(GET, 404, (target) => getShare(target, UNKNOWN_TOKEN)),
  closed(UNLOCK, 200, async (target) => unlock(target, await lockedToken(target), SHARE_PASSWORD)),
  closed(UNLOCK, 400, async (target) => unlock(target, await tokenOfNew(target), SHARE_PASSWORD)),
  closed(UNLOCK, 401, async (target) => unlock(target, await lockedToken(target), "a wrong password")),
  { id: UNLOCK, status: 403, send: (target) => target.fetch("/api/share/unlock", { ...UNVERIFIED, method: "POST" }) },
  closed(UNLOCK, 404, (target) => unlock(target, UNKNOWN_TOKEN, SHARE_PASSWORD)),
  closed(UNLOCK, 413, (target) => target.fetch("/api/share/unlock", { method: "POST", body: LONG })),
  closed(UNLOCK, 422, (target) => postJson(target, "/api/share/unlock", {})),
  {
    id: UNLOCK,
    status: 429,
    // Not of a service whose login is locked already by another case.
    environment: { ...CLOSED, SVC_MAX_LOGIN_ATTEMPTS: "1" },
    async send(target) {
      const token = await lockedToken(target);
      await (await unlock(target, token, "a wrong password")).arrayBuffer();
      return unlock(target, token, SHARE_PASSWORD);
    },
  },
  { id: PAGE, status: 200, send: (target) => target.fetch(`/share/${SITE}`) },
  { ...closed(PAGE, 200, async (target) => target.fetch(`/share/${await tokenOfNew(target)}`)), way: "that may be embedded" },
  { id: PAGE, status: 304, send: pageTwice },
  closed(BADGE, 200, async (target) => badgeOf(target)),
  closed(BADGE, 400, async (target) => badgeOf(target, "?metric=nothing")),
  { id: BADGE, status: 403, send: (target) => target.fetch(`/badge/${SITE}.svg`, UNVERIFIED) },
  closed(BADGE, 404, (target) => target.fetch("/badge/private.test.svg")),
];

const never = (): Promise<never> => new Promise(() => {});
const broken = async (): Promise<never> => {
  throw new Error("broken");
};

type Send = (target: InProcessTarget) => Promise<Response>;

/** A change of links whose record is written by a part that hangs or fails from then on. */
async function shareChange(
  work: () => Promise<never>,
  change: (target: Target, session: RequestHeaders, shareHash: string) => Promise<Response>,
): Promise<{ readonly target: InProcessTarget; readonly send: Send }> {
  const records = createMemoryRecordStore();
  const target = await createInProcessTarget(CLOSED, { records });
  const session = await logIn(target);
  const { share_hash: shareHash } = await createShare(target, session, NEW_SHARE);
  records.write = work;
  return { target, send: () => change(target, session, shareHash) };
}

const changeFailures = (id: string, status: 500 | 503, change: Parameters<typeof shareChange>[1]): Failing[] => [
  {
    id,
    status: 408,
    async provoke() {
      const { target, send } = await shareChange(never, change);
      return afterTheLimit(target, send);
    },
  },
  {
    id,
    status: 429,
    async provoke() {
      const { target, send } = await shareChange(never, change);
      return pastTheCrowd(target, SHARE_CHANGES_WAITING_MAX, send);
    },
  },
  {
    id,
    status,
    async provoke() {
      const { target, send } = await shareChange(broken, change);
      return send(target);
    },
  },
];

/** A link with a password, on a service whose hasher no longer works as it did. */
async function unlockWith(work: () => Promise<never>): Promise<{ readonly target: InProcessTarget; readonly send: Send }> {
  const records = createMemoryRecordStore();
  const first = await createInProcessTarget(CLOSED, { records });
  const token = await lockedToken(first);
  await first.close();
  const target = await createInProcessTarget(CLOSED, { ...hasherThat(work), records });
  return { target, send: () => unlock(target, token, SHARE_PASSWORD) };
}

/** A badge, of which the engine does this. */
async function badgeWith(query: () => Promise<never>): Promise<{ readonly target: InProcessTarget; readonly send: Send }> {
  const engine = { ...(await createEngineShare()), query, queryColumns: query };
  const target = await createInProcessTarget({ ...CLOSED, SVC_ROLLUPS: "false" }, { engine });
  await record(target, wireEvent(SITE));
  await publish(target);
  return { target, send: () => target.fetch(`/badge/${SITE}.svg`) };
}

const badgeFailing = (status: 500 | 503, error: Error): Failing => ({
  id: BADGE,
  status,
  async provoke() {
    const { target, send } = await badgeWith(() => Promise.reject(error));
    return send(target);
  },
});

const BADGE_FAILING: readonly Failing[] = [
  {
    id: BADGE,
    status: 408,
    async provoke() {
      const { target, send } = await badgeWith(never);
      return afterTheLimit(target, send);
    },
  },
  badgeFailing(500, new Error("broken")),
  badgeFailing(503, new EngineFullError("full")),
  { id: BADGE, status: 429, provoke: () => afterTooMany("/badge/private.test.svg") },
];

/** The answer to one more request with `X-Share` than an address may send at once. */
async function afterTooMany(path: string): Promise<Response> {
  const target = await createInProcessTarget(CLOSED);
  const ask = () => target.fetch(path, { headers: withShare(UNKNOWN_TOKEN) });
  for (let i = 0; i < GUEST_REQUESTS_AT_ONCE; i++) await (await ask()).arrayBuffer();
  return ask();
}

export const SHARE_FAILING: readonly Failing[] = [
  ...BADGE_FAILING,
  ...changeFailures(CREATE, 500, (target, session) => postShare(target, session, NEW_SHARE)),
  ...changeFailures(REVOKE, 503, deleteShare),
  { id: GET, status: 429, provoke: () => afterTooMany("/api/share") },
  { id: "GET /api/sites", status: 429, provoke: () => afterTooMany("/api/sites") },
  { id: "GET /api/rules/built-in", status: 429, provoke: () => afterTooMany("/api/rules/built-in") },
  {
    id: "GET /api/stats/progress",
    status: 429,
    provoke: () => afterTooMany(`/api/stats/progress?site_id=busy.test&ids=${"0".repeat(22)}`),
  },
  {
    id: UNLOCK,
    status: 408,
    async provoke() {
      const { target, send } = await unlockWith(never);
      return afterTheLimit(target, send);
    },
  },
  {
    id: UNLOCK,
    status: 429,
    async provoke() {
      const { target, send } = await unlockWith(never);
      return pastTheCrowd(target, PASSWORD_CHECKS_WAITING_MAX, send);
    },
  },
  {
    id: UNLOCK,
    status: 500,
    async provoke() {
      const { target, send } = await unlockWith(broken);
      return send(target);
    },
  },
];
