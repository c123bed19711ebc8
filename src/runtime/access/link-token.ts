/** The tokens of share links and of their guests: `~`, with which no site id begins, and 256 random bits in base64url (RFC 4648, 5). */

const TOKEN_BYTES = 32;

const TOKEN = /^~[A-Za-z0-9_-]{43}$/;

export const isLinkToken = (text: string): boolean => TOKEN.test(text);

export function newLinkToken(randomBytes: (length: number) => Uint8Array): string {
  const base64 = btoa(String.fromCharCode(...randomBytes(TOKEN_BYTES)));
  return `~${base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}
