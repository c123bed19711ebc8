/** The request body of an event (docs/http-api.md, "Event fields"), without options that the service would reject. */

import { attempt, warn } from "./attempt.ts";
import { externalReferrer } from "./page-url.ts";
import type { Result } from "./transport.ts";

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

export const eventBody = (site: string, name: string, url: string, options: EventOptions): string => {
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
