/** Which pages belong to a site and may be requested: those under its own name, so that nobody can make the program request others. */
import { URL_CHARS_MAX } from "../base/config/limits.ts";
import { invalidInput } from "../base/errors.ts";
import { parseUrl } from "../ingest/parse-url.ts";

/** Names that no public DNS server answers (RFC 6761, RFC 6762, RFC 9476 and ICANN's `internal`). */
const LOCAL_NAME = /(?:^|\.)(?:localhost|local|internal|alt)$/;

const nameOf = ({ hostname }: URL): string => hostname.replace(/\.$/, "");

/** The site's own address, as a URL. 400 for a site id that is no public host name. */
function addressOf(siteId: string): URL {
  const address = parseUrl(`http://${siteId}/`);
  if (address === null || !nameOf(address).includes(".") || LOCAL_NAME.test(nameOf(address)))
    throw invalidInput('"site_id" must be a public host name, such as example.com, for its page to be checked');
  return address;
}

/** The pages of one site. */
export class SitePages {
  readonly #site: URL;

  /** 400 for a site id that is no public host name. */
  constructor(siteId: string) {
    this.#site = addressOf(siteId);
  }

  /** True if the URL is of the site or a subdomain: http or https, at the scheme's own port or that of the site id, without credentials. */
  has(url: URL): boolean {
    const [site, name] = [nameOf(this.#site), nameOf(url)];
    return (
      (url.protocol === "https:" || url.protocol === "http:") &&
      (name === site || name.endsWith(`.${site}`)) &&
      (url.port === "" || url.port === this.#site.port) &&
      url.username === "" &&
      url.password === ""
    );
  }

  /** 400 unless the text is the URL of a page of the site. */
  parse(text: string): URL {
    if (text.length > URL_CHARS_MAX) throw invalidInput(`"url" must have at most ${URL_CHARS_MAX} characters`);
    const url = parseUrl(text);
    if (url === null || !this.has(url))
      throw invalidInput(`"url" must be an http or https URL of ${nameOf(this.#site)} or a subdomain, without another port`);
    return url;
  }
}
