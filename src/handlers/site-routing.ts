/**
 * Finds the site of a request, for hosts with an instance for each site. The registry answers requests without one, and so every refusal
 * that needs no site.
 */
import type { Config } from "../runtime/base/config/config.ts";
import { isSiteId } from "../runtime/base/config/names.ts";
import { type Allowlist, createAllowlist } from "../runtime/ingest/admission.ts";
import { type EventInput, parseEventBody, parsePixelQuery } from "../runtime/ingest/event-input.ts";
import { parseUrl } from "../runtime/ingest/urls.ts";
import type { SiteId } from "../storage/event.ts";
import { ROUTES } from "./app.ts";
import { getPixel, postEvent } from "./ingest.ts";
import { postMcp, siteOfCall } from "./mcp.ts";
import { pathBelow, createMatcher, extraRoutesOf, type Match } from "./router.ts";
import { parametersOf } from "./http.ts";

export interface SiteRequest {
  readonly siteId: SiteId;
  /** null for requests other than events. */
  readonly event: EventInput | null;
}

/** Finds the site of an event, or of a tool's call, once the body is read. */
export type FindSite = (body: string) => SiteRequest | null;

export class SiteRouting {
  readonly #matchAt: (pathname: string) => Promise<Match | null>;
  readonly #basePath: string;
  readonly #allowlist: Allowlist;

  constructor(config: Config) {
    this.#matchAt = createMatcher(ROUTES, extraRoutesOf(ROUTES, config));
    this.#basePath = config.basePath;
    this.#allowlist = createAllowlist(config.siteIds);
  }

  /** The number of the import that the request is about; null for every other request. */
  async importOf(request: Request): Promise<number | null> {
    const url = parseUrl(request.url);
    const match = url && (await this.#matchAt(pathBelow(this.#basePath, url.pathname)));
    const number = match?.params["import_id"] ?? "";
    return /^[1-9]\d{0,5}$/.test(number) ? Number(number) : null;
  }

  /** null for a request without a single site; a function if only the body names it. */
  async siteOf(request: Request): Promise<SiteRequest | FindSite | null> {
    const url = parseUrl(request.url);
    const match = url && (await this.#matchAt(pathBelow(this.#basePath, url.pathname)));
    const route = match?.endpoint.byMethod.get(request.method);
    if (!url || !match || !route) return null;
    if (route.site === true) return siteInQuery(url);
    if (route.site !== null) return siteAlone(typeof route.site === "function" ? route.site(match.params) : route.site);
    if (route.handler === postMcp) return (body) => siteAlone(siteOfCall(body));
    if (route.handler === getPixel) return this.#siteOfEvent(request, () => parsePixelQuery(parametersOf(url)));
    // Only the registry knows the site of other products' tags, and it passes an event to each of several sites.
    if (route.handler !== postEvent) return null;
    return (body) => this.#siteOfEvent(request, () => parseEventBody(body));
  }

  /** null for an event that is refused before its site counts (docs/http-api.md, "Processing order"). */
  #siteOfEvent({ headers }: Request, parse: () => EventInput): SiteRequest | null {
    try {
      this.#allowlist.checkOrigin(headers.get("origin"));
      const event = parse();
      this.#allowlist.checkSite(event.siteId);
      return isSiteId(event.siteId) ? { siteId: event.siteId, event } : null;
    } catch {
      return null;
    }
  }
}

const siteAlone = (siteId: SiteId | null): SiteRequest | null => (siteId === null ? null : { siteId, event: null });

function siteInQuery({ searchParams }: URL): SiteRequest | null {
  const [siteId = "", another] = searchParams.getAll("site_id");
  return siteAlone(another === undefined && isSiteId(siteId) ? siteId : null);
}
