/** GET, PUT and DELETE /api/sites/{site_id}, GET and PUT /api/settings: what is set for sites (docs/http-api.md, "Site settings"). */
import { SETTINGS_FILE_BYTES_MAX } from "../runtime/base/config/admin-limits.ts";
import { parseObject } from "../runtime/base/config/json-fields.ts";
import { parseSiteId } from "../runtime/base/config/names.ts";
import { AppError, invalidInput, storageUnavailable } from "../runtime/base/errors.ts";
import type { Services } from "../runtime/service/services.ts";
import { parseBodyOfSite, parseSettingsFile, settingsFileJson } from "../runtime/sites/settings-file.ts";
import { settingsJson } from "../runtime/sites/settings-json.ts";
import type { SiteSettings } from "../runtime/sites/site-settings.ts";
import type { ChangeRequest } from "../runtime/sites/sites.ts";
import type { EpochMs, SiteId } from "../storage/event.ts";
import { readBody } from "./body.ts";
import type { Context, Handler } from "./context.ts";
import { jsonReply } from "./reply.ts";

const siteIn = ({ params }: Context): SiteId => parseSiteId(params.site_id ?? "", "site_id");

/** The settings in force, also of a site for which nothing was set. */
function settingsOf(siteId: SiteId, { sites }: Services, nowMs: EpochMs) {
  const record = sites.recordOf(siteId);
  return {
    site_id: siteId,
    ...settingsJson(sites.settingsOf(siteId)),
    created_at: record?.settings ? record.createdAt : null,
    time_zone_in_force: sites.calendarOf(siteId).zoneAt(nowMs),
    time_zone_changes: (record?.calendar?.changes ?? []).map(({ firstDate, timeZone }) => ({ first_date: firstDate, time_zone: timeZone })),
  };
}

export const getSettings: Handler = (_request, context) => jsonReply(settingsOf(siteIn(context), context.services, context.nowMs));

/** A site may have events until all sites are listed. */
async function changeRequest({ services, deadline: { signal } }: Context): Promise<ChangeRequest> {
  if (!services.knownSites.areListed) await services.knownSites.untilListed();
  return { hasEvents: (siteId) => services.mayHaveEvents(siteId), signal };
}

async function change(changed: ReadonlyMap<SiteId, SiteSettings>, context: Context): Promise<void> {
  const { knownSites, sites, config } = context.services;
  const request = await changeRequest(context);
  if (!knownSites.hasRoomFor([...changed.keys()])) throw invalidInput(`There may be ${config.maxSites} sites at most (max_sites)`);
  await sites.change(changed, request);
}

export const putSettings: Handler = async (request, context) => {
  const siteId = siteIn(context);
  await change(new Map([[siteId, parseBodyOfSite(parseObject(await readBody(request)), siteId)]]), context);
  return jsonReply(settingsOf(siteId, context.services, context.nowMs));
};

/** Settings go first: after a failure, a repeated request finds the goals and the like. 404 if the site has neither. */
export const deleteSettings: Handler = async (_request, context) => {
  const { services, deadline } = context;
  const siteId = siteIn(context);
  const hadSettings = services.sites.has(siteId);
  if (hadSettings) await services.sites.remove(siteId, await changeRequest(context));
  const hadItems = await services.removeItems(siteId, deadline.signal).catch(partlyDeleted);
  if (!hadSettings && !hadItems) services.sites.checkSettings(siteId);
  return jsonReply({ status: "deleted" });
};

/** The settings and each kind of items are records of their own. */
function partlyDeleted(error: unknown): never {
  if (!(error instanceof AppError && error.failure.code === "unavailable")) throw error;
  throw storageUnavailable("What was set and made for the site may be deleted in part. Repeat the deletion.", error.cause);
}

/** The settings of all sites that have any, as a file that `putAllSettings` reads. */
export const getAllSettings: Handler = (_request, { services: { sites } }) => jsonReply(settingsFileJson(sites));

/** Sites that are not in the file keep what they have. */
export const putAllSettings: Handler = async (request, context) => {
  const changed = parseSettingsFile(parseObject(await readBody(request, SETTINGS_FILE_BYTES_MAX)));
  await change(changed, context);
  return jsonReply({ status: "imported", sites: changed.size });
};
