/** Ingestion: POST /api/event for the tracking script and servers, GET /api/event for the tracking pixel (docs/http-api.md, "Sending events"). */
import type { IngestContext } from "../runtime/ingest/accept-event.ts";
import { geoPlaceFromHeaders } from "../runtime/ingest/geo-headers.ts";
import type { GeoPlace } from "../runtime/ingest/geo.ts";
import { parseEventBody, parsePixelQuery } from "../runtime/ingest/event-input.ts";
import { parseClientHints } from "../runtime/ingest/client-hints.ts";
import { readBody } from "./body.ts";
import type { Context, Handler } from "./context.ts";
import { addressChainOf, clientAddressOfRequest, forwardedEntryOf } from "./forwarded-headers.ts";
import { parametersOf } from "./query.ts";
import { emptyReply, NO_STORE } from "./reply.ts";

/** What the headers and the connection say about the sender. */
function senderOf(request: Request, context: Context): Omit<IngestContext, "readInput"> {
  const { nowMs, beganMs } = context;
  const { headers } = request;
  return {
    nowMs,
    beganMs,
    origin: headers.get("origin"),
    clientAddress: clientAddressOfRequest(request, context),
    clientPlace: placeOf(request, context),
    userAgent: headers.get("user-agent") ?? "",
    clientHints: parseClientHints({
      brands: headers.get("sec-ch-ua"),
      platform: headers.get("sec-ch-ua-platform"),
      mobile: headers.get("sec-ch-ua-mobile"),
    }),
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

/** Lets the proxy check see where a visitor's event came from. */
function noteProxies({ headers }: Request, { services: { proxyCheck }, socketAddress }: Context): void {
  proxyCheck.note(addressChainOf({ socketAddress, forwardedFor: headers.get("x-forwarded-for") }, proxyCheck.entriesMax));
}

/** Without it, streaming hosts would send `Transfer-Encoding: chunked` for an empty body. */
const NO_CONTENT = { "Content-Length": "0" } as const;

/**
 * 202 once the event is in the journal, and also for one that is dropped: a bot's, or one that the site's settings exclude
 * (docs/http-api.md, "POST /api/event"). The body is parsed as JSON, whatever its content type.
 */
export const postEvent: Handler = async (request, context) => {
  const { services, event } = context;
  const body = event ? "" : await readBody(request);
  const outcome = await services.acceptEvent({ ...senderOf(request, context), readInput: () => event ?? parseEventBody(body) });
  if (outcome === "accepted") {
    services.counters.eventsIngested++;
    noteProxies(request, context);
  }
  return emptyReply(202, NO_CONTENT);
};

/** GIF89a of one transparent pixel: size, palette of two colours, transparency, image, trailer. */
const TRANSPARENT_GIF = Uint8Array.from(
  "474946383961 01000100800000 000000ffffff 21f9040100000000 2c000000000100010000 0202440100 3b".replaceAll(" ", "").match(/../g) ?? [],
  (hex) => Number.parseInt(hex, 16),
);

const PIXEL_HEADERS = { "Content-Type": "image/gif", "Content-Length": String(TRANSPARENT_GIF.length), ...NO_STORE } as const;

/** The pixel, whether the event is accepted or dropped (docs/http-api.md, "Tracking pixel"). */
export const getPixel: Handler = async (request, context) => {
  const { services, url, event } = context;
  const parameters = parametersOf(url);
  const outcome = await services.acceptEvent({ ...senderOf(request, context), readInput: () => event ?? parsePixelQuery(parameters) });
  if (outcome === "accepted") {
    services.counters.pixelEventsIngested++;
    noteProxies(request, context);
  }
  return { status: 200, headers: PIXEL_HEADERS, body: TRANSPARENT_GIF };
};
