/** The settings of all sites as one JSON file, for backups and for moving to another server (docs/sites.md, "Export and import settings"). */
import type { SiteId } from "../../storage/event.ts";
import type { JsonObject } from "../../storage/json-record.ts";
import { Body, fieldOf, isObject, malformedBody, required, textField } from "../base/body.ts";
import { parseSiteId, siteIdSchema } from "../base/config/names.ts";
import { AppError, invalidInput } from "../base/errors.ts";
import { SETTINGS, settingsFrom, settingsJson, type SiteSettings } from "./site-settings.ts";
import type { Sites } from "./sites.ts";

const SETTINGS_FILE_VERSION = 1;

/** The settings in a request about a site; 400 if its body names another one. */
export function parseBodyOfSite(body: JsonObject, siteId: SiteId): SiteSettings {
  const settings = settingsFrom(SETTINGS.parse(body));
  const named = fieldOf(body, "site_id");
  if (named !== null && named !== siteId) throw invalidInput('Field "site_id" must be the site of the path, or be left out');
  return settings;
}

/** `parse` with the number of the entry, counted from 1, in front of its error. */
function inEntry<T>(number: number, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof AppError) throw new AppError(error.failure, `Entry ${number} of "sites": ${error.message}`);
    throw error;
  }
}

const ENTRY = new Body({ site_id: required(textField(siteIdSchema("The site."), parseSiteId)) });

/** Such a site has no URL `/api/sites/{site_id}`: clients remove these segments from paths, encoded ones too (URL Standard, 4.4). */
function siteOf(entry: JsonObject): SiteId {
  const { site_id: siteId } = ENTRY.parse(entry);
  if (siteId === "." || siteId === "..") throw invalidInput(`a site named "${siteId}" cannot have settings`);
  return siteId;
}

/** 400 or 422 with the first problem; then nothing of the file may count. */
export function parseSettingsFile(file: JsonObject): ReadonlyMap<SiteId, SiteSettings> {
  const [version, entries] = [fieldOf(file, "version"), fieldOf(file, "sites")];
  if (version !== SETTINGS_FILE_VERSION) throw invalidInput(`Field "version" must be ${SETTINGS_FILE_VERSION}`);
  if (!Array.isArray(entries)) throw malformedBody('Field "sites" must be an array');
  const parsed = new Map<SiteId, SiteSettings>();
  for (const [i, entry] of (entries as readonly unknown[]).entries()) {
    inEntry(i + 1, () => {
      if (!isObject(entry)) throw malformedBody("it must be an object");
      const siteId = siteOf(entry);
      if (parsed.has(siteId)) throw invalidInput(`the site "${siteId}" comes twice`);
      parsed.set(siteId, parseBodyOfSite(entry, siteId));
    });
  }
  return parsed;
}

export const settingsFileJson = (sites: Sites) => ({
  version: SETTINGS_FILE_VERSION,
  sites: sites.listed().map((siteId) => ({ site_id: siteId, ...settingsJson(sites.settingsOf(siteId)) })),
});
