/** The page check: one at a time, follows redirects within the site, and returns findings, never the page (docs/privacy.md). */
import { PAGE_CHECKS_PER_SEC, PAGE_REDIRECTS_MAX, PAGE_TIMEOUT_MS, URL_CHARS_MAX } from "../base/config/limits.ts";
import { AppError } from "../base/errors.ts";
import { resolveUrl } from "../ingest/parse-url.ts";
import { createRateLimit, type RateLimit } from "../base/rate-limit.ts";
import { FETCH_FAILURES, isRedirect, PageFetchError, type FetchedPage, type PageFetch } from "./page-fetch.ts";
import { findingsIn, type HtmlFindings } from "./page-findings.ts";
import { ipOf, isPublicIp } from "./public-ip.ts";
import type { SitePages } from "./site-pages.ts";

/** `foreign_redirect`: to a host that is not the site's. It is not followed. */
export const PAGE_PROBLEMS = [...FETCH_FAILURES, "too_many_redirects", "foreign_redirect", "not_html"] as const;

export type PageProblem = (typeof PAGE_PROBLEMS)[number];

export interface PageFindings {
  /** Why there are no findings; null if there are. */
  readonly problem: PageProblem | null;
  /** Status of the last response; null without one. */
  readonly status: number | null;
  readonly html: HtmlFindings | null;
}

export interface PageCheckOptions {
  readonly fetchPage: PageFetch;
  /** The option `script_paths`. */
  readonly proxiedPaths: readonly string[];
  readonly monotonicMs: () => number;
}

export interface PageCheckRequest {
  readonly pages: SitePages;
  /** The URL of these pages. */
  readonly url: URL;
  /** The public address of the script. */
  readonly scriptUrl: URL;
}

/** Ends the check with a problem. */
class CheckProblem extends Error {
  readonly problem: PageProblem;
  readonly status: number | null;

  constructor(problem: PageProblem, status: number | null = null) {
    super(problem);
    this.problem = problem;
    this.status = status;
  }
}

interface ReachedPage extends FetchedPage {
  readonly url: URL;
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
  async #reach({ pages, url: first }: PageCheckRequest): Promise<ReachedPage> {
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
