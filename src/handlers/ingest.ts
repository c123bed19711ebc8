/** Ingestion: POST /api/event for the tracking script and servers, GET /api/event for the tracking pixel (docs/http-api.md, "Sending events"). */
import { BODY_BYTES_MAX } from "../runtime/base/config/limits.ts";
import { PAGEVIEW } from "../runtime/base/config/names.ts";
import { DROP_REASONS, isDropReason } from "../runtime/bots/drop-reasons.ts";
import type { IngestContext } from "../runtime/ingest/accept-event.ts";
import { parseClientHints } from "../runtime/ingest/device.ts";
import {
  EVENT_FIELDS,
  EVENT_SCHEMA,
  type EventInput,
  parseEventBody,
  parsePixelQuery,
  PIXEL_SCHEMAS,
} from "../runtime/ingest/event-input.ts";
import { type GeoPlace, geoPlaceFromHeaders } from "../runtime/ingest/geo.ts";
import type { Network } from "../runtime/ingest/network.ts";
import { sitesNamedBy } from "../runtime/ingest/plausible-body.ts";
import { addressChainOf, clientAddressOfRequest, forwardedEntryOf } from "./origins.ts";
import { NOT_STORED, PREFLIGHT_HEADERS, sometimes } from "./openapi/headers.ts";
import { BODY_REFUSALS, inQuery, type Operations } from "./openapi/operation.ts";
import { emptyReply, NO_STORE, parametersOf, readBody, type Reply } from "./http.ts";
import type { Context, Handler } from "./route.ts";

export function senderOf(request: Request, context: Context): Omit<IngestContext, "readInput" | "door"> {
  const { nowMs, beganMs } = context;
  const { headers } = request;
  return {
    nowMs,
    beganMs,
    origin: headers.get("origin"),
    clientAddress: clientAddressOfRequest(request, context),
    clientPlace: placeOf(request, context),
    clientNetwork: networkOf(request, context),
    userAgent: headers.get("user-agent") ?? "",
    clientHints: parseClientHints({
      brands: headers.get("sec-ch-ua"),
      platform: headers.get("sec-ch-ua-platform"),
      mobile: headers.get("sec-ch-ua-mobile"),
    }),
    isSignedAgent: headers.has("signature-agent"),
  };
}

/**
 * The place of the sender, where it is known without its address. Behind a trusted proxy the place of the connection is that of the
 * proxy. Headers with a place count only if the request came through all trusted proxies: anybody else could have set them.
 */
function placeOf({ headers }: Request, { services: { config }, socketPlace }: Context): GeoPlace | null {
  const { trustProxy: trustedProxies, geoHeaders } = config;
  const forwardedFor = headers.get("x-forwarded-for");
  if (trustedProxies === 0 || forwardedFor === null) return socketPlace;
  const isTrusted = geoHeaders !== null && forwardedEntryOf({ forwardedFor, trustedProxies }) !== null;
  return isTrusted ? geoPlaceFromHeaders(geoHeaders, headers) : null;
}

/** The network of the sender, where it is known without its address. Behind a trusted proxy, that of the connection is the proxy's. */
const networkOf = ({ headers }: Request, { services: { config }, socketNetwork }: Context): Network | null =>
  config.trustProxy === 0 || !headers.has("x-forwarded-for") ? socketNetwork : null;

export function noteProxies({ headers }: Request, { services: { proxyCheck }, socketAddress }: Context): void {
  proxyCheck.note(addressChainOf({ socketAddress, forwardedFor: headers.get("x-forwarded-for") }, proxyCheck.entriesMax));
}

/** Why an event is not stored, for who looks at the response. Scripts of pages of other origins cannot read it. */
const DROPPED_HEADER = "X-Svc-Dropped";

/** Keeps streaming hosts from sending `Transfer-Encoding: chunked` for an empty body. */
const NO_CONTENT = { "Content-Length": "0" } as const;

/**
 * 202 once the event is in the journal, and also for one that is dropped: a bot's, or one that the site's settings exclude
 * (docs/http-api.md, "POST /api/event"). The body is parsed as JSON, whatever its content type. Of several sites, one that takes the
 * event is enough.
 */
export const postEvent: Handler = async (request, context) => {
  const { services, event } = context;
  const body = event ? "" : await readBody(request);
  const sender = senderOf(request, context);
  const readInput = () => event ?? parseEventBody(body);
  const accept = (read: () => EventInput) => services.acceptEvent({ ...sender, door: "api", readInput: read });
  let sites: readonly string[] = [];
  const outcomes = [
    await settled(
      accept(() => {
        const input = readInput();
        sites = sitesNamedBy(input.siteId);
        return { ...input, siteId: sites[0] ?? input.siteId };
      }),
    ),
  ];
  for (const siteId of sites.slice(1)) outcomes.push(await settled(accept(() => ({ ...readInput(), siteId }))));
  const [first] = outcomes;
  if (first?.status === "rejected" && outcomes.every(({ status }) => status === "rejected")) throw first.reason;
  const accepted = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  if (accepted.includes("accepted")) noteProxies(request, context);
  const dropped = accepted.includes("accepted") ? undefined : accepted.find(isDropReason);
  return emptyReply(202, dropped === undefined ? NO_CONTENT : { ...NO_CONTENT, [DROPPED_HEADER]: dropped });
};

const settled = async <Value>(promise: Promise<Value>): Promise<PromiseSettledResult<Value>> => {
  const [result] = await Promise.allSettled([promise]);
  return result;
};

/** GIF89a of one transparent pixel: size, palette of two colours, transparency, image, trailer. */
const TRANSPARENT_GIF = Uint8Array.from(
  "474946383961 01000100800000 000000ffffff 21f9040100000000 2c000000000100010000 0202440100 3b".replaceAll(" ", "").match(/../g) ?? [],
  (hex) => Number.parseInt(hex, 16),
);

const PIXEL_HEADERS = { "Content-Type": "image/gif", "Content-Length": String(TRANSPARENT_GIF.length), ...NO_STORE } as const;

export const pixelReply: Reply = { status: 200, headers: PIXEL_HEADERS, body: TRANSPARENT_GIF };

/** The pixel, whether the event is accepted or dropped (docs/http-api.md, "Tracking pixel"). */
export const getPixel: Handler = async (request, context) => {
  const { services, url, event } = context;
  const parameters = parametersOf(url);
  const sender = senderOf(request, context);
  const outcome = await services.acceptEvent({ ...sender, door: "pixel", readInput: () => event ?? parsePixelQuery(parameters) });
  if (outcome === "accepted") noteProxies(request, context);
  return pixelReply;
};

// Description in the OpenAPI document

const SCHEMAS = { Event: EVENT_SCHEMA };

export const INGEST_REFUSALS = {
  forbidden:
    "The service has a list of sites, and the page's `Origin` or the site is not on it. Or it has no list, the site has no events yet, and `max_sites` is reached.",
  request_timeout: "The event did not arrive, or was not stored, within the time limit.",
  too_many_requests: "The site or the sender's address exceeds its rate limit.",
  unavailable: "The event could not be stored, or too many events are waiting to be written to files.",
} as const;

const OPERATIONS = {
  "POST /api/event": {
    operationId: "postEvent",
    summary: "Records an event",
    description:
      "For the tracking script and for servers. A server forwards the visitor's `User-Agent`, and the address in " +
      "`X-Forwarded-For` if the service trusts it as a proxy. Events of bots get the same response and are dropped.",
    requestBody: {
      description: `A JSON object of at most ${BODY_BYTES_MAX} bytes, with any Content-Type. Pages send \`text/plain\`, which needs no preflight.`,
      required: true,
      content: { "application/json": { schema: { $ref: "#/components/schemas/Event" } } },
    },
    answers: {
      202: {
        description: "The event is stored, or dropped: it was sent by a bot, or the site's settings exclude it.",
        headers: { [DROPPED_HEADER]: sometimes("If the event is dropped: why.", { type: "string", enum: DROP_REASONS }) },
      },
    },
    refusals: {
      ...INGEST_REFUSALS,
      ...BODY_REFUSALS,
      invalid_input: "The body is not JSON, or a field is empty, too long or invalid.",
    },
  },
  "GET /api/event": {
    operationId: "getPixel",
    summary: "Records an event with a tracking pixel",
    description: "For pages without scripts and for emails. Custom properties and revenue are not supported. HEAD is not allowed.",
    parameters: [
      inQuery("d", { description: "The site.", required: true, schema: EVENT_FIELDS.siteId.schema, example: "example.com" }),
      inQuery("n", {
        description: "The event's name.",
        schema: { ...EVENT_FIELDS.eventName.schema, default: PAGEVIEW },
        example: "newsletter opened",
      }),
      inQuery("u", { description: "The page.", required: true, schema: EVENT_FIELDS.url.schema, example: "/newsletter/7" }),
      inQuery("r", { description: "The referrer.", schema: PIXEL_SCHEMAS.r, example: "https://example.org/links" }),
      inQuery("w", { description: "The screen's width.", schema: PIXEL_SCHEMAS.w, example: 1280 }),
    ],
    answers: {
      200: { description: "A transparent GIF of one pixel.", headers: NOT_STORED, content: { "image/gif": {} } },
    },
    refusals: {
      ...INGEST_REFUSALS,
      invalid_input: "A parameter is empty, too long or invalid.",
      malformed_body: "A required parameter is missing, or `w` is not a number.",
    },
  },
  "OPTIONS /api/event": {
    operationId: "preflightEvent",
    summary: "CORS preflight: pages of any origin may send events",
    answers: { 204: { description: "Events may be sent.", headers: PREFLIGHT_HEADERS } },
  },
} satisfies Operations;

export const INGEST_API = { tag: "Ingestion", schemas: SCHEMAS, operations: OPERATIONS } as const;
