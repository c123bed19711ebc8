/** One event: whether it counts, its request body, and how it is sent. */
import { attempt, warn, externalReferrer, pageUrl } from "./page.ts";
import { PREFIX } from "./names.ts";
import type { Settings } from "./settings.ts";

/** No host at all (`file:`, `about:`), this machine, or a private or link-local address. Browsers normalize addresses to one spelling. */
const LOCAL =
  /^file|\/\/($|(.+\.)?localhost\.?$|(0|10|127|169\.254|192\.168|172\.(1[6-9]|2\d|3[01]))(\.\d+)+$|\[(::1?]|f[cd]..:|fe[89ab].:))/;

const isPublicVisit = (): boolean => !LOCAL.test(`${location.protocol}//${location.hostname}`) && !navigator.webdriver;

const asksNotToBeTracked = (): boolean => navigator.doNotTrack === "1" || !!navigator.globalPrivacyControl;

const hasOptedOut = (): boolean => attempt(() => localStorage.getItem(PREFIX + "_ignore")) === "true";

/** True if an event with this path is to be sent. */
const isCounted = (settings: Settings, path: string): boolean =>
  !!settings.site &&
  (settings.flag("includeLocal") || isPublicVisit()) &&
  !(settings.flag("honorDnt") && asksNotToBeTracked()) &&
  !hasOptedOut() &&
  !settings.excluded.some((pattern) => pattern.test(path));

export type EventOptions = {
  props?: Record<string, unknown>;
  revenue?: number;
  currency?: string;
  url?: string;
  referrer?: string | null;
  callback?: (result: Result) => void;
};

/** The service's limits: of `u` and `r`, and of `p`. */
const URL_CHARS_MAX = 2048;
const PROPS_CHARS_MAX = 4096;

/** An invalid option is dropped with a warning; the event is sent without it. */
const checked = <Value>(name: string, value: Value | undefined, isValid: boolean): Value | undefined => {
  if (isValid) return value;
  if (value !== undefined && value !== null) warn(`${name} refused`, value);
  return undefined;
};

const eventBody = (site: string, name: string, url: string, options: EventOptions): string => {
  const { props, revenue, currency, referrer = externalReferrer() } = options;
  const json = attempt(() => JSON.stringify(props));
  return JSON.stringify({
    d: site,
    n: `${name}`,
    u: url.slice(0, URL_CHARS_MAX),
    r: referrer ? `${referrer}`.slice(0, URL_CHARS_MAX) : undefined,
    w: innerWidth,
    p: checked("props", props, !!json && json[0] === "{" && json.length <= PROPS_CHARS_MAX) && json,
    ra: checked("revenue", revenue, Number.isFinite(revenue)),
    rc: checked("currency", currency, typeof currency === "string" && /^[a-z]{3}$/i.test(currency))?.toUpperCase(),
  });
};

/** Status 0: nothing was sent, or no response came. */
type Result = { readonly status: number };

/** The longest wait of a callback for the response. */
const RESPONSE_TIMEOUT_MS = 5000;

/** Sends without waiting, as the page may be unloading. A beacon is refused when too many bytes are in flight; so would be `keepalive`. */
const send = (url: string, body: string): void => {
  if (!attempt(() => navigator.sendBeacon(url, body))) sendWithCallback(url, body);
};

/** Sends as text/plain, which needs no CORS preflight. */
const sendWithCallback = (url: string, body: string, callback: (result: Result) => void = () => {}): void => {
  const request = new XMLHttpRequest();
  request.onloadend = () => callback({ status: request.status });
  request.open("POST", url);
  request.timeout = RESPONSE_TIMEOUT_MS;
  request.send(body);
};

export type Track = (name: string, options?: EventOptions) => void;

export const createTrack =
  (settings: Settings): Track =>
  (name, options) => {
    const given = options || {};
    const callback = typeof given.callback === "function" && given.callback;
    const isSent = attempt(() => {
      const url = new URL(given.url || pageUrl(settings.flag("hash")), location.href);
      url.hash = "";
      if (!name || !isCounted(settings, url.pathname)) return false;
      // The service accepts the path of a file, but no file: URL.
      const body = eventBody(settings.site, name, url.href.replace(/^file:../, ""), given);
      if (callback) sendWithCallback(settings.api, body, callback);
      else send(settings.api, body);
      return true;
    });
    if (callback && !isSent) setTimeout(callback, 0, { status: 0 });
  };
