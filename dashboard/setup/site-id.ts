/** The site id of a typed domain: its host as browsers send it, in lower case and Punycode. */

/** docs/http-api.md, "Site ids". IPv6 addresses have brackets, which no site id has. */
const SITE_ID = /^[a-z0-9.\-_:]{1,256}$/;

/**
 * Takes a domain or a URL, and drops scheme, default port, path and a dot at the end. Keeps `www.`, because the site's pages may
 * have either name. Null if it has no host, or one that is no site id.
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
