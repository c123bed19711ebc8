/** What the credentials of a request are worth (docs/http-api.md, "Access"), wherever password, sessions, keys and share links are held. */
import type { SiteId } from "../../storage/event.ts";
import { isSiteId } from "../base/config/names.ts";
import type { KeyRights } from "./api-keys.ts";
import type { AuthServices } from "./auth-services.ts";
import type { SharedView } from "./shared-view.ts";

/** As sent, unchecked. */
export interface Credentials {
  readonly sessionTokens: readonly string[];
  readonly apiKeys: readonly string[];
  /** The header `X-Share`, with which nothing else counts. Null without it. */
  readonly share: string | null;
}

/** What a share link shows, or a public site. */
export interface SharedSite {
  readonly siteId: SiteId;
  /** The hash of the link, or the id of the public site. */
  readonly shareId: string;
  readonly view: SharedView;
}

export interface Standing {
  /** Until then, statistics are open to everyone. */
  readonly isPasswordSet: boolean;
  readonly hasSession: boolean;
  /** Those of the valid keys. */
  readonly keys: readonly KeyRights[];
  /** What `X-Share` is worth: `locked` if the link needs its password, `unknown` also if it is revoked or expired. Null without it. */
  readonly share: SharedSite | "locked" | "unknown" | null;
}

/** A promise where another instance holds them. */
export type StandingOf = (credentials: Credentials) => Standing | Promise<Standing>;

export interface StandingParts extends Pick<AuthServices, "adminPassword" | "sessions" | "apiKeys" | "shares"> {
  readonly isPublic: (siteId: SiteId) => boolean;
}

/** A public site shows everything. */
const PUBLIC_VIEW: SharedView = { filters: "", dates: null, hasRealtime: true };

function shareStanding({ shares, isPublic }: Pick<StandingParts, "shares" | "isPublic">, credential: string): Standing["share"] {
  if (isSiteId(credential)) return isPublic(credential) ? { siteId: credential, shareId: credential, view: PUBLIC_VIEW } : "unknown";
  const found = shares.find(credential);
  if (found === null) return "unknown";
  if (found.isLocked) return "locked";
  shares.noteUse(found.share);
  const { siteId, shareHash, filters, dates, hasRealtime } = found.share;
  return { siteId, shareId: shareHash, view: { filters, dates, hasRealtime } };
}

export function standingBy(parts: StandingParts, { sessionTokens, apiKeys, share }: Credentials): Standing {
  const isPasswordSet = parts.adminPassword.isConfigured;
  if (share !== null) return { isPasswordSet, hasSession: false, keys: [], share: shareStanding(parts, share) };
  return {
    isPasswordSet,
    hasSession: sessionTokens.some((token) => parts.sessions.isValid(token)),
    keys: apiKeys.map((key) => parts.apiKeys.rightsOf(key)).filter((rights) => rights !== null),
    share: null,
  };
}
