/** The port to pages of other hosts. The page check is the only request that the program itself sends (docs/privacy.md). */

export interface FetchedPage {
  readonly status: number;
  /** The header `Location`. */
  readonly location: string | null;
  /** The header `Content-Type`, or "". */
  readonly contentType: string;
  /** The headers `Content-Security-Policy`, joined by commas, or "". */
  readonly policy: string;
  /** The first `PAGE_BYTES_MAX` bytes of the body as UTF-8; "" for a redirect. */
  readonly html: string;
}

/** True if the response leads to another page, so that its body does not matter. */
export const isRedirect = ({ status, location }: Pick<FetchedPage, "status" | "location">): boolean =>
  status >= 300 && status < 400 && location !== null;

/**
 * `not_public`: the host has an address of this machine, a private network or another special range. `unresolvable`: the name
 * has no address. `certificate`: the TLS certificate is not valid for the host.
 */
export const FETCH_FAILURES = ["not_public", "unresolvable", "unreachable", "certificate", "timeout"] as const;

export type FetchFailure = (typeof FETCH_FAILURES)[number];

export class PageFetchError extends Error {
  readonly failure: FetchFailure;

  constructor(failure: FetchFailure, options?: ErrorOptions) {
    super(`the page could not be fetched: ${failure}`, options);
    this.name = "PageFetchError";
    this.failure = failure;
  }
}

/**
 * Sends one GET without cookies and follows no redirect. Connects to public addresses only (`isPublicIp`), on hosts that
 * resolve names themselves to the very address that was checked.
 * @throws PageFetchError within `timeoutMs`
 */
export type PageFetch = (url: URL, timeoutMs: number) => Promise<FetchedPage>;
