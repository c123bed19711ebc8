/** What an event's request says about where it comes from. */
import type { IngestContext } from "../../runtime/ingest/accept-event.ts";
import { parseClientHints } from "../../runtime/ingest/client-hints.ts";
import { clientAddressOfRequest } from "../client-address.ts";
import type { Context } from "../context.ts";

export function ingestContextOf(request: Request, context: Context): Omit<IngestContext, "readInput"> {
  const { services, socketPlace, nowMs } = context;
  const { headers } = request;
  const isForwarded = services.config.trustProxy > 0 && headers.has("x-forwarded-for");
  return {
    nowMs,
    origin: headers.get("origin"),
    clientAddress: clientAddressOfRequest(request, context),
    // Behind a proxy of one's own it would be the proxy's place.
    clientPlace: isForwarded ? null : socketPlace,
    userAgent: headers.get("user-agent") ?? "",
    clientHints: parseClientHints({
      brands: headers.get("sec-ch-ua"),
      platform: headers.get("sec-ch-ua-platform"),
      mobile: headers.get("sec-ch-ua-mobile"),
    }),
  };
}
