/** Passwords, logins and keys, as a dashboard and programs send them. */
import { expect } from "vitest";
import type { RequestHeaders } from "./requests.ts";
import type { Environment, Target } from "./target.ts";

/** The initial admin password of targets that have one. */
export const PASSWORD = "correct horse battery";

export const CLOSED: Environment = { SVC_ADMIN_PASSWORD: PASSWORD };

let fresh = 0;

/** Options that no other case uses, so that no other case shares the target. */
export const ofItsOwn = (environment: Environment = {}): Environment => ({
  ...environment,
  SVC_SECRET: `a secret of its own ${++fresh}`,
});

export const postJson = (target: Target, path: string, body: unknown, headers: RequestHeaders = {}): Promise<Response> =>
  target.fetch(path, { method: "POST", headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) });

export const postSetup = (target: Target, password: unknown = PASSWORD, headers: RequestHeaders = {}): Promise<Response> =>
  postJson(target, "/api/auth/setup", { password }, headers);

export const postLogin = (target: Target, password: unknown = PASSWORD, headers: RequestHeaders = {}): Promise<Response> =>
  postJson(target, "/api/auth/login", { password }, headers);

export const postLogout = (target: Target, headers: RequestHeaders = {}): Promise<Response> =>
  target.fetch("/api/auth/logout", { method: "POST", headers });

export const postLogoutAll = (target: Target, headers: RequestHeaders = {}): Promise<Response> =>
  target.fetch("/api/auth/logout-all", { method: "POST", headers });

export const changePassword = (
  target: Target,
  headers: RequestHeaders = {},
  newPassword: unknown = "another horse battery",
  password: unknown = PASSWORD,
): Promise<Response> => postJson(target, "/api/auth/password", { current_password: password, new_password: newPassword }, headers);

/** The body of a successful response. Fails the test for any other response. */
export async function bodyOf<T>(response: Response, status = 200): Promise<T> {
  const text = await response.text();
  expect(response.status, text).toBe(status);
  expect(response.headers.get("content-type")).toBe("application/json");
  return JSON.parse(text) as T;
}

export const tokenOf = async (response: Response): Promise<string> => (await bodyOf<{ token: string }>(response)).token;

export const withSession = (token: string): RequestHeaders => ({ cookie: `svc_session=${token}` });

export const withBearer = (key: string): RequestHeaders => ({ authorization: `Bearer ${key}` });

export const withKey = (key: string): RequestHeaders => ({ "x-api-key": key });

export const withShare = (token: string): RequestHeaders => ({ "x-share": token });

/** The headers of a new session. */
export const logIn = async (target: Target, password = PASSWORD): Promise<RequestHeaders> =>
  withSession(await tokenOf(await postLogin(target, password)));

/** The headers of a new session of a browser that stays logged in. */
export const stayLoggedIn = async (target: Target, headers: RequestHeaders = {}): Promise<RequestHeaders> =>
  withSession(await tokenOf(await postJson(target, "/api/auth/login", { password: PASSWORD, remember: true }, headers)));

interface ListedSession {
  readonly session_hash: string;
  readonly created_at: string;
  readonly last_used_on: string;
  readonly browser: string | null;
  readonly os: string | null;
  readonly current: boolean;
}

export const listSessions = async (target: Target, credential: RequestHeaders): Promise<ListedSession[]> =>
  bodyOf(await target.fetch("/api/auth/sessions", { headers: credential }));

export const endSession = (target: Target, credential: RequestHeaders, hash = "0".repeat(64)): Promise<Response> =>
  target.fetch(`/api/auth/sessions/${hash}`, { method: "DELETE", headers: credential });

export interface CreatedKey {
  readonly key: string;
  readonly key_hash: string;
  readonly name: string;
  readonly scope: "ReadOnly" | "Admin";
}

export interface ListedKey extends Omit<CreatedKey, "key"> {
  readonly created_at: string;
  readonly revoked: boolean;
}

export const postKey = (target: Target, credential: RequestHeaders, body: unknown): Promise<Response> =>
  postJson(target, "/api/keys", body, credential);

export const createKey = async (
  target: Target,
  credential: RequestHeaders,
  scope: CreatedKey["scope"],
  name = "a key",
): Promise<CreatedKey> => bodyOf(await postKey(target, credential, { name, scope }), 201);

export const deleteKey = (target: Target, credential: RequestHeaders, keyHash: string): Promise<Response> =>
  target.fetch(`/api/keys/${keyHash}`, { method: "DELETE", headers: credential });

export const listKeys = async (target: Target, credential: RequestHeaders): Promise<ListedKey[]> =>
  bodyOf(await target.fetch("/api/keys", { headers: credential }));

export interface AuthStatus {
  readonly setup_required: boolean;
  readonly authenticated: boolean;
}

export const getStatus = async (target: Target, credential: RequestHeaders = {}): Promise<AuthStatus> =>
  bodyOf(await target.fetch("/api/auth/status", { headers: credential }));

export interface CreatedShare {
  readonly token: string;
  readonly share_hash: string;
  readonly site_id: string;
}

export interface ShareFields {
  readonly site_id: string;
  readonly name?: string;
  readonly password?: string;
  readonly filters?: string;
  readonly period?: string;
  readonly start_date?: string;
  readonly end_date?: string;
  readonly realtime?: boolean;
  readonly raw_export?: boolean;
  readonly expires_at?: string;
  readonly frame_ancestors?: readonly string[];
}

export const postShare = (target: Target, credential: RequestHeaders, fields: unknown): Promise<Response> =>
  postJson(target, "/api/shares", fields, credential);

export const createShare = async (target: Target, credential: RequestHeaders, fields: ShareFields): Promise<CreatedShare> =>
  bodyOf(await postShare(target, credential, { name: "a link", ...fields }), 201);

export const deleteShare = (target: Target, credential: RequestHeaders, shareHash: string): Promise<Response> =>
  target.fetch(`/api/shares/${shareHash}`, { method: "DELETE", headers: credential });

export const unlock = (target: Target, token: string, password: unknown, headers: RequestHeaders = {}): Promise<Response> =>
  postJson(target, "/api/share/unlock", { password }, { ...withShare(token), ...headers });
