/** GET, PUT and DELETE /api/sites/{site_id}, GET and PUT /api/settings: what is set for sites (docs/http-api.md, "Site settings"). */
import { SETTINGS_FILE_BYTES_MAX, SITE_LIST_ENTRIES_MAX, SITE_LIST_ENTRY_CHARS_MAX } from "../runtime/base/config/admin-limits.ts";
import { parseObject } from "../runtime/base/config/json-fields.ts";
import { BODY_BYTES_MAX } from "../runtime/base/config/limits.ts";
import { parseSiteId } from "../runtime/base/config/names.ts";
import { AppError, invalidInput, storageUnavailable } from "../runtime/base/errors.ts";
import { boolean, closed, count, list, orNull, text, type Schema } from "../runtime/base/json-schema.ts";
import { siteIdSchema } from "../runtime/query/scope-parameters.ts";
import type { Services } from "../runtime/service/services.ts";
import { parseBodyOfSite, parseSettingsFile, settingsFileJson } from "../runtime/sites/settings-file.ts";
import { settingsJson } from "../runtime/sites/settings-json.ts";
import type { SiteSettings } from "../runtime/sites/site-settings.ts";
import type { ChangeRequest } from "../runtime/sites/sites.ts";
import type { EpochMs, SiteId } from "../storage/event.ts";
import { answer, jsonBody, inPath, type Operations } from "./openapi/operation.ts";
import { jsonReply } from "./reply.ts";
import { readBody } from "./request.ts";
import type { Context, Handler } from "./route.ts";
import { RETENTION_DAYS_MAX, SITE_NAME_CHARS_MAX } from "../shared/limits.ts";
import { CARDS, WEEK_STARTS } from "../shared/site-choices.ts";

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

// Description in the OpenAPI document

const entries = (description: string, rules: Parameters<typeof text>[1] = { minLength: 1, maxLength: SITE_LIST_ENTRY_CHARS_MAX }) =>
  list(description, text("One of them.", rules), { maxItems: SITE_LIST_ENTRIES_MAX });

const SETTINGS = {
  name: orNull(text("What the dashboard calls the site; null for its id.", { minLength: 1, maxLength: SITE_NAME_CHARS_MAX })),
  time_zone: orNull(text("IANA name of the zone whose midnight begins a day; null for the option `time_zone`.", { minLength: 1 })),
  week_start: text("The first day of a week, in the dashboard and in series with `interval=week`.", { enum: WEEK_STARTS }),
  public: boolean("Whether everyone may read the site's statistics."),
  excluded_paths: entries("Events of these paths are not stored. `*` stands for any characters."),
  excluded_addresses: entries("Events from these addresses and networks (CIDR) are not stored."),
  excluded_countries: entries("Events from these countries are not stored: ISO 3166-1 codes.", { pattern: "^[A-Za-z]{2}$" }),
  hidden_cards: entries("Cards that the dashboard does not show.", { enum: CARDS }),
  retention_days: orNull(
    count("Days for which events are kept; 0 forever, null for the option `retention_days`.", { maximum: RETENTION_DAYS_MAX }),
  ),
};

const SITE_ID = { site_id: siteIdSchema("The site.") };

const IN_RESPONSES = {
  created_at: orNull(text("When settings were first set; null if none are.", { format: "date-time" })),
  time_zone_in_force: text("The zone of the current day: a change takes effect with a coming date."),
  time_zone_changes: list(
    "All changes of the zone, oldest first.",
    closed({ first_date: text("The first date in the zone.", { format: "date" }), time_zone: text("The zone.") }),
  ),
};

const VERSION: Schema = { type: "integer", minimum: 1, maximum: 1, description: "Version of the format: 1." };

const FIELDS = Object.keys(SETTINGS) as (keyof typeof SETTINGS)[];

const SCHEMAS = {
  SiteSettings: closed({ ...SITE_ID, ...SETTINGS, ...IN_RESPONSES }),
  NewSiteSettings: closed({ ...SITE_ID, ...SETTINGS }, { optional: [...FIELDS, "site_id"] }),
  SettingsFile: closed({
    version: VERSION,
    sites: list("All sites with settings, by ascending id.", closed({ ...SITE_ID, ...SETTINGS })),
  }),
  NewSettingsFile: closed({
    version: VERSION,
    sites: list("The sites to change, each once.", closed({ ...SITE_ID, ...SETTINGS }, { optional: FIELDS })),
  }),
  DeletedSettings: closed({ status: text("Constant.", { const: "deleted" }) }),
  ImportedSettings: closed({ status: text("Constant.", { const: "imported" }), sites: count("How many sites the file has.") }),
};

const SITE_PARAMETER = inPath("site_id", "The site.", siteIdSchema("The site id of its events (`d`)."), "example.com");

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
    tag: "Sites",
    summary: "The settings of a site",
    description: "A site for which nothing was set has the defaults.",
    parameters: [SITE_PARAMETER],
    answers: { 200: answer("The settings.", "SiteSettings") },
    refusals: NO_SITE_ID,
  },
  "PUT /api/sites/:site_id": {
    operationId: "putSiteSettings",
    tag: "Sites",
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
    tag: "Sites",
    summary: "Deletes the settings of a site, and its goals, segments and annotations",
    description: "Its events stay, and so do the dates that its time zones gave them.",
    parameters: [SITE_PARAMETER],
    answers: { 200: answer("The site has the defaults.", "DeletedSettings") },
    refusals: {
      ...CHANGE_REFUSALS,
      ...NO_SITE_ID,
      not_found: "The site has neither settings nor goals, segments or annotations.",
      unavailable: "What was set and made for the site may be deleted in part. Repeat the deletion.",
    },
  },
  "GET /api/settings": {
    operationId: "exportSettings",
    tag: "Sites",
    summary: "The settings of all sites as one file",
    answers: { 200: answer("The file.", "SettingsFile") },
  },
  "PUT /api/settings": {
    operationId: "importSettings",
    tag: "Sites",
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

export const SETTINGS_API = { schemas: SCHEMAS, operations: OPERATIONS };
