/** Requests for the documented statuses of setup, login and API keys (see `openapi-answers.ts`). */
import { PASSWORD_CHECKS_WAITING_MAX, API_KEY_CHANGES_WAITING_MAX } from "../../src/runtime/base/config/admin-limits.ts";
import { createMemoryRecordStore } from "../support/memory-record-store.ts";
import {
  CLOSED,
  createKey,
  deleteKey,
  endSession,
  listSessions,
  logIn,
  ofItsOwn,
  PASSWORD,
  postJson,
  postKey,
  postLogin,
  postLogout,
  postLogoutAll,
  changePassword,
  postSetup,
  stayLoggedIn,
  tokenOf,
  withKey,
  withSession,
} from "../support/auth-requests.ts";
import { createInProcessTarget, type InProcessParts, type InProcessTarget } from "../support/in-process-target.ts";
import type { RequestHeaders } from "../support/requests.ts";
import type { Environment, Target, TargetRequest } from "../support/target.ts";
import type { Failing, Provoked } from "./openapi-answers.ts";

const SETUP = "POST /api/auth/setup";
const LOGIN = "POST /api/auth/login";
const LOGOUT_ALL = "POST /api/auth/logout-all";
const CHANGE = "POST /api/auth/password";
const SESSIONS = "GET /api/auth/sessions";
const END_SESSION = "DELETE /api/auth/sessions/{session_hash}";
const CREATE = "POST /api/keys";
const LIST = "GET /api/keys";
const REVOKE = "DELETE /api/keys/{key_hash}";

const FOREIGN: RequestHeaders = { origin: "https://foreign.test" };

/** A host name that may be an attacker's: refused where there is no password. */
export const UNVERIFIED: TargetRequest = { host: "rebind.attacker.example" };

const DASHBOARD: RequestHeaders = { origin: "https://dashboard.test" };

const WITH_DASHBOARD: Environment = { ...CLOSED, SVC_DASHBOARD_ORIGIN: "https://dashboard.test" };

/** Nobody else sets these up; each is set up last. */
const UNSET = ofItsOwn();

/** After one attempt to log in the next is refused, and so is a second event of a site within a hundred seconds. */
export const LIMITED: Environment = { ...CLOSED, SVC_MAX_LOGIN_ATTEMPTS: "1", SVC_RATE_LIMIT_PER_SITE: "0.01" };

/** Nobody else sets these up, and each has its first session at once. */
const [SET_UP, SHORT] = [ofItsOwn(), ofItsOwn()];

const firstSession = async (target: Target): Promise<RequestHeaders> => withSession(await tokenOf(await postSetup(target)));

export const LONG = JSON.stringify({ password: "x".repeat(65_536) });

const UNKNOWN_HASH = "0".repeat(64);

const NEW_KEY = { name: "a key", scope: "ReadOnly" } as const;

const asReader = async (target: Target): Promise<RequestHeaders> => withKey((await createKey(target, await logIn(target), "ReadOnly")).key);

const post = (target: Target, path: string, body: string, headers: RequestHeaders = {}): Promise<Response> =>
  target.fetch(path, { method: "POST", headers, body });

async function secondOf(send: () => Promise<Response>): Promise<Response> {
  await (await send()).arrayBuffer();
  return send();
}

const closed = (id: string, status: number, send: Provoked["send"]): Provoked => ({ id, status, environment: CLOSED, send });

async function revokeNew(target: Target): Promise<Response> {
  const session = await logIn(target);
  return deleteKey(target, session, (await createKey(target, session, "Admin")).key_hash);
}

async function listWithOne(target: Target): Promise<Response> {
  const session = await logIn(target);
  await createKey(target, session, "Admin");
  return target.fetch("/api/keys", { headers: session });
}

export const AUTH_PROVOKED: readonly Provoked[] = [
  { id: SETUP, status: 400, environment: UNSET, send: (target) => postSetup(target, "too short") },
  { id: SETUP, status: 403, environment: UNSET, send: (target) => postSetup(target, PASSWORD, FOREIGN) },
  { id: SETUP, status: 413, environment: UNSET, send: (target) => post(target, "/api/auth/setup", LONG) },
  { id: SETUP, status: 422, environment: UNSET, send: (target) => postJson(target, "/api/auth/setup", {}) },
  { id: SETUP, status: 200, environment: UNSET, send: (target) => postSetup(target) },
  { id: SETUP, status: 409, environment: CLOSED, send: (target) => postSetup(target) },
  {
    id: SETUP,
    status: 403,
    way: "under an unknown host name",
    send: (target) => target.fetch("/api/auth/setup", { ...UNVERIFIED, method: "POST", body: JSON.stringify({ password: PASSWORD }) }),
  },
  {
    id: LOGIN,
    status: 403,
    way: "under an unknown host name",
    send: (target) => target.fetch("/api/auth/login", { ...UNVERIFIED, method: "POST" }),
  },
  { id: "GET /api/auth/status", status: 403, send: (target) => target.fetch("/api/auth/status", UNVERIFIED) },
  { id: LIST, status: 403, way: "under an unknown host name", send: (target) => target.fetch("/api/keys", UNVERIFIED) },
  { id: LOGIN, status: 400, send: (target) => postLogin(target) },
  closed(LOGIN, 200, (target) => postLogin(target)),
  closed(LOGIN, 401, (target) => postLogin(target, "a wrong password")),
  closed(LOGIN, 403, (target) => postLogin(target, PASSWORD, FOREIGN)),
  closed(LOGIN, 413, (target) => post(target, "/api/auth/login", LONG)),
  closed(LOGIN, 422, (target) => postJson(target, "/api/auth/login", {})),
  { id: LOGIN, status: 429, environment: LIMITED, send: (target) => secondOf(() => postLogin(target, "a wrong password")) },
  {
    id: LOGIN,
    status: 200,
    way: "from the dashboard's page",
    environment: WITH_DASHBOARD,
    send: (target) => postLogin(target, PASSWORD, DASHBOARD),
  },
  { id: "POST /api/auth/logout", status: 200, send: (target) => postLogout(target) },
  { id: LOGOUT_ALL, status: 200, environment: ofItsOwn(CLOSED), send: async (target) => postLogoutAll(target, await logIn(target)) },
  closed(LOGOUT_ALL, 401, (target) => postLogoutAll(target)),
  closed(LOGOUT_ALL, 403, async (target) => postLogoutAll(target, await asReader(target))),
  closed(SESSIONS, 200, async (target) => target.fetch("/api/auth/sessions", { headers: await stayLoggedIn(target) })),
  closed(SESSIONS, 401, (target) => target.fetch("/api/auth/sessions")),
  closed(SESSIONS, 403, async (target) => target.fetch("/api/auth/sessions", { headers: await asReader(target) })),
  closed(END_SESSION, 200, async (target) => {
    const session = await stayLoggedIn(target);
    const own = (await listSessions(target, session)).find(({ current }) => current);
    return endSession(target, session, own?.session_hash);
  }),
  closed(END_SESSION, 401, (target) => endSession(target, {})),
  closed(END_SESSION, 403, async (target) => endSession(target, await asReader(target))),
  closed(END_SESSION, 404, async (target) => endSession(target, await logIn(target))),
  { id: CHANGE, status: 200, environment: SET_UP, send: async (target) => changePassword(target, await firstSession(target)) },
  { id: CHANGE, status: 400, environment: SHORT, send: async (target) => changePassword(target, await firstSession(target), "too short") },
  closed(CHANGE, 401, (target) => changePassword(target)),
  closed(CHANGE, 403, async (target) => changePassword(target, await asReader(target))),
  closed(CHANGE, 409, async (target) => changePassword(target, await logIn(target))),
  closed(CHANGE, 413, async (target) => post(target, "/api/auth/password", LONG, await logIn(target))),
  closed(CHANGE, 422, async (target) => postJson(target, "/api/auth/password", {}, await logIn(target))),
  { id: "GET /api/auth/status", status: 200, send: (target) => target.fetch("/api/auth/status") },
  closed(CREATE, 201, async (target) => postKey(target, await logIn(target), NEW_KEY)),
  closed(CREATE, 400, async (target) => postKey(target, await logIn(target), { ...NEW_KEY, name: "" })),
  closed(CREATE, 401, (target) => postKey(target, {}, NEW_KEY)),
  closed(CREATE, 403, async (target) => postKey(target, await asReader(target), NEW_KEY)),
  closed(CREATE, 413, async (target) => post(target, "/api/keys", LONG, await logIn(target))),
  closed(CREATE, 422, async (target) => postKey(target, await logIn(target), {})),
  closed(LIST, 200, listWithOne),
  closed(LIST, 401, (target) => target.fetch("/api/keys")),
  closed(LIST, 403, async (target) => target.fetch("/api/keys", { headers: await asReader(target) })),
  closed(REVOKE, 200, revokeNew),
  closed(REVOKE, 401, (target) => deleteKey(target, {}, UNKNOWN_HASH)),
  closed(REVOKE, 403, async (target) => deleteKey(target, await asReader(target), UNKNOWN_HASH)),
  closed(REVOKE, 404, async (target) => deleteKey(target, await logIn(target), UNKNOWN_HASH)),
];

export const never = (): Promise<never> => new Promise(() => {});
export const broken = async (): Promise<never> => {
  throw new Error("broken");
};

export const hasherThat = (work: () => Promise<never>): InProcessParts => ({ passwordHasher: { hash: work, verify: work } });

type Send = (target: InProcessTarget) => Promise<Response>;

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

export const afterTheLimit = async (target: InProcessTarget, send: Send): Promise<Response> => {
  const answer = send(target);
  await settled();
  await target.advance(target.services.config.requestTimeoutSecs * 1000);
  return answer;
};

/** The answer to one more than may wait. */
export async function pastTheCrowd(target: InProcessTarget, waitingMax: number, send: Send): Promise<Response> {
  for (let i = 0; i <= waitingMax; i++) void send(target);
  await settled();
  return send(target);
}

/** A password that is hashed by a part that hangs or fails. */
const passwordFailures = (id: string, environment: Environment, send: Send): Failing[] => [
  { id, status: 408, provoke: async () => afterTheLimit(await createInProcessTarget(environment, hasherThat(never)), send) },
  {
    id,
    status: 429,
    provoke: async () => pastTheCrowd(await createInProcessTarget(environment, hasherThat(never)), PASSWORD_CHECKS_WAITING_MAX, send),
  },
  { id, status: 500, provoke: async () => send(await createInProcessTarget(environment, hasherThat(broken))) },
];

interface KeyChange {
  readonly target: InProcessTarget;
  readonly send: Send;
}

/** A change of the password whose hash is made, or whose record is written, by a part that hangs or fails once it has been set up. */
async function passwordChange(work: () => Promise<never>): Promise<KeyChange> {
  const records = createMemoryRecordStore();
  const target = await createInProcessTarget({}, { records });
  const session = await firstSession(target);
  records.write = work;
  return { target, send: () => changePassword(target, session) };
}

/** A change of keys whose record is written by a part that hangs or fails from then on. */
async function keyChange(
  work: () => Promise<never>,
  change: (target: Target, session: RequestHeaders, keyHash: string) => Promise<Response>,
): Promise<KeyChange> {
  const records = createMemoryRecordStore();
  const target = await createInProcessTarget(CLOSED, { records });
  const session = await logIn(target);
  const { key_hash: keyHash } = await createKey(target, session, "ReadOnly");
  records.write = work;
  return { target, send: () => change(target, session, keyHash) };
}

/** A session that is stored, and a record that hangs or fails from then on. */
async function persistentSession(work: () => Promise<never>) {
  const records = createMemoryRecordStore();
  const target = await createInProcessTarget(CLOSED, { records });
  const session = await stayLoggedIn(target);
  const [{ session_hash: hash } = { session_hash: UNKNOWN_HASH }] = await listSessions(target, session);
  records.write = work;
  return { target, session, hash };
}

const keyFailures = (id: string, status: 500 | 503, change: Parameters<typeof keyChange>[1]): Failing[] => [
  {
    id,
    status: 408,
    async provoke() {
      const { target, send } = await keyChange(never, change);
      return afterTheLimit(target, send);
    },
  },
  {
    id,
    status: 429,
    async provoke() {
      const { target, send } = await keyChange(never, change);
      return pastTheCrowd(target, API_KEY_CHANGES_WAITING_MAX, send);
    },
  },
  {
    id,
    status,
    async provoke() {
      const { target, send } = await keyChange(broken, change);
      return send(target);
    },
  },
];

export const AUTH_FAILING: readonly Failing[] = [
  ...passwordFailures(SETUP, {}, (target) => postSetup(target)),
  ...passwordFailures(LOGIN, CLOSED, (target) => postLogin(target)),
  {
    id: CHANGE,
    status: 408,
    async provoke() {
      const { target, send } = await passwordChange(never);
      return afterTheLimit(target, send);
    },
  },
  {
    id: CHANGE,
    status: 429,
    async provoke() {
      const { target, send } = await passwordChange(never);
      return pastTheCrowd(target, PASSWORD_CHECKS_WAITING_MAX, send);
    },
  },
  {
    id: CHANGE,
    status: 500,
    async provoke() {
      const { target, send } = await passwordChange(broken);
      return send(target);
    },
  },
  {
    id: LOGOUT_ALL,
    status: 503,
    async provoke() {
      const { target, session } = await persistentSession(broken);
      return postLogoutAll(target, session);
    },
  },
  {
    id: LOGOUT_ALL,
    status: 408,
    async provoke() {
      const { target, session } = await persistentSession(never);
      return afterTheLimit(target, () => postLogoutAll(target, session));
    },
  },
  {
    id: END_SESSION,
    status: 503,
    async provoke() {
      const { target, session, hash } = await persistentSession(broken);
      return endSession(target, session, hash);
    },
  },
  {
    id: END_SESSION,
    status: 408,
    async provoke() {
      const { target, session, hash } = await persistentSession(never);
      return afterTheLimit(target, () => endSession(target, session, hash));
    },
  },
  ...keyFailures(CREATE, 500, (target, session) => postKey(target, session, NEW_KEY)),
  ...keyFailures(REVOKE, 503, deleteKey),
];
