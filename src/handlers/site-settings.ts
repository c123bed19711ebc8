/** GET, PUT and DELETE /api/sites/{site_id}, GET and PUT /api/settings: what is set for sites (docs/http-api.md, "Site settings"). */
import { SETTINGS_FILE_BYTES_MAX } from "../runtime/base/config/admin-limits.ts";
import { BODY_BYTES_MAX } from "../runtime/base/config/limits.ts";
import { parseSiteId, siteIdSchema } from "../runtime/base/config/names.ts";
import { AppError, invalidInput, storageUnavailable } from "../runtime/base/errors.ts";
import { closed, count, list, text, type Schema } from "../runtime/base/json-schema.ts";
import type { Services } from "../runtime/service/services.ts";
import {
  parseBodyOfSite,
  parseSettingsFile,
  SETTINGS_FILE_VERSION,
  SETTINGS,
  settingsJson,
  type SiteSettings,
} from "../runtime/sites/site-settings.ts";
import type { ChangeRequest, Sites } from "../runtime/sites/sites.ts";
import type { EpochMs, SiteId } from "../storage/event.ts";
import { answer, jsonBody, inPath, type Operations } from "./openapi/operation.ts";
import { jsonReply, readJson } from "./http.ts";
import type { Context, Handler } from "./route.ts";

export const siteIn = ({ params }: Context): SiteId => parseSiteId(params.site_id ?? "", "site_id");

/** The settings in force; the defaults for a site without settings. */
function settingsOf(siteId: SiteId, { sites, config, networksAreKnown }: Services, nowMs: EpochMs) {
  const record = sites.recordOf(siteId);
  return {
    site_id: siteId,
    ...settingsJson(sites.settingsOf(siteId)),
    created_at: record?.settings ? record.createdAt : null,
    time_zone_in_force: sites.calendarOf(siteId).zoneAt(nowMs),
    time_zone_changes: (record?.calendar?.changes ?? []).map(({ firstDate, timeZone }) => ({ first_date: firstDate, time_zone: timeZone })),
    default_time_zone: config.timeZone,
    default_retention_days: config.retentionDays,
    asn_db_loaded: networksAreKnown,
  };
}

/** The settings by which the dashboard shows a site, also to guests. */
export function shownSettings(sites: Sites, siteId: SiteId, nowMs: EpochMs) {
  const { weekStart, hiddenCards } = sites.settingsOf(siteId);
  const calendar = sites.calendarOf(siteId);
  return { time_zone: calendar.zoneAt(nowMs), today: calendar.dateOf(nowMs), week_start: weekStart, hidden_cards: hiddenCards };
}

export const getSettings: Handler = (_request, context) => jsonReply(settingsOf(siteIn(context), context.services, context.nowMs));

/** Waits for the list of sites: until then, any site may have events. */
export async function changeRequest({ services, deadline: { signal } }: Context): Promise<ChangeRequest> {
  if (!services.knownSites.areListed) await services.knownSites.untilListed();
  return { hasEvents: (siteId) => services.mayHaveEvents(siteId), signal };
}

async function change(sent: ReadonlyMap<SiteId, SiteSettings>, context: Context): Promise<void> {
  const { knownSites, names, sites, config } = context.services;
  const changed = names ? new Map(Array.from(sent, ([siteId, settings]) => [names.renamedTo(siteId), settings])) : sent;
  const request = await changeRequest(context);
  if (!knownSites.hasRoomFor([...changed.keys()])) throw invalidInput(`There may be ${config.maxSites} sites at most (max_sites)`);
  await sites.change(changed, request);
}

export const putSettings: Handler = async (request, context) => {
  const siteId = siteIn(context);
  await change(new Map([[siteId, parseBodyOfSite(await readJson(request), siteId)]]), context);
  return jsonReply(settingsOf(siteId, context.services, context.nowMs));
};

/** Settings go first, so that a repeated request after a failure still finds goals and the like. 404 if the site has neither. */
export const deleteSettings: Handler = async (_request, context) => {
  const { services, deadline } = context;
  const siteId = siteIn(context);
  const hadSettings = services.sites.has(siteId);
  if (hadSettings) await services.sites.remove(siteId, await changeRequest(context));
  const hadItems = await services.removeItems(siteId, deadline.signal).catch(partlyDeleted);
  if (!hadSettings && !hadItems) services.sites.checkSettings(siteId);
  return jsonReply({ status: "deleted" });
};

/** Settings and each kind of items are separate records, so a deletion can stop between them. */
function partlyDeleted(error: unknown): never {
  if (!(error instanceof AppError && error.failure.code === "unavailable")) throw error;
  throw storageUnavailable("What was set and made for the site may be deleted in part. Repeat the deletion.", error.cause);
}

export const getAllSettings: Handler = (_request, { services: { sites } }) => {
  const all = sites.listed().map((siteId) => ({ site_id: siteId, ...settingsJson(sites.settingsOf(siteId)) }));
  return jsonReply({ version: SETTINGS_FILE_VERSION, sites: all });
};

/** Sites that are not in the file keep their settings. */
export const putAllSettings: Handler = async (request, context) => {
  const changed = parseSettingsFile(await readJson(request, SETTINGS_FILE_BYTES_MAX));
  await change(changed, context);
  return jsonReply({ status: "imported", sites: changed.size });
};

// Description in the OpenAPI document

const VERSION: Schema = { type: "integer", minimum: 1, maximum: 1, description: "Version of the format: 1." };

const OF_SITE = { site_id: siteIdSchema("The site."), ...SETTINGS.properties };

const SCHEMAS = {
  SiteSettings: SETTINGS.responseSchema,
  NewSiteSettings: SETTINGS.schema,
  SettingsFile: closed({
    version: VERSION,
    sites: list("All sites with settings, by ascending id.", closed(OF_SITE)),
  }),
  NewSettingsFile: closed({
    version: VERSION,
    sites: list("The sites to change, each once.", { ...closed(OF_SITE), required: ["site_id"] }),
  }),
  DeletedSettings: closed({ status: text("Constant.", { const: "deleted" }) }),
  ImportedSettings: closed({ status: text("Constant.", { const: "imported" }), sites: count("How many sites the file has.") }),
};

export const SITE_PARAMETER = inPath("site_id", "The site.", siteIdSchema("The site id of its events (`d`)."), "example.com");

const NO_SITE_ID = { invalid_input: "The site in the path is no site id." } as const;

const CHANGE_REFUSALS = {
  too_many_requests: "Too many changes are waiting to be stored.",
  request_timeout: "The change was not stored within the time limit. It may be stored later.",
  unavailable: "The change could not be stored. The settings stay as they were; try again.",
} as const;

const BODY_REFUSALS = {
  malformed_body: "The body is not an object, or a field has the wrong type.",
  invalid_input: "The body is not JSON, a field is unknown or breaks its rule, or there would be too many sites.",
} as const;

const OPERATIONS = {
  "GET /api/sites/:site_id": {
    operationId: "getSiteSettings",
    summary: "The settings of a site",
    description: "A site for which nothing was set has the defaults.",
    parameters: [SITE_PARAMETER],
    answers: { 200: answer("The settings.", "SiteSettings") },
    refusals: NO_SITE_ID,
  },
  "PUT /api/sites/:site_id": {
    operationId: "putSiteSettings",
    summary: "Replaces the settings of a site",
    description:
      "A field that is missing gets its default. The site need not have events. The other fields of the response may be sent back and are ignored.",
    parameters: [SITE_PARAMETER],
    requestBody: jsonBody("NewSiteSettings", BODY_BYTES_MAX),
    answers: { 200: answer("The settings, which are stored and in effect.", "SiteSettings") },
    refusals: { ...CHANGE_REFUSALS, ...BODY_REFUSALS, body_too_large: `The body is longer than ${BODY_BYTES_MAX} bytes.` },
  },
  "DELETE /api/sites/:site_id": {
    operationId: "deleteSiteSettings",
    summary: "Deletes the settings of a site, and its goals, segments, annotations and rules",
    description: "Its events stay, and so do the dates that its time zones gave them.",
    parameters: [SITE_PARAMETER],
    answers: { 200: answer("The site has the defaults.", "DeletedSettings") },
    refusals: {
      ...CHANGE_REFUSALS,
      ...NO_SITE_ID,
      not_found: "The site has neither settings nor goals, segments, annotations or rules.",
      unavailable: "What was set and made for the site may be deleted in part. Repeat the deletion.",
    },
  },
  "GET /api/settings": {
    operationId: "exportSettings",
    summary: "The settings of all sites as one file",
    answers: { 200: answer("The file.", "SettingsFile") },
  },
  "PUT /api/settings": {
    operationId: "importSettings",
    summary: "Replaces the settings of the sites in a file",
    description: "Sites that are not in the file keep theirs. Nothing is changed if any entry is refused.",
    requestBody: jsonBody("NewSettingsFile", SETTINGS_FILE_BYTES_MAX),
    answers: { 200: answer("All settings of the file are stored and in effect.", "ImportedSettings") },
    refusals: {
      ...CHANGE_REFUSALS,
      ...BODY_REFUSALS,
      body_too_large: `The body is longer than ${SETTINGS_FILE_BYTES_MAX} bytes.`,
      request_timeout:
        "The file was not imported within the time limit. Some of its settings may be stored and others not; import it again.",
      unavailable: "Some of the settings may be stored and others not. Import the file again.",
    },
  },
} satisfies Operations;

export const SETTINGS_API = { tag: "Sites", schemas: SCHEMAS, operations: OPERATIONS } as const;
