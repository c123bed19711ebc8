/** The pages and sites that may send events: the `site_ids` option (docs/http-api.md, "Processing order"). */
import { AppError } from "../base/errors.ts";
import { parseUrl } from "./parse-url.ts";

export interface Allowlist {
  /** 403 unless the page's host is an entry. A request without an origin passes: `checkSite` decides. */
  checkOrigin(origin: string | null): void;
  /** 403 unless the site is an entry. */
  checkSite(siteId: string): void;
}

/** An empty list allows everything. Hosts are compared in lower case, site ids exactly. */
export function createAllowlist(siteIds: readonly string[]): Allowlist {
  const entries = new Set(siteIds);
  const hosts = new Set(siteIds.map((entry) => entry.toLowerCase()));
  const allowsAll = entries.size === 0;
  return {
    checkOrigin(origin) {
      if (allowsAll || origin === null) return;
      const page = parseUrl(origin);
      // An entry with a port allows that port only.
      if (!page || !(hosts.has(page.hostname) || hosts.has(page.host))) {
        throw new AppError({ code: "forbidden" }, "Origin is not allowed: its host is not one of this service's sites");
      }
    },
    checkSite(siteId) {
      if (allowsAll || entries.has(siteId)) return;
      throw new AppError({ code: "forbidden" }, 'Field "d" is not one of this service\'s sites');
    },
  };
}
