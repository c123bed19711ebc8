/** Endpoints behind a site's settings: settings, goals and share links (docs/http-api.md). */
import { json, sendJson, urlOf } from "./http.ts";
import type { CreatedShare, NewGoal, NewShare, Shares, SiteGoals, SiteSettings as SavedSettings } from "./types.ts";

export type { SavedSettings };

export type SiteSettings = Omit<SavedSettings, "site_id" | "created_at" | "time_zone_in_force" | "time_zone_changes">;

export const settingsPath = (siteId: string): string => `/api/sites/${siteId}`;

export const getSettings = (siteId: string): Promise<SavedSettings> => sendJson(settingsPath(siteId), {});
export const putSettings = (siteId: string, settings: SiteSettings): Promise<SavedSettings> =>
  sendJson(settingsPath(siteId), json("PUT", settings));
export const deleteSettings = (siteId: string): Promise<unknown> => sendJson(settingsPath(siteId), json("DELETE"));

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
