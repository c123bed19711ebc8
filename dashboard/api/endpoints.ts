/** Endpoints that are not reports: authentication, API keys, a site's settings, goals and share links, data deletion, and the installation check. */
import { json, sendJson, urlOf } from "./http.ts";
import type {
  AuthStatus,
  ChannelPreview,
  CreatedKey,
  CreatedShare,
  DeletedSite,
  OtherSiteName,
  Erased,
  Installation,
  InstallationPage,
  KeptPage,
  Keys,
  NewGoal,
  NewShare,
  PersistentSessions,
  Shares,
  SiteGoals,
  SiteSettings as SavedSettings,
} from "./types.ts";

export const authStatus = (): Promise<AuthStatus> => sendJson("/api/auth/status", {});

/** `code` is the setup code, required under a host name that the service does not know. */
export const setPassword = (password: string, { code, remember }: { code: string | undefined; remember: boolean }): Promise<unknown> =>
  sendJson("/api/auth/setup", json("POST", { password, code, remember }));

export const logIn = (password: string, remember: boolean): Promise<unknown> =>
  sendJson("/api/auth/login", json("POST", { password, remember }));

export const listSessions = (): Promise<PersistentSessions> => sendJson("/api/auth/sessions", {});
export const endOneSession = (hash: string): Promise<unknown> => sendJson(`/api/auth/sessions/${hash}`, json("DELETE"));

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

export type { SavedSettings };

export type SiteSettings = Omit<
  SavedSettings,
  "site_id" | "created_at" | "time_zone_in_force" | "time_zone_changes" | "default_time_zone" | "default_retention_days" | "asn_db_loaded"
>;

export const settingsPath = (siteId: string): string => `/api/sites/${siteId}`;

export const getSettings = (siteId: string): Promise<SavedSettings> => sendJson(settingsPath(siteId), {});
export const putSettings = (siteId: string, settings: SiteSettings): Promise<SavedSettings> =>
  sendJson(settingsPath(siteId), json("PUT", settings));
/** Deletes everything that the site has. */
export const deleteSite = (siteId: string): Promise<DeletedSite> =>
  sendJson(`${settingsPath(siteId)}/delete`, json("POST", { confirm: siteId }));
/** Resolves when that is complete, or is taking longer. */
export const renameSite = (siteId: string, to: string): Promise<OtherSiteName> =>
  sendJson(`${settingsPath(siteId)}/rename`, json("POST", { to }));
export const mergeSite = (siteId: string, into: string): Promise<OtherSiteName> =>
  sendJson(`${settingsPath(siteId)}/merge`, json("POST", { into }));
export const SITE_NAMES_PATH = "/api/site-names";
export const deleteSettings = (siteId: string): Promise<unknown> => sendJson(settingsPath(siteId), json("DELETE"));

/** Says what would be kept of the address; requests and stores nothing. */
export const checkAddress = (siteId: string, url: string): Promise<KeptPage> =>
  sendJson(urlOf(`${settingsPath(siteId)}/page`, { url }), {});

/** Says which visits of the last 90 days these settings would move to another channel, and stores nothing. */
export const previewChannels = (siteId: string, settings: SiteSettings): Promise<ChannelPreview> =>
  sendJson(urlOf("/api/stats/channel-preview", { site_id: siteId }), json("POST", settings));

export const getAllSettings = (): Promise<unknown> => sendJson("/api/settings", {});
export const putAllSettings = (file: unknown): Promise<unknown> => sendJson("/api/settings", json("PUT", file));

export type SiteGoal = SiteGoals[number];

const goalsPath = (siteId: string): string => urlOf("/api/goals", { site_id: siteId });
const goalPath = (siteId: string, id: string): string => urlOf(`/api/goals/${id}`, { site_id: siteId });

export const listGoals = (siteId: string): Promise<SiteGoals> => sendJson(goalsPath(siteId), {});
export const addGoal = (siteId: string, goal: NewGoal): Promise<SiteGoal> => sendJson(goalsPath(siteId), json("POST", goal));
export const replaceGoal = (siteId: string, id: string, goal: NewGoal): Promise<SiteGoal> =>
  sendJson(goalPath(siteId, id), json("PUT", goal));
export const deleteGoal = (siteId: string, id: string): Promise<unknown> => sendJson(goalPath(siteId, id), json("DELETE"));

export type Share = Shares[number];

export const listShares = (siteId: string): Promise<Shares> => sendJson(urlOf("/api/shares", { site_id: siteId }), {});
export const createShare = (share: NewShare): Promise<CreatedShare> => sendJson("/api/shares", json("POST", share));
export const revokeShare = (hash: string): Promise<unknown> => sendJson(`/api/shares/${hash}`, json("DELETE"));
