/** Only pages of the dashboard may change anything with a session (docs/http-api.md, "CSRF"). */
import { AppError } from "../runtime/base/errors.ts";
import { parseUrl } from "../runtime/ingest/parse-url.ts";
import type { HostContext } from "./context.ts";

/** The origin of the page that sent a request, by `Origin` or `Referer`; null without either. */
function pageOf({ headers }: Request): string | null {
  const origin = headers.get("origin");
  if (origin !== null) return origin;
  const referer = headers.get("referer");
  return referer === null ? null : (parseUrl(referer)?.origin ?? null);
}

function foreign({ services, url }: HostContext): AppError {
  const { dashboardOrigin } = services.config;
  const advice =
    dashboardOrigin === null
      ? `If ${url.host} is not what browsers call this service, set dashboard_origin.`
      : `By dashboard_origin that is ${dashboardOrigin}.`;
  return new AppError({ code: "forbidden" }, `The request must come from a page of the dashboard's own origin. ${advice}`);
}

/** A proxy may terminate https, so only hosts are compared. */
const isOfOwnHost = (origin: string, url: URL): boolean => parseUrl(origin)?.host === url.host;

/** 403 for a request of a foreign page. A request without an origin is allowed. */
export function refuseForeignPage(request: Request, context: HostContext): void {
  const { dashboardOrigin } = context.services.config;
  if (dashboardOrigin !== null) {
    const page = pageOf(request);
    if (page !== null && page !== dashboardOrigin) throw foreign(context);
    return;
  }
  const origin = request.headers.get("origin");
  if (origin !== null && !isOfOwnHost(origin, context.url)) throw foreign(context);
}

/** 403 for a request that changes something with a session, unless a page of the dashboard sent it. */
export function requireDashboardPage(request: Request, context: HostContext): void {
  refuseForeignPage(request, context);
  if (context.services.config.dashboardOrigin !== null && pageOf(request) === null) throw foreign(context);
}
