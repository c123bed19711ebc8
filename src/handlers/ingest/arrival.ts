/** What an event's request says about where it comes from. */
import type { Arrival } from "../../runtime/ingest/accept-event.ts";
import { parseClientHints } from "../../runtime/ingest/user-agent.ts";
import { clientAddressOf } from "../client-address.ts";
import type { Context } from "../context.ts";

export function arrivalOf(request: Request, { services, socketAddress, socketPlace, nowMs }: Context): Omit<Arrival, "readInput"> {
  const { headers } = request;
  const forwardedFor = headers.get("x-forwarded-for");
  const trustedProxies = services.config.trustProxy;
  return {
    nowMs,
    origin: headers.get("origin"),
    clientAddress: clientAddressOf({ socketAddress, forwardedFor, trustedProxies }),
    // Behind a proxy of one's own it would be the proxy's place.
    clientPlace: trustedProxies > 0 && forwardedFor !== null ? null : socketPlace,
    userAgent: headers.get("user-agent") ?? "",
    clientHints: parseClientHints({
      brands: headers.get("sec-ch-ua"),
      platform: headers.get("sec-ch-ua-platform"),
      mobile: headers.get("sec-ch-ua-mobile"),
    }),
  };
}
