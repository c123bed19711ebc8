/** One event: whether it counts, its request body, and how it is sent. */
import { api, excluded, flag, sites } from "./settings.ts";
import { attempt, documentProperty, warn } from "./page.ts";
import { pageUrl } from "./address.ts";
import { IGNORE_KEY } from "./names.ts";

/** Status 0: nothing was sent, or no response came. */
type Result = { readonly status: number };

export type EventOptions = {
  props?: Record<string, unknown>;
  revenue?: number;
  currency?: string;
  /** False for an event that is no interaction, such as a scroll depth: a visit of one page view is still a bounce. */
  interactive?: boolean;
  url?: string;
  referrer?: string | null;
  callback?: (result: Result) => void;
};

export type Track = (name: string, options?: EventOptions) => void;

/** No host at all (`file:`, `about:`), this machine, or a private or link-local address. Browsers normalize addresses to one spelling. */
const LOCAL =
  /^(file|null)|\/\/((.+\.)?localhost\.?|(0|10|127|169\.254|192\.168|172\.(1[6-9]|2\d|3[01]))(\.\d+)+)(:|$)|\[(::1?]|f[cd]..:|fe[89ab].:)/;

/** An invalid option is dropped with a warning; the event is sent without it. */
const checked = <Value>(name: string, value: Value | undefined, isValid: boolean): Value | undefined => {
  if (isValid) return value;
  if (value !== undefined && value !== null) warn(name + " refused", value);
  return undefined;
};

/**
 * Sends as text/plain, which needs no CORS preflight, and without waiting, as the page may be unloading. A beacon has no response for a
 * callback, and is refused when too many bytes are in flight; so would be `keepalive`.
 */
const send = (body: string, callback: EventOptions["callback"] | false): void => {
  if (!callback && attempt(() => navigator.sendBeacon(api, body))) return;
  const request = new XMLHttpRequest();
  request.onloadend = () => callback && callback({ status: request.status });
  request.open("POST", api);
  // The longest wait of a callback for the response.
  request.timeout = 5000;
  request.send(body);
};

/** Sends an event to each site. The callback gets the response for the first one. */
export const track: Track = (name, options) => {
  /** The service's limit of `u` and `r`. */
  const URL_CHARS_MAX = 2048;
  const given = options || {};
  const callback = typeof given.callback === "function" && given.callback;
  const isSent = attempt(() => {
    const { currency, interactive, props, referrer = documentProperty("referrer"), revenue } = given;
    const page = new URL(given.url || pageUrl(), location.href);
    page.hash = "";
    if (
      !name ||
      // A page in a frame of another page of its origin, which counts itself.
      (frameElement && !flag("frames")) ||
      ((LOCAL.test(location.origin) || navigator.webdriver) && !flag("includeLocal")) ||
      (flag("honorDnt") && (navigator.doNotTrack === "1" || navigator.globalPrivacyControl)) ||
      attempt(() => localStorage.getItem(IGNORE_KEY)) === "true" ||
      excluded.some((pattern) => pattern.test(page.pathname))
    )
      return undefined;
    const json = attempt(() => JSON.stringify(props)) as string;
    const body = {
      d: "",
      n: `${name}`,
      // Not within the site: the visitor came from elsewhere.
      r: referrer && !`${referrer}`.startsWith(location.origin + "/") ? `${referrer}`.slice(0, URL_CHARS_MAX) : undefined,
      // The service accepts the path of a file, but no file: URL.
      u: page.href.replace(/^file:../, "").slice(0, URL_CHARS_MAX),
      // The script's mark, with what speaks for a program (docs/privacy.md, "Evidence").
      t: navigator.webdriver ? 2 : +!screen.width,
      w: innerWidth,
      // An object, of as many characters as the service takes.
      p: checked("props", props, /^{[^]{1,4095}$/.test(json)) && json,
      ra: checked("revenue", revenue, Number.isFinite(revenue)),
      rc: checked("currency", currency, typeof currency === "string" && /^[a-z]{3}$/i.test(currency)) && (currency as string).toUpperCase(),
      interactive: interactive !== false && undefined,
    };
    return sites.map((site, place) => {
      body.d = site;
      send(JSON.stringify(body), !place && callback);
    }).length;
  });
  if (callback && !isSent) setTimeout(callback, 0, { status: 0 });
};
