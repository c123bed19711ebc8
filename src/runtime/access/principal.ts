/** Who a caller is: a role, the sites that it holds for, and what of them is shared (docs/http-api.md, "Access"). */
import type { SiteId } from "../../storage/event.ts";
import type { SharedView } from "./shared-view.ts";
import type { Standing } from "./standing.ts";

/** `admin` may change sites and what is shared of them; `reader` may read statistics. */
export type PrincipalRole = "admin" | "reader";

export interface Principal {
  readonly role: PrincipalRole;
  /** `all` includes sites that do not exist yet. */
  readonly sites: "all" | readonly SiteId[];
  /** Null for everything of the sites. */
  readonly view: SharedView | null;
}

/** A caller that may do everything: with a session, an Admin key of all sites, or before a password is set. */
export const OWNER: Principal = { role: "admin", sites: "all", view: null };

/** A caller without valid credentials. */
export const NOBODY: Principal = { role: "reader", sites: [], view: null };

/** The strongest keys count: `Admin` before `ReadOnly`. Of several of one scope, each adds its sites. */
function principalOfKeys(keys: Standing["keys"]): Principal {
  const isAdmin = keys.some(({ scope }) => scope === "Admin");
  const counted = isAdmin ? keys.filter(({ scope }) => scope === "Admin") : keys;
  if (counted.length === 0) return NOBODY;
  const sites = counted.some((key) => key.sites === null) ? "all" : [...new Set(counted.flatMap((key) => key.sites ?? []))];
  return { role: isAdmin ? "admin" : "reader", sites, view: null };
}

export function principalOf({ isPasswordSet, hasSession, keys, share }: Standing): Principal {
  if (share !== null) return typeof share === "string" ? NOBODY : { role: "reader", sites: [share.siteId], view: share.view };
  return !isPasswordSet || hasSession ? OWNER : principalOfKeys(keys);
}

export const mayRead = ({ sites }: Pick<Principal, "sites">, siteId: SiteId): boolean => sites === "all" || sites.includes(siteId);

export const mayAdminister = (principal: Pick<Principal, "role" | "sites">, siteId: SiteId): boolean =>
  principal.role === "admin" && mayRead(principal, siteId);
