/** The page check: one at a time, only pages of the site, redirects within the site. Returns findings, never the page (docs/privacy.md). */
import { URL_CHARS_MAX, PAGE_CHECKS_PER_SEC, PAGE_REDIRECTS_MAX, PAGE_TIMEOUT_MS } from "../base/config/limits.ts";
import { invalidInput, AppError } from "../base/errors.ts";
import { parseUrl, resolveUrl } from "../ingest/urls.ts";
import { createRateLimit, type RateLimit } from "../base/rate-limit.ts";
import { FETCH_FAILURES, isRedirect, PageFetchError, type FetchedPage, type PageFetch, ipOf, isPublicIp } from "./page-fetch.ts";
import { findingsIn, type HtmlFindings } from "./page-findings.ts";

/** Names that no public DNS server answers (RFC 6761, RFC 6762, RFC 9476 and ICANN's `internal`). */
const LOCAL_NAME = /(?:^|\.)(?:localhost|local|internal|alt)$/;

const nameOf = ({ hostname }: URL): string => hostname.replace(/\.$/, "");

function addressOf(siteId: string): URL {
  const address = parseUrl(`http://${siteId}/`);
  if (address === null || !nameOf(address).includes(".") || LOCAL_NAME.test(nameOf(address)))
    throw invalidInput('"site_id" must be a public host name, such as example.com, for its page to be checked');
  return address;
}

/** The pages of one site that may be requested: those under its own name, so that nobody can make the program request others. */
export class SitePages {
  readonly #site: URL;

  /** 400 for a site id that is not a public host name. */
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

/** `foreign_redirect`: to a host that is not the site's. It is not followed. */
export const PAGE_PROBLEMS = [...FETCH_FAILURES, "too_many_redirects", "foreign_redirect", "not_html"] as const;

type PageProblem = (typeof PAGE_PROBLEMS)[number];

interface PageFindings {
  /** The reason why there are no findings; null if there are. */
  readonly problem: PageProblem | null;
  /** Status of the last response; null without one. */
  readonly status: number | null;
  readonly html: HtmlFindings | null;
}

interface PageCheckOptions {
  readonly fetchPage: PageFetch;
  readonly proxiedPaths: readonly string[];
  readonly monotonicMs: () => number;
}

interface PageCheckRequest {
  readonly pages: SitePages;
  readonly url: URL;
  readonly scriptUrl: URL;
}

class CheckProblem extends Error {
  readonly problem: PageProblem;
  readonly status: number | null;

  constructor(problem: PageProblem, status: number | null = null) {
    super(problem);
    this.problem = problem;
    this.status = status;
  }
}

const isHtml = ({ contentType }: FetchedPage): boolean => /^(?:text\/html|application\/xhtml\+xml)\b/i.test(contentType.trim());

const relativeTo = (location: string, url: URL): URL | null => (location.length > URL_CHARS_MAX ? null : resolveUrl(location, url));

const tooMany = (retryAfterSecs: number): AppError =>
  new AppError({ code: "too_many_requests", retryAfterSecs }, "Pages are checked one at a time. Try again in a moment.");

export class PageCheck {
  readonly #options: PageCheckOptions;
  readonly #rateLimit: RateLimit = createRateLimit({ perSecond: PAGE_CHECKS_PER_SEC, bucketsMax: 1 });
  #isRunning = false;

  constructor(options: PageCheckOptions) {
    this.#options = options;
  }

  /** 429 while another check runs, and too soon after one. */
  async check(request: PageCheckRequest): Promise<PageFindings> {
    if (this.#isRunning) throw tooMany(1);
    const verdict = this.#rateLimit.take("page", this.#options.monotonicMs());
    if (!verdict.allowed) throw tooMany(verdict.retryAfterSecs);
    this.#isRunning = true;
    try {
      return await this.#findings(request);
    } finally {
      this.#isRunning = false;
    }
  }

  async #findings(request: PageCheckRequest): Promise<PageFindings> {
    try {
      const page = await this.#reach(request);
      if (!isHtml(page)) throw new CheckProblem("not_html", page.status);
      const html = findingsIn(page, page.url, { scriptUrl: request.scriptUrl, proxiedPaths: this.#options.proxiedPaths });
      return { problem: null, status: page.status, html };
    } catch (error) {
      if (error instanceof PageFetchError) return { problem: error.failure, status: null, html: null };
      if (error instanceof CheckProblem) return { problem: error.problem, status: error.status, html: null };
      throw error;
    }
  }

  /** The page behind all redirects, each of which must lead to a page of the site again. */
  async #reach({ pages, url: first }: PageCheckRequest): Promise<FetchedPage & { readonly url: URL }> {
    const endMs = this.#options.monotonicMs() + PAGE_TIMEOUT_MS;
    let url = first;
    for (let redirects = 0; ; redirects++) {
      const page = await this.#fetch(url, endMs);
      if (!isRedirect(page)) return { ...page, url };
      if (redirects === PAGE_REDIRECTS_MAX) throw new CheckProblem("too_many_redirects", page.status);
      const next = relativeTo(page.location ?? "", url);
      if (next === null || !pages.has(next)) throw new CheckProblem("foreign_redirect", page.status);
      url = next;
    }
  }

  async #fetch(url: URL, endMs: number): Promise<FetchedPage> {
    const address = ipOf(url);
    if (address !== null && !isPublicIp(address)) throw new PageFetchError("not_public");
    const leftMs = endMs - this.#options.monotonicMs();
    if (leftMs <= 0) throw new PageFetchError("timeout");
    return this.#options.fetchPage(url, leftMs);
  }
}
