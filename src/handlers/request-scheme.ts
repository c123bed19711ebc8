/** Whether the client asked over https: its connection may end at a proxy, which then says so. */
import { forwardedEntry } from "./forwarded-entry.ts";

/** `trustedProxies` as for the client's address. A header that proxies replace instead of appending to has one entry only. */
export function isHttps(request: Request, trustedProxies: number): boolean {
  const forwarded = trustedProxies > 0 ? request.headers.get("x-forwarded-proto") : null;
  if (forwarded === null) return request.url.startsWith("https:");
  const scheme = forwardedEntry(forwarded, trustedProxies) ?? forwarded.split(",", 1)[0]?.trim();
  return scheme?.toLowerCase() === "https";
}
