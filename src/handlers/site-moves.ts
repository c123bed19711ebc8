/** Renames and merges of sites, and the names that sites have because of them (docs/http-api.md, "Names of sites"). */
import { Body, required, textField } from "../runtime/base/body.ts";
import { SITE_NAMES_MAX } from "../runtime/base/config/admin-limits.ts";
import { BODY_BYTES_MAX, IMPORTS_MAX } from "../runtime/base/config/limits.ts";
import { parseSiteId, siteIdSchema } from "../runtime/base/config/names.ts";
import { AppError, conflict, storageUnavailable } from "../runtime/base/errors.ts";
import { boolean, closed, count, list, orNull, text, word } from "../runtime/base/json-schema.ts";
import type { OtherName, SiteMoves } from "../runtime/upkeep/site-moves.ts";
import type { SiteId } from "../storage/event.ts";
import { jsonReply, readJson, type Reply } from "./http.ts";
import { answer, BODY_REFUSALS, jsonBody, type Operations } from "./openapi/operation.ts";
import type { Context, Handler } from "./route.ts";
import { changeRequest, SITE_PARAMETER, siteIn } from "./site-settings.ts";

const NEW_NAME = new Body({
  to: required(textField(siteIdSchema("The new site id, which no site has."), (sent, name) => parseSiteId(sent, name))),
});

const TARGET = new Body({
  into: required(textField(siteIdSchema("The site that gets the events."), (sent, name) => parseSiteId(sent, name))),
});

function movesOf({ services }: Context): SiteMoves {
  if (services.siteMoves === null) throw conflict("Sites cannot be renamed or merged on Workers");
  return services.siteMoves;
}

function failed(error: unknown): never {
  if (error instanceof AppError) throw error;
  throw storageUnavailable("Storage could not be read or changed. Repeat the request.", error);
}

const nameJson = ({ name, siteId, importNumber, isComplete, since, untilMs }: OtherName) => ({
  name,
  site_id: siteId,
  reason: importNumber === null ? "renamed" : "merged",
  import_id: importNumber,
  complete: isComplete,
  since,
  until: untilMs === null ? null : new Date(untilMs).toISOString(),
});

/** 200 when it is complete, 202 while it goes on. */
async function moved(moves: SiteMoves, name: SiteId, siteId: SiteId): Promise<Reply> {
  const find = () => moves.otherNames.findLast((other) => other.name === name && other.siteId === siteId);
  await moves.untilDone(() => find()?.isComplete !== false);
  const other = find();
  if (other === undefined) throw conflict(moves.failureOf(name) ?? "It was given up. The server's log says why.");
  return jsonReply(nameJson(other), other.isComplete ? 200 : 202);
}

export const postRename: Handler = async (request, context) => {
  const { log } = context.services;
  const [siteId, { to }] = [siteIn(context), NEW_NAME.parse(await readJson(request))];
  const moves = movesOf(context);
  await moves.rename(siteId, to, await changeRequest(context)).catch(failed);
  log.info("a site is being renamed on request", { from: siteId, to });
  return moved(moves, siteId, to);
};

export const postMerge: Handler = async (request, context) => {
  const { log } = context.services;
  const [siteId, { into }] = [siteIn(context), TARGET.parse(await readJson(request))];
  const moves = movesOf(context);
  const number = await moves.merge(siteId, into, await changeRequest(context)).catch(failed);
  log.info("a site is being merged on request", { from: siteId, to: into, import: number });
  return moved(moves, siteId, into);
};

export const getSiteNames: Handler = (_request, { services }) => jsonReply({ names: (services.siteMoves?.otherNames ?? []).map(nameJson) });

// Description in the OpenAPI document

const OTHER_NAME = closed({
  name: text("The name that the site had, or the site that was merged into it."),
  site_id: text("The site that the name stands for."),
  reason: word("What happened to the site of that name.", ["renamed", "merged"]),
  import_id: orNull(count("The import that the merge is: deleting it undoes the merge. null after a rename.", { minimum: 1 })),
  complete: boolean("False while events are copied: until then, everything is as before."),
  since: text("When it began or, once it is complete, when the name began to stand for the site.", { format: "date-time" }),
  until: orNull(text("When that ends, and a merge becomes final; null before it is complete.", { format: "date-time" })),
});

const SCHEMAS = {
  NewSiteName: NEW_NAME.schema,
  MergeTarget: TARGET.schema,
  OtherSiteName: OTHER_NAME,
  OtherSiteNames: closed({ names: list("Oldest first.", OTHER_NAME, { maxItems: SITE_NAMES_MAX + IMPORTS_MAX }) }),
};

const REFUSALS = {
  ...BODY_REFUSALS,
  invalid_input: "The site in the path or in the body is no site id, both are the same, or the body is not JSON.",
  not_found: "There is no such site.",
  too_many_requests: "Too many changes are waiting to be stored.",
  request_timeout: "It did not begin within the time limit. It may begin later.",
  unavailable: "Storage could not be read or changed. Repeat the request.",
} as const;

const IN_COPY = "It is recorded, and goes on by itself, also after a restart.";

const OPERATIONS = {
  "POST /api/sites/:site_id/rename": {
    operationId: "renameSite",
    summary: "Gives a site another id",
    description:
      "Its events, settings, goals, segments, annotations, rules, imports, share links and the rights of API keys get the new id. The earlier one stands for the site for 90 days.",
    parameters: [SITE_PARAMETER],
    requestBody: jsonBody("NewSiteName", BODY_BYTES_MAX),
    answers: { 200: answer("The site has the new id.", "OtherSiteName"), 202: answer(IN_COPY, "OtherSiteName") },
    refusals: {
      ...REFUSALS,
      conflict:
        "The new id is that of a site, or another name of one; the site is being changed in another way; it has a file that cannot be read; or the server cannot rename sites: with ClickHouse, and on Workers.",
    },
  },
  "POST /api/sites/:site_id/merge": {
    operationId: "mergeSite",
    summary: "Merges a site into another",
    description:
      "As an import of its events, which can be deleted for 90 days to undo the merge. The settings, goals, rules and share links of the site do not count until then.",
    parameters: [SITE_PARAMETER],
    requestBody: jsonBody("MergeTarget", BODY_BYTES_MAX),
    answers: { 200: answer("The events are those of the other site.", "OtherSiteName"), 202: answer(IN_COPY, "OtherSiteName") },
    refusals: {
      ...REFUSALS,
      conflict:
        "One of the ids is another name of a site; one of the sites is being changed in another way; a file cannot be read; or the server cannot merge sites: with ClickHouse, and on Workers.",
    },
  },
  "GET /api/site-names": {
    operationId: "listSiteNames",
    summary: "Lists the names that sites have besides their ids",
    answers: { 200: answer("All names, of renames and merges.", "OtherSiteNames") },
  },
} satisfies Operations;

export const SITE_MOVES_API = { tag: "Sites", schemas: SCHEMAS, operations: OPERATIONS } as const;
