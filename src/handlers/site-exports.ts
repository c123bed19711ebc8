/** The routes below /api/exports: archives of whole sites, made on request (docs/http-api.md, "Archives of sites"). */
import { Body, required, textField, wordField } from "../runtime/base/body.ts";
import { BODY_BYTES_MAX, EXPORTS_KEPT_MAX, RESPONSE_BYTES_PER_SECOND_MIN } from "../runtime/base/config/limits.ts";
import { parseSiteId, siteIdSchema } from "../runtime/base/config/names.ts";
import { AppError, conflict, invalidInput, refusedValue, storageUnavailable } from "../runtime/base/errors.ts";
import { closed, count, list, orNull, text, word } from "../runtime/base/json-schema.ts";
import { SITE_EXPORT_FORMATS, type SiteExport, type SiteExports } from "../runtime/exports/site-exports.ts";
import { PRODUCT_NAME } from "../shared/names.ts";
import { isLocalDate, type LocalDate } from "../storage/event.ts";
import { fileReply, jsonReply, readJson } from "./http.ts";
import { FILE_NAME, NOT_STORED } from "./openapi/headers.ts";
import { answer, BODY_REFUSALS, inPath, jsonBody, type Operations } from "./openapi/operation.ts";
import type { Context, Handler } from "./route.ts";

/** A date of a body, or none. */
const day = (description: string) =>
  textField(orNull(text(description, { format: "date" })), (sent, name): LocalDate => {
    if (!isLocalDate(sent)) throw refusedValue(`Field "${name}"`, "a real calendar date in the form YYYY-MM-DD", sent);
    return sent;
  });

const NEW_EXPORT = new Body({
  site_id: required(textField(siteIdSchema("The site."), (sent, name) => parseSiteId(sent, name))),
  format: required(
    wordField(word("What the archive has (docs/exporting.md); `all` has what each of the others has.", SITE_EXPORT_FORMATS)),
  ),
  start_date: day("The first date; null for that of the first event."),
  end_date: day("The last date; null for that of the last event."),
});

function exportsOf({ services }: Context): SiteExports {
  if (services.siteExports === null) throw new AppError({ code: "not_found" }, "There is no such export");
  return services.siteExports;
}

const exportJson = ({ id, siteId, format, firstDay, lastDay, createdMs, state, failure, archive }: SiteExport) => ({
  export_id: id,
  site_id: siteId,
  format,
  start_date: firstDay,
  end_date: lastDay,
  created_at: new Date(createdMs).toISOString(),
  state,
  failure,
  bytes: archive?.bytes ?? null,
});

const unavailable =
  (message: string) =>
  (error: unknown): never => {
    if (error instanceof AppError) throw error;
    throw storageUnavailable(`${message}. Repeat the request.`, error);
  };

const idIn = ({ params }: Context): string => params.export_id ?? "";

export const getExports: Handler = (_request, context) => jsonReply((context.services.siteExports?.all ?? []).map(exportJson));

export const postExport: Handler = async (request, context) => {
  const { site_id: asked, format, start_date: firstDay, end_date: lastDay } = NEW_EXPORT.parse(await readJson(request));
  if (firstDay !== null && lastDay !== null && lastDay < firstDay) throw invalidInput('Field "end_date" must not be before "start_date"');
  const { siteExports, names } = context.services;
  if (siteExports === null) throw conflict("Archives of sites are made on Node with DuckDB only: elsewhere, use GET /api/stats/export");
  const siteId = names?.siteOf(asked) ?? asked;
  const days = await context.services.daysOf(siteId).catch(unavailable("Storage could not be read"));
  if (days.length === 0) throw invalidInput('Field "site_id" must be a site that has events');
  const begun = await siteExports.begin({ siteId, format, firstDay, lastDay }).catch(unavailable("The free space could not be read"));
  context.services.log.info("an export of a site began", { siteId, format });
  return jsonReply(exportJson(begun), 201);
};

export const getSiteExport: Handler = (_request, context) => jsonReply(exportJson(exportsOf(context).existing(idIn(context))));

export const getExportFile: Handler = (_request, context) => {
  const { archive, siteId, format, state } = exportsOf(context).existing(idIn(context));
  if (archive === null) throw conflict(`The export is ${state}, and not ready`);
  const body = context.streams.open({
    chunks: archive.chunks(),
    onEnd: () => {},
    signal: context.deadline.signal,
    bytesPerSecondMin: RESPONSE_BYTES_PER_SECOND_MIN,
  });
  const name = `${PRODUCT_NAME.toLowerCase()}-${siteId.replaceAll(":", "_")}-${format}.zip`;
  return fileReply(body, { name, contentType: "application/zip" }, { "Content-Length": String(archive.bytes) });
};

export const deleteExport: Handler = async (_request, context) => {
  await exportsOf(context).delete(idIn(context)).catch(unavailable("The archive could not be deleted"));
  return jsonReply({ status: "deleted" });
};

// Description in the OpenAPI document

const EXPORT_JSON = closed({
  export_id: text("Its id.", { pattern: "^[0-9a-f]{32}$" }),
  site_id: siteIdSchema("The site."),
  format: word("What the archive has.", SITE_EXPORT_FORMATS),
  start_date: orNull(text("The first date that was asked for.", { format: "date" })),
  end_date: orNull(text("The last one.", { format: "date" })),
  created_at: text("When it began, in UTC.", { format: "date-time" }),
  state: word("`running` until it is `ready`, or `failed`.", ["running", "ready", "failed"]),
  failure: orNull(text("Why it failed; null otherwise.")),
  bytes: orNull(count("The size of the archive; null until it is ready.")),
});

const SCHEMAS = {
  NewSiteExport: NEW_EXPORT.schema,
  SiteExport: EXPORT_JSON,
  SiteExports: list("The newest first.", EXPORT_JSON, { maxItems: EXPORTS_KEPT_MAX }),
};

const EXPORT_ID = inPath(
  "export_id",
  "The id of the export.",
  text("In hexadecimal digits.", { pattern: "^[0-9a-f]{32}$" }),
  "0".repeat(32),
);

const NOT_HERE = "The server runs on Workers or with ClickHouse.";

const UNKNOWN = { not_found: "There is no such export. A restart forgets them." } as const;

const OPERATIONS = {
  "GET /api/exports": {
    operationId: "listExports",
    summary: "Lists the archives of sites",
    answers: { 200: answer("Those of this process.", "SiteExports") },
  },
  "POST /api/exports": {
    operationId: "beginExport",
    summary: "Begins to make an archive of a site",
    requestBody: jsonBody("NewSiteExport", BODY_BYTES_MAX),
    answers: { 201: answer("It is being made.", "SiteExport") },
    refusals: {
      ...BODY_REFUSALS,
      invalid_input: "The body is not JSON, a field breaks its rule, or the site has no events.",
      conflict: `${NOT_HERE} Or another archive is being made, there are too many, or the disk is too full.`,
      request_timeout: "Storage did not answer within the time limit.",
      unavailable: "Storage could not be read. Repeat the request.",
    },
  },
  "GET /api/exports/:export_id": {
    operationId: "getSiteExport",
    summary: "Says whether an archive is ready",
    parameters: [EXPORT_ID],
    answers: { 200: answer("The export.", "SiteExport") },
    refusals: UNKNOWN,
  },
  "GET /api/exports/:export_id/file": {
    operationId: "getExportFile",
    summary: "The archive of a site",
    parameters: [EXPORT_ID],
    answers: {
      200: {
        description: "The ZIP.",
        headers: { ...NOT_STORED, "Content-Disposition": { ...FILE_NAME, required: true } },
        content: { "application/zip": {} },
      },
    },
    refusals: { ...UNKNOWN, conflict: "The archive is not ready." },
  },
  "DELETE /api/exports/:export_id": {
    operationId: "deleteExport",
    summary: "Deletes an archive, or ends its making",
    parameters: [EXPORT_ID],
    answers: { 200: answer("It is deleted.", "Deleted") },
    refusals: {
      ...UNKNOWN,
      request_timeout: "The making did not end within the time limit. Repeat the request.",
      unavailable: "The archive could not be deleted. Repeat the request.",
    },
  },
} satisfies Operations;

export const SITE_EXPORTS_API = { tag: "Exports", schemas: SCHEMAS, operations: OPERATIONS } as const;
