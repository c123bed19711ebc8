/** The routes below /api/imports: uploads of other products' files, and what becomes of them (docs/http-api.md, "Imports"). */
import { Body, field, isObject, required, textField, visibleField } from "../runtime/base/body.ts";
import {
  IMPORT_BODY_BYTES_MAX,
  IMPORT_LOG_FORMAT_CHARS_MAX,
  IMPORT_PATH_CHARS_MAX,
  IMPORTS_MAX,
  URL_HOST_CHARS_MAX,
} from "../runtime/base/config/limits.ts";
import { parseSiteId, siteIdSchema } from "../runtime/base/config/names.ts";
import { AppError, conflict, invalidInput, refusedValue, storageUnavailable } from "../runtime/base/errors.ts";
import { boolean, closed, count, list, nullable, orNull, text, word } from "../runtime/base/json-schema.ts";
import { type GivenFile, type ImportRecord, IMPORT_STATES } from "../runtime/imports/import-record.ts";
import type { Asked, ImportDetails, Imports } from "../runtime/imports/imports.ts";
import { isFull } from "../runtime/imports/growing-imports.ts";
import { MANIFEST } from "../runtime/imports/manifest-json.ts";
import { RECONCILIATION, reconciliationOf } from "../runtime/imports/reconciliation.ts";
import { required as requiredParameter } from "../runtime/query/parameters.ts";
import { exceedsChars } from "../shared/text.ts";
import { dayCountOf } from "../storage/day-sums.ts";
import { jsonReply, Query, readBytes, readJson } from "./http.ts";
import { answer, documented, inPath, jsonBody, type Operations } from "./openapi/operation.ts";
import type { Context, Handler } from "./route.ts";
import {
  FOLLOWED_LINES_BYTES_MAX,
  IMPORT_PART_BYTES_MAX,
  IMPORT_PART_BYTES_MIN,
  IMPORT_UPLOAD_BYTES_MAX,
  IMPORT_UPLOAD_FILES_MAX,
} from "../shared/limits.ts";

const FILES = list(
  "The files, in any order.",
  closed({
    name: text("As a person knows it; folders are separated by `/`.", { minLength: 1, maxLength: IMPORT_PATH_CHARS_MAX }),
    bytes: count("Its size.", { maximum: IMPORT_UPLOAD_BYTES_MAX }),
  }),
  { minItems: 1, maxItems: IMPORT_UPLOAD_FILES_MAX },
);

const isFile = (value: unknown): value is GivenFile =>
  isObject(value) && typeof value["name"] === "string" && typeof value["bytes"] === "number";

const checkedFile = ({ name, bytes }: GivenFile, i: number): GivenFile => {
  if (name.trim() === "" || exceedsChars(name, IMPORT_PATH_CHARS_MAX))
    throw invalidInput(`Field "files[${i}].name" must be 1 to ${IMPORT_PATH_CHARS_MAX} characters`);
  if (!Number.isSafeInteger(bytes) || bytes < 0 || bytes > IMPORT_UPLOAD_BYTES_MAX)
    throw refusedValue(`Field "files[${i}].bytes"`, `an integer from 0 to ${IMPORT_UPLOAD_BYTES_MAX}`, bytes);
  return { name, bytes };
};

const NEW_IMPORT = new Body({
  site_id: required(textField(siteIdSchema("The site that gets the events."), (sent, name) => parseSiteId(sent, name))),
  hostname: textField(
    orNull(text("The host of hits whose source records none. By default the site, if it is a host.", { maxLength: URL_HOST_CHARS_MAX })),
  ),
  log_format: textField(
    orNull(text("The nginx `log_format` of logs in a format of their own.", { maxLength: IMPORT_LOG_FORMAT_CHARS_MAX })),
  ),
  follow: visibleField(
    orNull(text("In place of `files`: the name of a log whose lines will be sent as it grows.", { maxLength: IMPORT_PATH_CHARS_MAX })),
  ),
  files: field(
    FILES,
    'an array of objects with "name" and "bytes"',
    (value) => (Array.isArray(value) && value.every(isFile) ? value : undefined),
    (files: readonly GivenFile[]) => {
      if (files.length === 0 || files.length > IMPORT_UPLOAD_FILES_MAX)
        throw invalidInput(`Field "files" must have 1 to ${IMPORT_UPLOAD_FILES_MAX} files: put more into a ZIP`);
      return files.map(checkedFile);
    },
  ),
});

const OFFSET = {
  offset: requiredParameter({ description: "Where the part begins in its file.", schema: count("In bytes."), example: 0 }, (value, name) =>
    integerOf(value, `"${name}"`),
  ),
};

function integerOf(value: string, what: string): number {
  if (!/^\d{1,15}$/.test(value)) throw refusedValue(what, "an integer", value);
  return Number(value);
}

const notFound = (message: string): AppError => new AppError({ code: "not_found" }, message);

/** Where instances of sites have the imports, they get all requests that name one of them. */
function importsOf({ services }: Context): Imports {
  if (services.imports === null) throw notFound("There is no such import");
  return services.imports;
}

function numberIn({ params }: Context): number {
  const { import_id: id = "" } = params;
  if (!/^[1-9]\d{0,5}$/.test(id)) throw notFound("There is no such import");
  return Number(id);
}

const summaryOf = ({
  number,
  siteId,
  state,
  failure,
  product,
  sourceSite,
  createdAt,
  given,
  events,
  crawls,
  days,
  firstDay,
  lastDay,
}: ImportRecord) => ({
  import_id: number,
  site_id: siteId,
  state,
  failure,
  product,
  source_site: sourceSite,
  created_at: createdAt,
  bytes: given.reduce((sum, { bytes }) => sum + bytes, 0),
  events,
  crawls,
  days: dayCountOf(days),
  start_date: firstDay,
  end_date: lastDay,
});

const hasEnded = ({ state }: ImportRecord): boolean => state === "shown" || state === "hidden";

const detailsOf = ({ record, received, rows, manifest }: ImportDetails) => ({
  ...summaryOf(record),
  files: record.given.map(({ name, bytes }, i) => ({ name, bytes, received: received ? (received[i] ?? 0) : bytes })),
  rows,
  followed: record.followed && { bytes: record.followed.bytes, bad_rows: record.followed.badRows, is_full: isFull(record) },
  manifest,
  reconciliation: manifest && hasEnded(record) ? reconciliationOf(manifest, record) : null,
});

/** A failure of storage: what was asked for may have happened in part. */
function failed(error: unknown): never {
  if (error instanceof AppError) throw error;
  throw storageUnavailable("Storage could not be read or changed. Repeat the request.", error);
}

export const getImports: Handler = async (_request, { services: { imports, importsOfSites } }) =>
  jsonReply(((await importsOfSites?.list()) ?? imports?.all ?? []).map(summaryOf));

export const getImport: Handler = async (_request, context) =>
  jsonReply(detailsOf(await importsOf(context).details(numberIn(context)).catch(failed)));

export const postImport: Handler = async (request, context) => {
  const { site_id: siteId, files, follow, ...asked } = NEW_IMPORT.parse(await readJson(request, IMPORT_BODY_BYTES_MAX));
  if (files !== null && follow !== null) throw invalidInput('Fields "files" and "follow" exclude each other');
  if (files === null && follow === null) throw new AppError({ code: "malformed_body" }, 'Field "files" is missing');
  const { hostname, log_format: logFormat } = asked;
  const given = follow === null ? (files ?? []) : [{ name: follow, bytes: 0 }];
  const details = await begun({ siteId, given, hostname, logFormat }, follow !== null, context).catch(failed);
  context.services.log.info("an import began", { import: details.record.number, siteId });
  return jsonReply(detailsOf(details), 201);
};

async function begun(asked: Asked, isFollowed: boolean, context: Context): Promise<ImportDetails> {
  const { importsOfSites } = context.services;
  if (importsOfSites && isFollowed) throw conflict("Logs cannot be followed on Workers: import their files");
  if (importsOfSites) return importsOfSites.begin(asked);
  const imports = importsOf(context);
  const { signal } = context.deadline;
  return imports.details((await (isFollowed ? imports.follow(asked, signal) : imports.begin(asked, signal))).number);
}

export const putImportPart: Handler = async (request, context) => {
  const imports = importsOf(context);
  const number = numberIn(context);
  const { offset } = new Query(context.url).parse(OFFSET);
  const file = integerOf(context.params.file ?? "", "The file in the path");
  const read = () => readBytes(request, IMPORT_PART_BYTES_MAX);
  return jsonReply(detailsOf(await imports.putPart(number, file, offset, read, context.deadline.signal).catch(failed)));
};

export const putImportLines: Handler = async (request, context) => {
  const imports = importsOf(context);
  const number = numberIn(context);
  const { offset } = new Query(context.url).parse(OFFSET);
  const read = () => readBytes(request, FOLLOWED_LINES_BYTES_MAX);
  return jsonReply(detailsOf(await imports.putLines(number, offset, read, context.deadline.signal).catch(failed)));
};

type Change = (imports: Imports, number: number, signal: AbortSignal) => Promise<void>;

const changing =
  (change: Change): Handler =>
  async (_request, context) => {
    const [imports, number] = [importsOf(context), numberIn(context)];
    await change(imports, number, context.deadline.signal).catch(failed);
    return jsonReply(detailsOf(await imports.details(number).catch(failed)));
  };

export const confirmImport = changing((imports, number, signal) => imports.confirm(number, signal));

export const hideImport = changing((imports, number, signal) => imports.hide(number, signal));

export const showImport = changing((imports, number, signal) => imports.show(number, signal));

export const deleteImport: Handler = async (_request, context) => {
  const number = numberIn(context);
  await importsOf(context).delete(number, context.deadline.signal).catch(failed);
  context.services.log.info("an import was deleted", { import: number });
  return jsonReply({ status: "deleted" });
};

// Description in the OpenAPI document

const SUMMARY = {
  import_id: count("Its number, which is not used again.", { minimum: 1 }),
  site_id: siteIdSchema("The site."),
  state: word(
    "`receiving` files, `reading` them, `ready` to be confirmed, `running`, then `shown` or `hidden`. `failed`: see `failure`. `deleting`.",
    IMPORT_STATES,
  ),
  failure: orNull(text("Why it failed; null otherwise.")),
  product: orNull(text("Where the files are from; null until it is known.")),
  source_site: orNull(text("The site that was merged, if the import is a merge that can be undone; else null.")),
  created_at: text("When it began, in UTC.", { format: "date-time" }),
  bytes: count("Of all files together."),
  events: count("Events that were imported so far."),
  crawls: count("Requests of AI crawlers that were imported so far. They are no events, and count apart."),
  days: count("Days of which sums were imported so far."),
  start_date: orNull(text("The first date of what was imported; null without any.", { format: "date" })),
  end_date: orNull(text("The last one.", { format: "date" })),
};

const SCHEMAS = {
  NewImport: NEW_IMPORT.schema,
  Imports: list("The newest first.", closed(SUMMARY), { maxItems: IMPORTS_MAX }),
  Import: closed({
    ...SUMMARY,
    files: list(
      "As they were given.",
      closed({
        name: text("Its name."),
        bytes: count("Its size."),
        received: count("How much of it is there: the next part begins there."),
      }),
    ),
    rows: count("Rows that were read so far; those of the manifest are all."),
    followed: nullable(
      closed({
        bytes: count("Bytes of lines that were taken: the next lines begin there."),
        bad_rows: count("Lines that could not be read."),
        is_full: boolean("Whether the log must go on in another import, which begins at 0."),
      }),
    ),
    manifest: nullable(MANIFEST),
    reconciliation: nullable(RECONCILIATION),
  }),
};

const IMPORT_ID = inPath("import_id", "The number of the import.", text("Counted from 1.", { pattern: "^[1-9][0-9]{0,5}$" }), "1");
const FILE = inPath("file", "The file, by its place in `files`.", text("Counted from 0.", { pattern: "^[0-9]{1,15}$" }), "0");

const UNKNOWN = "There is no import of this number.";

const READ_REFUSALS = {
  not_found: UNKNOWN,
  request_timeout: "Storage did not answer within the time limit.",
  unavailable: "Storage could not be read. Repeat the request.",
} as const;

const DELETION_REFUSALS = {
  ...READ_REFUSALS,
  too_many_requests: "Too many changes are waiting to be stored.",
  request_timeout: "The deletion exceeded the time limit and continues. Repeat the request to get its outcome.",
  unavailable: "Storage could not be changed. The import does not count any more, or is as it was. Repeat the request.",
} as const;

const CHANGE_REFUSALS = {
  ...DELETION_REFUSALS,
  conflict: "The state of the import does not allow it; the message names it.",
  request_timeout: "The change was not stored within the time limit. It may be stored later.",
  unavailable: "The change could not be stored. Repeat the request.",
} as const;

const IMPORT_ANSWER = answer("The import as it is now.", "Import");

const change = (operationId: string, summary: string, description: string) => ({
  operationId,
  summary,
  description,
  parameters: [IMPORT_ID],
  answers: { 200: IMPORT_ANSWER },
  refusals: CHANGE_REFUSALS,
});

const OPERATIONS = {
  "GET /api/imports": {
    operationId: "listImports",
    summary: "Lists all imports",
    answers: { 200: answer("All imports of the instance.", "Imports") },
  },
  "POST /api/imports": {
    operationId: "beginImport",
    summary: "Begins an upload of files of other products",
    description: "Then their parts are sent. Nothing counts before it is confirmed. With `follow`, an import that grows with a log.",
    requestBody: jsonBody("NewImport", IMPORT_BODY_BYTES_MAX),
    answers: { 201: answer("The import, which waits for its files.", "Import") },
    refusals: {
      ...CHANGE_REFUSALS,
      body_too_large: `The body is longer than ${IMPORT_BODY_BYTES_MAX} bytes.`,
      malformed_body: "The body is not an object, or a field is missing or has the wrong type.",
      invalid_input: "The body is not JSON, a field breaks its rule, or the disk has not enough room.",
      conflict: "Too many imports wait for files or a confirmation, or there are too many in all.",
      demo_site: "The site is the demo site.",
    },
  },
  "GET /api/imports/:import_id": {
    operationId: "getImport",
    summary: "Says how far an import is",
    parameters: [IMPORT_ID],
    answers: { 200: IMPORT_ANSWER },
    refusals: READ_REFUSALS,
  },
  "PUT /api/imports/:import_id/files/:file": {
    operationId: "putImportPart",
    summary: "Sends a part of a file",
    description: "Parts of a file come one after the other. The last one may be repeated, because its answer may have been lost.",
    parameters: [IMPORT_ID, FILE, ...documented(OFFSET)],
    requestBody: {
      description: `${IMPORT_PART_BYTES_MIN} to ${IMPORT_PART_BYTES_MAX} bytes of the file. The last part may have fewer.`,
      required: true,
      content: { "application/octet-stream": {} },
    },
    answers: { 200: answer("The part is stored durably.", "Import") },
    refusals: {
      ...CHANGE_REFUSALS,
      invalid_input: "The file or the offset is no integer, or the part has too few bytes or ends behind the file.",
      body_too_large: `The part is longer than ${IMPORT_PART_BYTES_MAX} bytes.`,
      conflict: "The part does not begin where the last one ended, or the import does not wait for files.",
      too_many_requests: "Too many parts are being received. Repeat the request.",
    },
  },
  "PUT /api/imports/:import_id/lines": {
    operationId: "putImportLines",
    summary: "Sends lines of a log that is followed",
    description: "They count at once. Lines that were taken before may be repeated, because the answer may have been lost.",
    parameters: [IMPORT_ID, ...documented(OFFSET)],
    requestBody: {
      description: `Whole lines of at most ${FOLLOWED_LINES_BYTES_MAX} bytes together, each with its line feed.`,
      required: true,
      content: { "application/octet-stream": {} },
    },
    answers: { 200: answer("The lines are stored durably.", "Import") },
    refusals: {
      ...CHANGE_REFUSALS,
      invalid_input: "The offset is no integer, the lines are in no format of logs, or the last one has no line feed.",
      body_too_large: `The lines are longer than ${FOLLOWED_LINES_BYTES_MAX} bytes.`,
      conflict: "The lines do not begin where the last ones ended, the import follows no log, or its site is being moved.",
    },
  },
  "POST /api/imports/:import_id/confirm": change("confirmImport", "Runs an import whose manifest is ready", "It is shown when it ends."),
  "POST /api/imports/:import_id/hide": change("hideImport", "Hides a shown import", "Every answer is what it would be without it."),
  "POST /api/imports/:import_id/show": change("showImport", "Shows a hidden import", "Every answer is what it was before it was hidden."),
  "DELETE /api/imports/:import_id": {
    operationId: "deleteImport",
    summary: "Deletes an import in any state",
    description: "With its events, files and what is known about it.",
    parameters: [IMPORT_ID],
    answers: { 200: answer("Nothing of the import is left.", "Deleted") },
    refusals: DELETION_REFUSALS,
  },
} satisfies Operations;

export const IMPORTS_API = { tag: "Imports", schemas: SCHEMAS, operations: OPERATIONS } as const;
