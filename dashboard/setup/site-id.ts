/** The site id of a typed domain: its host as browsers send it, in lower case and Punycode. */

/** docs/http-api.md, "Site ids". The brackets of IPv6 addresses are not allowed. */
const SITE_ID = /^[a-z0-9.\-_:]{1,256}$/;

/**
 * Takes a domain or URL; drops scheme, default port, path and a final dot. Keeps `www.`, because the site may use either name. Null if the
 * result is not a site id.
 */
export function siteIdFrom(typed: string): string | null {
  const address = typed.trim().replace(/^[a-z][a-z\d+.-]*:\/\//i, "");
  let host: string;
  try {
    host = new URL(`http://${address}`).host;
  } catch {
    return null;
  }
  const siteId = host.replace(/\.(?=:|$)/, "").replace(/:443$/, "");
  return SITE_ID.test(siteId) ? siteId : null;
}

/**
 * The site ids that a typed address may stand for, the likelier first: nearly everybody calls the site of `www.example.com` `example.com`.
 */
export function siteIdsFrom(typed: string): readonly string[] {
  const siteId = siteIdFrom(typed);
  if (siteId === null) return [];
  const bare = /^www\.(.+\..+)$/.exec(siteId)?.[1];
  return bare === undefined ? [siteId] : [bare, siteId];
}
