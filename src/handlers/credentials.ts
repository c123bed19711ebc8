/** Where a request carries its credentials: the session's cookie, and a key in either of two headers (contract 5). */
import { CREDENTIALS_TRIED_MAX } from "../runtime/config/limits.ts";
import { API_KEY_PREFIX, SESSION_COOKIE } from "../runtime/config/names.ts";

const BEARER = /^Bearer +(\S+)$/i;

/** Finds the cookie among others without taking those apart. */
const SESSION_COOKIES = new RegExp(`(?:^|;)\\s*${SESSION_COOKIE}(?:=([^;]*))?\\s*(?=;|$)`, "g");

/** Tokens that may be of a session. Several cookies of the name may come, of which another site of the domain may have set some. */
export function sessionTokensOf({ headers }: Request): string[] {
  const tokens: string[] = [];
  for (const [, token = ""] of (headers.get("cookie") ?? "").matchAll(SESSION_COOKIES)) {
    tokens.push(token.trim());
    if (tokens.length === CREDENTIALS_TRIED_MAX) break;
  }
  return tokens;
}

/** What an `Authorization` of the scheme `Bearer` carries, whatever it is for. */
export const bearerTokenOf = ({ headers }: Request): string | null => BEARER.exec(headers.get("authorization")?.trim() ?? "")?.[1] ?? null;

/** Texts that may be keys. An `Authorization` of another scheme, or of somebody else's token, is none of ours. */
export function apiKeysOf(request: Request): string[] {
  const header = request.headers.get("x-api-key")?.trim();
  return [bearerTokenOf(request), header].filter((key) => key?.startsWith(API_KEY_PREFIX) === true) as string[];
}
