/** Which pages may act for whoever is logged in (CSRF): the dashboard's, and no other (contract 5.8). */
import type { Config } from "../runtime/config.ts";
import { AppError } from "../runtime/errors.ts";
import { parseUrl } from "../runtime/parse-url.ts";

/** The origin of the page that sent a request, as far as it can be told: `null` where the request does not say. */
function pageOf({ headers }: Request): string | null {
  const origin = headers.get("origin");
  if (origin !== null) return origin;
  const referer = headers.get("referer");
  return referer === null ? null : (parseUrl(referer)?.origin ?? null);
}

function foreign(request: Request, { dashboardOrigin }: Config): AppError {
  const advice =
    dashboardOrigin === null
      ? `If ${new URL(request.url).host} is not what browsers call this service, set dashboard_origin.`
      : `By dashboard_origin that is ${dashboardOrigin}.`;
  return new AppError({ code: "forbidden" }, `The request must come from a page of the dashboard's own origin. ${advice}`);
}

/** Proxies may end https before the service, so only hosts are compared. */
function isOfOwnHost(request: Request, origin: string): boolean {
  return parseUrl(origin)?.host === new URL(request.url).host;
}

/** 403 for a request that a foreign page sent. One that no page sent may pass. */
export function refuseForeignPage(request: Request, config: Config): void {
  const { dashboardOrigin } = config;
  if (dashboardOrigin !== null) {
    const page = pageOf(request);
    if (page !== null && page !== dashboardOrigin) throw foreign(request, config);
    return;
  }
  const origin = request.headers.get("origin");
  if (origin !== null && !isOfOwnHost(request, origin)) throw foreign(request, config);
}

/** 403 for a request that changes something in a session's name, unless it is known to be sent by a page of the dashboard. */
export function requireOwnPage(request: Request, config: Config): void {
  refuseForeignPage(request, config);
  if (config.dashboardOrigin !== null && pageOf(request) === null) throw foreign(request, config);
}
