/** Endpoints that are not reports: authentication, API keys, data deletion and the installation check. */
import { json, sendJson, urlOf } from "./http.ts";
import type { AuthStatus, CreatedKey, Erased, Installation, InstallationPage, Keys } from "./types.ts";

export const authStatus = (): Promise<AuthStatus> => sendJson("/api/auth/status", {});

/** `code` is the setup code, required under a host name that the service does not know. */
export const setPassword = (password: string, code?: string): Promise<unknown> =>
  sendJson("/api/auth/setup", json("POST", { password, code }));

export const logIn = (password: string): Promise<unknown> => sendJson("/api/auth/login", json("POST", { password }));
export const logOut = (): Promise<unknown> => sendJson("/api/auth/logout", json("POST"));

export const logOutEverywhere = (): Promise<unknown> => sendJson("/api/auth/logout-all", json("POST"));

/** Ends all other sessions. */
export const changePassword = (current: string, next: string): Promise<unknown> =>
  sendJson("/api/auth/password", json("POST", { current_password: current, new_password: next }));

export type KeyScope = Keys[number]["scope"];

export const listKeys = (): Promise<Keys> => sendJson("/api/keys", {});
/** `sites` limits the key to some; undefined for all. */
export const createKey = (name: string, scope: KeyScope, sites?: readonly string[]): Promise<CreatedKey> =>
  sendJson("/api/keys", json("POST", { name, scope, sites }));
export const revokeKey = (hash: string): Promise<unknown> => sendJson(`/api/keys/${hash}`, json("DELETE"));

/** Both days are included. */
export const deleteEvents = (siteId: string, startDay: string, endDay: string): Promise<Erased> =>
  sendJson(urlOf("/api/gdpr/erase", { site_id: siteId, start_date: startDay, end_date: endDay }), json("DELETE"));

export const getInstallation = (siteId: string): Promise<Installation> => sendJson(urlOf("/api/installation", { site_id: siteId }), {});

/** The service requests the page itself. */
export const checkPage = (siteId: string, url: string, scriptUrl: string): Promise<InstallationPage> =>
  sendJson("/api/installation/page", json("POST", { site_id: siteId, url, script_url: scriptUrl }));

/** Takes some seconds. */
export const makeDemo = (): Promise<unknown> => sendJson("/api/demo", json("POST"));
export const removeDemo = (): Promise<unknown> => sendJson("/api/demo", json("DELETE"));
