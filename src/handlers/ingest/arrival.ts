/** What an event's request says about where it comes from. */
import type { Arrival } from "../../runtime/ingest/accept-event.ts";
import { parseClientHints } from "../../runtime/ingest/user-agent.ts";
import { clientAddressOf } from "../client-address.ts";
import type { Context } from "../context.ts";

export function arrivalOf(request: Request, { services, socketAddress, nowMs }: Context): Omit<Arrival, "readInput"> {
  const { headers } = request;
  return {
    nowMs,
    origin: headers.get("origin"),
    clientAddress: clientAddressOf({
      socketAddress,
      forwardedFor: headers.get("x-forwarded-for"),
      trustedProxies: services.config.trustProxy,
    }),
    userAgent: headers.get("user-agent") ?? "",
    clientHints: parseClientHints({
      brands: headers.get("sec-ch-ua"),
      platform: headers.get("sec-ch-ua-platform"),
      mobile: headers.get("sec-ch-ua-mobile"),
    }),
  };
}
