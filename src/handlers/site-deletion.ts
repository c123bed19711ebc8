/** POST /api/sites/{site_id}/delete: deletes a whole site (docs/http-api.md, "Deletion of a site"). */
import { Body, required, textField } from "../runtime/base/body.ts";
import { ERASURE_WAIT_SHARE } from "../runtime/base/config/clickhouse-limits.ts";
import { BODY_BYTES_MAX } from "../runtime/base/config/limits.ts";
import { siteIdSchema } from "../runtime/base/config/names.ts";
import { AppError, invalidInput, storageUnavailable } from "../runtime/base/errors.ts";
import { closed, count, text } from "../runtime/base/json-schema.ts";
import { jsonReply, readJson } from "./http.ts";
import { answer, BODY_REFUSALS, jsonBody, type Operations } from "./openapi/operation.ts";
import type { Handler } from "./route.ts";
import { changeRequest, SITE_PARAMETER, siteIn } from "./site-settings.ts";

const CONFIRMATION = new Body({
  confirm: required(textField(siteIdSchema("The site id of the path again, so that no slip of a script deletes a site."))),
});

export const postDeleteSite: Handler = async (request, context) => {
  const { services, beganMs } = context;
  const siteId = siteIn(context);
  const { confirm } = CONFIRMATION.parse(await readJson(request));
  if (confirm !== siteId) throw invalidInput(`Field "confirm" must be the site in the path, "${siteId}"`);
  services.siteMoves?.checkSite(siteId);
  const untilMs = beganMs + services.config.requestTimeoutSecs * ERASURE_WAIT_SHARE * 1000;
  const deleted = await services.siteDeletion.delete(siteId, await changeRequest(context), untilMs).catch(partlyDeleted);
  services.log.info("a site was deleted on request", { siteId, ...deleted });
  return jsonReply({
    status: "deleted",
    site_id: siteId,
    events_deleted: deleted.events,
    days_deleted: deleted.days,
    imports_deleted: deleted.imports,
    share_links_deleted: deleted.shareLinks,
    api_keys_changed: deleted.apiKeys,
  });
};

/** The message of an error that has one says more, such as which nodes have not confirmed. */
function partlyDeleted(error: unknown): never {
  if (error instanceof AppError && error.failure.code !== "unavailable") throw error;
  const reason = error instanceof AppError ? `${error.message} ` : "";
  throw storageUnavailable(`${reason}The site may be deleted in part. Repeat the request.`, error);
}

// Description in the OpenAPI document

const SCHEMAS = {
  SiteConfirmation: CONFIRMATION.schema,
  DeletedSite: closed({
    status: text("Constant.", { const: "deleted" }),
    site_id: text("The site."),
    events_deleted: count("Deleted events, without those of imports."),
    days_deleted: count("Dates whose files were removed."),
    imports_deleted: count("Imports that were deleted with their events."),
    share_links_deleted: count("Share links that were deleted, revoked and expired ones included."),
    api_keys_changed: count("API keys that were limited to the site: those of this site alone are revoked, others lost it."),
  }),
};

const OPERATIONS = {
  "POST /api/sites/:site_id/delete": {
    operationId: "deleteSite",
    summary: "Deletes a whole site permanently",
    description:
      "Its events, sites that were merged into it, settings, goals, segments, annotations, rules and share links, and the rights of API keys that are limited to it. Succeeds if there is nothing to delete. An event that arrives later adds the site again.",
    parameters: [SITE_PARAMETER],
    requestBody: jsonBody("SiteConfirmation", BODY_BYTES_MAX),
    answers: { 200: answer("Nothing of the site is left, and no restart or crash brings it back.", "DeletedSite") },
    refusals: {
      ...BODY_REFUSALS,
      invalid_input: "The site in the path is no site id, the body is not JSON, or `confirm` is another site.",
      too_many_requests: "Too many changes are waiting to be stored.",
      request_timeout: "The deletion exceeded the time limit, and the site may be deleted in part. Repeat the request.",
      conflict: "The site is being renamed or merged, or it is another name of a site.",
      unavailable: "Storage could not be read or changed, and the site may be deleted in part. Repeat the request.",
    },
  },
} satisfies Operations;

export const SITE_DELETION_API = { tag: "Sites", schemas: SCHEMAS, operations: OPERATIONS } as const;
