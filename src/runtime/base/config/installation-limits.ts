/** Fixed bounds of the installation check and the demo site (docs/http-api.md, "Installation check" and "Demo site"). Names end with the unit. */

/** Names whose events are counted. A new name beyond that searches all of them for the oldest, which takes about 5 µs. */
export const OUTCOME_NAMES_MAX = 200;

/** Other names that the check of one site lists. */
export const OTHER_NAMES_MAX = 10;

/** Bytes of a page that are read; the rest is ignored. The head, where scripts and policies are, comes first. */
export const PAGE_BYTES_MAX = 1024 * 1024;

/** How long the requests for a page may take together. */
export const PAGE_TIMEOUT_MS = 5_000;

/** Redirects that are followed. Sites redirect to https, to `www` and to a language. */
export const PAGE_REDIRECTS_MAX = 3;

/** Page checks per second, one after the other: an administrator clicks, nobody polls. */
export const PAGE_CHECKS_PER_SEC = 0.5;

/** Addresses in `X-Forwarded-For` beyond those of trusted proxies that the proxy check looks at: more proxies than anybody has. */
export const PROXIES_BEYOND_MAX = 4;

/** Accepted events that the proxy check judges together. Then it counts anew, so that it follows a change of the proxy. */
export const PROXY_WINDOW_EVENTS = 200;

/** Share of these events that must look alike: some events come past the proxy, or with a forged header. */
export const FORWARDED_SHARE_MIN = 0.9;

/** Events before the first conclusion, where visitors have a private address and the header names public ones. */
export const HIDDEN_EVENTS_MIN = 3;

/** Events before the first conclusion, where one visitor could look like all, and between further ones in the same window. */
export const PROXY_EVENTS_MIN = 20;

/** Days of the demo site that are made at a time: a year, up to today. */
export const DEMO_DAYS = 365;

/** Files of it that are written at the same time: each waits for the disk. */
export const DEMO_FILES_AT_ONCE = 4;
