/** Ingestion by tags of other products: those of Umami, GoatCounter and Matomo (docs/http-api.md, "Tags of other products"). */
import { BODY_BYTES_MAX, MATOMO_REQUESTS_MAX, URL_CHARS_MAX } from "../runtime/base/config/limits.ts";
import { PAGEVIEW } from "../runtime/base/config/names.ts";
import { AppError, type AppErrorCode } from "../runtime/base/errors.ts";
import { closed, count, list, type Schema, text } from "../runtime/base/json-schema.ts";
import {
  matomoQueriesIn,
  matomoQueryOf,
  NO_EVENTS,
  readGoatcounter,
  readMatomo,
  readUmami,
  type TaggedEvent,
} from "../runtime/ingest/earlier-tags.ts";
import { type EventInput, eventInputOf } from "../runtime/ingest/event-input.ts";
import { parseUrl } from "../runtime/ingest/urls.ts";
import { jsonReply, parametersOf, readBody, type Reply } from "./http.ts";
import { INGEST_REFUSALS, noteProxies, pixelReply, senderOf } from "./ingest.ts";
import { NOT_STORED, PREFLIGHT_HEADERS } from "./openapi/headers.ts";
import { answer, BODY_REFUSALS, inQuery, type Operations, type Parameter } from "./openapi/operation.ts";
import type { Context, Handler } from "./route.ts";

function inputFrom({ alias, fields }: TaggedEvent, { services: { sites, unknownAliases }, nowMs }: Context): EventInput {
  const siteId = sites.siteOfAlias(alias);
  if (siteId === null) {
    unknownAliases.note(alias, nowMs);
    throw new AppError({ code: "unknown_alias" }, `No site has "${alias}" in the setting "aliases"`);
  }
  if (fields === null) return { ...eventInputOf({ d: siteId, n: PAGEVIEW, u: "/" }), isNoEvent: true };
  return eventInputOf({ ...fields, d: siteId });
}

async function accept(request: Request, context: Context, read: () => TaggedEvent): Promise<void> {
  const { services } = context;
  const readInput = () => inputFrom(read(), context);
  const outcome = await services.acceptEvent({ ...senderOf(request, context), door: "tag", readInput });
  if (outcome === "accepted") noteProxies(request, context);
}

/** An object, because the tag reads one. */
export const postUmami: Handler = async (request, context) => {
  const body = await readBody(request);
  await accept(request, context, () => readUmami(body));
  return jsonReply({});
};

/** The code is the request's host, its first label, or the page's host: the first that is an alias. */
function codeOf({ headers }: Request, { url, services: { sites } }: Context): string {
  const page = parseUrl(headers.get("referer") ?? "")?.hostname;
  const codes = [url.hostname, url.hostname.split(".", 1)[0] ?? "", page].filter((code) => code !== undefined);
  return codes.find((code) => sites.siteOfAlias(`goatcounter:${code}`) !== null) ?? page ?? url.hostname;
}

export const countGoatcounter: Handler = async (request, context) => {
  const parameters = parametersOf(context.url);
  await accept(request, context, () => readGoatcounter(parameters, codeOf(request, context), request.headers.get("referer")));
  return pixelReply;
};

export const getMatomo: Handler = async (request, context) => {
  const parameters = parametersOf(context.url);
  await accept(request, context, () => readMatomo(parameters));
  return pixelReply;
};

/** Refusals that a repetition may cure. */
const TEMPORARY: readonly AppErrorCode[] = ["unavailable", "too_many_requests"];

/** Answers several requests with the number of those that are refused, unless all are and a repetition may cure it. */
export const postMatomo: Handler = async (request, context): Promise<Reply> => {
  const body = await readBody(request);
  const queries = matomoQueriesIn(body);
  if (queries === null) {
    // Matomo's own tag puts a long query into the body, and a short one into the address.
    const query = body === "" ? parametersOf(context.url) : matomoQueryOf(body);
    await accept(request, context, () => readMatomo(query));
    return pixelReply;
  }
  let tracked = 0;
  let temporary: AppError | null = null;
  for (const query of queries) {
    try {
      await accept(request, context, () => readMatomo(query));
      tracked++;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (TEMPORARY.includes(error.failure.code)) temporary ??= error;
    }
  }
  if (tracked === 0 && temporary !== null) throw temporary;
  return jsonReply({ status: "success", tracked, invalid: queries.length - tracked });
};

// Description in the OpenAPI document

const REFUSALS = {
  ...INGEST_REFUSALS,
  unknown_alias: "No site has what the tag names in its setting `aliases`.",
  invalid_input: "A value is too long or invalid.",
  malformed_body: "A required value is missing or has the wrong type.",
} as const;

const PIXEL = { 200: { description: "A transparent GIF of one pixel.", headers: NOT_STORED, content: { "image/gif": {} } } } as const;

const SCHEMAS = {
  UmamiRequest: {
    type: "object",
    properties: {
      type: text("`event`. Anything else, such as `identify`, is answered and dropped."),
      payload: {
        type: "object",
        description: "`website`, `hostname`, `url`, `referrer`, `screen`, and `name` and `data` of an event. Other fields are ignored.",
      },
    },
    required: ["payload"],
  } satisfies Schema,
  MatomoRequest: {
    type: "object",
    properties: {
      requests: list(`At most ${MATOMO_REQUESTS_MAX} queries as in the address.`, text("A query."), { maxItems: MATOMO_REQUESTS_MAX }),
    },
  } satisfies Schema,
  UmamiAnswer: closed({}),
  MatomoAnswer: closed({
    status: text("Constant.", { const: "success" }),
    tracked: count("Requests that were taken."),
    invalid: count("Requests that were refused."),
  }),
};

const anyOf = (name: string, description: string, example: string) => inQuery(name, { description, schema: text("As sent."), example });

const pageOf = (name: string, description: string, example: string) =>
  inQuery(name, { description, schema: text("As sent.", { maxLength: URL_CHARS_MAX }), example });

const GOATCOUNTER_PARAMETERS: readonly Parameter[] = [
  { ...anyOf("p", "The page's path, or the event's name.", "/"), required: true },
  anyOf("e", "`true` for an event.", "true"),
  anyOf("q", "The page's query, from the `?` on.", "?utm_source=letter"),
  pageOf("r", "The referrer.", "https://example.org/links"),
  anyOf("s", "The screen: its width comes first.", "1280,800,1"),
];

const MATOMO_PARAMETERS: readonly Parameter[] = [
  anyOf("idsite", "The site's id in Matomo.", "1"),
  pageOf("url", "The page.", "https://example.com/"),
  pageOf("urlref", "The referrer.", "https://example.org/links"),
  anyOf("res", "The screen: its width comes first.", "1280x800"),
  anyOf("e_c", "An event's category. Its name here is category, slash and action.", "Video"),
  anyOf("e_a", "The event's action.", "Play"),
  anyOf("e_n", "The event's property `name`.", "Intro"),
  anyOf("e_v", "The event's property `value`.", "3"),
  anyOf("search", "A search: the event `search` with the property `keyword`.", "shoes"),
  anyOf("link", "An outbound link.", "https://example.org/"),
  anyOf("download", "A downloaded file.", "https://example.com/a.pdf"),
  ...NO_EVENTS.map((name) => anyOf(name, "The request is answered and dropped.", "1")),
];

const GOATCOUNTER = {
  parameters: GOATCOUNTER_PARAMETERS,
  answers: PIXEL,
  refusals: REFUSALS,
} as const;

const preflightOf = (product: string, operationId: string) => ({
  operationId,
  summary: `CORS preflight of ${product}'s tag`,
  answers: { 204: { description: "Events may be sent.", headers: PREFLIGHT_HEADERS } },
});

const OPERATIONS = {
  "POST /api/send": {
    operationId: "postUmami",
    summary: "Records what Umami's tag sends",
    requestBody: {
      description: `Umami's body, of at most ${BODY_BYTES_MAX} bytes.`,
      required: true,
      content: { "application/json": { schema: { $ref: "#/components/schemas/UmamiRequest" } } },
    },
    answers: { 200: answer("The event is stored, or was dropped.", "UmamiAnswer") },
    refusals: { ...REFUSALS, ...BODY_REFUSALS },
  },
  "OPTIONS /api/send": preflightOf("Umami", "preflightUmami"),
  "GET /count": { operationId: "getGoatcounter", summary: "Records what GoatCounter's tag sends", ...GOATCOUNTER },
  "POST /count": { operationId: "postGoatcounter", summary: "Records what GoatCounter's tag sends as a beacon", ...GOATCOUNTER },
  "GET /matomo.php": {
    operationId: "getMatomo",
    summary: "Records what Matomo's tag sends",
    parameters: MATOMO_PARAMETERS.map((parameter) => ({ ...parameter, required: parameter.name === "idsite" })),
    answers: PIXEL,
    refusals: REFUSALS,
  },
  "POST /matomo.php": {
    operationId: "postMatomo",
    summary: "Records one request of Matomo's tag, or several",
    description: "One query, in the address or as a form, which is answered with a pixel; or several in JSON, answered with their numbers.",
    parameters: MATOMO_PARAMETERS,
    requestBody: {
      description: `At most ${BODY_BYTES_MAX} bytes.`,
      required: false,
      content: { "application/json": { schema: { $ref: "#/components/schemas/MatomoRequest" } } },
    },
    answers: { 200: { ...PIXEL[200], content: { ...PIXEL[200].content, ...answer("", "MatomoAnswer").content } } },
    refusals: { ...REFUSALS, ...BODY_REFUSALS },
  },
  "OPTIONS /matomo.php": preflightOf("Matomo", "preflightMatomo"),
} satisfies Operations;

export const EARLIER_TAGS_API = { tag: "Ingestion", schemas: SCHEMAS, operations: OPERATIONS } as const;
