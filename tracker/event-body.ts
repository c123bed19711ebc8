/** Decides what one event says: the fields of the wire, and which options are refused because the service would turn the event away. */

import { attempt, warn } from "./attempt.ts";
import { foreignReferrer } from "./page-address.ts";
import type { Answer } from "./transport.ts";

export type EventOptions = {
  props?: Record<string, unknown>;
  revenue?: number;
  currency?: string;
  url?: string;
  referrer?: string | null;
  callback?: (answer: Answer) => void;
};

/** The service's limits for `u` and `r`, and for `p`. */
const URL_CHARS_MAX = 2048;
const PROPS_CHARS_MAX = 4096;

/** An option that is not as it must be is left out and the event sent without it. */
const checked = <Value>(name: string, value: Value | undefined, isRight: boolean): Value | undefined => {
  if (isRight) return value;
  if (value !== undefined && value !== null) warn(`${name} refused`, value);
  return undefined;
};

export const eventBody = (site: string, name: string, address: string, options: EventOptions): string => {
  const { props, revenue, currency, referrer = foreignReferrer() } = options;
  const json = attempt(() => JSON.stringify(props));
  return JSON.stringify({
    d: site,
    n: `${name}`,
    u: address.slice(0, URL_CHARS_MAX),
    r: referrer ? `${referrer}`.slice(0, URL_CHARS_MAX) : undefined,
    w: innerWidth,
    p: checked("props", props, !!json && json[0] === "{" && json.length <= PROPS_CHARS_MAX) && json,
    ra: checked("revenue", revenue, Number.isFinite(revenue)),
    rc: checked("currency", currency, typeof currency === "string" && /^[a-z]{3}$/i.test(currency))?.toUpperCase(),
  });
};
