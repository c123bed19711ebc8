/** The wire format of an event: short field names, in a JSON body or in the pixel's query string (docs/http-api.md, "Event fields"). */
import type { JsonObject } from "../../storage/json-record.ts";
import { invalidInput } from "../base/errors.ts";
import { fieldOf, malformedBody, optionalText, parseObject, requiredText } from "../base/config/json-fields.ts";
import { CURRENCY_CHARS_MAX, EVENT_NAME_CHARS_MAX, PROPS_CHARS_MAX, SITE_ID_CHARS_MAX, URL_CHARS_MAX } from "../base/config/limits.ts";
import { PAGEVIEW, parseSiteId } from "../base/config/names.ts";
import type { SiteId } from "../../storage/event.ts";
import { exceedsChars, wellFormed } from "../../shared/text.ts";

/** The fields as sent, with the right types and well-formed text, but otherwise unchecked. */
export interface EventInput {
  readonly siteId: string;
  readonly eventName: string;
  readonly url: string;
  readonly referrer: string | null;
  /** CSS pixels. May be negative, fractional or infinite. */
  readonly screenWidth: number | null;
  /** Custom properties as JSON text. */
  readonly props: string | null;
  /** Units of the currency, such as euros. */
  readonly revenue: number | null;
  readonly currency: string | null;
}

/** An input whose fields are within their limits and whose site id is valid. */
export interface CheckedEventInput extends EventInput {
  readonly siteId: SiteId;
}

/** A JSON number (RFC 8259), so that the pixel's `w` means what the body's does. */
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * The event of a POST body. invalid_input when the text is not JSON; malformed_body when it is not an object, or a field is
 * missing or has the wrong type.
 */
export function parseEventBody(text: string): EventInput {
  const body = parseObject(text);
  return {
    siteId: requiredText(body, "d"),
    eventName: requiredText(body, "n"),
    url: requiredText(body, "u"),
    referrer: optionalText(body, "r"),
    screenWidth: optionalNumber(body, "w"),
    props: optionalText(body, "p"),
    revenue: optionalNumber(body, "ra"),
    currency: optionalText(body, "rc"),
  };
}

/** The event of a pixel's query string, which has no `ra`, `rc` and `p`. malformed_body as in `parseEventBody`. */
export function parsePixelQuery(params: URLSearchParams): EventInput {
  const width = params.get("w");
  if (width !== null && !NUMBER.test(width)) throw malformedBody('Parameter "w" must be a number');
  const referrer = params.get("r");
  return {
    siteId: requiredParameter(params, "d"),
    eventName: wellFormed(params.get("n") ?? PAGEVIEW),
    url: requiredParameter(params, "u"),
    referrer: referrer === null ? null : wellFormed(referrer),
    screenWidth: width === null ? null : Number(width),
    props: null,
    revenue: null,
    currency: null,
  };
}

/** invalid_input when a required field is empty, a field is over its limit, or the site id is invalid. */
export function checkEventInput(input: EventInput): CheckedEventInput {
  checkNotEmpty(input.siteId, "d");
  checkNotEmpty(input.eventName, "n");
  checkNotEmpty(input.url, "u");
  checkLength(input.siteId, "d", SITE_ID_CHARS_MAX);
  checkLength(input.eventName, "n", EVENT_NAME_CHARS_MAX);
  checkLength(input.url, "u", URL_CHARS_MAX);
  checkLength(input.referrer, "r", URL_CHARS_MAX);
  checkLength(input.props, "p", PROPS_CHARS_MAX);
  checkLength(input.currency, "rc", CURRENCY_CHARS_MAX);
  return { ...input, siteId: parseSiteId(input.siteId, "d") };
}

function optionalNumber(body: JsonObject, name: string): number | null {
  const value = fieldOf(body, name);
  if (value === null) return null;
  if (typeof value !== "number") throw malformedBody(`Field "${name}" must be a number`);
  return value;
}

function requiredParameter(params: URLSearchParams, name: string): string {
  const value = params.get(name);
  if (value === null) throw malformedBody(`Parameter "${name}" is missing`);
  return wellFormed(value);
}

function checkNotEmpty(text: string, field: string): void {
  if (text === "") throw invalidInput(`Field "${field}" must not be empty`);
}

function checkLength(text: string | null, field: string, charsMax: number): void {
  if (text !== null && exceedsChars(text, charsMax)) {
    throw invalidInput(`Field "${field}" must be at most ${charsMax} characters`);
  }
}
