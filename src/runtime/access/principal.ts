/** Access (docs/http-api.md, "Access"): what a request's credentials are worth, and what that lets the caller do. */
import type { SiteId } from "../../storage/event.ts";
import { isSiteId } from "../base/config/names.ts";
import type { KeyRights } from "./api-keys.ts";
import type { AuthServices } from "./auth-services.ts";
import type { SharedView } from "./shares.ts";

/** Credentials as sent, unchecked. */
export interface Credentials {
  readonly sessionTokens: readonly string[];
  readonly apiKeys: readonly string[];
  /** The header `X-Share`, with which nothing else counts. Null without it. */
  readonly share: string | null;
}

/** The content of a share link, or of a public site. */
interface SharedSite {
  readonly siteId: SiteId;
  /** The hash of the link, or the id of the public site. */
  readonly shareId: string;
  readonly view: SharedView;
}

export interface Standing {
  /** False: statistics are open to everyone. */
  readonly isPasswordSet: boolean;
  readonly hasSession: boolean;
  /** The token of a persistent session that this request prolongs, so that the response sets its cookie again; null for none. */
  readonly prolonged: string | null;
  readonly keys: readonly KeyRights[];
  /** There is a key that works, whether or not the request has it. */
  readonly hasKeys: boolean;
  /** The rights of `X-Share`: `locked` if the link needs its password, `unknown` even if it is revoked or expired. null without it. */
  readonly share: SharedSite | "locked" | "unknown" | null;
}

/** A promise where another instance holds them. */
export type StandingOf = (credentials: Credentials) => Standing | Promise<Standing>;

interface StandingParts extends Pick<AuthServices, "adminPassword" | "login" | "persistentSessions" | "apiKeys" | "shares"> {
  /** What everyone may see of a site; null for a site that is not public. */
  readonly publicViewOf: (siteId: SiteId) => SharedView | null;
  /** null where sites have one name each. */
  readonly names: { siteOf(name: SiteId): SiteId } | null;
}

function shareStanding(
  { shares, publicViewOf, names }: Pick<StandingParts, "shares" | "publicViewOf" | "names">,
  credential: string,
): Standing["share"] {
  const current = (siteId: SiteId): SiteId => names?.siteOf(siteId) ?? siteId;
  if (isSiteId(credential)) {
    const siteId = current(credential);
    const view = publicViewOf(siteId);
    return view === null ? "unknown" : { siteId, shareId: siteId, view };
  }
  const found = shares.find(credential);
  // What was shared of a site is not shared of the site that it was merged into.
  if (found === null || current(found.share.siteId) !== found.share.siteId) return "unknown";
  if (found.isLocked) return "locked";
  shares.noteUse(found.share);
  const { siteId, shareHash, filters, dates, hasRealtime, hasRawExport } = found.share;
  return { siteId, shareId: shareHash, view: { filters, dates, hasRealtime, hasRawExport } };
}

export function standingBy(parts: StandingParts, { sessionTokens, apiKeys, share }: Credentials): Standing {
  const instance = { isPasswordSet: parts.adminPassword.isConfigured, hasKeys: parts.apiKeys.hasAny };
  if (share !== null) return { ...instance, hasSession: false, prolonged: null, keys: [], share: shareStanding(parts, share) };
  return {
    ...instance,
    hasSession: sessionTokens.some((token) => parts.login.isLoggedIn(token)),
    prolonged: sessionTokens.find((token) => parts.persistentSessions.noteUse(token)) ?? null,
    keys: apiKeys.map((key) => parts.apiKeys.rightsOf(key)).filter((rights) => rights !== null),
    share: null,
  };
}

export interface Principal {
  /** `admin` may change sites and what is shared of them; `reader` may read statistics. */
  readonly role: "admin" | "reader";
  /** `all` includes sites that do not exist yet. */
  readonly sites: "all" | readonly SiteId[];
  /** null: no restriction. */
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
