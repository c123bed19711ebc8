/** Whether the client asked over https: its connection may end at a proxy, which then says so. */

/** `trustedProxies` as for the client's address. A header that proxies replace instead of appending to has one entry only. */
export function isHttps(request: Request, trustedProxies: number): boolean {
  const forwarded = trustedProxies > 0 ? request.headers.get("x-forwarded-proto") : null;
  if (forwarded === null) return request.url.startsWith("https:");
  const schemes = forwarded.split(",");
  return (schemes.at(-trustedProxies) ?? schemes[0])?.trim().toLowerCase() === "https";
}
