/** What the credentials of a request are worth (docs/http-api.md, "Access"), wherever password, sessions and keys are held. */
import type { AuthServices } from "./auth-services.ts";
import type { KeyScope } from "./api-keys.ts";

/** As sent, unchecked. */
export interface Credentials {
  readonly sessionTokens: readonly string[];
  readonly apiKeys: readonly string[];
}

export interface Standing {
  /** Until then, statistics are open to everyone. */
  readonly isPasswordSet: boolean;
  readonly hasSession: boolean;
  /** The strongest of the valid keys. */
  readonly keyScope: KeyScope | null;
}

/** A promise where another instance holds them. */
export type StandingOf = (credentials: Credentials) => Standing | Promise<Standing>;

export function standingBy(
  { adminPassword, sessions, apiKeys }: Pick<AuthServices, "adminPassword" | "sessions" | "apiKeys">,
  credentials: Credentials,
): Standing {
  const scopes = credentials.apiKeys.map((key) => apiKeys.scopeOf(key));
  return {
    isPasswordSet: adminPassword.isConfigured,
    hasSession: credentials.sessionTokens.some((token) => sessions.isValid(token)),
    keyScope: scopes.includes("Admin") ? "Admin" : (scopes.find((scope) => scope !== null) ?? null),
  };
}
