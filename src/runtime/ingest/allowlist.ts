/** Which pages and which sites may send events: the `site_ids` option (contract 4.1, decisions "Ingestion"). */
import { AppError } from "../errors.ts";
import { parseUrl } from "./parse-url.ts";

export interface Allowlist {
  /** 403 unless the page's host is an entry. A request without an origin passes here: its site is what counts. */
  checkOrigin(origin: string | null): void;
  /** 403 unless the site is an entry. */
  checkSite(siteId: string): void;
}

/** An empty list admits everything. Hosts are compared in lower case, site ids as they are. */
export function createAllowlist(siteIds: readonly string[]): Allowlist {
  const entries = new Set(siteIds);
  const hosts = new Set(siteIds.map((entry) => entry.toLowerCase()));
  const isOpen = entries.size === 0;
  return {
    checkOrigin(origin) {
      if (isOpen || origin === null) return;
      const page = parseUrl(origin);
      // An entry may have a port, too: then it is for pages there only.
      if (!page || !(hosts.has(page.hostname) || hosts.has(page.host))) {
        throw new AppError({ code: "forbidden" }, "Origin is not allowed: its host is not one of this service's sites");
      }
    },
    checkSite(siteId) {
      if (isOpen || entries.has(siteId)) return;
      throw new AppError({ code: "forbidden" }, 'Field "d" is not one of this service\'s sites');
    },
  };
}
