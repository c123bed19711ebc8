/** The wire format of an event: short field names, in a JSON body or in the pixel's query string (docs/http-api.md, "Event fields"). */
import type { SiteId } from "../../storage/event.ts";
import type { JsonObject } from "../../storage/json-record.ts";
import { exceedsChars, wellFormed } from "../../shared/text.ts";
import { fieldOf, malformedBody, optionalText, parseObject, requiredText } from "../base/body.ts";
import {
  CURRENCY_CHARS_MAX,
  EVENT_NAME_CHARS_MAX,
  PROPS_CHARS_MAX,
  REVENUE_CENTS_MAX,
  SITE_ID_CHARS_MAX,
  URL_CHARS_MAX,
  URL_HOST_CHARS_MAX,
} from "../base/config/limits.ts";
import { PAGEVIEW, parseSiteId, SITE_ID } from "../base/config/names.ts";
import { invalidInput } from "../base/errors.ts";
import { number, orNull, text, type Schema } from "../base/json-schema.ts";

/** A field of the body: its parser, its limits and its schema. */
interface EventField<Value> {
  /** The name on the wire. */
  readonly name: string;
  /** The schema of a value. An optional field may also be null. */
  readonly schema: ReturnType<typeof text> | ReturnType<typeof number>;
  readonly isRequired: boolean;
  /** malformed_body if the field has the wrong type, or is required and missing. */
  readonly read: (body: JsonObject) => Value;
  /** invalid_input if the value is not allowed. */
  readonly check: (value: Value) => void;
}

function checkLength(name: string, value: string | null, charsMax: number): void {
  if (value !== null && exceedsChars(value, charsMax)) throw invalidInput(`Field "${name}" must be at most ${charsMax} characters`);
}

const requiredTextField = (name: string, charsMax: number, description: string, pattern?: RegExp): EventField<string> => ({
  name,
  schema: text(description, { minLength: 1, maxLength: charsMax, ...(pattern && { pattern: pattern.source }) }),
  isRequired: true,
  read: (body) => requiredText(body, name),
  check: (value) => checkLength(name, value, charsMax),
});

const textField = (name: string, charsMax: number, description: string): EventField<string | null> => ({
  name,
  schema: text(description, { maxLength: charsMax }),
  isRequired: false,
  read: (body) => optionalText(body, name),
  check: (value) => checkLength(name, value, charsMax),
});

/** Any JSON number: a value out of range is not recorded, and the event is accepted. */
const numberField = (name: string, description: string): EventField<number | null> => ({
  name,
  schema: number(description),
  isRequired: false,
  read: (body) => optionalNumber(body, name),
  check: () => {},
});

/** The fields of a body, in the order in which they are read and checked. A field named like a column is stored as it was sent. */
export const EVENT_FIELDS = {
  siteId: requiredTextField(
    "d",
    SITE_ID_CHARS_MAX,
    "The id of the site. If the service has a list of sites, one of them; if `max_sites` is reached, one that has events.",
    SITE_ID,
  ),
  eventName: requiredTextField(
    "n",
    EVENT_NAME_CHARS_MAX,
    `The event's name. \`${PAGEVIEW}\` is a page view; any other is a custom event and a goal.`,
  ),
  url: requiredTextField(
    "u",
    URL_CHARS_MAX,
    `The page's whole http or https URL, whose host has at most ${URL_HOST_CHARS_MAX} characters, or its path from the first \`/\` on. ` +
      "Path, host and `utm_` values are stored.",
  ),
  referrer: textField("r", URL_CHARS_MAX, "URL of the referring page. A referrer with the same host is not recorded."),
  screenWidth: numberField("w", "Width of the screen in pixels."),
  props: textField("p", PROPS_CHARS_MAX, "Custom properties: a JSON object as a string. Anything else is not recorded."),
  revenue: numberField(
    "ra",
    "Revenue in units of the currency, rounded to hundredths; negative for a refund. " +
      `Amounts over ${REVENUE_CENTS_MAX / 100} are not recorded.`,
  ),
  currency: textField("rc", CURRENCY_CHARS_MAX, "Three-letter ISO 4217 code. Anything else is not recorded."),
} as const;

type Fields = typeof EVENT_FIELDS;

/** The fields as sent, with the right types and well-formed text, but otherwise unchecked. An absent optional field is null. */
export type EventInput = { readonly [Name in keyof Fields]: ReturnType<Fields[Name]["read"]> };

/** An input whose fields are within their limits and whose site id is valid. */
export interface CheckedEventInput extends EventInput {
  readonly siteId: SiteId;
}

const FIELDS = Object.entries(EVENT_FIELDS) as [keyof EventInput, EventField<unknown>][];
const REQUIRED = FIELDS.filter(([, { isRequired }]) => isRequired);

/** The body of `POST /api/event`. Open, because unknown fields are ignored. */
export const EVENT_SCHEMA: Schema = {
  type: "object",
  properties: Object.fromEntries(FIELDS.map(([, { name, schema, isRequired }]) => [name, isRequired ? schema : orNull<unknown>(schema)])),
  required: REQUIRED.map(([, { name }]) => name),
};

/**
 * The event of a POST body. invalid_input when the text is not JSON; malformed_body when it is not an object, or a field is
 * missing or has the wrong type.
 */
export function parseEventBody(body: string): EventInput {
  const object = parseObject(body);
  const input: Partial<Record<keyof EventInput, unknown>> = {};
  for (const [property, { read }] of FIELDS) input[property] = read(object);
  return input as EventInput;
}

/** A JSON number (RFC 8259), so that the pixel's `w` means what the body's does. */
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

const NO_FIELDS = Object.fromEntries(FIELDS.map(([property]) => [property, null])) as { readonly [Name in keyof EventInput]: null };

/** The event of a pixel's query string, which has `d`, `n`, `u`, `r` and `w` only. malformed_body as in `parseEventBody`. */
export function parsePixelQuery(params: URLSearchParams): EventInput {
  const width = params.get("w");
  if (width !== null && !NUMBER.test(width)) throw malformedBody('Parameter "w" must be a number');
  const referrer = params.get("r");
  return {
    ...NO_FIELDS,
    siteId: requiredParameter(params, "d"),
    eventName: wellFormed(params.get("n") ?? PAGEVIEW),
    url: requiredParameter(params, "u"),
    referrer: referrer === null ? null : wellFormed(referrer),
    screenWidth: width === null ? null : Number(width),
  };
}

/** invalid_input when a required field is empty, a value is not allowed, or the site id is invalid. */
export function checkEventInput(input: EventInput): CheckedEventInput {
  for (const [property, { name }] of REQUIRED) if (input[property] === "") throw invalidInput(`Field "${name}" must not be empty`);
  for (const [property, { check }] of FIELDS) check(input[property]);
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
