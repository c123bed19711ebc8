/** The endpoints of sites' settings (docs/http-api.md, "Site settings"). */
import { json } from "./admin.ts";
import { sendJson } from "./http.ts";
import type { SiteSettings as SavedSettings } from "./types.ts";

export type { SavedSettings };

/** What can be set for a site. */
export type SiteSettings = Omit<SavedSettings, "site_id" | "created_at" | "time_zone_in_force" | "time_zone_changes">;

export const settingsPath = (siteId: string): string => `/api/sites/${siteId}`;

export const getSettings = (siteId: string): Promise<SavedSettings> => sendJson(settingsPath(siteId), {});
export const putSettings = (siteId: string, settings: SiteSettings): Promise<SavedSettings> =>
  sendJson(settingsPath(siteId), json("PUT", settings));
export const deleteSettings = (siteId: string): Promise<unknown> => sendJson(settingsPath(siteId), json("DELETE"));

/** All sites' settings as one file. */
export const getAllSettings = (): Promise<unknown> => sendJson("/api/settings", {});
export const putAllSettings = (file: unknown): Promise<unknown> => sendJson("/api/settings", json("PUT", file));
